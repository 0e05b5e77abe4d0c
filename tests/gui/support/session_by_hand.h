// SPDX-License-Identifier: Apache-2.0
// Fills a session model with events, as the engine would.
#pragma once

#include <string>
#include <vector>

#include "gui/link/session_model.h"

namespace mantissa::gui {

/// Returns a run in `policy` named `name`, with the loss scaler `scaler` ("pytorch" or "none").
RunInfo runInfo(RunId id, const std::string& name, const std::string& policy, const std::string& scaler = "none");

/// Returns an experiment with runs 0, 1, 2: fp32, fp16 (scaled) and bf16.
ExperimentLoaded threeRuns();
void loadThreeRuns(SessionModel& session);

/// Returns `count` plain records from `first` on, each with `flags`.
StepsRecorded steps(RunId run, std::int64_t first, std::int64_t count, std::uint32_t flags = 0);

}  // namespace mantissa::gui
