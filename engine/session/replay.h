// SPDX-License-Identifier: Apache-2.0
// A recording trained once more, live changes, rewinds and forks included, and compared value by value. Times are not compared. One thread.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "engine/recording/recording.h"

namespace mantissa {

struct ReplayDifference {
    std::string run;
    std::int64_t step = 0;
    std::string column;  // of the CSV
    double recorded = 0, replayed = 0;
};

struct Replayed {
    std::int64_t runs = 0, steps = 0, changes = 0;
    std::optional<ReplayDifference> first;  // nothing: bit-identical
};

/// Stops at the first difference. `tick` is called after each row, with the rows so far; false ends it. Throws InputError for what cannot
/// be trained here, at the run in question.
Replayed replay(const Recording& recording, std::shared_ptr<Backend> backend, const std::function<bool(std::int64_t)>& tick);

}  // namespace mantissa
