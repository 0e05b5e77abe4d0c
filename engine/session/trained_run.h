// SPDX-License-Identifier: Apache-2.0
// One run of an experiment or of a recording, trained without a session. One thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/diagnosis/block_report.h"
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

// ---- Operands in block formats ----

struct StepBlocks {
    std::string run, policy;
    std::int64_t step = 0;
    std::vector<OperandBlocks> operands;
};

/// Returns the operands of the next step of a copy in block formats. `asPolicy`: after a switch to this policy; empty: as trained. Throws
/// like `readBlocks`, and InputError if the run cannot switch to the policy.
std::vector<OperandBlocks> readNextBlocks(RepeatableRun& run, const std::string& asPolicy = {});

/// Trains one run up to a step, at most to the one after its last, and reads that step's operands. `run`: a name; empty: the first run in a
/// block format, or else the first. `asPolicy`: reads them after a switch to this policy at that step; empty: as trained. Throws
/// InputError, std::invalid_argument if the step has no blocks; std::runtime_error if the run cannot continue.
StepBlocks readStepBlocks(const Experiment& experiment, std::shared_ptr<Backend> backend, const std::string& run, std::int64_t step,
                          const std::string& asPolicy = {});

}  // namespace mantissa
