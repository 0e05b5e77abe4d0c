// SPDX-License-Identifier: Apache-2.0
// Steps without the host: what goes from one step to the next lives in the backend's memory, so that many steps can be enqueued one after
// another and read of afterwards. A step is the plan's forward, backward and unscaling, JudgeStepDesc, the plan's update, AdvanceStepDesc.
// A part of operations.h; numerics and threads: backend.h.
#pragma once

#include <cstdint>

#include "kernels/loss_scale.h"

namespace mantissa {

/// Written by the host before the first of such steps, read by it after the last one.
struct StepLoop {
    LossScaleState scale;
    std::int64_t optimizerStep = 0;
    std::int64_t scheduleStep = 0;  // from where the table of rates begins
    std::int64_t nextBatch = 0;     // dropout's number of the next forward pass
    std::int32_t done = 0;          // steps that are over
    std::int32_t hasMomentum = 0;
    std::int32_t stopsAtBadStep = 0;  // one that finds something that is not finite is left before its update
    std::int32_t isHalted = 0;        // by that, or by a scaler that ends its run: what is enqueued still changes nothing that lasts
};

/// What a step has come to.
struct StepOutcome {
    float loss = 0, gradNorm = 0, gradAbsMax = 0;
    float scale = 1;  // that it used
    double lr = 0;
    std::int32_t foundInf = 0, skipped = 0;
};

/// Halts at a bad step when that is asked for. When halted: StepScalars.skipped = 2, so that the update does nothing.
struct JudgeStepDesc {  // StepLoop, loss F32 [1], StepScalars
};

/// Notes the outcome, moves scale, counters and schedule on, and writes the inputs of StepScalars and the indices of the next step. When
/// halted it does nothing, so that what is enqueued after that repeats the same passes.
struct AdvanceStepDesc {  // StepLoop, loss F32 [1], StepScalars, rates double [steps + 1], batches int32 [steps, indices], StepOutcome
                          // [steps], indices int32 [indices]
    BackoffRules scaler;
    std::int64_t indices = 0;
    std::int32_t steps = 0;
    bool holdsScheduleOnSkip = false;
    bool usesMomentum = false;
    bool operator==(const AdvanceStepDesc&) const = default;
};

MANTISSA_HD inline bool isFiniteNumber(float value) {
    return (floatBits(value) & ~kFloatSign) < kFloatInf;
}

/// JudgeStepDesc. `Scalars` is StepScalars, which is declared with the other operations.
template <typename Scalars>
MANTISSA_HD inline void judgeStep(StepLoop& loop, float loss, Scalars& scalars) {
    const bool isBad = scalars.foundInf != 0 || !isFiniteNumber(loss) || !isFiniteNumber(scalars.gradNorm);
    if (isBad && loop.stopsAtBadStep != 0) loop.isHalted = 1;
    if (loop.isHalted != 0) scalars.skipped = 2;
}

/// AdvanceStepDesc, but for the indices. False when there is no next step.
template <typename Scalars>
MANTISSA_HD inline bool advanceStep(const AdvanceStepDesc& desc, StepLoop& loop, float loss, Scalars& scalars, const double* rates,
                                    StepOutcome* outcomes) {
    if (loop.isHalted != 0 || loop.done >= desc.steps) return false;
    const bool foundInf = scalars.foundInf != 0, isSkipped = scalars.skipped != 0;
    outcomes[loop.done] = {loss, scalars.gradNorm, scalars.gradAbsMax, loop.scale.scale, scalars.lr, foundInf ? 1 : 0, isSkipped ? 1 : 0};
    advanceLossScale(desc.scaler, loop.scale, foundInf);
    if (loop.scale.stop != ScaleStop::GoesOn) loop.isHalted = 1;
    loop.done += 1;
    loop.nextBatch += 1;
    loop.optimizerStep += isSkipped ? 0 : 1;
    loop.hasMomentum = loop.hasMomentum != 0 || (desc.usesMomentum && !isSkipped) ? 1 : 0;
    loop.scheduleStep += isSkipped && desc.holdsScheduleOnSkip ? 0 : 1;
    scalars.lossGrad = loop.scale.scale;
    scalars.inverseScale = inverseOfScale(loop.scale.scale);
    scalars.lr = rates[loop.scheduleStep];
    scalars.optimizerStep = loop.optimizerStep;
    scalars.dropoutStep = loop.nextBatch;
    scalars.hasMomentum = loop.hasMomentum;
    return loop.isHalted == 0 && loop.done < desc.steps;
}

}  // namespace mantissa
