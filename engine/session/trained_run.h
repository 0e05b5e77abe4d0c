// SPDX-License-Identifier: Apache-2.0
// One run of an experiment or of a recording, trained without a session. One thread.
#pragma once

#include <memory>
#include <string>

#include "engine/session/live_run.h"

namespace mantissa {

/// Trains a run up to `step`, the number of steps done, with the experiment's events. Throws InputError if the run has fewer steps;
/// std::runtime_error if it cannot continue.
std::unique_ptr<LiveRun> trainedRun(const Experiment& experiment, const RunSettings& chosen, std::shared_ptr<Backend> backend,
                                    std::int64_t step);

/// Returns a recorded run in its state before `step`, trained again from the nearest stored state at or before `start`; its live changes
/// at `step` are not made. Throws InputError, std::invalid_argument if the run cannot be trained here.
RepeatableRun recordedRunBefore(std::int64_t step, const Recording& recording, RunsWay way, std::shared_ptr<Backend> backend,
                                std::int64_t start);

/// The names of an experiment's runs, for noSuchRun.
std::vector<std::string> runNames(const Experiment& experiment);

}  // namespace mantissa
