// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <iostream>

#include "engine/cli/commands.h"
#include "engine/precision/scaler.h"
#include "engine/telemetry/number_format.h"

namespace mantissa {
namespace {

double numberOf(const std::string& key, const std::string& text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
        throw UsageError("simulate-scaler: --set " + key + ": '" + text + "' is not a number");
    return value;
}

ScalerSettings settingsOf(const std::string& preset, const std::vector<std::string>& assignments) {
    ScalerSettings settings{.preset = preset};
    for (const std::string& assignment : assignments) {
        const auto [key, text] = splitAssignment(assignment, "simulate-scaler: --set");
        const double value = numberOf(key, text);
        if (key == "init_scale") {
            settings.initScale = value;
        } else if (key == "growth_factor") {
            settings.growthFactor = value;
        } else if (key == "backoff_factor") {
            settings.backoffFactor = value;
        } else if (key == "growth_interval") {
            const auto interval = static_cast<std::int64_t>(value);
            if (static_cast<double>(interval) != value)
                throw UsageError("simulate-scaler: --set growth_interval: '" + text + "' is not a whole number");
            settings.growthInterval = interval;
        } else {
            throw UsageError("simulate-scaler: --set: '" + key +
                             "' is not a key (init_scale, growth_factor, backoff_factor, growth_interval)");
        }
    }
    if (const auto problem = checkScaler(settings)) throw UsageError("simulate-scaler: " + problem->key + ": " + problem->sentence);
    return settings;
}

int simulate(const std::string& preset, const std::vector<std::string>& assignments) {
    LossScaler scaler(settingsOf(preset, assignments));
    std::string line;
    for (std::int64_t number = 1; std::getline(std::cin, line); ++number) {
        if (!line.empty() && line.back() == '\r') line.pop_back();
        if (line != "0" && line != "1")
            throw UsageError("simulate-scaler: standard input: line " + std::to_string(number) + ": expected 0 or 1");
        scaler.update(line == "1");
        std::cout << shortest(scaler.scale()) << '\n';
    }
    return kExitDone;
}

}  // namespace

void addSimulateScaler(CLI::App& app, Work& work) {
    CLI::App* command = app.add_subcommand("simulate-scaler", "Read found_inf (0 or 1) a line, write the loss scale after each step");
    auto preset = std::make_shared<std::string>();
    auto assignments = std::make_shared<std::vector<std::string>>();
    std::string names;
    for (const ScalerPreset& p : scalerPresets()) names += (names.empty() ? "" : ", ") + std::string(p.name);
    command->add_option("PRESET", *preset, names)->required();
    command->add_option("--set", *assignments, "key=value: init_scale, growth_factor, backoff_factor, growth_interval")
        ->allow_extra_args(false);
    command->callback([&work, preset, assignments] { work = [preset, assignments] { return simulate(*preset, *assignments); }; });
}

}  // namespace mantissa
