// SPDX-License-Identifier: Apache-2.0
// A run of a session: emits what it trains and what changes in it as events, and has its steps examined. During a re-run it is silent. One
// thread: the session's.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/experiment/messages.h"
#include "engine/session/bad_steps.h"
#include "engine/session/repeatable_run.h"
#include "engine/session/run_examination.h"
#include "engine/session/training_clock.h"
#include "kernels/nvml.h"

namespace mantissa {

/// The present time for StepsRecorded, in nanoseconds.
std::int64_t monotonicNs();

/// Returns the message of a failed change for the user.
std::string refusalSentence(const std::exception& error);

/// Returns make(). An InputError about the file `weights` is rethrown at the key that names it, /init/weights.
template <class Make>
auto atWeights(const std::string& weights, Make make) {
    try {
        return make();
    } catch (const InputError& error) {
        if (weights.empty() || error.source() != weights) throw;
        throw InputError("", "/init/weights", error.what());
    }
}

/// The most records of one StepsRecorded.
inline constexpr std::size_t kMostLiveRecords = 256;

class LiveRun : public RepeatableRun {
public:
    using Sink = std::function<void(Event&&)>;

    LiveRun(RepeatableRun run, Sink sink);
    /// Throws like RepeatableRun.
    LiveRun(RunId id, const RunSettings& settings, std::shared_ptr<Backend> backend, Sink sink);
    /// Returns a fork of `parent`, with the same sink, clock and examinations; see RepeatableRun::fork. Throws like `checkStep`.
    static std::unique_ptr<LiveRun> fork(RunId id, const LiveRun& parent, std::int64_t step, const std::string& name,
                                         const std::vector<SettingChange>& changes);

    /// Takes the wall time of records from `clock`, which must outlive the run. Without a clock it is the run's own working time.
    void useClock(const TrainingClock& clock) { m_clock = &clock; }
    void setExamining(Examining examining) { m_examining = examining; }

    /// Applies the changes scheduled for this step, then trains like `train`, at most to the run's end, and emits the records. Exceptions
    /// of the trainer stop the run, not the session.
    void step(std::int64_t most = 1, const GoesOn& goesOn = {});
    /// Emits the pending records, then goes back like RepeatableRun.
    void rewind(std::int64_t step);
    /// Applies a live change, effective from `nextStep()`. Throws InputError, std::invalid_argument without changing anything.
    void change(std::uint64_t commandId, const std::string& pointer, const Json& value);
    void rename(const std::string& name);
    /// See RepeatableRun. The next statistics are emitted in any case.
    void setInstrumentation(Instrumentation level);

    /// Returns, once each, a finite step that should be examined automatically: the first with a non-finite validation, and the first at
    /// which the run should have made progress and has not.
    std::optional<std::int64_t> takeDoubt() { return std::exchange(m_doubt, std::nullopt); }
    /// Measures the next step without committing it, and emits its gauges as GaugesRead. Emits nothing if the step updates no weight, for
    /// example after the end of a schedule.
    void readGauges();
    /// Emits the newest tensor statistics, unless they were emitted, or others less than `least` ago.
    void publishStats(std::chrono::steady_clock::duration least = {});
    /// Emits the pending records.
    void flush();
    /// Emits the pending records if there are many, or none were emitted for a few ms.
    void flushIfDue();

private:
    Sink m_sink;
    const TrainingClock* m_clock = nullptr;  // null: the run's own working time
    std::vector<StepRecord> m_records;
    std::chrono::steady_clock::time_point m_lastFlush{};
    UsedBytes m_usedBytes;
    StepsToExamine m_stepsToExamine;
    Examining m_examining = Examining::Never;
    std::optional<std::int64_t> m_doubt;
    bool m_hasDoubtedValidation = false, m_hasCheckedProgress = false;
    std::int64_t m_publishedStats = -1;  // step of the last emitted statistics
    std::chrono::steady_clock::time_point m_lastStats{};
    std::vector<Gauge> m_publishedGauges;

    void publish(Event&& event) const;  // nothing during a re-run
    void takeIn(const StepRecord& record);
    void doubt(const StepRecord& record);
    void examineNonFiniteStep();
    void sampleText(std::int64_t step);
    void stop(const std::string& reason);
    void publishGauges(std::int64_t step, std::vector<Gauge> gauges);
    void applyScheduled();
    void apply(std::uint64_t commandId, const std::string& pointer, const Json& value);
};

}  // namespace mantissa
