// SPDX-License-Identifier: Apache-2.0
// A run that can go back: its trainer, and the course by which it trains any of its steps again, bit for bit. It emits no events; LiveRun
// does. Copies of it answer questions about past steps. One thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/experiment/messages.h"
#include "engine/session/recorded_runs.h"
#include "engine/session/run_course.h"
#include "engine/session/statistics_cost.h"
#include "engine/training/remedies.h"
#include "engine/training/trainer.h"

namespace mantissa {

/// Bytes of snapshots in memory for all runs of a session, which have equal shares.
inline constexpr std::int64_t kSnapshotBudget = 256 << 20;

/// What an applied change has changed: a setting, with its former and its new value as texts.
struct SettingEffect {
    std::string pointer, from, to;
};

class RepeatableRun {
public:
    /// Creates the trainer and reads `init.weights`. Throws InputError, std::invalid_argument.
    RepeatableRun(RunId id, const RunSettings& settings, std::shared_ptr<Backend> backend, std::vector<ScheduledChange> scheduled = {});
    /// Returns a run that begins in the state of `parent` before `step`, one of its steps. It must first be re-run (see `isLagging`). The
    /// parent's later changes are scheduled for it, except of the settings in `changes`; the caller applies `changes` after that.
    static RepeatableRun fork(RunId id, const RunCourse& parent, std::int64_t step, const std::string& name,
                              const std::vector<SettingChange>& changes = {});
    /// Returns a run of a recording, with its stored snapshots. It must be re-run to its last step. Throws InputError,
    /// std::invalid_argument if it cannot continue here.
    static RepeatableRun recorded(const RunsWay& way, std::vector<RunPoint> points, std::shared_ptr<Backend> backend);

    const RunCourse& course() const { return m_course; }
    /// Returns a copy of the present course, for forks and questions after the run has changed. It shares the snapshots.
    RunCourse past() const;
    const Trainer& trainer() const { return *m_trainer; }
    Trainer& trainer() { return *m_trainer; }
    /// The number of the next step; during a re-run, of its target.
    std::int64_t nextStep() const { return m_course.target ? *m_course.target : m_trainer->nextStep(); }
    bool canStep() const { return !m_course.hasStopped && nextStep() < m_course.lastStep(); }

    /// Makes the run a what-if that ends after `steps` own steps, until `keepWhatIf`.
    void makeWhatIf(std::int64_t steps) { m_course.whatIfEnd = m_course.firstStep + steps; }
    void keepWhatIf() { m_course.whatIfEnd.reset(); }
    /// Schedules the changes for a run of this name.
    void schedule(const std::vector<ScheduledChange>& changes);

    /// Called after each of several steps; false stops them.
    using GoesOn = std::function<bool()>;
    /// Trains the next step, and more steps if the device can run them without the host: at most `most`, none beyond a scheduled change,
    /// and none beyond those in progress when `goesOn` returns false. Passes their records to `take`. Throws exceptions of the trainer.
    void train(std::int64_t most, const GoesOn& goesOn, const std::function<void(const StepRecord&)>& take);
    /// Applies the changes scheduled for the next step, and returns the trainer, which then can train, repeat or measure that step. The
    /// steps that the caller trains do not enter the course. For copies, and for measurements that restore the state.
    Trainer& prepareNext();
    /// Applies to a trial, whose settings may differ, the changes scheduled for the trainer's next step that end a pulse: of settings that
    /// an event has changed in the steps after `from` up to `to` already. Other events are not the concern of a trial from `to` on. Not of
    /// the setting `except`. The course stays as it is; the caller restores the trainer.
    void endPulses(std::int64_t from, std::int64_t to, const std::string& except);

    /// Throws InputError if the run cannot go back to before `step`.
    void checkStep(std::int64_t step) const;
    /// Goes back to the nearest point before `step`, from which the run must be re-run. Throws like `checkStep`.
    void rewind(std::int64_t step);
    bool isLagging() const { return m_course.target.has_value(); }
    /// Re-runs one step, or several like `train`. Throws InputError and exceptions of the trainer; the run cannot continue after one.
    void rerun(const GoesOn& goesOn = {});
    /// Re-runs all steps, calling `goesOn` every few ms. Returns false if that returned false. Throws like `rerun`.
    bool rerunWhile(const StepsGoOn& goesOn);
    /// The first repeated step with a different loss; -1: none.
    std::int64_t differsAt() const { return m_differsAt; }

    /// Limits the memory of snapshots. `mayGoBack`: false: keeps only the first and the latest state; see History.
    void limitSnapshots(std::int64_t bytes, bool mayGoBack);
    /// Stores the state before the next step for rewinds and forks. Throws InputError if a change takes effect at that step, or if
    /// checkpoints would exceed their memory.
    void keepCheckpoint();

    /// Applies a live change, effective from `nextStep()`. Throws InputError, std::invalid_argument without changing anything.
    void change(const std::string& pointer, const Json& value);
    /// Applies a change to the present settings only: neither a rewind nor a reset repeats it. `next`: the course's settings after it, from
    /// RunCourse::changed. Returns its effects. Throws like `change`.
    std::vector<SettingEffect> apply(const std::string& pointer, const Json& value, RunSettings next);
    void rename(const std::string& name);

    /// Sets the level of tensor statistics. Throws std::invalid_argument, or std::bad_alloc for lack of memory, without changing anything.
    void setInstrumentation(Instrumentation level);
    /// Sets the level of tensor statistics if memory allows, without throwing.
    void preferInstrumentation(Instrumentation level);

protected:
    /// Notes a change applied by hand: rewinds and resets repeat it.
    void noteChange(const std::string& pointer, const Json& value);
    /// Returns where the run was first not finite, once.
    std::optional<FirstNonFinite> takeFirstNonFinite();
    void markStopped() { m_course.hasStopped = true; }
    /// Of the run's own steps with the present settings.
    const StatisticsCost& statisticsCost() const { return m_statisticsCost; }

private:
    RunCourse m_course;
    std::unique_ptr<Trainer> m_trainer;
    std::int64_t m_differsAt = -1;
    double m_stepMs = 0;  // of the last step
    StatisticsCost m_statisticsCost;

    explicit RepeatableRun(RunCourse course) : m_course(std::move(course)) {}
    void makeTrainer();
    void returnTo(const RunPoint& point);
    void trainSteps(std::int64_t most, const GoesOn& goesOn, const std::function<void(const StepRecord&)>& take);
    void applyChangesAgain();
    /// Makes a change by hand one of the run's own settings.
    void adoptChange(const std::string& pointer, const Json& value);
};

}  // namespace mantissa
