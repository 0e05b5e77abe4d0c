// SPDX-License-Identifier: GPL-3.0-or-later
// The session model: the runs and all data from the engine. Views read it; only EngineClient's events change it. GUI thread only.
#pragma once

#include <QObject>
#include <deque>
#include <map>
#include <memory>

#include "engine/wire/wire.h"
#include "gui/link/run_state.h"

namespace mantissa::gui {

/// A setting that took effect, for the flags and the event list.
struct Marker {
    RunId run = 0;
    std::int64_t step = 0;
    QString pointer, label, from, to;
    std::shared_ptr<const RunSettings> before;  // the run's settings before
};

class SessionModel : public QObject {
    Q_OBJECT
public:
    explicit SessionModel(QObject* parent = nullptr);
    ~SessionModel() override;

    /// Returns the runs in display order, the same in every view: a fork is below its parent (run_order.h).
    const std::vector<std::unique_ptr<RunState>>& runs() const { return m_runs; }
    RunState* run(RunId id);
    const RunState* run(RunId id) const;
    /// Returns whether the engine trains any of the runs, or can.
    bool hasOwnRuns() const;
    /// Returns the run that a run was forked from; null: none, or it was removed.
    const RunState* parentOf(const RunState& run) const;
    /// Returns the number of forks between a run of the experiment and this one.
    int depthOf(const RunState& run) const;
    /// Returns the settings before `step`, without changes that take effect at it or later.
    const RunSettings& settingsBefore(const RunState& run, std::int64_t step) const;
    const std::vector<Marker>& markers() const { return m_markers; }
    /// Returns the user's notes by number, without those of removed runs.
    const std::map<std::int32_t, Note>& notes() const { return m_notes; }
    const Hello& hello() const { return m_hello; }
    /// Returns the device that runs train on; null if the engine has reported none.
    const DeviceInfo* device() const;
    const ExperimentLoaded& experiment() const { return m_experiment; }
    /// Returns the current experiment as the file's JSON; empty before the first one.
    const QString& experimentText() const { return m_experimentText; }
    /// Returns the experiment's JSON as it was loaded.
    const QString& originalText() const { return m_originalText; }
    const StateChanged& state() const { return m_state; }
    /// Returns the time (CLOCK_MONOTONIC, ns) at which the engine sent the latest records; 0 before any.
    std::int64_t lastSentNs() const { return m_lastSentNs; }
    /// Returns the largest number of steps of a live run; without live runs, as plottedSteps.
    std::int64_t stepCount() const;
    /// Returns the largest number of steps of all runs.
    std::int64_t plottedSteps() const;
    /// Returns the state of the recording.
    const RecordingChanged& recording() const { return m_recording; }
    /// Returns the recording that the loaded runs came from; nothing: they are new.
    const std::optional<RecordingOpened>& opened() const { return m_opened; }
    /// Returns the address where the engine listens for PyTorch trainings, as a probe names it; empty: it does not listen.
    const QString& listensAt() const { return m_listensAt; }
    /// Returns the progress of a run's pending rewind, if it takes long.
    const std::optional<RunRewinding>& rewinding() const { return m_rewinding; }

    RunId selected() const { return m_selected; }
    void select(RunId id);
    /// Hides or shows a run. `isUserAction`: it is an action of the user, who may undo it.
    void setHidden(RunId id, bool hidden, bool isUserAction = true);
    /// Hides a run and all information about it until a lesson's answer is shown.
    void setWithheld(RunId id, bool withheld);
    /// Shows all withheld runs again, including removed ones that may be restored.
    void endWithholding();
    /// Returns whether a lesson's question is open: no view shows a run's health until its answer is shown.
    bool isQuestionOpen() const { return m_isQuestionOpen; }
    void setQuestionOpen(bool open);

    /// Handles one event of the engine. Throws WireError on one that breaks the protocol.
    void handle(const Event& event);
    /// Stores a request until the engine answers.
    void notePending(RunId run, const PendingChange& change);
    /// Stores a request to arrange all runs until the engine answers.
    void noteArranging(std::uint64_t commandId, std::vector<RunStyle> styles);
    /// Returns the latest pending arrangement; empty: none.
    const std::vector<RunStyle>& requestedStyles() const { return m_requestedStyles; }
    /// Returns whether the engine has confirmed an arrangement of the runs since the experiment was loaded.
    bool isArranged() const { return m_isArranged; }
    /// Makes the next experiment use its own run styles instead of those of earlier runs with the same names.
    void forgetStyles() { m_keepsStyles = false; }
    /// Drops pending requests after the loss of the engine; received data stays.
    void engineLost();

signals:
    void greeted();            // Hello
    void experimentLoaded();   // all runs are new
    void runsChanged();        // added, removed, renamed, hidden, in another order
    void runChanged(int run);  // settings, plan, pending, name, text, stopped
    void recordsAppended();    // at most once per handled event
    /// Emitted when a changed setting takes effect, with the texts of its marker.
    void settingApplied(int run, const QString& pointer, const QString& from, const QString& to);
    void markersChanged();  // also checkpoints
    void notesChanged();
    void stylesRequested();                  // another order or style, not yet answered by the engine
    void runHidden(int run, bool isHidden);  // by the user, before runsChanged
    void runRevealed(int run);               // no longer withheld, before runsChanged
    void stepExamined(int run, qint64 step);
    void stateChanged();
    void selectionChanged();
    void seriesReset();                                        // all series are cleared
    void runRewound(int run, qint64 step);                     // its series now end before `step`
    void runThinned(int run);                                  // only some of its older steps are still kept
    void runCaughtUp(int run, qint64 step, qint64 differsAt);  // and can continue
    void rewindingChanged();
    void recordingChanged();
    void recordingOpened();
    void watchingChanged();
    void tensorsMeasured(const TensorsMeasured& measured);
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
    std::vector<std::unique_ptr<RunState>> m_runs;
    std::vector<Marker> m_markers;
    std::map<std::int32_t, Note> m_notes;
    /// A removed run that can be restored: the engine sends its steps only once.
    struct Removed {
        std::unique_ptr<RunState> run;
        std::vector<Marker> markers;
        std::vector<RunId> below;  // the runs below it, from top to bottom
    };
    std::deque<Removed> m_removed;  // the latest last
    Hello m_hello;
    ExperimentLoaded m_experiment;
    QString m_experimentText, m_originalText, m_listensAt;
    StateChanged m_state;
    RecordingChanged m_recording;
    std::optional<RecordingOpened> m_opened;
    std::optional<RunRewinding> m_rewinding;
    RunId m_selected = -1;
    std::int64_t m_lastSentNs = 0;
    std::vector<RunStyle> m_requestedStyles;
    std::uint64_t m_arranging = 0;  // the pending command
    bool m_isArranged = false;
    bool m_isQuestionOpen = false;
    bool m_keepsStyles = true;  // styles, in the next experiment, by the runs' names
    /// Returns the lowest identity used by the fewest runs: 0..5 for up to six runs.
    int freeIdentity() const;
    /// Returns the identity for a new run of this kind.
    int identityFor(const RunInfo& info) const;
    RunState& addRun(const RunInfo& info, int identity);
    /// Inserts a run below its parent and the parent's other forks, or at the end without a parent, but above the first run of `below` that
    /// is there.
    RunState& insertRun(std::unique_ptr<RunState> state, const std::vector<RunId>& below = {});
    void endArranging() { m_requestedStyles.clear(), m_arranging = 0; }
    void dropPending(std::uint64_t commandId);
    void endRewinding();

    void take(const Hello& event);
    void take(const ExperimentLoaded& event);
    void take(const RunChanged& event);
    void take(const RunAdded& event);
    void take(const RunRemoved& event);
    void take(const NoteWritten& event);
    void take(const NoteRemoved& event);
    void take(const StepsRecorded& event);
    void take(const CheckpointKept& event);  // these three are in run_order.cpp
    void take(const RunRestored& event);
    void take(const RunsArranged& event);
    void take(const SettingApplied& event);
    void take(const NonFiniteFound& event);
    void take(const StepExamined& event);
    void take(const RunsCompared& event);
    void take(const QuestionProgress& event) { emit questionProgressed(event); }
    void take(const StateChanged& event);
    void take(const ExperimentReset& event);
    void take(const ExperimentText& event);
    void take(const CommandDone& event);
    void take(const CommandRefused& event);
    void take(const RunStopped& event);
    void take(const TextSampled& event);
    void take(const ExperimentPreviewed& event);
    void take(const RecordingChanged& event);
    void take(const RecordingOpened& event);
    void take(const RunRewinding& event);
    void take(const RunRewound& event);
    void take(const RunCaughtUp& event);
    void take(const SeriesImported& event);
    void take(const SnippetWritten& event);
    void take(const RecordingsListed& event);
    void take(const TensorsMeasured& event);
    void take(const GaugesRead& event);
    void take(const ValuesMeasured& event);
    void take(const ThresholdsMeasured& event);
    void take(const ElementsRead& event);
    void take(const TimesMeasured& event);
    void take(const WatchingChanged& event);
};

}  // namespace mantissa::gui
