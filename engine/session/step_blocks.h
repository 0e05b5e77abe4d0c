// SPDX-License-Identifier: Apache-2.0
// The operands in block formats of a step of an experiment, without a session. One thread: it trains.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/diagnosis/block_report.h"
#include "engine/experiment/experiment.h"
#include "engine/session/repeatable_run.h"

namespace mantissa {

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
