// SPDX-License-Identifier: Apache-2.0
// A run's gauges of silent failures, from what its events have told. Pure; any thread.
#pragma once

#include <vector>

#include "engine/diagnosis/gauges.h"
#include "engine/experiment/messages.h"

namespace mantissa {

/// `last`: the run's newest step, null before the first. `look`: the newest census, null when there is none.
std::vector<Gauge> runGauges(const RunInfo& info, const StepRecord* last, const StepCensus* look);

}  // namespace mantissa
