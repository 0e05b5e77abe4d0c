// SPDX-License-Identifier: Apache-2.0
#include "engine/session/trained_run.h"

#include <algorithm>
#include <stdexcept>

#include "engine/experiment/values.h"
#include "engine/training/block_stats.h"

namespace mantissa {

std::unique_ptr<LiveRun> trainedRun(const Experiment& experiment, const RunSettings& chosen, std::shared_ptr<Backend> backend,
                                    std::int64_t step) {
    const auto stopReason = std::make_shared<std::string>();
    auto run = std::make_unique<LiveRun>(0, chosen, std::move(backend), [stopReason](Event&& event) {
        if (const auto* stopped = std::get_if<RunStopped>(&event)) *stopReason = stopped->reason;
    });
    run->schedule(experiment.events);
    while (run->canStep() && run->nextStep() < step && stopReason->empty()) run->step();
    if (!stopReason->empty()) throw std::runtime_error("run '" + chosen.name + "' could not go on: " + *stopReason);
    if (run->nextStep() != step)
        throw InputError("", "",
                         "run '" + chosen.name + "' has no step " + std::to_string(step) + ": it ends after " +
                             std::to_string(run->nextStep()) + " steps");
    return run;
}

RepeatableRun recordedRunBefore(std::int64_t step, const Recording& recording, RunsWay way, std::shared_ptr<Backend> backend,
                                std::int64_t start) {
    const bool isFork = way.run.parent >= 0;  // which begins with its first state
    const std::int64_t first = way.snapshots.empty() ? 0 : way.snapshots.front().id;
    std::erase_if(way.snapshots, [&](const SnapshotPlace& place) { return place.step > start && !(isFork && place.id == first); });
    const std::int64_t budgetBytes = way.snapshots.empty() ? 0 : way.snapshots.back().bytes;  // room for the nearest one
    RepeatableRun run = RepeatableRun::recorded(way, storedPoints(recording, way, budgetBytes), std::move(backend));
    run.rewind(step);
    while (run.isLagging()) run.rerun();
    return run;
}

std::vector<std::string> runNames(const Experiment& experiment) {
    std::vector<std::string> names;
    for (const RunSettings& settings : experiment.runs) names.push_back(settings.name);
    return names;
}

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
