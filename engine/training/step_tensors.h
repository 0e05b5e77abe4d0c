// SPDX-License-Identifier: Apache-2.0
// The values of a step's tensors, to be held against those of another run. One thread at a time.
#pragma once

#include "engine/diagnosis/run_comparison.h"
#include "engine/training/trainer.h"

namespace mantissa {

/// The weights that `trainer.nextStep()` begins with, and all that its passes make of them; of several micro-batches, the last one's.
/// Nothing of it is committed. Left out: copies of weights, as what their format does to them follows from the weights, and quantised
/// tensors, which carry a scale of their own.
StepTensors readStepTensors(Trainer& trainer);

}  // namespace mantissa
