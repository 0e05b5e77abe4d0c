// SPDX-License-Identifier: Apache-2.0
// A run's gauges of silent failures, from what its events have told. Pure; any thread.
#pragma once

#include <vector>

#include "engine/diagnosis/gauges.h"
#include "engine/experiment/messages.h"

namespace mantissa {

/// `last`: the run's newest step, null before the first. `look`: the newest statistics, null when there is none.
std::vector<Gauge> runGauges(const RunInfo& info, const StepRecord* last, const StepStats* look);

/// The part of them that goes by tensor statistics, and all of them from that part: who asks often does not go through all tensors each
/// time.
std::vector<Gauge> lookGauges(const RunSettings& settings, const StepStats& look);
std::vector<Gauge> runGauges(const RunInfo& info, const StepRecord* last, const std::vector<Gauge>& ofLook);

}  // namespace mantissa
