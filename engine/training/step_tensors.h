// SPDX-License-Identifier: Apache-2.0
// The values of a step's tensors, for comparison with another run. One thread at a time.
#pragma once

#include "engine/diagnosis/run_comparison.h"
#include "engine/training/trainer.h"

namespace mantissa {

/// Returns the weights before `trainer.nextStep()` and all tensors of its passes, without committing it; with micro-batches, of the last
/// one. Copies of weights, which follow from the weights, and quantised tensors, which have their own scale, are omitted.
StepTensors readStepTensors(Trainer& trainer);

}  // namespace mantissa
