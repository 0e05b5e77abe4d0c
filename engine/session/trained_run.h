// SPDX-License-Identifier: Apache-2.0
// One run of an experiment, trained without a session. One thread.
#pragma once

#include <memory>
#include <string>

#include "engine/session/live_run.h"

namespace mantissa {

/// Trains a run up to `step`, the number of steps done, with the experiment's events. Throws InputError if the run has fewer steps;
/// std::runtime_error if it cannot continue.
std::unique_ptr<LiveRun> trainedRun(const Experiment& experiment, const RunSettings& chosen, std::shared_ptr<Backend> backend,
                                    std::int64_t step);

/// The names of an experiment's runs, for noSuchRun.
std::vector<std::string> runNames(const Experiment& experiment);

}  // namespace mantissa
