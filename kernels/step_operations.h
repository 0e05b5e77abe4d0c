// SPDX-License-Identifier: Apache-2.0
// Steps without the host: the state between steps is in the backend's memory, so many steps can be enqueued one after another. The host
// reads each result from a slot while later steps run. A step is, for each micro-batch, the plan's forward and backward, with
// AdvanceBatchDesc between micro-batches; then unscaling, JudgeStepDesc, the plan's update, AdvanceStepDesc. BeginStepsDesc precedes the
// first step. Times are the device's own, in nanoseconds from an arbitrary origin. Its clock may be coarse: a step may appear to take no
// time, but differences over many steps are right. A part of operations.h; numerics and threads: backend.h.
#pragma once

#include <cstdint>

#include "kernels/dtype/rounding.h"
#include "kernels/loss_scale.h"

namespace mantissa {

/// State that the host writes before the first step, and each step updates.
struct StepLoop {
    LossScaleState scale;
    std::int64_t optimizerStep = 0;
    std::int64_t scheduleStep = 0;  // index in the table of learning rates
    std::int64_t nextBatch = 0;     // dropout's number of the next forward pass
    std::int64_t batch = 0;         // index in the table of batches of the current batch
    std::int64_t reported = 0;      // steps reported since the slots were zeroed
    std::int64_t clockNs = 0;       // end of the last step, or begin of the first one
    double lossSum = 0;             // of the step's micro-batches so far
    std::int32_t hasMomentum = 0;
    std::int32_t stopsAtNonFiniteStep = 0;  // halts a step with a non-finite value before its update
    std::int32_t isHalted = 0;        // halted by such a step, or by a scaler that ends its run: enqueued work changes no persistent state
};

/// The result of a step.
struct StepOutcome {
    double loss = 0;  // the mean of its micro-batches
    double lr = 0;
    float gradNorm = 0, gradAbsMax = 0;
    float scale = 1;  // the step's loss scale
    std::int32_t foundInf = 0, skipped = 0;
    LossScaleState next;                    // the scaler's state after the step
    std::int64_t beganNs = 0, endedNs = 0;  // it begins when the previous step ends
};

/// A slot of a ring in host memory (Backend::allocateShared): slot i has the steps i, i + slotCount, ... The outcome is valid when `number`
/// is the step's index plus one: it is written last with release order, and read with acquire order. A step halted before its update
/// reports nothing.
struct StepSlot {
    StepOutcome outcome;
    std::int64_t number = 0;
};

/// Records the time at which the first step begins.
struct BeginStepsDesc {  // StepLoop
};

/// Runs after each micro-batch but the last: adds its loss, and writes the indices and dropout's number of the next one. Does nothing if
/// halted.
struct AdvanceBatchDesc {  // StepLoop, loss F32 [1], StepScalars, batches int32 [batches, indices], indices int32 [indices]
    std::int64_t indices = 0, batches = 0;
    bool operator==(const AdvanceBatchDesc&) const = default;
};

/// Runs after the step's last micro-batch: adds its loss, and halts at a non-finite step if `stopsAtNonFiniteStep`. If halted,
/// StepScalars.skipped = 2, so that the update does nothing.
struct JudgeStepDesc {  // StepLoop, loss F32 [1], StepScalars
};

/// Reports the outcome, advances scale, counters and schedule, and writes the next step's inputs of StepScalars and indices; the indices
/// stay after the last batch. Does nothing if halted, so later enqueued steps only repeat passes.
struct AdvanceStepDesc {  // StepLoop, StepScalars, rates double [steps + 1], batches int32 [batches, indices], StepSlot [slotCount],
                          // indices int32 [indices]
    BackoffRules scaler;
    AdvanceBatchDesc batch;
    std::int64_t microBatches = 1;  // per step
    std::int64_t slotCount = 0;
    bool holdsScheduleOnSkip = false;
    bool usesMomentum = false;
    bool operator==(const AdvanceStepDesc&) const = default;
};

/// Copies state bit for bit, to = from: saves what passes modify at the beginning of a step, and restores it if that step was halted.
struct CopyStateDesc {  // StepLoop, from, to
    std::int64_t bytes = 0;
    bool onlyWhenHalted = false;
};

MANTISSA_HD inline bool isFiniteNumber(float value) {
    return (floatBits(value) & ~kFloatSign) < kFloatInf;
}

/// Advances dropout's number and the batch. Returns whether there is a batch whose indices must be copied.
template <typename Scalars>
MANTISSA_HD inline bool nextBatch(const AdvanceBatchDesc& desc, StepLoop& loop, Scalars& scalars) {
    loop.nextBatch += 1;
    loop.batch += 1;
    scalars.dropoutStep = loop.nextBatch;
    return loop.batch < desc.batches;
}

/// Computes AdvanceBatchDesc without the copy of indices. `Scalars` is StepScalars, which is declared with the other operations.
template <typename Scalars>
MANTISSA_HD inline bool advanceBatch(const AdvanceBatchDesc& desc, StepLoop& loop, float loss, Scalars& scalars) {
    if (loop.isHalted != 0) return false;
    loop.lossSum += static_cast<double>(loss);
    return nextBatch(desc, loop, scalars);
}

/// Computes JudgeStepDesc.
template <typename Scalars>
MANTISSA_HD inline void judgeStep(StepLoop& loop, float loss, Scalars& scalars) {
    if (loop.isHalted == 0) loop.lossSum += static_cast<double>(loss);
    const bool isFinite = loop.lossSum - loop.lossSum == 0;  // a sum of fp32 numbers cannot exceed double's range
    const bool isBad = scalars.foundInf != 0 || !isFinite || !isFiniteNumber(scalars.gradNorm);
    if (isBad && loop.stopsAtNonFiniteStep != 0) loop.isHalted = 1;
    if (loop.isHalted != 0) scalars.skipped = 2;
}

/// AdvanceStepDesc at `nowNs`, without the copy of indices and the slot's number: the caller writes the number when the outcome is visible.
struct Advanced {
    StepSlot* slot = nullptr;  // null: already halted
    std::int64_t number = 0;   // to write into the slot
    bool hasNextBatch = false;
};
template <typename Scalars>
MANTISSA_HD inline Advanced advanceStep(const AdvanceStepDesc& desc, StepLoop& loop, Scalars& scalars, const double* rates, StepSlot* ring,
                                        std::int64_t nowNs) {
    if (loop.isHalted != 0) return {};
    const bool foundInf = scalars.foundInf != 0, isSkipped = scalars.skipped != 0;
    StepSlot* const slot = ring + loop.reported % desc.slotCount;
    StepOutcome& outcome = slot->outcome;
    outcome.loss = loop.lossSum / static_cast<double>(desc.microBatches);
    outcome.lr = scalars.lr;
    outcome.gradNorm = scalars.gradNorm;
    outcome.gradAbsMax = scalars.gradAbsMax;
    outcome.scale = scaleOfLoss(loop.scale);
    outcome.foundInf = foundInf ? 1 : 0;
    outcome.skipped = isSkipped ? 1 : 0;
    advanceLossScale(desc.scaler, loop.scale, foundInf);
    outcome.next = loop.scale;
    outcome.beganNs = loop.clockNs;
    outcome.endedNs = loop.clockNs = nowNs;
    if (loop.scale.stop != ScaleStop::GoesOn) loop.isHalted = 1;
    loop.reported += 1;
    loop.lossSum = 0;
    loop.optimizerStep += isSkipped ? 0 : 1;
    loop.hasMomentum = loop.hasMomentum != 0 || (desc.usesMomentum && !isSkipped) ? 1 : 0;
    loop.scheduleStep += isSkipped && desc.holdsScheduleOnSkip ? 0 : 1;
    scalars.lossGrad = static_cast<float>(static_cast<double>(scaleOfLoss(loop.scale)) / static_cast<double>(desc.microBatches));
    scalars.inverseScale = inverseOfScale(loop.scale);
    scalars.lr = rates[loop.scheduleStep];
    scalars.optimizerStep = loop.optimizerStep;
    scalars.step += 1;
    scalars.hasMomentum = loop.hasMomentum;
    return {slot, loop.reported, nextBatch(desc.batch, loop, scalars)};
}

}  // namespace mantissa
