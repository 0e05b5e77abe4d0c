// SPDX-License-Identifier: Apache-2.0
// Replay of a recording: trains it again with live changes, rewinds and forks, and compares all values except times. One thread.
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

/// Trains the recording again up to the first difference. `tick` is called after each step with the number of steps so far; false ends the
/// replay. Throws InputError if a run cannot be trained here.
Replayed replay(const Recording& recording, std::shared_ptr<Backend> backend, const std::function<bool(std::int64_t)>& tick);

}  // namespace mantissa
