// SPDX-License-Identifier: Apache-2.0
#include "engine/session/trained_run.h"

#include <stdexcept>

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

}  // namespace mantissa
