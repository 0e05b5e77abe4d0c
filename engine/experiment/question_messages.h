// SPDX-License-Identifier: Apache-2.0
// Questions about steps, and their answers: commands and events of the session; see messages.h. Questions are answered one after another,
// beside training and other commands. A question is refused when its runs are removed, or go back to before the steps that it is about.
// Plain values; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/diagnosis/elements.h"
#include "engine/diagnosis/examination.h"
#include "engine/diagnosis/race.h"
#include "engine/diagnosis/run_comparison.h"
#include "engine/diagnosis/tensor_stats.h"

namespace mantissa {

/// Runs keep their id for life; a name may change.
using RunId = std::int32_t;

// ---- Commands ----

/// Looks closer at a step that the run has done, or at its next one. Answered by StepExamined before CommandDone.
struct ExamineStep {
    RunId run = 0;
    std::int64_t step = 0;
};
/// What is the highest usable loss scale of each of `count` steps from `firstStep` on? A copy of the run is trained through them, further
/// than the run has come where that is asked for, and the run is not touched. Answered by ThresholdsMeasured, time and again while it goes
/// on; StopQuestion ends it, and what has come stays.
struct MeasureThresholds {
    RunId run = 0;
    std::int64_t firstStep = 0, count = 0;
};
/// Measures a step that the run has done, or its next one, in full. Answered by TensorsMeasured before CommandDone.
struct MeasureStep {
    RunId run = 0;
    std::int64_t step = 0;
};
/// Lists single elements of a step that the run has done, or of its next one. Answered by ElementsRead before CommandDone.
struct ReadElements {
    RunId run = 0;
    std::int64_t step = 0;
    ElementRequest request;
};
/// Holds two runs of one model against each other, before each `every`-th step from `firstStep` on, `count` times at most and no further
/// than to the next step of either. Each time tells RunsCompared, all before CommandDone; StopQuestion ends it, and what was told holds.
struct CompareRuns {
    RunId run = 0, other = 0;
    std::int64_t firstStep = 0, count = 1, every = 1;
};
/// Ends a question, which is then answered with what is known, or refused where nothing is. Without effect on one that has been answered.
struct StopQuestion {
    std::uint64_t question = 0;  // the id of its command
};

// ---- Events ----

/// What a closer look at a step has shown: by itself after a bad one (in a skip storm not after each), or when asked for.
struct StepExamined {
    RunId run = 0;
    Examination examination;
};
/// How far two runs are apart at one step: the answer to CompareRuns, step by step. Not recorded.
struct RunsCompared {
    std::uint64_t commandId = 0;
    RunId run = 0, other = 0;
    StepComparison comparison;
    std::string note;  // where they do not begin alike, in a sentence: other batches, other weights; empty: they do
};
/// What a step's tensors were like: of each run's newest step that was looked at, at most every 100 ms; and of one that MeasureStep has
/// asked for. Not recorded.
struct TensorsMeasured {
    RunId run = 0;
    StepStats stats;
    double cost = 0;  // the run's mean step with looks as often as now over one without, as its own steps show; 0: not known yet
    bool wasAskedFor = false;
};
/// The answer to ReadElements.
struct ElementsRead {
    std::uint64_t commandId = 0;
    RunId run = 0;
    std::int64_t step = 0;
    ElementsFound found;
};
/// A part of the answer to MeasureThresholds: of consecutive steps, which follow on the part before.
struct ThresholdsMeasured {
    std::uint64_t commandId = 0;
    RunId run = 0;
    std::string asIf;  // as if all gradients were stored in this format; empty: as the run stores them
    std::vector<StepThreshold> thresholds;
};
/// How far the answer to a question is, or that it waits for an earlier one. At most ten times a second. Not recorded.
struct QuestionProgress {
    std::uint64_t commandId = 0;
    RunId run = 0;
    std::int64_t step = 0;  // the first one that it is about
    WorkProgress progress;
};

}  // namespace mantissa
