// SPDX-License-Identifier: Apache-2.0
// Comparison of the training of two backends: each run is trained on both, and at each step losses must agree within the limits of
// kernels/conformance/tolerance.h, and loss scales and flags exactly. One call at a time; takes seconds on a CPU.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/training/settings.h"
#include "kernels/backend.h"

namespace mantissa {

/// A change requested as soon as `step` steps are over, while others are in progress. It takes effect on both backends at the first step
/// that has not begun, and that step's record must be the first to show it.
struct AgreementChange {
    std::int64_t step = 0;
    std::string policy{};    // empty: unchanged
    double scaleFactor = 1;  // of the loss scale
};

/// A run for the comparison of backends.
struct AgreementRun {
    std::string name;  // "gpt bf16"
    TrainingSettings settings;
    std::int64_t steps = 0;
    std::vector<AgreementChange> changes{};  // by step
};

/// Returns small runs of each kind of model in each format, with 200 steps in fp32 and 20 in narrower formats, but at most `steps`; and two
/// of 20 steps whose loss scale and format change.
std::vector<AgreementRun> agreementRuns(std::int64_t steps = 200);

struct Agreement {
    std::string name;
    std::int64_t steps = 0;
    double worst = 0;  // largest difference of losses over the limit; infinite if scales or flags differ or one loss is NaN
    std::int64_t worstStep = -1;
    bool holds() const { return worst <= 1; }
};

/// Trains a run on both backends and compares it. Throws std::invalid_argument if a backend does not support the run.
Agreement compareTraining(const AgreementRun& run, const std::shared_ptr<Backend>& backend, const std::shared_ptr<Backend>& reference);

}  // namespace mantissa
