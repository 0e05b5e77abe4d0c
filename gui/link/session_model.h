// SPDX-License-Identifier: GPL-3.0-or-later
// The session model: all data from the engine; the runs are in its bases. Views read it; only EngineClient's events change it. GUI thread
// only.
#pragma once

#include "engine/wire/wire.h"
#include "gui/link/run_data_model.h"

namespace mantissa::gui {

class SessionModel : public RunDataModel {
    Q_OBJECT
public:
    using RunDataModel::RunDataModel;

    const Hello& hello() const { return m_hello; }
    /// Returns the device that runs train on; null if the engine has reported none.
    const DeviceInfo* device() const;
    const ExperimentLoaded& experiment() const { return m_experiment; }
    /// Returns the current experiment as the file's JSON; empty before the first one.
    const QString& experimentText() const { return m_experimentText; }
    /// Returns the experiment's JSON as it was loaded.
    const QString& originalText() const { return m_originalText; }
    const StateChanged& state() const { return m_state; }
    /// Returns the state of the recording.
    const RecordingChanged& recording() const { return m_recording; }
    /// Returns the recording that the loaded runs came from; nothing: they are new.
    const std::optional<RecordingOpened>& opened() const { return m_opened; }
    /// Returns the address where the engine listens for PyTorch trainings, as a probe names it; empty: it does not listen.
    const QString& listensAt() const { return m_listensAt; }
    /// Returns the progress of a run's pending rewind, if it takes long.
    const std::optional<RunRewinding>& rewinding() const { return m_rewinding; }

    /// Returns whether a lesson's question is open: no view shows a run's health until its answer is shown.
    bool isQuestionOpen() const { return m_isQuestionOpen; }
    void setQuestionOpen(bool open) {
        if (std::exchange(m_isQuestionOpen, open) != open) emit runsChanged();
    }

    /// Handles one event of the engine. Throws WireError on one that breaks the protocol.
    void handle(const Event& event);
    /// Drops pending requests after the loss of the engine; received data stays.
    void engineLost();

signals:
    void greeted();  // Hello
    void stateChanged();
    void runCaughtUp(int run, qint64 step, qint64 differsAt);  // and can continue
    void rewindingChanged();
    void recordingChanged();
    void recordingOpened();
    void watchingChanged();
    void thresholdsMeasured(const ThresholdsMeasured& measured);
    void runsCompared(const RunsCompared& compared);
    void refused(int run, const QString& pointer, const QString& sentence, quint64 commandId);
    // answers to questions
    void previewed(const ExperimentPreviewed& preview);  // of an experiment that is not loaded
    void snippetWritten(const SnippetWritten& snippet);
    void recordingsListed(const RecordingsListed& list);
    void elementsRead(const ElementsRead& read);
    void timesMeasured(const TimesMeasured& measured);
    void questionProgressed(const QuestionProgress& progress);

private:
    Hello m_hello;
    ExperimentLoaded m_experiment;
    QString m_experimentText, m_originalText, m_listensAt;
    StateChanged m_state;
    RecordingChanged m_recording;
    std::optional<RecordingOpened> m_opened;
    std::optional<RunRewinding> m_rewinding;
    bool m_isQuestionOpen = false;

    void endRewinding() {
        if (std::exchange(m_rewinding, std::nullopt)) emit rewindingChanged();
    }

    using RunDataModel::take;
    void take(const Hello& event);
    void take(const ExperimentLoaded& event);
    void take(const RunChanged& event);
    void take(const StateChanged& event);
    void take(const ExperimentText& event);
    void take(const CommandDone& event);
    void take(const CommandRefused& event);
    void take(const RecordingChanged& event);
    void take(const RecordingOpened& event);
    void take(const RunRewinding& event);
    void take(RunState& run, const RunCaughtUp& event);
    void take(const WatchingChanged& event);
    void take(const RunsCompared& event);
    void take(RunState&, const ThresholdsMeasured& event) { emit thresholdsMeasured(event); }
    void take(RunState&, const ElementsRead& event) { emit elementsRead(event); }
    void take(RunState&, const TimesMeasured& event) { emit timesMeasured(event); }
    void take(const QuestionProgress& event) { emit questionProgressed(event); }
    void take(const ExperimentPreviewed& event) { emit previewed(event); }
    void take(const SnippetWritten& event) { emit snippetWritten(event); }
    void take(const RecordingsListed& event) { emit recordingsListed(event); }
};

}  // namespace mantissa::gui
