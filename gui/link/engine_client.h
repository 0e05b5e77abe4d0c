// SPDX-License-Identifier: GPL-3.0-or-later
// The window's connection to the engine: starts it as a process, exchanges frames on its standard input and output, and updates the session
// model (`SessionModel`). If the engine dies (killed, crashed, exited, invalid data), `lost` is emitted; the window continues and may
// restart it. GUI thread only; decoding runs in short slices between paints.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QProcess>
#include <QStringList>
#include <QTimer>
#include <memory>
#include <optional>
#include <set>

#include "engine/wire/wire.h"
#include "gui/link/session_model.h"

namespace mantissa::gui {

class EngineClient : public QObject {
    Q_OBJECT
public:
    /// `commandLine`: program and arguments of the engine.
    EngineClient(SessionModel* session, QStringList commandLine, QObject* parent = nullptr);
    ~EngineClient() override { quit(); }

    /// Returns the command line of the engine beside this program: "<folder>/mantissa serve".
    static QStringList bundledEngine();
    /// Sets where the next started engine keeps its recordings, and whether it makes new ones; an empty folder: no recordings.
    void setRecordingsFolder(const QString& folder, bool isRecording = true) {
        m_recordingsFolder = folder;
        m_isRecording = isRecording;
    }

    /// Starts the process and, once it runs, loads `nameOrPath`; `text`, if given, is the experiment's content.
    void start(const QString& nameOrPath, const QString& text = {});
    /// Starts a new engine and continues the current recording at its last complete step; without a recording, the same experiment from its
    /// beginning with the current settings of the runs.
    void restart();
    /// Returns whether the engine was lost because its device failed; a new one may use that device again, or another.
    bool hasLostDevice() const { return m_hasLostDevice; }
    /// Returns the recording that restart() would continue; empty: it starts at the beginning.
    QString resumable() const;
    /// Loads an experiment without runs and listens for PyTorch trainings at this place (WatchTraining), in the running engine or a new
    /// one.
    void watch(const QString& place);
    /// Opens a recording in the running engine, or in a new one. If it is refused, the state is unchanged.
    void open(const QString& recording);
    /// Returns whether the engine is sending the contents of a recording: past events, not new ones.
    bool isOpening() const { return m_telling != 0; }
    /// Requests the engine to quit, waits briefly, then kills it. Safe to call twice.
    void quit();

    const QStringList& commandLine() const { return m_commandLine; }
    bool isRunning() const { return m_isRunning; }
    qint64 processId() const { return m_process ? m_process->processId() : 0; }

    /// Sends a command and returns its id; 0 if no engine runs.
    std::uint64_t send(CommandBody body);
    /// Sends a command whose caller handles the answer, including a refusal, which is not shown elsewhere. Returns its id; 0 if no engine
    /// runs.
    std::uint64_t ask(CommandBody body);
    bool isAsked(std::uint64_t commandId) const { return m_asked.contains(commandId); }
    /// Opens an experiment in the running engine, or in a new one. If it is refused, the SessionModel and the target of restart() are
    /// unchanged.
    void load(const QString& nameOrPath, const QString& text = {});
    /// Requests a change of a setting; pending in the SessionModel until the engine answers. `shown` is the requested value as displayed.
    /// Returns as `send`.
    std::uint64_t change(RunId run, const QString& pointer, const Json& value, const QString& shown);

signals:
    void started();
    /// Emitted when the engine is lost. `reason` completes the sentence "The engine stopped at step N: ..."; `lastWords` is the tail of its
    /// standard error.
    void lost(const QString& reason, const QString& lastWords);
    /// Emitted when a command is done or refused, after the SessionModel is updated.
    void answered(quint64 commandId);
    /// Emitted by `send` for a command just sent; the SessionModel is unchanged. Not emitted for `ask` (a lesson, a question).
    void sent(quint64 commandId, const mantissa::CommandBody& body);

private:
    std::uint64_t write(const CommandBody& body);
    void beginProcess();
    void drain();
    void receive(const Event& event);
    /// Schedules sending the runs' styles that the engine cannot know: of restored runs, and of runs that keep the style of earlier runs of
    /// their names.
    void noteArrangement(const Event& event);
    void sendStyles();
    void lose(const QString& reason);
    void readErrorOutput();
    void processFinished(int exitCode, QProcess::ExitStatus status);

    SessionModel* m_session;
    QStringList m_commandLine;
    QString m_recordingsFolder;
    bool m_isRecording = true;        // records into m_recordingsFolder
    std::set<std::uint64_t> m_asked;  // pending
    std::unique_ptr<QProcess> m_process;
    FrameReader m_reader;
    QTimer m_drainTimer;
    QByteArray m_errorTail;
    QString m_experimentName, m_experimentText;  // loaded at the start; text empty: the engine finds it by name
    QString m_recording;                         // opened at the start instead; empty: none
    std::optional<QString> m_watched;            // where to listen once it runs; nothing: it does not listen
    std::uint64_t m_opening = 0;                 // the command that opens it; if it is refused, the experiment is loaded
    bool m_mustSendStyles = false;
    std::uint64_t m_telling = 0;  // the pending command that opens a recording
    std::uint64_t m_nextId = 1;
    bool m_isRunning = false;
    bool m_hasGreeted = false;
    bool m_isQuitting = false;
    bool m_hasLostDevice = false;
};

}  // namespace mantissa::gui
