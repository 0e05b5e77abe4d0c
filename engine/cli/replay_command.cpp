// SPDX-License-Identifier: Apache-2.0
// replay: trains a recording again, and compares every value.
#include <chrono>
#include <iostream>

#include "engine/cli/commands.h"
#include "engine/session/replay.h"
#include "engine/telemetry/number_format.h"

namespace mantissa {
namespace {

constexpr std::chrono::milliseconds kBetweenLines(200);

/// Reads the whole recording, to find out whether it is complete.
void readToTheEnd(const Recording& recording) {
    recording.read({.steps = {}, .entry = {}});
}

/// With `hasProgress`, writes "STEPS of STEPS" lines to standard error at intervals.
Replayed replayFile(const Recording& recording, const std::string& path, bool hasProgress) {
    const std::int64_t all = recording.summary().steps;
    auto next = std::chrono::steady_clock::now() + kBetweenLines;
    const auto tick = [&](std::int64_t steps) {
        if (const auto now = std::chrono::steady_clock::now(); hasProgress && now >= next) {
            next = now + kBetweenLines;
            std::cerr << steps << " of " << all << std::endl;
        }
        return true;
    };
    try {
        return replay(recording, createCpuBackend(), tick);
    } catch (const InputError& error) {
        readToTheEnd(recording);
        complainOf(recording, path, error);
    } catch (const std::invalid_argument& error) {
        throw InputError(path, "", error.what());
    } catch (const std::runtime_error& error) {
        throw RunError(path + ": " + error.what());
    }
}

int replayCommand(const std::string& path, bool asJson, bool hasProgress) {
    const Recording recording(path);
    const Replayed done = replayFile(recording, path, hasProgress);
    if (done.first) readToTheEnd(recording);
    const int code = done.first ? kExitCouldNotGoOn : sayWhatIsMissing(recording, path);  // a difference is said in the same line
    if (done.steps == 0) return code;
    const std::string& whyReadOnly = recording.whyReadOnly();
    if (asJson) {
        nlohmann::ordered_json json{{"identical", !done.first},     {"runs", done.runs},
                                    {"steps", done.steps},          {"changes", done.changes},
                                    {"why_read_only", whyReadOnly}, {"missing", recording.missing()},
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
        const std::string missing = recording.missing();
        const std::string run = path + ": " + missing + (missing.empty() ? "run '" : "; run '") + first->run + "' ";
        if (first->column == "step" && first->recorded > first->replayed)
            throw RunError(run + "lacks its steps " + std::to_string(static_cast<std::int64_t>(first->replayed)) + " to " +
                           std::to_string(first->step - 1) + ", and was compared up to there");
        throw RunError(run + "differs at step " + std::to_string(first->step) + ": " + first->column + " was " + shortest(first->recorded) +
                       " and is now " + shortest(first->replayed));
    }
    return code;
}

}  // namespace

void addReplay(CLI::App& app, Work& work) {
    CLI::App* command = app.add_subcommand("replay", "Train a recording once more and say whether every value is bit-identical");
    auto path = std::make_shared<std::string>();
    auto asJson = std::make_shared<bool>(false), hasProgress = std::make_shared<bool>(false);
    command->add_option("FILE", *path, "a recording (.mantissa)")->required();
    command->add_flag("--json", *asJson, "one JSON object on standard output");
    command->add_flag("--progress", *hasProgress, "lines of \"STEPS of STEPS\" on standard error");
    command->callback(
        [&work, path, asJson, hasProgress] { work = [path, asJson, hasProgress] { return replayCommand(*path, *asJson, *hasProgress); }; });
}

}  // namespace mantissa
