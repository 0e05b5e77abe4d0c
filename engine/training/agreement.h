// SPDX-License-Identifier: Apache-2.0
// Whether two backends train alike: the same runs on both, step by step, their losses within kernels/conformance/tolerance.h's limits of
// each other, their loss scales and flags the same. One call at a time; seconds on a CPU.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/training/settings.h"
#include "kernels/backend.h"

namespace mantissa {

/// What is asked for as soon as `step` steps are over, while others are under way. It takes effect at the first step that has not begun:
/// both backends are changed there, and the record of that step, not of the one before, has to say so.
struct AgreementChange {
    std::int64_t step = 0;
    std::string policy{};    // empty: stays
    double scaleFactor = 1;  // of the loss scale
};

/// A run that backends are compared in.
struct AgreementRun {
    std::string name;  // "gpt bf16"
    TrainingSettings settings;
    std::int64_t steps = 0;
    std::vector<AgreementChange> changes{};  // in their order
};

/// Small ones of each kind of model, in each format: 200 steps in fp32, 20 in narrower formats, `steps` of them at most. And two of 20
/// steps whose loss scale and format are changed on the way.
std::vector<AgreementRun> agreementRuns(std::int64_t steps = 200);

struct Agreement {
    std::string name;
    std::int64_t steps = 0;
    double worst = 0;  // difference of a step's losses, in units of the limit; infinite where one of them alone is no number, or scales or
                       // flags differ
    std::int64_t worstStep = -1;
    bool holds() const { return worst <= 1; }
};

/// Throws std::invalid_argument where a backend cannot do the run.
Agreement compareTraining(const AgreementRun& run, const std::shared_ptr<Backend>& backend, const std::shared_ptr<Backend>& reference);

}  // namespace mantissa
