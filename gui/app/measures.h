// SPDX-License-Identifier: GPL-3.0-or-later
// Shared helpers to measure the window. Any thread.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "gui/link/run_state.h"

namespace mantissa::gui {

/// Returns the percentile at `share` (0 to 1) by nearest rank; NaN if there are no values.
double percentile(std::vector<double> values, double share);
/// Returns {median, p99, count}; null if there are no values.
nlohmann::ordered_json distribution(const std::vector<double>& values);
/// Returns a series' memory in bytes: values and classes, steps unless they are consecutive, and the pyramid over them.
std::size_t memoryOf(const Series& series);
/// Returns the memory of all of a run's series, flags and skips, in bytes.
std::size_t memoryOf(const RunState& run);
/// Returns the resident memory of this process in bytes; 0 if the system does not report it.
std::int64_t residentBytes();

}  // namespace mantissa::gui
