// SPDX-License-Identifier: Apache-2.0
// Steps that a device takes by itself, and when it may. The order of a step is that of trainer.cpp.
#include <algorithm>
#include <chrono>
#include <new>

#include "engine/training/optimizer_plan.h"
#include "engine/training/trainer_impl.h"

namespace mantissa {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

/// Statistics and fp8's scales follow every pass, also one that is repeated for nothing; several micro-batches, and gradients that add up,
/// are the host's to begin. So is a step that somebody looks into, and a scaler with rules of its own.
bool Trainer::Impl::canStepAlone() const {
    return queue->canCapture() && settings.accumulate == 1 && plan().statisticsBefore < 0 && plan().gradientsBefore < 0 &&
           plan().delayedScales.empty() && scaler.rules().has_value() && faults.faults().data.empty() && faults.faults().tensors.empty();
}

std::int64_t Trainer::Impl::stepsAhead(std::int64_t most) const {
    if (!hasStepped || !canStepAlone()) return 1;
    if (settings.validationEpochs > 0 && dataset->validationCount() > 0) return 1;
    const std::int64_t limit = std::min({most, ahead, settings.steps - counters.nextStep});
    for (std::int64_t i = 0; i < limit; ++i) {
        if (looksAt(instrumentation, counters.nextStep + i)) return i;
        if (validatesAfter(counters.nextStep + i)) return i + 1;
    }
    return limit;
}

std::vector<StepRecord> Trainer::Impl::stepAhead(std::int64_t count) {
    const AdvanceStepDesc rules{.scaler = *scaler.rules(),
                                .indices = settings.data.batchSize,
                                .steps = DeviceSteps::kMost,
                                .holdsScheduleOnSkip = settings.optimizer.schedule.onSkip == "hold",
                                .usesMomentum = usesMomentum(settings.optimizer)};
    try {
        if (deviceSteps == nullptr || deviceSteps->rules() != rules)
            deviceSteps = std::make_unique<DeviceSteps>(*backend, *queue, executor(), plan(), rules);
    } catch (const std::bad_alloc&) {
        return {};  // the host can do without
    }

    const Clock::time_point begin = Clock::now();
    DeviceSteps::Start start{.loop = {.scale = scaler.rulesState(),
                                      .optimizerStep = counters.optimizerStep,
                                      .nextBatch = counters.nextMicroBatch,
                                      .hasMomentum = counters.hasMomentum ? 1 : 0,
                                      .stopsAtBadStep = keepsBadSteps || !first ? 1 : 0},
                             .scalars = scalarsOfStep(),
                             .rates = {},
                             .batches = std::vector<std::int32_t>(static_cast<std::size_t>(count * settings.data.batchSize))};
    for (std::int64_t i = 0; i <= count; ++i) start.rates.push_back(lrAt(counters.scheduleStep + i));
    for (std::int64_t i = 0; i < count; ++i) order.indices(counters.nextMicroBatch + i, start.batches.data() + i * settings.data.batchSize);

    queue->mark(Queue::Mark::Begin);
    const DeviceSteps::Result result = deviceSteps->run(*queue, start);
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    const double each = seconds / static_cast<double>(count);  // those after a halt have taken their time as well
    const double onDevice = queue->secondsBetweenMarks() / static_cast<double>(count);
    std::vector<StepRecord> records;
    for (std::size_t i = 0; i < result.outcomes.size(); ++i) {
        const StepOutcome& outcome = result.outcomes[i];
        const float next = i + 1 < result.outcomes.size() ? result.outcomes[i + 1].scale : result.loop.scale.scale;
        StepRecord record = beginRecord();
        record.loss = static_cast<double>(outcome.loss);
        finishStep(record, outcome, scaleChange(outcome.scale, next), onDevice);
        counters.wallSeconds += each;
        record.wallSeconds = counters.wallSeconds;
        records.push_back(record);
    }
    counters.wallSeconds += seconds - each * static_cast<double>(records.size());
    scaler.follow(result.loop.scale);
    // The step that halted is the host's, from its beginning: nothing of it has lasted. Where one is bad the next may be, too.
    ahead = result.loop.isHalted != 0 ? 1 : std::min<std::int64_t>(2 * ahead, DeviceSteps::kMost);
    return records;
}

std::vector<StepRecord> Trainer::steps(std::int64_t most) {
    Impl& t = *m_impl;
    const std::int64_t count = t.stepsAhead(most);
    std::vector<StepRecord> records;
    if (count > 1) records = t.stepAhead(count);
    if (records.empty()) {
        records.push_back(step());
        const bool isBad = (records.back().flags & (kFlagFoundInf | kFlagLossNonFinite | kFlagGradNormNonFinite)) != 0;
        t.ahead = isBad ? 1 : std::min<std::int64_t>(2 * t.ahead, DeviceSteps::kMost);
    } else if (t.validatesAfter(records.back().step)) {
        const Clock::time_point begin = Clock::now();
        t.validate(records.back());
        t.counters.wallSeconds += std::chrono::duration<double>(Clock::now() - begin).count();
        records.back().wallSeconds = t.counters.wallSeconds;
    }
    return records;
}

}  // namespace mantissa
