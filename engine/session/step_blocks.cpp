// SPDX-License-Identifier: Apache-2.0
#include "engine/session/step_blocks.h"

#include <algorithm>

#include "engine/experiment/values.h"
#include "engine/session/trained_run.h"
#include "engine/training/block_stats.h"

namespace mantissa {

std::vector<OperandBlocks> readNextBlocks(RepeatableRun& run, const std::string& asPolicy) {
    Trainer& trainer = run.prepareNext();
    if (!asPolicy.empty()) run.apply("/precision", asPolicy, run.course().changed("/precision", asPolicy));
    return readBlocks(trainer);
}

StepBlocks readStepBlocks(const Experiment& experiment, std::shared_ptr<Backend> backend, const std::string& name, std::int64_t step,
                          const std::string& asPolicy) {
    auto chosen = std::find_if(experiment.runs.begin(), experiment.runs.end(), [&](const RunSettings& settings) {
        return name.empty() ? isBlockPolicy(settings.training.precision.policy) : settings.name == name;
    });
    if (chosen == experiment.runs.end() && name.empty()) chosen = experiment.runs.begin();
    if (chosen == experiment.runs.end()) throw noSuchRun(name, runNames(experiment));

    const std::unique_ptr<LiveRun> run = trainedRun(experiment, *chosen, std::move(backend), step);
    std::vector<OperandBlocks> operands = readNextBlocks(*run, asPolicy);
    return {chosen->name, run->trainer().policy().name, step, std::move(operands)};
}

}  // namespace mantissa
