// SPDX-License-Identifier: Apache-2.0
// replay: a recording trained once more, and whether every value came out the same.
#include <iostream>

#include "engine/cli/commands.h"
#include "engine/session/replay.h"
#include "engine/telemetry/number_format.h"

namespace mantissa {
namespace {

Replayed replayFile(const Recording& recording, const std::string& path) {
    try {
        return replay(recording, createCpuBackend(), [](std::int64_t) { return true; });
    } catch (const InputError& error) {
        throw InputError(path, error.pointer(), error.sentence());
    } catch (const std::invalid_argument& error) {
        throw InputError(path, "", error.what());
    }
}

int replayCommand(const std::string& path, bool asJson) {
    const Recording recording(path);
    const Replayed done = replayFile(recording, path);
    if (asJson) {
        nlohmann::ordered_json json{{"identical", !done.first},
                                    {"runs", done.runs},
                                    {"steps", done.steps},
                                    {"changes", done.changes},
                                    {"first_difference", nullptr}};
        if (const auto& first = done.first)
            json["first_difference"] = {{"run", first->run},
                                        {"step", first->step},
                                        {"column", first->column},
                                        {"recorded", jsonNumber(first->recorded)},
                                        {"replayed", jsonNumber(first->replayed)}};
        std::cout << json.dump() << '\n';
    } else if (!done.first) {
        std::cout << "identical: " << done.steps << " steps of " << done.runs << " runs, " << done.changes << " live changes\n";
    }
    if (const auto& first = done.first) {
        const std::string where = "run '" + first->run + "' differs at step " + std::to_string(first->step);
        throw RunError(path + ": " + where + ": " + first->column + " was " + shortest(first->recorded) + " and is now " +
                       shortest(first->replayed));
    }
    return kExitDone;
}

}  // namespace

void addReplay(CLI::App& app, Work& work) {
    CLI::App* command = app.add_subcommand("replay", "Train a recording once more and say whether every value is bit-identical");
    auto path = std::make_shared<std::string>();
    auto asJson = std::make_shared<bool>(false);
    command->add_option("FILE", *path, "a recording (.mantissa)")->required();
    command->add_flag("--json", *asJson, "one JSON object on standard output");
    command->callback([&work, path, asJson] { work = [path, asJson] { return replayCommand(*path, *asJson); }; });
}

}  // namespace mantissa
