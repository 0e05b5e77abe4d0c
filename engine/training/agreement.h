// SPDX-License-Identifier: Apache-2.0
// Whether two backends train alike: the same runs on both, step by step, their losses within kernels/conformance/tolerance.h's limits of
// each other and their loss scales the same. One call at a time; seconds on a CPU.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/training/settings.h"
#include "kernels/backend.h"

namespace mantissa {

/// A run that backends are compared in.
struct AgreementRun {
    std::string name;  // "gpt bf16"
    TrainingSettings settings;
    std::int64_t steps = 0;
};

/// Small ones of each kind of model, in each format: 200 steps in fp32, 20 in narrower formats, `steps` of them at most.
std::vector<AgreementRun> agreementRuns(std::int64_t steps = 200);

struct Agreement {
    std::string name;
    std::int64_t steps = 0;
    double worst =
        0;  // difference of a step's losses, in units of the limit; infinite where one of them alone is no number, or the scales differ
    std::int64_t worstStep = -1;
    bool holds() const { return worst <= 1; }
};

/// Throws std::invalid_argument where a backend cannot do the run.
Agreement compareTraining(const AgreementRun& run, const std::shared_ptr<Backend>& backend, const std::shared_ptr<Backend>& reference);

}  // namespace mantissa
