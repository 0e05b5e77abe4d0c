// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/watched_file.h"

#include "engine/cli/commands.h"
#include "engine/session/session.h"

namespace mantissa {
namespace {

/// Keeps only the sketches: a file may be larger than memory.
StepStats withSketchesAlone(StepStats statistics) {
    std::erase_if(statistics.tensors, [](const TensorStats& each) { return each.sketch.empty(); });
    for (TensorStats& each : statistics.tensors) each.magnitudes = {};
    return statistics;
}

std::string problemOf(const WatchInfo& watch) {
    if (watch.link == WatchLink::Ended) return "";
    return watch.problems.empty() ? "the training has not ended, or its process has gone without a word" : watch.problems.back();
}

}  // namespace

WatchedFile readWatchedFile(const std::string& path) {
    WatchedFile file;
    std::string refusal;
    bool isOver = false;
    Session session(createCpuBackend(), [&](Event&& event) {
        if (auto* added = std::get_if<RunAdded>(&event)) {
            file.name = added->info.settings.name;
        } else if (auto* measured = std::get_if<TensorsMeasured>(&event)) {
            const std::int64_t step = measured->stats.step;
            file.sketches.insert_or_assign(step, withSketchesAlone(std::move(measured->stats)));
        } else if (auto* changed = std::get_if<RunChanged>(&event)) {
            isOver = !isOpen(changed->info.watch.link);
            file.problem = problemOf(changed->info.watch);
        } else if (auto* refused = std::get_if<CommandRefused>(&event)) {
            refusal = refused->sentence;
        }
    });
    session.post({1, WatchTraining{.place = path, .follows = false}});
    while (!isOver && refusal.empty()) session.advance();
    if (!refusal.empty()) throw UsageError(refusal);
    return file;
}

}  // namespace mantissa
