// SPDX-License-Identifier: Apache-2.0
// Measurement of the highest usable loss scale of each step of a run, by repeating the step. One thread at a time.
#pragma once

#include <optional>
#include <string>

#include "engine/diagnosis/race.h"
#include "engine/training/trainer.h"

namespace mantissa {

/// Returns the format for which thresholds are measured: FP16, as if all gradients were stored in it; nothing if some are stored in FP16
/// already and thresholds are those of the gradients as stored.
std::optional<Dtype> thresholdFormat(const Plan& plan);

/// Returns the name of `thresholdFormat`: "fp16"; empty: gradients as stored.
std::string asIfStored(const Plan& plan);

class ThresholdMeter {
public:
    /// Measures the next step without training it. Restores the trainer, except for the flag of a changed setting.
    ///
    /// One pass that measures every gradient of every micro-batch gives the threshold, because gradients at another power of two are the
    /// same numbers, shifted. In doubtful cases a pass at the scale in question decides: if the measured scale was far below, if a number
    /// is close to the bound, or if the gradient may not propagate to a parameter (ReLU). So the run would not skip this step at `highest`,
    /// and would at twice that. If no gradient is stored in FP16, the first finite pass gives the result.
    StepThreshold measure(Trainer& trainer);

private:
    double m_before = 0x1p16;  // the previous step's threshold, close to the next one; initially the usual first scale
};

}  // namespace mantissa
