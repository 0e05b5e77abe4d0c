// SPDX-License-Identifier: Apache-2.0
// Two runs trained side by side and held against each other at some of their steps. One thread: it trains.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/session/live_run.h"

namespace mantissa {

/// Throws InputError, in a sentence, when the runs' models are not one: other layers, or weights of other shapes. How they compute
/// (formats, softmax, dropout, the loss scaler), what they learn from and how may differ.
void requireOneModel(const LiveRun& run, const LiveRun& other);

/// Where the runs do not begin alike, so that they are apart from the first step on: a sentence; empty: they do.
std::string beginningsNote(const RunSettings& run, const RunSettings& other);

using StatisticsByStep = std::map<std::int64_t, StepStats>;
/// The steps in which all of these runs sent sketches, as far as `question` asks for them: the first in each stretch of `question.every`
/// steps.
std::vector<std::int64_t> sketchedSteps(std::span<const StatisticsByStep* const> runs, const CompareRuns& question);
/// The run's next step by its sketches, to be compared with `theirs`.
StepStats sketchNext(LiveRun& run, const StepStats& theirs);
/// By sketches. Throws InputError where no tensor of the one has the name and the size of one of the other.
StepComparison compareSketches(const StepStats& step, const StepStats& other);
/// Where sketchedSteps finds none.
inline constexpr const char* kNoSketches =
    "there is no step of which both runs have sketches; mantissa_probe.watch(..., sketches=True) sends them";

/// Both runs stand before the same step, and stay there.
StepComparison compareNext(LiveRun& run, LiveRun& other);

/// Trains the next step. Throws std::runtime_error when the run cannot.
void trainNextStep(LiveRun& run);

struct ComparisonRequest {
    std::string run, other;
    std::int64_t every = 1;
};

struct ComparisonEnd {
    std::string note;     // beginningsNote
    std::string stopped;  // why a run could not go on; empty: both came to their end
};

/// Trains the experiment's run, and compares it in the steps of which the watched run `theirs` has sketches. Emits each comparison. Throws
/// as compareRuns.
ComparisonEnd compareWithWatched(const Experiment& experiment, const std::shared_ptr<Backend>& backend, const std::string& run,
                                 const StatisticsByStep& theirs, std::int64_t every, const std::function<void(StepComparison)>& emit);

/// Trains the two runs of the experiment to the end of the shorter one, from step 0 on, and tells of each `every`-th step. Throws
/// InputError, std::invalid_argument.
ComparisonEnd compareRuns(const Experiment& experiment, const std::shared_ptr<Backend>& backend, const ComparisonRequest& request,
                          const std::function<void(StepComparison)>& tell);

}  // namespace mantissa
