// SPDX-License-Identifier: Apache-2.0
// twins: two runs side by side, in which layer and at which step they part.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <optional>

#include "engine/cli/commands.h"
#include "engine/diagnosis/verdict.h"
#include "engine/session/twins.h"
#include "engine/telemetry/number_format.h"

namespace mantissa {
namespace {

struct TwinsOptions {
    std::string source, device = "auto";
    std::vector<std::string> runs, assignments;
    std::int64_t steps = -1, every = 1;
    double bound = kTwinBound;
    bool json = false;
};

struct TwinsFound {
    std::vector<TwinComparison> comparisons;
    TwinsEnd end;
};

/// "A,B" at the comma that divides two runs of the experiment: names may have commas in them. Else at the first one.
std::vector<std::string> namesIn(const std::string& text, const Experiment& experiment) {
    const auto isRun = [&](const std::string& name) {
        return std::any_of(experiment.runs.begin(), experiment.runs.end(), [&](const RunSettings& run) { return run.name == name; });
    };
    const auto dividedAt = [&](std::size_t comma) { return std::vector<std::string>{text.substr(0, comma), text.substr(comma + 1)}; };
    for (std::size_t comma = text.find(','); comma != std::string::npos; comma = text.find(',', comma + 1))
        if (auto names = dividedAt(comma); isRun(names[0]) && isRun(names[1])) return names;
    const std::size_t first = text.find(',');
    return first == std::string::npos ? std::vector<std::string>{text} : dividedAt(first);
}

TwinsFound trainTwins(TwinsOptions& options) {
    Experiment experiment = loadExperiment(options.source, options.assignments);
    if (options.runs.size() == 1) options.runs = namesIn(options.runs.front(), experiment);
    if (options.runs.size() != 2) throw UsageError("twins: --runs takes the names of two runs, as in --runs fp16,fp32");
    for (RunSettings& run : experiment.runs) {
        if (options.steps >= 0) run.training.steps = options.steps;
    }
    TwinsFound found;
    found.end = askedOf(options.source, [&] {
        return compareTwins(experiment, openDevice(options.device), {options.runs[0], options.runs[1], options.every},
                            [&](TwinComparison comparison) { found.comparisons.push_back(std::move(comparison)); });
    });
    return found;
}

/// "0.12 %", also of what has no number.
std::string differenceText(double relative) {
    if (std::isnan(relative)) return "not finite";
    return std::isinf(relative) ? "infinite" : shareText(relative);
}

/// A layer's largest differences over all compared steps, by role, with the first step that is apart.
struct TwinLayer {
    std::string layer;
    std::optional<double> weights, forward, gradients, weightGradients;
    std::optional<std::int64_t> apartAt;

    std::optional<double>& of(TensorRole role) {
        if (role == TensorRole::Weight) return weights;
        if (role == TensorRole::Gradient) return gradients;
        return role == TensorRole::WeightGradient ? weightGradients : forward;
    }
};

/// In the order in which values go forward.
std::vector<TwinLayer> twinLayers(const TwinsFound& found, double bound) {
    std::vector<TwinLayer> layers;
    if (!found.comparisons.empty()) {
        for (const LayerDifference& each : found.comparisons.front().layers) {
            if (each.role == TensorRole::Value) layers.push_back(TwinLayer{each.layer, {}, {}, {}, {}, {}});
        }
    }
    for (const TwinComparison& comparison : found.comparisons) {
        for (const LayerDifference& each : comparison.layers) {
            auto row = std::find_if(layers.begin(), layers.end(), [&](const TwinLayer& known) { return known.layer == each.layer; });
            if (row == layers.end()) row = layers.insert(layers.end(), TwinLayer{each.layer, {}, {}, {}, {}, {}});
            std::optional<double>& largest = row->of(each.role);
            const double relative = each.relative();
            if (!largest || relative > *largest || std::isnan(*largest)) largest = relative;
            if (!row->apartAt && relative > bound) row->apartAt = comparison.step;
        }
    }
    return layers;
}

std::string twinsText(const TwinsOptions& options, const TwinsFound& found) {
    std::vector<std::vector<std::string>> rows{{"largest difference of", "weights", "forward", "gradients", "weight gradients",
                                                "above " + shareText(options.bound) + " from step"}};
    const auto cell = [](const std::optional<double>& largest) { return largest ? differenceText(*largest) : std::string("-"); };
    for (const TwinLayer& layer : twinLayers(found, options.bound)) {
        rows.push_back({layer.layer, cell(layer.weights), cell(layer.forward), cell(layer.gradients), cell(layer.weightGradients),
                        layer.apartAt ? groupedText(*layer.apartAt) : "-"});
    }
    std::string text = alignedTable(rows) + "\n";
    text += twinSentence(options.runs[0], options.runs[1], found.comparisons, options.bound) + "\n";
    if (!found.end.note.empty()) text += found.end.note + "\n";
    const auto apart = firstApart(found.comparisons, options.bound);
    if (!apart) return text + "never apart by more than " + shareText(options.bound) + "\n";
    const TwinComparison& at = found.comparisons[apart->comparison];
    const LayerDifference& layer = at.layers[apart->layer];
    return text + "first apart by more than " + shareText(options.bound) + ": " + layer.tensor + " at step " + groupedText(at.step) + " (" +
           std::string(twinPhase(layer.role)) + ")\n";
}

nlohmann::ordered_json differenceJson(const LayerDifference& layer) {
    return {{"layer", layer.layer},           {"role", roleName(layer.role)},
            {"tensor", layer.tensor},         {"difference", jsonNumber(layer.relative())},
            {"elements", layer.elements},     {"broken", layer.broken},
            {"alike_not_finite", layer.alike}};
}

nlohmann::ordered_json twinsJson(const TwinsOptions& options, const TwinsFound& found) {
    nlohmann::ordered_json steps = nlohmann::ordered_json::array(), first;
    for (const TwinComparison& comparison : found.comparisons) {
        nlohmann::ordered_json layers = nlohmann::ordered_json::array();
        for (const LayerDifference& layer : comparison.layers) layers.push_back(differenceJson(layer));
        steps.push_back({{"step", comparison.step}, {"layers", std::move(layers)}});
    }
    if (const auto apart = firstApart(found.comparisons, options.bound)) {
        const TwinComparison& at = found.comparisons[apart->comparison];
        first = differenceJson(at.layers[apart->layer]);
        first["step"] = at.step;
        first["phase"] = twinPhase(at.layers[apart->layer].role);
    }
    return {{"runs", options.runs},
            {"bound", options.bound},
            {"first_apart", std::move(first)},
            {"sentence", twinSentence(options.runs[0], options.runs[1], found.comparisons, options.bound)},
            {"note", found.end.note},
            {"stopped", found.end.stopped},
            {"steps", std::move(steps)}};
}

int twinsCommand(TwinsOptions& options) {
    const TwinsFound found = trainTwins(options);
    std::cout << (options.json ? twinsJson(options, found).dump() + "\n" : twinsText(options, found));
    if (!found.end.stopped.empty()) {
        std::cout.flush();
        throw RunError(options.source + ": " + found.end.stopped);
    }
    return kExitDone;
}

}  // namespace

void addTwins(CLI::App& app, Work& work) {
    CLI::App* command = app.add_subcommand("twins", "Train two runs side by side and say in which layer, at which step, they part");
    auto o = std::make_shared<TwinsOptions>();
    command->add_option("EXPERIMENT", o->source, "a JSON file or the name of a bundled experiment")->required();
    command->add_option("--runs", o->runs, "the two runs' names, A,B; differences are relative to the second one's tensors")->required();
    command->add_option("--steps", o->steps, "steps of both runs, at most")->check(wholeNumberFrom(0));
    command->add_option("--every", o->every, "compare each step whose number is a multiple of this")
        ->check(wholeNumberFrom(1))
        ->capture_default_str();
    command->add_option("--bound", o->bound, "the relative difference above which layers are apart")
        ->check(numberFromZero())
        ->capture_default_str();
    command->add_option("--device", o->device, "auto, cpu or cuda:0")->capture_default_str();
    command->add_option("--set", o->assignments, "/json/pointer=VALUE, over the file (repeatable)")->allow_extra_args(false);
    command->add_flag("--json", o->json, "one JSON object on standard output");
    command->callback([&work, o] { work = [o] { return twinsCommand(*o); }; });
}

}  // namespace mantissa
