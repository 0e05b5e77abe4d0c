// SPDX-License-Identifier: Apache-2.0
// A run of a session: its trainer, scheduled changes, history, and pending records. One thread: the session's.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/experiment/messages.h"
#include "engine/session/bad_steps.h"
#include "engine/session/past_steps.h"
#include "engine/session/recorded_runs.h"
#include "engine/session/statistics_cost.h"
#include "engine/session/training_clock.h"
#include "engine/training/block_stats.h"
#include "engine/training/elements.h"
#include "engine/training/examiner.h"
#include "engine/training/step_tensors.h"
#include "engine/training/thresholds.h"
#include "engine/training/trainer.h"
#include "kernels/nvml.h"

namespace mantissa {

/// The present time for StepsRecorded, in nanoseconds.
std::int64_t monotonicNs();

/// Returns the message of a failed change for the user.
std::string refusalSentence(const std::exception& error);

/// The most records of one StepsRecorded.
inline constexpr std::size_t kMostLiveRecords = 256;

/// Bytes of snapshots in memory for all runs of a session, which have equal shares.
inline constexpr std::int64_t kSnapshotBudget = 256 << 20;

/// Whether a step's loss or gradients are not finite, skipped or not.
bool isNonFiniteStep(const StepRecord& record);

class LiveRun {
public:
    using Sink = std::function<void(Event&&)>;

    /// Creates the trainer and reads `init.weights`. Throws InputError, std::invalid_argument.
    LiveRun(RunId id, const RunSettings& settings, std::shared_ptr<Backend> backend, Sink sink);
    /// Returns a run that begins in the state of `parent` before `step`. It must first be re-run (see `isLagging`); the parent does not
    /// change. The parent's later changes are scheduled for it, except of the settings in `changes`; the caller applies `changes` after
    /// that. Throws InputError if the parent has not reached the step.
    static std::unique_ptr<LiveRun> fork(RunId id, const LiveRun& parent, std::int64_t step, const std::string& name,
                                         const std::vector<SettingChange>& changes);

    /// Returns a run of a recording, with its stored snapshots. It must be re-run to its last step. Throws InputError,
    /// std::invalid_argument if it cannot continue here.
    static std::unique_ptr<LiveRun> recorded(const RunsWay& way, std::vector<RunPoint> points, std::shared_ptr<Backend> backend, Sink sink);

    /// Returns a copy of the run's present history, which can be forked and examined independently of the run. It shares the snapshots, has
    /// no trainer, and cannot train.
    std::unique_ptr<LiveRun> past() const;

    RunId id() const { return m_id; }
    const RunSettings& settings() const { return m_settings; }
    /// The settings of the file and the user, without changes by the file's events: those of a reset and of a saved file.
    const RunSettings& ownSettings() const { return m_ownSettings; }
    const Trainer& trainer() const { return *m_trainer; }
    /// The number of the next step; during a re-run, of its target.
    std::int64_t nextStep() const { return m_target ? *m_target : m_trainer->nextStep(); }
    std::int64_t firstStep() const { return m_firstStep; }
    DataShape dataShape() const { return shapeOf(*m_dataset); }
    std::int64_t trainCount() const { return m_dataset->trainCount(); }
    RunId parent() const { return m_parent; }
    bool canStep() const { return !m_hasStopped && nextStep() < lastStep(); }
    RunInfo info() const;
    /// Measures the device's peak in the run's format. Returns false if it is known, or the run has no steps yet.
    bool measurePeak() const;

    /// Makes the run a what-if that ends after `steps` own steps, until `keepWhatIf`.
    void makeWhatIf(std::int64_t steps) { m_whatIfEnd = m_firstStep + steps; }
    bool isWhatIf() const { return m_whatIfEnd.has_value(); }
    void keepWhatIf() { m_whatIfEnd.reset(); }

    /// Schedules the changes for a run of this name.
    void schedule(const std::vector<ScheduledChange>& changes);
    const std::vector<ScheduledChange>& scheduled() const { return m_scheduled; }

    /// Called after each of several steps; false stops them.
    using GoesOn = std::function<bool()>;
    /// Applies the changes scheduled for this step, then trains it, and more steps if the device can run them without the host: at most
    /// `most`, and none beyond those in progress when `goesOn` returns false. Emits their records. Exceptions of the trainer stop the run,
    /// not the session.
    void step(std::int64_t most = 1, const GoesOn& goesOn = {});

    // ---- Rewinding and re-running ----

    /// Throws InputError if the run cannot go back to before `step`.
    void checkStep(std::int64_t step) const;
    /// Goes back to the nearest point before `step`, from which the run must be re-run. Throws like `checkStep`.
    void rewind(std::int64_t step);
    bool isLagging() const { return m_target.has_value(); }
    /// Re-runs one step, or several like `step`, without emitting events. Throws InputError and exceptions of the trainer; the run
    /// cannot continue after one.
    void rerun(const GoesOn& goesOn = {});
    /// Re-runs all steps, calling `goesOn` every few ms. Returns false if that returned false. Throws like `rerun`.
    bool rerunWhile(const StepsGoOn& goesOn);
    /// The next step that the re-run trains.
    std::int64_t reachedStep() const { return m_trainer->nextStep(); }
    /// The first repeated step with a different loss; -1: none.
    std::int64_t differsAt() const { return m_differsAt; }

    const History& history() const { return *m_history; }
    void setSnapshotBudget(std::int64_t bytes) { m_history->setBudget(bytes); }
    /// Keeps only the first and the latest state; see History.
    void keepOnlyLatestState() { m_history->keepOnlyLatest(); }
    /// Stores the state before the next step for rewinds and forks. Throws InputError if a change takes effect at that step, or if
    /// checkpoints would exceed their memory.
    void keepCheckpoint();

    /// The checksum of its data files; see Dataset.
    const std::string& dataSum() const { return m_dataset->sum; }
    /// Throws std::runtime_error if the data files have changed since they were recorded. `sum`: the recorded checksum, empty if unknown.
    void requireData(const std::string& sum) const;

    // ---- Examining steps ----

    void setExamining(Examining examining) { m_examining = examining; }
    /// Takes the wall time of records from `clock`, which must outlive the run. Without a clock it is the run's own working time.
    void useClock(const TrainingClock& clock) { m_clock = &clock; }
    /// Examines the next step, finite or not, with its scheduled changes. If weights were not finite before, examines the step that broke
    /// them, if `source`, the run or its original, can go back to it. `goesOn`: see ExaminerOptions. `isAsked`: on request, with more time.
    Examination examineNext(const LiveRun& source, const std::function<bool(const WorkProgress&)>& goesOn = {}, bool isAsked = true);
    /// Returns, once each, a finite step that should be examined automatically: the first with a non-finite validation, and the first at
    /// which the run should have made progress and has not.
    std::optional<std::int64_t> takeDoubt() { return std::exchange(m_doubt, std::nullopt); }
    /// Measures the highest usable loss scale of the next step, then trains it without an event. For copies only: the step does not enter
    /// the history.
    StepThreshold measureThresholdAndStep(ThresholdMeter& meter);
    /// Trains the next step and returns its full tensor statistics. For copies only.
    StepStats measureNext();
    /// Measures where the time of the next step goes. For copies only. Throws like `measureStepTimes`.
    StepTimes measureNextTimes(const std::function<bool()>& goesOn);
    /// Returns single elements of the next step. Throws like `readElements`.
    ElementsFound readNext(const ElementRequest& request);
    /// Returns the operands of the next step in block formats. Throws like `readBlocks`. `asPolicy`: after a switch to this policy; for
    /// copies only. Throws InputError if the run cannot switch to it.
    std::vector<OperandBlocks> readNextBlocks(const std::string& asPolicy = {});
    /// Measures the next step without committing it, and emits its gauges as GaugesRead. Emits nothing if the step updates no weight, for
    /// example after the end of a schedule.
    void readGauges();
    /// Returns the tensors of the next step, with its scheduled changes, without committing it.
    StepTensors readStepTensors();
    /// Stops emitting events.
    void mute() {
        m_sink = [](Event&&) {};
    }

    /// Applies a live change, effective from `nextStep()`. Throws InputError, std::invalid_argument without changing anything.
    void change(std::uint64_t commandId, const std::string& pointer, const Json& value);
    void rename(const std::string& name);

    /// Sets the level of tensor statistics. Throws std::invalid_argument, or std::bad_alloc for lack of memory, without changing anything.
    void setInstrumentation(Instrumentation level);
    /// Sets the level of tensor statistics if memory allows, without throwing.
    void preferInstrumentation(Instrumentation level);
    /// Emits the newest tensor statistics, unless they were emitted, or others less than `least` ago.
    void publishStats(std::chrono::steady_clock::duration least = {});

    /// Emits the pending records.
    void flush();
    /// Emits the pending records if there are many, or none were emitted for a few ms.
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
    PastSteps m_pastSteps;                 // expected results of repeated steps
    std::optional<std::int64_t> m_target;  // end of the re-run
    std::int64_t m_differsAt = -1;
    std::optional<std::int64_t> m_whatIfEnd;
    std::vector<ScheduledChange> m_scheduled;  // by step
    double m_stepMs = 0;                       // of the last step
    const TrainingClock* m_clock = nullptr;    // null: the run's own working time
    std::vector<StepRecord> m_records;
    std::chrono::steady_clock::time_point m_lastFlush{};
    UsedBytes m_usedBytes{m_backend->device().busId};
    StepsToExamine m_stepsToExamine;
    std::optional<std::int64_t> m_doubt;
    bool m_hasDoubtedValidation = false, m_hasCheckedProgress = false;
    Examining m_examining = Examining::Never;
    Instrumentation m_instrumentation = Instrumentation::Off;
    StatisticsCost m_statisticsCost;
    std::int64_t m_publishedStats = -1;  // step of the last emitted statistics
    std::chrono::steady_clock::time_point m_lastStats{};
    std::vector<Gauge> m_publishedGauges;
    bool m_hasStopped = false;
    bool m_hasToldNonFinite = false;

    LiveRun(const RecordedRun& run, const RunPoint& begin, std::shared_ptr<Backend> backend, Sink sink);
    LiveRun(RunId id, const LiveRun& parent, std::int64_t step, const std::string& name);
    explicit LiveRun(const LiveRun& run);  // for `past`
    std::int64_t lastStep() const { return m_whatIfEnd.value_or(m_settings.training.steps); }
    ProductRates products() const;
    void makeTrainer();
    void publish(Event&& event) const;  // nothing during a re-run
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
    std::int64_t nonFiniteStepsInARowBefore(std::int64_t step) const;
    std::optional<Text> wereLoadedBroken(const Examination& found) const;
    void examineNonFiniteStep();
    Examination examineFrom(const StepStart& before, const LiveRun& source, ExaminerOptions options);
    std::pair<StepRecord, StepStats> measureStep(const StepStart& before);
    void publishGauges(std::int64_t step, std::vector<Gauge> gauges);
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
    /// Injects a fault into the next step. Returns the original and the injected value as texts.
    std::pair<std::string, std::string> inject(const std::string& pointer, const Json& value);
    void apply(std::uint64_t commandId, const std::string& pointer, const Json& value);
};

}  // namespace mantissa
