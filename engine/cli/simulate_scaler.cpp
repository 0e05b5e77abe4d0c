// SPDX-License-Identifier: Apache-2.0
// simulate-scaler: a preset's state machine as a filter of lines.
#include <charconv>
#include <cmath>
#include <iostream>

#include "engine/cli/commands.h"
#include "engine/experiment/fields.h"
#include "engine/telemetry/joined.h"
#include "engine/telemetry/number_format.h"

namespace mantissa {
namespace {

const std::string kCommand = "simulate-scaler: ";

std::optional<double> numberOf(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::vector<std::string> keys() {
    std::vector<std::string> names;
    for (const Field& field : fields()) {
        if (field.group == "scaler" && field.key != "preset") names.push_back(field.key);
    }
    return names;
}

/// "0" or "1"; if the scaler uses the largest gradient, also "0 0.25" with the largest unscaled magnitude.
GradientCheck checkOf(std::string_view line, std::int64_t number, bool takesAbsMax) {
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    const std::string_view first = line.substr(0, line.find(' '));
    GradientCheck check{.foundInf = first == "1"};
    bool isSound = first == "0" || first == "1";
    if (isSound && first.size() < line.size()) {
        const auto absMax = takesAbsMax ? numberOf(line.substr(first.size() + 1)) : std::nullopt;
        isSound = absMax && std::isfinite(*absMax) && *absMax >= 0;
        if (isSound) check.absMax = static_cast<float>(*absMax);
    }
    if (isSound) return check;
    throw UsageError(kCommand + "standard input: line " + std::to_string(number) + ": expected 0 or 1" +
                     (takesAbsMax ? ", and perhaps the largest gradient's magnitude after a space" : ""));
}

int simulate(const std::string& preset, const std::vector<std::string>& assignments) {
    LossScaler scaler(scalerFrom(kCommand, "--set", preset, assignments));
    const bool takesAbsMax = scalerPreset(preset)->kind == ScalerKind::LogMax;
    std::string line;
    for (std::int64_t number = 1; std::getline(std::cin, line); ++number) {
        scaler.update(checkOf(line, number, takesAbsMax));
        std::cout << shortest(scaler.scale()) << '\n';
        if (const auto& reason = scaler.stopReason()) {
            std::cout.flush();
            throw RunError(kCommand + "line " + std::to_string(number) + ": " + *reason);
        }
    }
    return kExitDone;
}

}  // namespace

ScalerSettings scalerFrom(const std::string& command, const std::string& option, const std::string& preset,
                          const std::vector<std::string>& assignments) {
    RunSettings run;
    run.training.scaler.preset = preset;
    const std::vector<std::string> known = keys();
    for (const std::string& assignment : assignments) {
        const auto [key, text] = splitAssignment(assignment, command + option);
        const std::string place = command + option + " " + key + ": ";
        if (std::find(known.begin(), known.end(), key) == known.end())
            throw UsageError(place + "not a key (" + joined(known) + ")" + didYouMean(key, known));
        const auto value = numberOf(text);
        if (!value) throw UsageError(place + "'" + text + "' is not a number");
        try {
            fieldAt("/scaler/" + key)->read(run, *value);
        } catch (const BadValue& bad) {
            throw UsageError(place + bad.sentence);
        }
    }
    const ScalerSettings& settings = run.training.scaler;
    if (const auto problem = checkScaler(settings)) throw UsageError(command + problem->key + ": " + problem->sentence);
    return settings;
}

void addSimulateScaler(CLI::App& app, Work& work) {
    CLI::App* command = app.add_subcommand("simulate-scaler", "Read found_inf (0 or 1) a line, write the loss scale after each step");
    auto preset = std::make_shared<std::string>();
    auto assignments = std::make_shared<std::vector<std::string>>();
    command->add_option("PRESET", *preset, joined(scalerPresets(), ", ", &ScalerPreset::name))->required();
    command->add_option("--set", *assignments, "key=value: " + joined(keys()))->allow_extra_args(false);
    command->callback([&work, preset, assignments] { work = [preset, assignments] { return simulate(*preset, *assignments); }; });
}

}  // namespace mantissa
