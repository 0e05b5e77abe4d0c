// SPDX-License-Identifier: Apache-2.0
// Learning-rate schedules: a factor on `lr` as a pure function of how many times the schedule has been stepped.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mantissa {

inline const std::vector<std::string> kScheduleKinds{"constant", "linear", "cosine", "step"};

struct ScheduleSettings {
    std::string kind = "constant";   // one of kScheduleKinds
    std::int64_t warmupSteps = 0;    // from lr / warmupSteps up to lr, in equal parts
    std::int64_t totalSteps = 0;     // linear, cosine: steps until 0 is reached, including warmup; 0: the run's steps
    std::int64_t every = 1000;       // step: steps between two multiplications, after the warmup
    double factor = 0.1;             // step: factor of each multiplication
    std::string onSkip = "advance";  // advance or hold at a skipped step. PyTorch loops that call scheduler.step() each time advance
    bool operator==(const ScheduleSettings&) const = default;
};

/// Returns the factor on `lr` after `step` steps of the schedule. `runSteps` replaces a `totalSteps` of 0.
double scheduleFactor(const ScheduleSettings& settings, std::int64_t step, std::int64_t runSteps);

}  // namespace mantissa
