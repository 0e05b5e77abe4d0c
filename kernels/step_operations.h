// SPDX-License-Identifier: Apache-2.0
// Steps without the host: what goes from one step to the next lives in the backend's memory, so that many steps can be enqueued one after
// another. What each has come to is in a slot that the host reads while others are under way. A step is, for each micro-batch, the plan's
// forward and backward, with AdvanceBatchDesc between two of them; unscaling, JudgeStepDesc, the plan's update, AdvanceStepDesc. Before the
// first of them, BeginStepsDesc. Times are the device's own, in nanoseconds since nothing in particular. Its clock may be coarse: a step
// may seem to take none, but differences over many steps are right. A part of operations.h; numerics and threads: backend.h.
#pragma once

#include <cstdint>

#include "kernels/dtype/rounding.h"
#include "kernels/loss_scale.h"

namespace mantissa {

/// Written by the host before the first of such steps, moved on by each.
struct StepLoop {
    LossScaleState scale;
    std::int64_t optimizerStep = 0;
    std::int64_t scheduleStep = 0;  // from where the table of rates begins
    std::int64_t nextBatch = 0;     // dropout's number of the forward pass that comes
    std::int64_t batch = 0;         // whose indices are in place, in the table of batches
    std::int64_t reported = 0;      // steps, since the slots were zeros
    std::int64_t clockNs = 0;       // when the last step ended, or the first one began
    double lossSum = 0;             // of the step's micro-batches so far
    std::int32_t hasMomentum = 0;
    std::int32_t stopsAtBadStep = 0;  // one that finds something that is not finite is left before its update
    std::int32_t isHalted = 0;        // by that, or by a scaler that ends its run: what is enqueued still changes nothing that lasts
};

/// What a step has come to.
struct StepOutcome {
    double loss = 0;  // the mean of its micro-batches
    double lr = 0;
    float gradNorm = 0, gradAbsMax = 0;
    float scale = 1;  // that it used
    std::int32_t foundInf = 0, skipped = 0;
    LossScaleState next;                    // that it leaves
    std::int64_t beganNs = 0, endedNs = 0;  // it begins where the one before has ended
};

/// In a ring of the host's memory (Backend::allocateShared): slot i has the steps i, i + slotCount, ... The outcome is there when `number`
/// has come to one more than the steps before it: written last, with release order, for whoever reads it with acquire order. A step that is
/// halted before its update reports nothing.
struct StepSlot {
    StepOutcome outcome;
    std::int64_t number = 0;
};

/// Notes when the first step begins.
struct BeginStepsDesc {  // StepLoop
};

/// After a micro-batch that is not the step's last: adds its loss, and writes the indices and dropout's number of the next one. When halted
/// it does nothing.
struct AdvanceBatchDesc {  // StepLoop, loss F32 [1], StepScalars, batches int32 [batches, indices], indices int32 [indices]
    std::int64_t indices = 0, batches = 0;
    bool operator==(const AdvanceBatchDesc&) const = default;
};

/// After the step's last micro-batch: adds its loss, and halts at a bad step when that is asked for. When halted: StepScalars.skipped = 2,
/// so that the update does nothing.
struct JudgeStepDesc {  // StepLoop, loss F32 [1], StepScalars
};

/// Reports the outcome, moves scale, counters and schedule on, and writes the inputs of StepScalars and the indices of the next step; past
/// the last batch those stay. When halted it does nothing, so that what is enqueued after that repeats passes for nothing.
struct AdvanceStepDesc {  // StepLoop, StepScalars, rates double [steps + 1], batches int32 [batches, indices], StepSlot [slotCount],
                          // indices int32 [indices]
    BackoffRules scaler;
    AdvanceBatchDesc batch;
    std::int64_t microBatches = 1;  // of a step
    std::int64_t slotCount = 0;
    bool holdsScheduleOnSkip = false;
    bool usesMomentum = false;
    bool operator==(const AdvanceStepDesc&) const = default;
};

/// to = from, bit for bit; of what passes move, to keep it when a step begins and to put it back when that step was halted.
struct CopyStateDesc {  // StepLoop, from, to
    std::int64_t bytes = 0;
    bool onlyWhenHalted = false;
};

MANTISSA_HD inline bool isFiniteNumber(float value) {
    return (floatBits(value) & ~kFloatSign) < kFloatInf;
}

/// Moves dropout's number on. Whether there is a batch whose indices are to be put in place.
template <typename Scalars>
MANTISSA_HD inline bool nextBatch(const AdvanceBatchDesc& desc, StepLoop& loop, Scalars& scalars) {
    loop.nextBatch += 1;
    loop.batch += 1;
    scalars.dropoutStep = loop.nextBatch;
    return loop.batch < desc.batches;
}

/// AdvanceBatchDesc, but for the indices. `Scalars` is StepScalars, which is declared with the other operations.
template <typename Scalars>
MANTISSA_HD inline bool advanceBatch(const AdvanceBatchDesc& desc, StepLoop& loop, float loss, Scalars& scalars) {
    if (loop.isHalted != 0) return false;
    loop.lossSum += static_cast<double>(loss);
    return nextBatch(desc, loop, scalars);
}

/// JudgeStepDesc.
template <typename Scalars>
MANTISSA_HD inline void judgeStep(StepLoop& loop, float loss, Scalars& scalars) {
    if (loop.isHalted == 0) loop.lossSum += static_cast<double>(loss);
    const bool isFinite = loop.lossSum - loop.lossSum == 0;  // fp32 numbers add up to none that is beyond double
    const bool isBad = scalars.foundInf != 0 || !isFinite || !isFiniteNumber(scalars.gradNorm);
    if (isBad && loop.stopsAtBadStep != 0) loop.isHalted = 1;
    if (loop.isHalted != 0) scalars.skipped = 2;
}

/// AdvanceStepDesc at `nowNs`, but for the indices, and for the slot's number: whoever calls it has to write that when the outcome can be
/// seen.
struct Advanced {
    StepSlot* slot = nullptr;  // null: halted before
    std::int64_t number = 0;   // for the slot
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
