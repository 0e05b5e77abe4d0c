// SPDX-License-Identifier: Apache-2.0
// A run's gauges of silent failures, from its events. Pure; any thread.
#pragma once

#include <vector>

#include "engine/diagnosis/gauges.h"
#include "engine/experiment/messages.h"

namespace mantissa {

/// Returns all gauges of a run. `last`: its newest step, null before the first. `stats`: its newest tensor statistics, null if there are
/// none.
std::vector<Gauge> runGauges(const RunInfo& info, const StepRecord* last, const StepStats* stats);

/// Returns only the gauges that need tensor statistics. Passing them to `runGauges` below avoids a pass over all tensors.
std::vector<Gauge> statsGauges(const RunSettings& settings, const StepStats& stats);
std::vector<Gauge> runGauges(const RunInfo& info, const StepRecord* last, const std::vector<Gauge>& ofStats);

}  // namespace mantissa
