// SPDX-License-Identifier: Apache-2.0
// A run inside a session: its trainer, the changes that the file has scheduled for it, the way back to its earlier steps, and the records
// on their way out. One thread: the session's.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/experiment/messages.h"
#include "engine/session/bad_steps.h"
#include "engine/session/look_cost.h"
#include "engine/session/past_steps.h"
#include "engine/session/recorded_runs.h"
#include "engine/session/training_clock.h"
#include "engine/training/elements.h"
#include "engine/training/examiner.h"
#include "engine/training/step_tensors.h"
#include "engine/training/thresholds.h"
#include "engine/training/trainer.h"
#include "kernels/nvml.h"

namespace mantissa {

/// Now, for StepsRecorded.
std::int64_t monotonicNs();

/// A change that failed, in the words for whoever asked for it.
std::string refusalSentence(const std::exception& error);

/// Of one StepsRecorded, while it trains.
inline constexpr std::size_t kMostLiveRecords = 256;

/// Of the snapshots that the runs of a session keep, in memory; each has the same share.
inline constexpr std::int64_t kSnapshotBudget = 256 << 20;

/// Whether a step's loss or gradients were not finite, skipped or not.
bool isBadStep(const StepRecord& record);

class LiveRun {
public:
    using Sink = std::function<void(Event&&)>;

    /// Makes the trainer; reads `init.weights`. Throws InputError, std::invalid_argument.
    LiveRun(RunId id, const RunSettings& settings, std::shared_ptr<Backend> backend, Sink sink);
    /// A run that begins where `parent` was before `step`. It has to catch up with that first (see `isBehind`), by itself: the parent is
    /// not touched. What was changed in the parent from there on is scheduled for it. Throws InputError for a step that the parent has not
    /// done. `changes`, by pointer, are not made here (`change` does that, once it is there): they keep the parent's later ones from coming
    /// after.
    static std::unique_ptr<LiveRun> fork(RunId id, const LiveRun& parent, std::int64_t step, const std::string& name,
                                         const std::vector<SettingChange>& changes);

    /// A run of a recording, with the snapshots that are on its way. It has to catch up with where it had come to. Throws InputError,
    /// std::invalid_argument when it cannot be gone on with here.
    static std::unique_ptr<LiveRun> recorded(const RunsWay& way, std::vector<RunPoint> points, std::shared_ptr<Backend> backend, Sink sink);

    /// The run's past as it is now: what can be forked and examined from when the run itself has gone on, gone back or gone. It shares the
    /// snapshots, has no trainer, and trains nothing.
    std::unique_ptr<LiveRun> past() const;

    RunId id() const { return m_id; }
    const RunSettings& settings() const { return m_settings; }
    /// What the file and the user say, without what the file's events have done since: what a reset starts from, and what is saved.
    const RunSettings& ownSettings() const { return m_ownSettings; }
    const Trainer& trainer() const { return *m_trainer; }
    /// The number of the next step; of a run that is behind, of the one that it is on its way to.
    std::int64_t nextStep() const { return m_target ? *m_target : m_trainer->nextStep(); }
    std::int64_t firstStep() const { return m_firstStep; }
    DataShape dataShape() const { return shapeOf(*m_dataset); }
    std::int64_t trainCount() const { return m_dataset->trainCount(); }
    RunId parent() const { return m_parent; }
    bool canStep() const { return !m_hasStopped && nextStep() < lastStep(); }
    RunInfo info() const;
    /// Measures what the device does at most in the run's format; false: it has no steps to hold against that, or it is known.
    bool measureCeiling() const;

    /// Ends after so many steps of its own, whatever the settings say, until it is kept.
    void makeWhatIf(std::int64_t steps) { m_whatIfEnd = m_firstStep + steps; }
    bool isWhatIf() const { return m_whatIfEnd.has_value(); }
    void keepWhatIf() { m_whatIfEnd.reset(); }

    /// Takes those of the changes that are for a run of this name.
    void schedule(const std::vector<ScheduledChange>& changes);
    const std::vector<ScheduledChange>& scheduled() const { return m_scheduled; }

    /// Asked after each of several steps.
    using GoesOn = std::function<bool()>;
    /// Applies what is scheduled for this step, then trains it, and as many more as a device takes by itself, `most` at most, and none
    /// after those that are under way when `goesOn` says no. Their records go out meanwhile. What the trainer throws ends the run, not the
    /// session.
    void step(std::int64_t most = 1, const GoesOn& goesOn = {});

    // ---- Back, and on again ----

    /// Throws InputError for a step that the run cannot go back to before.
    void checkStep(std::int64_t step) const;
    /// Goes back to before `step`, to a point from which it has to catch up. Throws as `checkStep`.
    void rewind(std::int64_t step);
    bool isBehind() const { return m_target.has_value(); }
    /// Catches up by one step, or by several as `step`, without a word to anybody. Throws what the trainer throws, and InputError: then the
    /// run cannot be gone on with.
    void catchUp(const GoesOn& goesOn = {});
    /// Catches up a few ms at a time, and asks in between. False: it was told not to go on. Throws as `catchUp`.
    bool catchUpWhile(const StepsGoOn& goesOn);
    /// Where catching up has come to.
    std::int64_t reachedStep() const { return m_trainer->nextStep(); }
    /// The first step that came out differently when it was trained again; -1: none.
    std::int64_t differsAt() const { return m_differsAt; }

    const History& history() const { return *m_history; }
    void setSnapshotBudget(std::int64_t bytes) { m_history->setBudget(bytes); }
    /// Keeps no state between the first and the latest; see History.
    void keepOnlyLatestState() { m_history->keepOnlyLatest(); }
    /// Keeps the state before the next step, which going back there and forking there then finds as it is. Throws InputError where
    /// something was changed that holds from that step on, and where checkpoints have used up the memory there is for them.
    void keepCheckpoint();

    /// Of the files that its data were read from; see Dataset.
    const std::string& dataSum() const { return m_dataset->sum; }
    /// Throws std::runtime_error where the files hold other data than those that were recorded; `sum`: of those, empty where it is not
    /// known.
    void requireData(const std::string& sum) const;

    // ---- Steps, looked at closer ----

    void setExamining(Examining examining) { m_examining = examining; }
    /// Records take their wall time from `clock` from now on; it has to outlive the run. Without a clock it is the time of the run's own
    /// work.
    void useClock(const TrainingClock& clock) { m_clock = &clock; }
    /// The next step, bad or not, with what the file has scheduled for it. Where weights were broken before, the step that broke them, if
    /// `source` can go back to it: the run, or the one that it is a copy of. `goesOn`: see ExaminerOptions. `isAsked`: somebody waits for
    /// it, and it takes its time.
    Examination examineNext(const LiveRun& source, const std::function<bool(const WorkProgress&)>& goesOn = {}, bool isAsked = true);
    /// A step that is finite and worth an examination all the same, which nobody has asked for: the first whose validation is not finite,
    /// and the first by which the run should have learned something and has not. Each is given once.
    std::optional<std::int64_t> takeDoubt() { return std::exchange(m_doubt, std::nullopt); }
    /// What loss scale the next step bears, and then that step, told to nobody. For copies: the way back does not know of it.
    StepThreshold measureThresholdAndStep(ThresholdMeter& meter);
    /// Measures the next step in full, and trains it.
    StepStats measureNext();
    /// Single elements of the next step. Throws as `readElements`.
    ElementsFound readNext(const ElementRequest& request);
    /// The gauges that go by tensors, from a look at the next step, of which nothing is committed; told as GaugesRead. Of a step that moves
    /// no weight, as where a schedule has ended, nothing is told.
    void readGauges();
    /// What the next step would make of the run's tensors, with what the file has scheduled for it. Nothing of it is committed.
    StepTensors readStepTensors();
    /// Nothing is told from now on.
    void mute() {
        m_sink = [](Event&&) {};
    }

    /// One live change, holding from `nextStep()`. Throws InputError, std::invalid_argument with everything as it was.
    void change(std::uint64_t commandId, const std::string& pointer, const Json& value);
    void rename(const std::string& name);

    /// Throws std::invalid_argument, std::bad_alloc when there is no memory for it, with everything as it was.
    void setInstrumentation(Instrumentation level);
    /// The same where memory allows: a run that can be trained, and not looked into, is trained.
    void preferInstrumentation(Instrumentation level);
    /// Sends what the newest step with looks has seen, unless that has been sent, or something was less than `least` ago.
    void tellStats(std::chrono::steady_clock::duration least = {});

    /// Sends the records gathered so far.
    void flush();
    /// The same, when there are many or the last sending is a frame of the window ago: slow steps go out one by one.
    void flushIfDue();

private:
    RunId m_id;
    RunId m_parent = -1;
    std::int64_t m_firstStep = 0;
    RunSettings m_settings;
    RunSettings m_ownSettings;
    std::shared_ptr<Backend> m_backend;
    std::shared_ptr<const Dataset> m_dataset;
    Sink m_sink;
    std::unique_ptr<Trainer> m_trainer;
    std::unique_ptr<History> m_history;
    PastSteps m_pastSteps;                 // what a step has to give when it is trained again
    std::optional<std::int64_t> m_target;  // the step it has to catch up with
    std::int64_t m_differsAt = -1;
    std::optional<std::int64_t> m_whatIfEnd;
    std::vector<ScheduledChange> m_scheduled;  // by step
    double m_stepMs = 0;                       // of the last step
    const TrainingClock* m_clock = nullptr;    // null: of its own work
    std::vector<StepRecord> m_records;
    std::chrono::steady_clock::time_point m_lastFlush{};
    UsedBytes m_usedBytes{m_backend->device().busId};
    BadSteps m_badSteps;
    std::optional<std::int64_t> m_doubt;
    bool m_hasDoubtedValidation = false, m_hasCheckedProgress = false;
    Examining m_examining = Examining::Never;
    Instrumentation m_instrumentation = Instrumentation::Off;
    LookCost m_lookCost;
    std::int64_t m_toldStats = -1;  // the step
    std::chrono::steady_clock::time_point m_lastStats{};
    std::vector<Gauge> m_toldGauges;
    bool m_hasStopped = false;
    bool m_hasToldNonFinite = false;

    LiveRun(const RecordedRun& run, const RunPoint& begin, std::shared_ptr<Backend> backend, Sink sink);
    LiveRun(RunId id, const LiveRun& parent, std::int64_t step, const std::string& name);
    explicit LiveRun(const LiveRun& run);  // its past
    std::int64_t lastStep() const { return m_whatIfEnd.value_or(m_settings.training.steps); }
    ProductRates products() const;
    void requireFit(const RunSettings& settings) const;
    void makeTrainer();
    void tell(Event&& event) const;  // nothing while it catches up: that has been told the first time
    std::shared_ptr<const Snapshot> takeSnapshot() const;
    RunPoint pointHere(std::shared_ptr<const Snapshot> snapshot) const;
    void returnTo(const RunPoint& point);
    void applyChangesAgain();
    void resume(const RunsWay& way, std::vector<RunPoint> points);
    void applyForGood(std::uint64_t commandId, const std::string& pointer, const Json& value);
    void arrive();
    void trainSteps(std::int64_t most, const GoesOn& goesOn, const std::function<void(const StepRecord&)>& take);
    void takeIn(const StepRecord& record);
    void doubt(const StepRecord& record);
    ExaminerOptions examinerOptions(bool isOnDemand) const;
    std::int64_t badStepsInARowBefore(std::int64_t step) const;
    std::optional<Text> wereLoadedBroken(const Examination& found) const;
    void examineBadStep();
    Examination examineFrom(const StepStart& before, const LiveRun& source, ExaminerOptions options);
    std::pair<StepRecord, StepStats> look(const StepStart& before);
    void tellGauges(std::int64_t step, std::vector<Gauge> gauges);
    void judgeByGauges(const StepStart& before, Examination& found);
    std::optional<Examination> examineUpdateBefore(const Examination& found, const ExaminerOptions& options) const;
    RunPast pastBefore(std::int64_t step) const;
    double spreadOfGradNorms(std::int64_t first, std::int64_t last) const;
    std::vector<RunPast::Change> changesOfUpdates(std::int64_t from, std::int64_t to) const;
    void tryFrom(std::int64_t from, std::int64_t examined, Remedy& remedy, const ExaminerOptions& options, const StepsGoOn& goesOn) const;
    std::optional<std::int64_t> statisticsBrokenAt(const Examination& found, const ExaminerOptions& options) const;
    void stop(const std::string& reason);
    void applyScheduled();
    void sampleText(std::int64_t step);
    /// Puts a fault into the next step; what it stands in for, and what it is, for people.
    std::pair<std::string, std::string> inject(const std::string& pointer, const Json& value);
    void apply(std::uint64_t commandId, const std::string& pointer, const Json& value);
};

}  // namespace mantissa
