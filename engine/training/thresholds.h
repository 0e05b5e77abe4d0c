// SPDX-License-Identifier: Apache-2.0
// Measures the highest usable loss scale of each step of a run, by repeating the step. One thread at a time.
#pragma once

#include <optional>
#include <string>

#include "engine/diagnosis/race.h"
#include "engine/training/trainer.h"

namespace mantissa {

/// What thresholds of this plan's gradients are taken in: nothing where some of them are stored in FP16, so that they are what is found;
/// else FP16, as if all were stored in it.
std::optional<Dtype> thresholdFormat(const Plan& plan);

/// The same as a name for others: "fp16"; empty: as they are stored.
std::string asIfStored(const Plan& plan);

class ThresholdMeter {
public:
    /// Of the next step, which is not trained: but for the mark of a changed setting, the trainer is afterwards as it was.
    ///
    /// One pass with a look at every gradient, of every micro-batch, tells the threshold, because gradients at another power of two are the
    /// same numbers shifted. Where that may not be so, a pass at the scale in question decides: the looks were at a scale far below,
    /// a number lies close to the bound, or it is a layer's gradient that what comes after it may leave out (ReLU does). So at `highest`
    /// the run would not skip this step, and at twice that it would. Gradients that are wider than FP16 are not shifted but measured.
    StepThreshold measure(Trainer& trainer);

private:
    double m_before = 0x1p16;  // the threshold of the step before, near which the next one lies; at first what most scalers begin with
};

}  // namespace mantissa
