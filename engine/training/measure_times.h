// SPDX-License-Identifier: Apache-2.0
// Measures where the time of a step goes. One thread at a time.
#pragma once

#include <functional>

#include "engine/diagnosis/step_times.h"
#include "engine/training/trainer.h"

namespace mantissa {

/// Measures the next step on the run's device: as a whole, and instruction by instruction. Training on a GPU may be faster than a whole
/// step here, since it runs several without the host; and an instruction's time there includes its launch on an idle device, some us. Each
/// time is the median of several repetitions within about a second; of at least three, unless they take longer than ten. Restores the
/// trainer, but turns its tensor statistics off. `goesOn` is called after each step; if it returns false, the repetitions so far are used,
/// or if there are none std::invalid_argument is thrown.
StepTimes measureStepTimes(Trainer& trainer, Backend& backend, const std::function<bool()>& goesOn = {});

}  // namespace mantissa
