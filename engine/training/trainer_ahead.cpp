// SPDX-License-Identifier: Apache-2.0
// Steps that a device runs without the host, and their conditions. The order of a step is that of trainer.cpp.
#include <algorithm>
#include <chrono>
#include <exception>
#include <new>

#include "engine/training/optimizer_plan.h"
#include "engine/training/trainer_impl.h"

namespace mantissa {
namespace {

/// Time of each step by the device's clock. If that is too coarse, a step gets the minimum and the next one is shorter by it, so that the
/// sum is right.
class AheadTimes {
public:
    double secondsOf(const StepOutcome& step) {
        constexpr double kLeast = 0.5e-6;  // as for steps one by one: never 0
        if (m_beganNs < 0) m_beganNs = step.beganNs;
        const double seconds = std::max(1e-9 * static_cast<double>(step.endedNs - m_beganNs) - m_reported, kLeast);
        m_reported += seconds;
        return seconds;
    }

private:
    std::int64_t m_beganNs = -1;
    double m_reported = 0;
};

}  // namespace

/// Requires a scaler whose rules the device knows, and no injected faults.
bool Trainer::Impl::canStepAlone() const {
    return queue->canCapture() && scaler.rules().has_value() && faults.faults().data.empty() && faults.faults().tensors.empty();
}

std::int64_t Trainer::Impl::stepsAhead(std::int64_t most) const {
    if (!hasStepped || hasNoRoomAhead || !canStepAlone()) return 1;
    if (settings.validationEpochs > 0 && dataset->validationCount() > 0) return 1;
    const std::int64_t limit =
        std::min({most, ahead, DeviceSteps::most(settings.data.batchSize * settings.accumulate), settings.steps - counters.nextStep});
    for (std::int64_t i = 0; i < limit; ++i) {
        if (!measuresAhead() && measuresAt(instrumentation, counters.nextStep + i)) return i;
        if (validatesAfter(counters.nextStep + i)) return i + 1;
    }
    return limit;
}

bool Trainer::Impl::makeDeviceSteps() {
    const DeviceStepRules rules{.scaler = *scaler.rules(),
                                .batchSize = settings.data.batchSize,
                                .microBatches = settings.accumulate,
                                .clearsGradients = settings.accumulate > 1 && settings.zeroGrad,
                                .holdsScheduleOnSkip = settings.optimizer.schedule.onSkip == "hold",
                                .usesMomentum = usesMomentum(settings.optimizer),
                                .measures = measuresAhead()};
    try {
        if (deviceSteps == nullptr || deviceSteps->rules() != rules)
            deviceSteps = std::make_unique<DeviceSteps>(*backend, *queue, memory, rules);
        if (!deviceSteps->isCaptured()) {
            queue->wait();  // work enqueued before the capture still uses its memory
            deviceSteps.reset();
        }
    } catch (const std::bad_alloc&) {
        hasNoRoomAhead = true;
        return false;  // the host runs the steps instead
    }
    return deviceSteps != nullptr;
}

std::int64_t Trainer::Impl::stepAhead(std::int64_t count, std::int64_t mostAhead, const OnStep& onStep, std::chrono::seconds patience) {
    if (!makeDeviceSteps()) return 0;
    DeviceSteps::Start start{.loop = {.scale = scaler.rulesState(),
                                      .optimizerStep = counters.optimizerStep,
                                      .nextBatch = counters.nextMicroBatch,
                                      .hasMomentum = counters.hasMomentum ? 1 : 0,
                                      .stopsAtNonFiniteStep = keepsNonFiniteSteps || !first ? 1 : 0},
                             .scalars = scalarsOfStep(),
                             .rates = {},
                             .batches = std::vector<std::int32_t>(static_cast<std::size_t>(count * deviceSteps->rules().indices()))};
    for (std::int64_t i = 0; i <= count; ++i) start.rates.push_back(lrAt(counters.scheduleStep + i));
    for (std::int64_t i = 0; i < count * settings.accumulate; ++i)
        order.indices(counters.nextMicroBatch + i, start.batches.data() + i * settings.data.batchSize);

    std::exception_ptr thrown;  // from `onStep`: pending steps are still taken in
    const auto publish = [&](const StepRecord& record) {
        try {
            return thrown == nullptr && onStep(record);
        } catch (...) {
            thrown = std::current_exception();
            return false;
        }
    };
    std::optional<StepRecord> validated;
    std::int64_t done = 0;
    AheadTimes times;
    Clock::time_point last = Clock::now();
    const auto takeIn = [&](std::span<const StepOutcome> outcomes) {
        const Clock::time_point now = Clock::now();
        const double each = secondsBetween(std::exchange(last, now), now) / static_cast<double>(outcomes.size());
        bool goesOn = true;
        for (const StepOutcome& outcome : outcomes) {
            StepRecord record = beginRecord();
            record.loss = outcome.loss;
            finishStep(record, outcome, scaleChange(outcome.scale, scaleOfLoss(outcome.next)), times.secondsOf(outcome));
            scaler.follow(outcome.next);
            counters.wallSeconds += each;
            if (measuresAhead()) statsStep = record.step, statsScale = record.lossScale;
            record.wallSeconds = counters.wallSeconds;
            ++done;
            if (validatesAfter(record.step)) {
                validated = record;  // the last one
            } else {
                goesOn = publish(record) && goesOn;
            }
        }
        return goesOn;
    };
    deviceSteps->run(*queue, start, mostAhead, takeIn, patience);
    counters.wallSeconds += secondsBetween(last, Clock::now());       // time after a halt
    if (measuresAhead() && deviceSteps->hasHalted()) statsStep = -1;  // statistics were overwritten by discarded steps
    if (validated && thrown == nullptr) {
        const Clock::time_point ended = Clock::now();
        validate(*validated);
        counters.wallSeconds += secondsBetween(ended, Clock::now());
        validated->wallSeconds = counters.wallSeconds;
        publish(*validated);
    }
    if (thrown != nullptr) std::rethrow_exception(thrown);
    return done;
}

void Trainer::steps(std::int64_t most, std::int64_t mostAhead, const OnStep& onStep, std::chrono::seconds patience) {
    Impl& t = *m_impl;
    const std::int64_t count = t.stepsAhead(most);
    bool goesOn = true;
    std::int64_t done = 0;
    if (count > 1)
        done = t.stepAhead(
            count, mostAhead, [&](const StepRecord& record) { return goesOn = onStep(record); }, patience);
    // The host runs a step that halted the device from its beginning. After a non-finite step the next may be non-finite, too.
    const bool isTrusted = done == count || (done > 0 && !goesOn);
    if (done == 0) {
        const StepRecord record = step();
        const bool isBad = (record.flags & (kFlagFoundInf | kFlagLossNonFinite | kFlagGradNormNonFinite)) != 0;
        t.ahead = isBad ? 1 : 2 * t.ahead;
        onStep(record);
    } else {
        t.ahead = isTrusted && !t.scaler.stopReason() ? 2 * t.ahead : 1;
    }
    t.ahead = std::min(t.ahead, DeviceSteps::most(1));
}

std::vector<StepRecord> Trainer::steps(std::int64_t most) {
    std::vector<StepRecord> records;
    steps(most, DeviceSteps::kMostAhead, [&](const StepRecord& record) {
        records.push_back(record);
        return true;
    });
    return records;
}

}  // namespace mantissa
