// SPDX-License-Identifier: Apache-2.0
#include "engine/session/compare_runs.h"

#include <algorithm>
#include <stdexcept>

#include "engine/experiment/values.h"
#include "engine/session/trained_run.h"
#include "engine/training/step_tensors.h"

namespace mantissa {
namespace {

/// Throws InputError if no run has that name.
const RunSettings& runNamed(const Experiment& experiment, const std::string& name) {
    for (const RunSettings& settings : experiment.runs)
        if (settings.name == name) return settings;
    throw noSuchRun(name, runNames(experiment));
}

/// Creates a run of the experiment. `stopReason` receives the reason if it stops early.
std::unique_ptr<LiveRun> makeRun(const Experiment& experiment, const RunSettings& settings, const std::shared_ptr<Backend>& backend,
                                 RunId id, std::string& stopReason) {
    auto run = std::make_unique<LiveRun>(id, settings, backend, [&stopReason](Event&& event) {
        if (const auto* stopped = std::get_if<RunStopped>(&event)) stopReason = stopped->reason;
    });
    run->schedule(experiment.events);
    return run;
}

bool hasSketches(const StatisticsByStep& statistics, std::int64_t step) {
    const auto found = statistics.find(step);
    if (found == statistics.end()) return false;
    const auto& tensors = found->second.tensors;
    return std::any_of(tensors.begin(), tensors.end(), [](const TensorStats& each) { return !each.sketch.empty(); });
}

}  // namespace

void requireOneModel(const RunCourse& run, const RunCourse& other) {
    const ModelSettings &model = run.settings.training.model, &otherModel = other.settings.training.model;
    const DataShape shape = shapeOf(*run.dataset), otherShape = shapeOf(*other.dataset);
    const auto shapes = parameterShapes(model, shape), otherShapes = parameterShapes(otherModel, otherShape);
    const bool isOne = model.kind == otherModel.kind && model.activation == otherModel.activation &&
                       std::equal(shapes.begin(), shapes.end(), otherShapes.begin(), otherShapes.end(),
                                  [](const ParameterShape& a, const ParameterShape& b) { return a.name == b.name && a.shape == b.shape; });
    if (isOne) return;
    throw InputError("", "",
                     "runs '" + run.settings.name + "' and '" + other.settings.name +
                         "' have different models: " + modelText(model, shape) + "; " + modelText(otherModel, otherShape));
}

std::string beginningsNote(const RunSettings& run, const RunSettings& other) {
    const bool areOtherData = run.training.data != other.training.data || run.training.accumulate != other.training.accumulate;
    const bool areOtherWeights = run.training.init != other.training.init;
    if (areOtherData && areOtherWeights) return "They begin with different weights, and train on different batches.";
    if (areOtherData) return "They train on different batches.";
    return areOtherWeights ? "They begin with different weights." : "";
}

std::vector<std::int64_t> sketchedSteps(std::span<const StatisticsByStep* const> runs, const CompareRuns& question) {
    std::vector<std::int64_t> steps;
    const StatisticsByStep& first = *runs.front();
    const std::int64_t every = std::min(question.every, kMaxSteps), firstStep = std::max<std::int64_t>(question.firstStep, 0);
    std::int64_t next = firstStep;  // start of the next interval
    for (auto at = first.lower_bound(next); at != first.end(); at = first.lower_bound(next)) {
        const std::int64_t step = at->first, stretch = (step - firstStep) / every;
        if (stretch >= question.count) break;
        const bool isSketched = std::all_of(runs.begin(), runs.end(), [&](const StatisticsByStep* run) { return hasSketches(*run, step); });
        if (isSketched) steps.push_back(step);
        next = isSketched ? firstStep + (stretch + 1) * every : step + 1;
    }
    return steps;
}

StepStats sketchNext(RepeatableRun& run, const StepStats& theirs) {
    const std::int64_t step = run.nextStep();
    const StepTensors tensors = readStepTensors(run.prepareNext());  // also applies an event's change of the clipping
    return sketched(step, tensors, theirs.isBeforeClipping, run.course().settings.training.clipGradNorm);
}

StepComparison compareSketches(const StepStats& step, const StepStats& other) {
    StepComparison comparison = compared(step, other);
    if (comparison.layers.empty()) throw InputError("", "", "no tensor of the one run has the name and the size of one of the other");
    return comparison;
}

StepComparison compareNext(RepeatableRun& run, RepeatableRun& other) {
    const std::int64_t step = run.nextStep();
    const StepTensors tensors = readStepTensors(run.prepareNext());
    return compared(step, tensors, readStepTensors(other.prepareNext()));
}

void trainNextStep(RepeatableRun& run) {
    try {
        run.prepareNext().step();
    } catch (const std::exception&) {
        throw std::runtime_error("run '" + run.course().settings.name + "' could not go on");
    }
}

ComparisonEnd compareWithWatched(const Experiment& experiment, const std::shared_ptr<Backend>& backend, const std::string& run,
                                 const StatisticsByStep& theirs, std::int64_t every, const std::function<void(StepComparison)>& emit) {
    ComparisonEnd end;
    std::string stopReason;
    const auto own = makeRun(experiment, runNamed(experiment, run), backend, 1, stopReason);
    const StatisticsByStep* const runs[] = {&theirs};
    for (const std::int64_t step : sketchedSteps(runs, {.count = kMaxSteps, .every = every})) {
        while (own->canStep() && own->nextStep() < step) own->step();
        if (own->nextStep() < step || !own->canStep()) break;
        emit(compareSketches(sketchNext(*own, theirs.at(step)), theirs.at(step)));
    }
    if (!stopReason.empty()) end.stopped = "run '" + run + "' could not go on: " + stopReason;
    return end;
}

ComparisonEnd compareRuns(const Experiment& experiment, const std::shared_ptr<Backend>& backend, const ComparisonRequest& request,
                          const std::function<void(StepComparison)>& publish) {
    const RunSettings &settings = runNamed(experiment, request.run), &otherSettings = runNamed(experiment, request.other);
    if (request.run == request.other) throw InputError("", "", "a run cannot be compared with itself");
    std::string stopReason, otherReason;
    const auto run = makeRun(experiment, settings, backend, 1, stopReason);
    const auto other = makeRun(experiment, otherSettings, backend, 2, otherReason);
    requireOneModel(run->course(), other->course());
    while (run->canStep() && other->canStep()) {
        if (run->nextStep() % request.every == 0) publish(compareNext(*run, *other));
        run->step();
        other->step();
    }
    ComparisonEnd end{.note = beginningsNote(settings, otherSettings)};
    for (const auto& [each, reason] : {std::pair(&request.run, &stopReason), std::pair(&request.other, &otherReason)}) {
        if (!reason->empty()) end.stopped = "run '" + *each + "' could not go on: " + *reason;
    }
    return end;
}

}  // namespace mantissa
