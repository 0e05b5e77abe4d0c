// SPDX-License-Identifier: GPL-3.0-or-later
// What those who measure the window share. Any thread.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "gui/link/run_state.h"

namespace mantissa::gui {

/// The value that `share` (0 to 1) of all are at or below; NaN of none.
double percentile(std::vector<double> values, double share);
/// {median, p99, count}; null of none.
nlohmann::ordered_json distribution(const std::vector<double>& values);
/// What a series takes: its values and classes, its steps where they do not follow each other, and the pyramid over them.
std::size_t memoryOf(const Series& series);
/// The same of all of a run's, with its flags and skips.
std::size_t memoryOf(const RunState& run);
/// Memory of this process that is in use, as the system counts it (its resident set); 0 where it does not say.
std::int64_t residentBytes();

}  // namespace mantissa::gui
