// SPDX-License-Identifier: Apache-2.0
// A lesson played from its first step to its last without anybody watching, and whether its claims have come true.
// One thread: it trains.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/lessons/lesson.h"
#include "kernels/backend.h"

namespace mantissa {

struct CheckedClaim {
    std::string place;  // "FILE:LINE"
    std::string step;   // the title of its step
    std::string text;
    ClaimResult result;
};
struct CheckedLesson {
    std::uint64_t seed = 0;
    std::vector<CheckedClaim> claims;  // in the order of the lesson
    std::int64_t steps = 0;            // that were trained, of all runs
    std::size_t failures() const;
};

/// Throws InputError, whose source is the lesson's, when an action is refused.
CheckedLesson checkLesson(const Lesson& lesson, std::uint64_t seed, std::shared_ptr<Backend> backend);

}  // namespace mantissa
