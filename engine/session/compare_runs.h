// SPDX-License-Identifier: Apache-2.0
// Comparison of two runs that are trained together, at some of their steps. One thread: it trains.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/session/repeatable_run.h"

namespace mantissa {

/// Throws InputError if the runs' models differ in layers or in shapes of weights. Formats, softmax, dropout, loss scaler, data and
/// optimizer may differ.
void requireOneModel(const RunCourse& run, const RunCourse& other);

/// Returns a sentence about different initial weights or batches; empty if there are none.
std::string beginningsNote(const RunSettings& run, const RunSettings& other);

using StatisticsByStep = std::map<std::int64_t, StepStats>;
/// Returns the steps of `question` in which all runs sent sketches: the first in each interval of `question.every` steps.
std::vector<std::int64_t> sketchedSteps(std::span<const StatisticsByStep* const> runs, const CompareRuns& question);
/// Returns the sketches of the run's next step for a comparison with `theirs`.
StepStats sketchNext(RepeatableRun& run, const StepStats& theirs);
/// Compares two steps by sketches. Throws InputError if no two tensors agree in name and size.
StepComparison compareSketches(const StepStats& step, const StepStats& other);
/// The error if `sketchedSteps` is empty.
inline constexpr const char* kNoSketches =
    "there is no step of which both runs have sketches; mantissa_probe.watch(..., sketches=True) sends them";

/// Compares the next step of both runs, which must have the same number, without committing it.
StepComparison compareNext(RepeatableRun& run, RepeatableRun& other);

/// Trains the next step of a copy. Throws std::runtime_error if it cannot continue.
void trainNextStep(RepeatableRun& run);

struct ComparisonRequest {
    std::string run, other;
    std::int64_t every = 1;
};

struct ComparisonEnd {
    std::string note;     // beginningsNote
    std::string stopped;  // why a run stopped early; empty: none did
};

/// Trains the experiment's run and compares it with a watched run at the steps with sketches in `theirs`. Emits each comparison. Throws
/// like `compareRuns`.
ComparisonEnd compareWithWatched(const Experiment& experiment, const std::shared_ptr<Backend>& backend, const std::string& run,
                                 const StatisticsByStep& theirs, std::int64_t every, const std::function<void(StepComparison)>& emit);

/// Trains two runs of the experiment from step 0 to the end of the shorter one, and passes the comparison at each `every`-th step to
/// `publish`. Throws InputError, std::invalid_argument.
ComparisonEnd compareRuns(const Experiment& experiment, const std::shared_ptr<Backend>& backend, const ComparisonRequest& request,
                          const std::function<void(StepComparison)>& publish);

}  // namespace mantissa
