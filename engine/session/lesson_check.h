// SPDX-License-Identifier: Apache-2.0
// Automatic check of a lesson: plays all of its steps and tests its claims. One thread: it trains.
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
    std::int64_t steps = 0;            // trained, of all runs
    std::size_t failures() const;
};

/// Plays the lesson with one seed. Throws InputError with the lesson's source if an action is refused.
CheckedLesson checkLesson(const Lesson& lesson, std::uint64_t seed, std::shared_ptr<Backend> backend);

}  // namespace mantissa
