// SPDX-License-Identifier: GPL-3.0-or-later
// What the window knows: the runs and all that the engine has said of them. Views read it; only EngineClient's events change it.
// GUI thread only.
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
    std::shared_ptr<const RunSettings> before;  // what the run had until then
};

class Lab : public QObject {
    Q_OBJECT
public:
    explicit Lab(QObject* parent = nullptr);
    ~Lab() override;

    /// In the order of the screen, in every view: a fork stands below what it was forked from (run_order.h).
    const std::vector<std::unique_ptr<RunState>>& runs() const { return m_runs; }
    RunState* run(RunId id);
    const RunState* run(RunId id) const;
    /// Whether the engine trains any of the runs, or can.
    bool hasOwnRuns() const;
    /// That a run was forked from, while it is there; null: none.
    const RunState* parentOf(const RunState& run) const;
    /// How many forks lead from a run of the experiment to this one.
    int depthOf(const RunState& run) const;
    /// What was in force before `step`: before the changes that hold from there on.
    const RunSettings& settingsBefore(const RunState& run, std::int64_t step) const;
    const std::vector<Marker>& markers() const { return m_markers; }
    /// The user's, by number; of runs that are gone there are none.
    const std::map<std::int32_t, Note>& notes() const { return m_notes; }
    const Hello& hello() const { return m_hello; }
    /// That runs train on; null where the engine has named none.
    const DeviceInfo* device() const;
    const ExperimentLoaded& experiment() const { return m_experiment; }
    /// The experiment as it stands, as the file's JSON; empty before the first one.
    const QString& experimentText() const { return m_experimentText; }
    /// The same as it was when it was loaded.
    const QString& originalText() const { return m_originalText; }
    const StateChanged& state() const { return m_state; }
    /// CLOCK_MONOTONIC at which the engine sent the latest records; 0 before any.
    std::int64_t lastSentNs() const { return m_lastSentNs; }
    /// Steps done by the run that is furthest; one that is only looked at counts where there is no other.
    std::int64_t stepCount() const;
    /// The same of all runs: what there is to see.
    std::int64_t plottedSteps() const;
    /// How the recording of what happens stands.
    const RecordingChanged& recording() const { return m_recording; }
    /// The recording that the loaded runs came from; nothing: they began here.
    const std::optional<RecordingOpened>& opened() const { return m_opened; }
    /// Where the engine listens for PyTorch trainings, as a probe names it; empty: it does not.
    const QString& listensAt() const { return m_listensAt; }
    /// A run on its way back, when that takes a while.
    const std::optional<RunRewinding>& rewinding() const { return m_rewinding; }

    RunId selected() const { return m_selected; }
    void select(RunId id);
    /// `isDeed`: it is the user's own, who may want to undo it, and no view of the moment.
    void setHidden(RunId id, bool hidden, bool isDeed = true);
    /// Hides a run and all that could tell what it is, until a lesson's answer is told.
    void setWithheld(RunId id, bool withheld);
    /// Of all runs, also of those that were removed and may come back.
    void endWithholding();
    /// Whether a lesson's question is open: until its answer is shown, no view says how a run fares.
    bool isQuestionOpen() const { return m_isQuestionOpen; }
    void setQuestionOpen(bool open);

    /// Takes in one event of the engine. Throws WireError on one that breaks the protocol.
    void handle(const Event& event);
    /// Notes a request until the engine answers.
    void notePending(RunId run, const PendingChange& change);
    /// The same of an arrangement of all runs.
    void noteArranging(std::uint64_t commandId, std::vector<RunLook> looks);
    /// What was requested last and is not answered yet; empty: nothing is on its way.
    const std::vector<RunLook>& requestedLooks() const { return m_requestedLooks; }
    /// Whether the engine has been told how runs are shown, since the experiment was loaded.
    bool isArranged() const { return m_isArranged; }
    /// What comes next says itself how its runs look, whatever runs of their names looked like.
    void forgetLooks() { m_keepsLooks = false; }
    /// The engine is gone: requests that nobody will answer are dropped. What was recorded stays.
    void engineLost();

signals:
    void greeted();            // Hello
    void experimentLoaded();   // all runs are new
    void runsChanged();        // added, removed, renamed, hidden, in another order
    void runChanged(int run);  // settings, plan, pending, name, text, stopped
    void recordsAppended();    // at most once per handled event
    /// A setting that somebody has changed, as the texts of its marker.
    void settingApplied(int run, const QString& pointer, const QString& from, const QString& to);
    void markersChanged();  // checkpoints are among them
    void notesChanged();
    void looksRequested();                   // another order or other looks, which the engine has not answered
    void runHidden(int run, bool isHidden);  // by the user, before runsChanged
    void runRevealed(int run);               // it is withheld no more, before runsChanged
    void stepExamined(int run, qint64 step);
    void stateChanged();
    void selectionChanged();
    void seriesReset();                                        // all series begin anew
    void runRewound(int run, qint64 step);                     // its series end before `step` now
    void runThinned(int run);                                  // of its older steps only some are kept now
    void runCaughtUp(int run, qint64 step, qint64 differsAt);  // and can go on
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
    void questionProgressed(const QuestionProgress& progress);

private:
    std::vector<std::unique_ptr<RunState>> m_runs;
    std::vector<Marker> m_markers;
    std::map<std::int32_t, Note> m_notes;
    /// Of a removed run that can come back: the engine tells its steps only once.
    struct Removed {
        std::unique_ptr<RunState> run;
        std::vector<Marker> markers;
        std::vector<RunId> below;  // the runs that stood below it, from there down
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
    std::vector<RunLook> m_requestedLooks;
    std::uint64_t m_arranging = 0;  // the command that requests them
    bool m_isArranged = false;
    bool m_isQuestionOpen = false;
    bool m_keepsLooks = true;  // in the next experiment, by the runs' names
    /// The lowest identity that the fewest runs wear: 0..5 while there are at most six runs.
    int freeIdentity() const;
    /// The identity that a new run of this kind wears.
    int identityFor(const RunInfo& info) const;
    RunState& addRun(const RunInfo& info, int identity);
    /// Below its parent and that one's other forks, without one at the end; but above the first of `below` that stands there, too.
    RunState& insertRun(std::unique_ptr<RunState> state, const std::vector<RunId>& below = {});
    void endArranging() { m_requestedLooks.clear(), m_arranging = 0; }
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
    void take(const CheckpointKept& event);  // run_order.cpp, with the next
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
    void take(const WatchingChanged& event);
};

}  // namespace mantissa::gui
