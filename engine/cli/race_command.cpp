// SPDX-License-Identifier: Apache-2.0
// race: every loss scaler over the steps of one run, whose overflow thresholds are measured once.
#include <cmath>
#include <fstream>
#include <iostream>
#include <sstream>

#include "engine/cli/commands.h"
#include "engine/diagnosis/race.h"
#include "engine/session/diagnose.h"
#include "engine/telemetry/number_format.h"

namespace mantissa {
namespace {

struct RaceOptions {
    std::string experiment, device = "auto", csv;
    ThresholdRequest request;
    std::vector<std::string> entrants, assignments;
    bool json = false;
};

/// The race, and its entrants' names.
struct Race {
    MeasuredThresholds measured;
    std::vector<std::string> names;
    std::vector<RacedScaler> results;
};

/// "pytorch,growth_interval=200"
ScalerSettings entrantFrom(const std::string& text) {
    std::istringstream parts(text);
    std::string preset, assignment;
    std::getline(parts, preset, ',');
    std::vector<std::string> assignments;
    while (std::getline(parts, assignment, ',')) assignments.push_back(assignment);
    if (text.ends_with(',')) assignments.emplace_back();  // makes scalerFrom refuse it
    return scalerFrom("race: ", "--preset " + text + ":", preset, assignments);
}

/// The run's own scaler first, then the named ones, or every preset.
void race(Race& race, const std::vector<std::string>& named) {
    std::vector<ScalerSettings> entrants{race.measured.scaler};
    race.names.push_back("as this run has it (" + race.measured.scaler.preset + ")");
    for (const std::string& text : named) {
        entrants.push_back(entrantFrom(text));
        race.names.push_back(text);
    }
    if (named.empty()) {
        for (const ScalerSettings& preset : racingPresets()) {
            entrants.push_back(preset);
            race.names.push_back(preset.preset);
        }
    }
    for (const ScalerSettings& entrant : entrants) race.results.push_back(raced(race.measured.thresholds, entrant));
}

std::string raceText(const Race& race) {
    const std::vector<StepThreshold>& steps = race.measured.thresholds;
    std::ostringstream out;
    out << "Run '" << race.measured.run << "', " << groupedText(static_cast<std::int64_t>(steps.size())) << " steps";
    if (!race.measured.asIf.empty()) out << ", as if its gradients were stored in " << race.measured.asIf;
    out << "\n\n";
    std::vector<std::vector<std::string>> rows{
        {"preset", "skipped steps", "longest streak", "all flushed", "headroom", "final scale", "ended at step"}};
    std::string reasons;
    for (std::size_t i = 0; i < race.results.size(); ++i) {
        const RacedScaler& result = race.results[i];
        rows.push_back({race.names[i], groupedText(result.skippedSteps()), groupedText(result.longestRow), groupedText(result.flushedSteps),
                        std::isnan(result.meanHeadroom) ? "-" : fixedText(result.meanHeadroom, 1), powerOfTwoText(result.finalScale),
                        result.isOver() ? groupedText(result.endStep) : "-"});
        if (result.isOver()) reasons += race.names[i] + " ends at step " + groupedText(result.endStep) + ": " + result.endReason + ".\n";
    }
    out << alignedTable(rows) << "\n" << reasons;
    const bool flushes = std::any_of(race.results.begin(), race.results.end(), [](const RacedScaler& r) { return r.flushedSteps > 0; });
    if (flushes) out << "All flushed: steps taken at a scale so low that every gradient is 0 in fp16, so nothing is learned.\n";
    out << "Headroom: powers of two by which the scale stayed below the highest usable one of the step, mean of the steps taken.\n"
           "The thresholds are those of the run as it went: a scaler that skips other steps would train other weights.\n";
    return out.str();
}

nlohmann::ordered_json raceJson(const Race& race) {
    nlohmann::ordered_json entrants = nlohmann::ordered_json::array(), thresholds = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < race.results.size(); ++i) {
        const RacedScaler& result = race.results[i];
        entrants.push_back({{"name", race.names[i]},
                            {"preset", result.settings.preset},
                            {"wasted_steps", result.skippedSteps()},
                            {"longest_row", result.longestRow},
                            {"all_flushed_steps", result.flushedSteps},
                            {"mean_headroom", jsonNumber(result.meanHeadroom)},
                            {"final_scale", jsonNumber(result.finalScale)},
                            {"ended_at", result.isOver() ? nlohmann::ordered_json(result.endStep) : nlohmann::ordered_json()},
                            {"ended_because", result.endReason},
                            {"skipped", result.skipped}});
    }
    for (const StepThreshold& each : race.measured.thresholds) {
        thresholds.push_back({{"step", each.step},
                              {"highest_scale", jsonNumber(each.highest)},
                              {"overflow_from", jsonNumber(each.overflowFrom)},
                              {"gradient_max", jsonNumber(each.gradientMax)}});
    }
    return {{"run", race.measured.run},
            {"as_if", race.measured.asIf},
            {"entrants", std::move(entrants)},
            {"thresholds", std::move(thresholds)}};
}

/// A row per step: the threshold, then each entrant's scale, empty once it has ended.
void writeCsv(const Race& race, const std::string& file) {
    std::ofstream out(file, std::ios::binary);
    out << "step,highest_scale,overflow_from,gradient_max";
    for (const std::string& name : race.names) out << ",\"" << name << '"';
    out << '\n';
    for (std::size_t i = 0; i < race.measured.thresholds.size(); ++i) {
        const StepThreshold& each = race.measured.thresholds[i];
        out << each.step << ',' << shortest(each.highest) << ',' << shortest(each.overflowFrom) << ',' << shortest(each.gradientMax);
        for (const RacedScaler& result : race.results) out << ',' << (i < result.scales.size() ? shortest(result.scales[i]) : "");
        out << '\n';
    }
    out.flush();
    if (!out) throw RunError("race: '" + file + "' could not be written");
}

int raceCommand(const RaceOptions& options) {
    for (const std::string& text : options.entrants) entrantFrom(text);  // refuses wrong ones before the training
    Race raced;
    const Experiment experiment = loadExperiment(options.experiment, options.assignments);
    raced.measured =
        askedOf(options.experiment, [&] { return measureThresholds(experiment, openDevice(options.device), options.request); });
    race(raced, options.entrants);
    if (!options.csv.empty()) writeCsv(raced, options.csv);
    if (options.json) {
        std::cout << raceJson(raced).dump() << '\n';
    } else {
        std::cout << raceText(raced);
    }
    return kExitDone;
}

}  // namespace

void addRace(CLI::App& app, Work& work) {
    CLI::App* command =
        app.add_subcommand("race", "Race every loss scaler over the steps of one run: skipped steps, headroom, where it ends");
    auto o = std::make_shared<RaceOptions>();
    command->add_option("EXPERIMENT", o->experiment, "a JSON file or a bundled experiment")->required();
    command->add_option("--run", o->request.run, "this run; without it, the first with a loss scale");
    command->add_option("--steps", o->request.steps, "so many from its first on; without it, all")->check(wholeNumberFrom(1));
    command->add_option("--preset", o->entrants, "PRESET[,key=value...], in place of all presets (repeatable)")->allow_extra_args(false);
    command->add_option("--device", o->device, "auto, cpu or cuda:0")->capture_default_str();
    command->add_option("--set", o->assignments, "/json/pointer=VALUE, over the file (repeatable)")->allow_extra_args(false);
    command->add_option("--csv", o->csv, "write a row a step into this file");
    command->add_flag("--json", o->json, "one JSON object on standard output");
    command->callback([&work, o] { work = [o] { return raceCommand(*o); }; });
}

}  // namespace mantissa
