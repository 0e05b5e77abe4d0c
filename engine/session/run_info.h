// SPDX-License-Identifier: Apache-2.0
// What the window learns of a run besides its steps, and the measured peak in it. One thread: it trains the run.
#pragma once

#include "engine/experiment/messages.h"
#include "engine/session/repeatable_run.h"

namespace mantissa {

RunInfo runInfo(const RepeatableRun& run);

/// Measures the device's peak in the run's format. Returns false if it is known, or the run has no steps yet.
bool measurePeak(const RepeatableRun& run);

}  // namespace mantissa
