// SPDX-License-Identifier: Apache-2.0
// A lab filled event by event, as the engine would.
#pragma once

#include <string>
#include <vector>

#include "gui/link/lab.h"

namespace mantissa::gui {

/// A run in `policy` under `name`; scaled by "pytorch" when `scaler` says so.
RunInfo runInfo(RunId id, const std::string& name, const std::string& policy, const std::string& scaler = "none");

/// fp32, fp16 (scaled) and bf16 as runs 0, 1, 2.
ExperimentLoaded threeRuns();
void loadThreeRuns(Lab& lab);

/// `count` plain records from `first` on; `flags` on each.
StepsRecorded steps(RunId run, std::int64_t first, std::int64_t count, std::uint32_t flags = 0);

}  // namespace mantissa::gui
