// SPDX-License-Identifier: GPL-3.0-or-later
// The window's end of the wire: starts the engine as a process, speaks frames on its standard input and output, and feeds the Lab.
// An engine that dies (killed, crashed, exited, speaking garbage) is a signal with a sentence; the window lives on and may restart it.
// GUI thread only; decoding goes in short slices between paints.
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
#include "gui/link/lab.h"

namespace mantissa::gui {

class EngineClient : public QObject {
    Q_OBJECT
public:
    /// `commandLine`: program and arguments of the engine.
    EngineClient(Lab* lab, QStringList commandLine, QObject* parent = nullptr);
    ~EngineClient() override;

    /// The engine beside this program: "<folder>/mantissa serve".
    static QStringList bundledEngine();
    /// Where an engine that is started from now on keeps its recordings, and whether it makes new ones; no folder: it has none.
    void setRecordingsFolder(const QString& folder, bool isRecording = true) {
        m_recordingsFolder = folder;
        m_isRecording = isRecording;
    }

    /// Starts the process and, once it is there, loads `nameOrPath`; `text`, when given, is the experiment's content.
    void start(const QString& nameOrPath, const QString& text = {});
    /// A fresh engine, and what was being recorded, to go on where its last safe step is; without a recording, the same experiment from its
    /// beginning with the settings that the runs have now.
    void restart();
    /// Whether the engine was lost because its device failed: a new one may have it again, or another.
    bool hasLostDevice() const { return m_hasLostDevice; }
    /// What restart() would go on with; empty: it begins anew.
    QString resumable() const;
    /// Loads an experiment without runs and listens for PyTorch trainings at this place (WatchTraining), in the running engine or a new
    /// one.
    void watch(const QString& place);
    /// Opens a recording in the running engine, or in a new one. A refused one leaves everything as it was.
    void open(const QString& recording);
    /// Whether what the engine tells is what a recording holds: it happened then, not now.
    bool isOpening() const { return m_telling != 0; }
    /// Asks the engine to quit, waits briefly, then ends it. Safe to call twice.
    void quit();

    const QStringList& commandLine() const { return m_commandLine; }
    bool isRunning() const { return m_isRunning; }
    qint64 processId() const { return m_process ? m_process->processId() : 0; }

    /// Sends a command and returns its id; 0 when no engine runs.
    std::uint64_t send(CommandBody body);
    /// The same, for who listens for the answer: a refusal is told there and nowhere else.
    std::uint64_t ask(CommandBody body);
    bool isAsked(std::uint64_t commandId) const { return m_asked.contains(commandId); }
    /// Opens an experiment in the running engine (or a new one). A refused one leaves the Lab, and what restart() begins, as they were.
    void load(const QString& nameOrPath, const QString& text = {});
    /// A live change: pending in the Lab until the engine answers. `shown` is the requested value as the screen writes it. Returns as
    /// `send`.
    std::uint64_t change(RunId run, const QString& pointer, const Json& value, const QString& shown);

signals:
    void started();
    /// `reason` completes the sentence "The engine stopped at step N: ..."; `lastWords` is the tail of its standard error.
    void lost(const QString& reason, const QString& lastWords);
    /// Done or refused; the Lab knows already.
    void answered(quint64 commandId);
    /// By `send`, and on its way; the Lab is as it was before. What is asked for an answer (a lesson, a question) is not told here.
    void sent(quint64 commandId, const mantissa::CommandBody& body);

private:
    std::uint64_t write(const CommandBody& body);
    void beginProcess();
    void drain();
    void receive(const Event& event);
    /// How runs look, where the engine cannot know it: those that came back, those that keep the look of runs of their names.
    void noteNews(const Event& event);
    void tellLooks();
    void lose(const QString& reason);
    void readErrorOutput();
    void processFinished(int exitCode, QProcess::ExitStatus status);

    Lab* m_lab;
    QStringList m_commandLine;
    QString m_recordingsFolder;
    bool m_isRecording = true;        // into it
    std::set<std::uint64_t> m_asked;  // and not answered yet
    std::unique_ptr<QProcess> m_process;
    FrameReader m_reader;
    QTimer m_drainTimer;
    QByteArray m_errorTail;
    QString m_experimentName, m_experimentText;  // to begin with; text empty: the engine finds it by name
    QString m_recording;                         // to begin with instead; empty: none
    std::optional<QString> m_watched;            // to listen at, once it runs; nothing: it does not listen
    std::uint64_t m_opening = 0;                 // the command that opens it, while a refusal would load the experiment
    bool m_hasLooksToTell = false;
    std::uint64_t m_telling = 0;  // the command that opens one, until it is answered
    std::uint64_t m_nextId = 1;
    bool m_isRunning = false;
    bool m_hasGreeted = false;
    bool m_isQuitting = false;
    bool m_hasLostDevice = false;
};

}  // namespace mantissa::gui
