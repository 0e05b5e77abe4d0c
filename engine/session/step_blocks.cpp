// SPDX-License-Identifier: Apache-2.0
#include "engine/session/step_blocks.h"

#include <algorithm>
#include <stdexcept>

#include "engine/session/live_run.h"

namespace mantissa {

StepBlocks readStepBlocks(const Experiment& experiment, std::shared_ptr<Backend> backend, const std::string& name, std::int64_t step) {
    std::vector<std::string> names;
    for (const RunSettings& settings : experiment.runs) names.push_back(settings.name);
    auto chosen = std::find_if(experiment.runs.begin(), experiment.runs.end(), [&](const RunSettings& settings) {
        return name.empty() ? isBlockPolicy(settings.training.precision.policy) : settings.name == name;
    });
    if (chosen == experiment.runs.end() && name.empty()) chosen = experiment.runs.begin();
    if (chosen == experiment.runs.end()) throw noSuchRun(name, names);

    std::string stopReason;
    LiveRun run(0, *chosen, std::move(backend), [&](Event&& event) {
        if (const auto* stopped = std::get_if<RunStopped>(&event)) stopReason = stopped->reason;
    });
    run.schedule(experiment.events);
    while (run.canStep() && run.nextStep() < step && stopReason.empty()) run.step();
    if (!stopReason.empty()) throw std::runtime_error("run '" + chosen->name + "' could not go on: " + stopReason);
    if (run.nextStep() != step)
        throw InputError("", "",
                         "run '" + chosen->name + "' has no step " + std::to_string(step) + ": blocks can be read up to step " +
                             std::to_string(run.nextStep()));
    std::vector<OperandBlocks> operands = run.readNextBlocks();
    return {chosen->name, run.trainer().policy().name, step, std::move(operands)};
}

}  // namespace mantissa
