// SPDX-License-Identifier: Apache-2.0
// compare: names the layer and the step in which two runs first differ. The runs are of an experiment, or watched ones by their sketches.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <optional>

#include "engine/attach/probe_source.h"
#include "engine/cli/commands.h"
#include "engine/diagnosis/verdict.h"
#include "engine/experiment/values.h"
#include "engine/session/compare_runs.h"
#include "engine/session/session.h"
#include "engine/telemetry/number_format.h"

namespace mantissa {
namespace {

struct CompareOptions {
    std::string source, other, device = "auto";  // other: a probe's file; empty: both runs are in the experiment
    std::vector<std::string> runs, assignments;
    std::int64_t steps = -1, every = 1;
    double bound = kComparisonBound;
    bool json = false;
};

struct FoundComparisons {
    std::vector<StepComparison> comparisons;
    ComparisonEnd end;
};

/// Splits "A,B" at the comma between two runs' names, which may contain commas; otherwise at the first comma.
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

FoundComparisons trainBothRuns(CompareOptions& options) {
    const Experiment experiment = loadExperiment(options.source, options.assignments, options.steps);
    if (options.runs.size() == 1) options.runs = namesIn(options.runs.front(), experiment);
    if (options.runs.size() != 2) throw UsageError("compare: --runs takes the names of two runs, as in --runs fp16,fp32");
    FoundComparisons found;
    found.end = askedOf(options.source, [&] {
        return compareRuns(experiment, openDevice(options.device), {options.runs[0], options.runs[1], options.every},
                           [&](StepComparison comparison) { found.comparisons.push_back(std::move(comparison)); });
    });
    return found;
}

/// A probe's file as a watched run.
struct WatchedFile {
    std::string name;
    StatisticsByStep sketches;  // per step with statistics, its tensors that have a sketch, without their magnitudes
    std::string problem;        // why the file ends before the training; empty: it does not
};

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

/// Reads the whole file. Throws UsageError if it cannot be read or has no run.
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

constexpr const char* kSketchesNote =
    "Known from sketches, to about 10 %, where both trainings take the same batches from the same weights.";

/// A truncated file is compared up to its end.
std::string stoppedText(const std::string& path, const WatchedFile& file) {
    return file.problem.empty() ? "" : path + ": " + file.problem + "; all that came is compared";
}

/// Compares two probes' files.
FoundComparisons compareFiles(CompareOptions& options) {
    if (!options.runs.empty() || !options.assignments.empty())
        throw UsageError("compare: --runs and --set are for experiments; a probe's file has one run, as it is");
    const WatchedFile one = readWatchedFile(options.source), other = readWatchedFile(options.other);
    options.runs = {one.name, other.name};
    if (one.name == other.name) options.runs = {options.source, options.other};
    FoundComparisons found;
    found.end.stopped = one.problem.empty() ? stoppedText(options.other, other) : stoppedText(options.source, one);
    const StatisticsByStep* const runs[] = {&one.sketches, &other.sketches};
    for (const std::int64_t step : sketchedSteps(runs, {.count = kMaxSteps, .every = options.every}))
        if (options.steps < 0 || step < options.steps)
            found.comparisons.push_back(compareSketches(one.sketches.at(step), other.sketches.at(step)));
    return found;
}

/// Trains a run of the experiment and compares it with a probe's file.
FoundComparisons compareWithFile(CompareOptions& options) {
    const Experiment experiment = loadExperiment(options.source, options.assignments, options.steps);
    if (options.runs.empty() && experiment.runs.size() == 1) options.runs = {experiment.runs.front().name};
    if (options.runs.size() != 1)
        throw UsageError("compare: --runs takes the name of the experiment's run that is compared with the file's");
    const WatchedFile theirs = readWatchedFile(options.other);
    FoundComparisons found;
    found.end = askedOf(options.source, [&] {
        return compareWithWatched(experiment, openDevice(options.device), options.runs[0], theirs.sketches, options.every,
                                  [&](StepComparison comparison) { found.comparisons.push_back(std::move(comparison)); });
    });
    if (found.end.stopped.empty()) found.end.stopped = stoppedText(options.other, theirs);
    options.runs.push_back(theirs.name == options.runs[0] ? options.other : theirs.name);
    return found;
}

FoundComparisons findComparisons(CompareOptions& options) {
    if (options.other.empty()) return trainBothRuns(options);
    if (!isProbeFile(options.other)) throw UsageError("compare: '" + options.other + "' is not a probe's file (.mprobe)");
    FoundComparisons found = isProbeFile(options.source) ? compareFiles(options) : compareWithFile(options);
    if (found.comparisons.empty()) throw UsageError(std::string("compare: ") + kNoSketches);
    found.end.note = kSketchesNote;
    return found;
}

/// "0.12 %", or words for a non-finite difference.
std::string differenceText(double relative) {
    if (std::isnan(relative)) return "not finite";
    return std::isinf(relative) ? "infinite" : shareText(relative);
}

/// A layer's largest differences over all compared steps, by role, and the first step beyond the bound.
struct LayerRow {
    std::string layer;
    std::optional<double> weights, forward, gradients, weightGradients;
    std::optional<std::int64_t> apartAt;

    std::optional<double>& of(TensorRole role) {
        if (role == TensorRole::Weight) return weights;
        if (role == TensorRole::Gradient) return gradients;
        return role == TensorRole::WeightGradient ? weightGradients : forward;
    }
};

/// In forward order.
std::vector<LayerRow> layerRows(const FoundComparisons& found, double bound) {
    std::vector<LayerRow> layers;
    if (!found.comparisons.empty()) {
        for (const LayerDifference& each : found.comparisons.front().layers) {
            if (each.role == TensorRole::Value) layers.push_back(LayerRow{each.layer, {}, {}, {}, {}, {}});
        }
    }
    for (const StepComparison& comparison : found.comparisons) {
        for (const LayerDifference& each : comparison.layers) {
            auto row = std::find_if(layers.begin(), layers.end(), [&](const LayerRow& known) { return known.layer == each.layer; });
            if (row == layers.end()) row = layers.insert(layers.end(), LayerRow{each.layer, {}, {}, {}, {}, {}});
            std::optional<double>& largest = row->of(each.role);
            const double relative = each.relative();
            if (!largest || relative > *largest || std::isnan(*largest)) largest = relative;
            if (!row->apartAt && relative > bound) row->apartAt = comparison.step;
        }
    }
    return layers;
}

std::string comparisonText(const CompareOptions& options, const FoundComparisons& found) {
    std::vector<std::vector<std::string>> rows{{"largest difference of", "weights", "forward", "gradients", "weight gradients",
                                                "above " + shareText(options.bound) + " from step"}};
    const auto cell = [](const std::optional<double>& largest) { return largest ? differenceText(*largest) : std::string("-"); };
    for (const LayerRow& layer : layerRows(found, options.bound)) {
        rows.push_back({layer.layer, cell(layer.weights), cell(layer.forward), cell(layer.gradients), cell(layer.weightGradients),
                        layer.apartAt ? groupedText(*layer.apartAt) : "-"});
    }
    std::string text = alignedTable(rows) + "\n";
    text += comparisonSentence(options.runs[0], options.runs[1], found.comparisons, options.bound) + "\n";
    if (!found.end.note.empty()) text += found.end.note + "\n";
    const auto apart = firstApart(found.comparisons, options.bound);
    if (!apart) return text + "never apart by more than " + shareText(options.bound) + "\n";
    const StepComparison& at = found.comparisons[apart->comparison];
    const LayerDifference& layer = at.layers[apart->layer];
    return text + "first apart by more than " + shareText(options.bound) + ": " + layer.tensor + " at step " + groupedText(at.step) + " (" +
           std::string(phaseName(layer.role)) + ")\n";
}

nlohmann::ordered_json differenceJson(const StepComparison& at, const LayerDifference& layer) {
    return {{"layer", layer.layer},
            {"role", roleName(layer.role)},
            {"tensor", layer.tensor},
            {"difference", jsonNumber(layer.relative())},
            {"unit_roundoffs", jsonNumber(at.inRoundoffs(layer.relative()))},
            {"elements", layer.elements},
            {"broken", layer.broken},
            {"alike_not_finite", layer.alike}};
}

nlohmann::ordered_json comparisonJson(const CompareOptions& options, const FoundComparisons& found) {
    nlohmann::ordered_json steps = nlohmann::ordered_json::array(), first;
    for (const StepComparison& comparison : found.comparisons) {
        nlohmann::ordered_json layers = nlohmann::ordered_json::array();
        for (const LayerDifference& layer : comparison.layers) layers.push_back(differenceJson(comparison, layer));
        steps.push_back({{"step", comparison.step}, {"coarsest", facts(comparison.coarsest).name}, {"layers", std::move(layers)}});
    }
    if (const auto apart = firstApart(found.comparisons, options.bound)) {
        const StepComparison& at = found.comparisons[apart->comparison];
        first = differenceJson(at, at.layers[apart->layer]);
        first["step"] = at.step;
        first["phase"] = phaseName(at.layers[apart->layer].role);
    }
    return {{"runs", options.runs},
            {"bound", options.bound},
            {"first_apart", std::move(first)},
            {"sentence", comparisonSentence(options.runs[0], options.runs[1], found.comparisons, options.bound)},
            {"note", found.end.note},
            {"stopped", found.end.stopped},
            {"steps", std::move(steps)}};
}

int compareCommand(CompareOptions& options) {
    const FoundComparisons found = findComparisons(options);
    std::cout << (options.json ? comparisonJson(options, found).dump() + "\n" : comparisonText(options, found));
    if (!found.end.stopped.empty()) {
        std::cout.flush();
        throw RunError(options.other.empty() ? options.source + ": " + found.end.stopped : found.end.stopped);
    }
    return kExitDone;
}

void addCompareAs(CLI::App& command, Work& work) {
    auto o = std::make_shared<CompareOptions>();
    command.add_option("EXPERIMENT", o->source, "a JSON file, the name of a bundled experiment, or a probe's file (.mprobe)")->required();
    command.add_option("OTHER", o->other, "a probe's file (.mprobe), whose run takes the place of the second one");
    command.add_option("--runs", o->runs, "the two runs' names, A,B; differences are relative to the second one's tensors");
    command.add_option("--steps", o->steps, "steps of both runs, at most")->check(wholeNumberFrom(0));
    command.add_option("--every", o->every, "compare each step whose number is a multiple of this")
        ->check(wholeNumberFrom(1))
        ->capture_default_str();
    command.add_option("--bound", o->bound, "the relative difference above which layers are apart")
        ->check(numberFromZero())
        ->capture_default_str();
    command.add_option("--device", o->device, "auto, cpu or cuda:0")->capture_default_str();
    command.add_option("--set", o->assignments, "/json/pointer=VALUE, over the file (repeatable)")->allow_extra_args(false);
    command.add_flag("--json", o->json, "one JSON object on standard output");
    command.callback([&work, o] { work = [o] { return compareCommand(*o); }; });
}

}  // namespace

void addCompare(CLI::App& app, Work& work) {
    addCompareAs(*app.add_subcommand("compare", "Compare two runs: the layer and the step in which they first differ"), work);
    addCompareAs(*app.add_subcommand("twins", "The earlier name of compare")->group(""), work);
}

}  // namespace mantissa
