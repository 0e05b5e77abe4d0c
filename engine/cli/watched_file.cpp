// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/watched_file.h"

#include "engine/cli/commands.h"
#include "engine/session/session.h"

namespace mantissa {

WatchedFile readWatchedFile(const std::string& path) {
    std::optional<WatchedFile> file;
    std::string problem;
    bool isOver = false;
    Session session(createCpuBackend(), [&](Event&& event) {
        if (auto* added = std::get_if<RunAdded>(&event); added != nullptr && !file) {
            file.emplace().info = added->info;
        } else if (auto* measured = std::get_if<TensorsMeasured>(&event); measured != nullptr && measured->run == file->info.id) {
            file->statistics.insert_or_assign(measured->census.step, std::move(measured->census));
        } else if (auto* changed = std::get_if<RunChanged>(&event); changed != nullptr && changed->info.id == file->info.id) {
            isOver |= changed->info.watch.link != WatchLink::Connected;
        } else if (auto* refused = std::get_if<CommandRefused>(&event)) {
            problem = refused->sentence;
        }
    });
    session.post({1, WatchTraining{.place = path, .follows = false}});
    while (!isOver && problem.empty()) session.advance();
    if (!problem.empty()) throw UsageError(problem);
    return std::move(*file);
}

}  // namespace mantissa
