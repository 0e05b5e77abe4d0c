// SPDX-License-Identifier: Apache-2.0
// Questions about steps, and their answers: commands and events of the session (see messages.h). Questions are answered one after another
// while runs train. A question is refused if its runs are removed or rewound to before its steps. Plain values; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/diagnosis/block_report.h"
#include "engine/diagnosis/elements.h"
#include "engine/diagnosis/examination.h"
#include "engine/diagnosis/race.h"
#include "engine/diagnosis/run_comparison.h"
#include "engine/diagnosis/step_times.h"
#include "engine/diagnosis/tensor_stats.h"

namespace mantissa {

/// Runs keep their id for life; a name may change.
using RunId = std::int32_t;

// ---- Commands ----

/// Examines a past step of the run, or its next one. Answered by StepExamined before CommandDone.
struct ExamineStep {
    RunId run = 0;
    std::int64_t step = 0;
};
/// Measures the highest usable loss scale of each of `count` steps from `firstStep` on. A copy of the run is trained through them, also
/// beyond the run's last step; the run does not change. Answered by several ThresholdsMeasured; StopQuestion ends it early.
struct MeasureThresholds {
    RunId run = 0;
    std::int64_t firstStep = 0, count = 0;
};
/// Measures all tensors of a past step of the run, or of its next one. Answered by TensorsMeasured before CommandDone.
struct MeasureStep {
    RunId run = 0;
    std::int64_t step = 0;
};
/// Measures where the time of a past step of the run, or of its next one, goes. Answered by TimesMeasured before CommandDone.
struct MeasureTimes {
    RunId run = 0;
    std::int64_t step = 0;
};
/// Lists single elements of a past step of the run, or of its next one; `isOfBlocks`: reads its operands in block formats instead, and is
/// refused if the step has none. `asPolicy`: reads those that the step would have after a switch to this block policy, with its usual
/// recipe and without overrides; empty: in the run's own precision. Answered by ElementsRead before CommandDone.
struct ReadElements {
    RunId run = 0;
    std::int64_t step = 0;
    ElementRequest request;
    bool isOfBlocks = false;
    std::string asPolicy{};
};
inline ReadElements readBlocksOf(RunId run, std::int64_t step, const std::string& asPolicy = {}) {
    return {run, step, {}, true, asPolicy};
}
/// Compares two runs of one model at every `every`-th step from `firstStep` on, at most `count` times and up to the next step of either.
/// Each comparison is sent as RunsCompared, all before CommandDone; StopQuestion ends it early.
struct CompareRuns {
    RunId run = 0, other = 0;
    std::int64_t firstStep = 0, count = 1, every = 1;
};
/// Ends a question early. It is answered with the results so far, or refused if there are none. No effect on an answered question.
struct StopQuestion {
    std::uint64_t question = 0;  // the id of its command
};

// ---- Events ----

/// The examination of a step: automatic after a non-finite one (in a skip storm not after each), or on request.
struct StepExamined {
    RunId run = 0;
    Examination examination;
};
/// The comparison of two runs at one step: a part of the answer to CompareRuns. Not recorded.
struct RunsCompared {
    std::uint64_t commandId = 0;
    RunId run = 0, other = 0;
    StepComparison comparison;
    std::string note;  // differences at the beginning, in a sentence: other batches, other weights; empty: none
};
/// Tensor statistics of a run's newest measured step, sent at most every 100 ms, or of a step requested by MeasureStep. Not recorded.
struct TensorsMeasured {
    RunId run = 0;
    StepStats stats;
    double cost = 0;  // step time at the present level over that without statistics, from the run's own steps; 0: not known yet
    bool wasAskedFor = false;
};
/// The answer to MeasureTimes. Not recorded.
struct TimesMeasured {
    std::uint64_t commandId = 0;
    RunId run = 0;
    std::int64_t step = 0;
    StepTimes times;
    std::vector<StepTimes> predictions{};  // of GPUs, none of which has to be present
};
/// The answer to ReadElements.
struct ElementsRead {
    std::uint64_t commandId = 0;
    RunId run = 0;
    std::int64_t step = 0;
    ElementsFound found;
    std::vector<OperandBlocks> blocks{};  // not empty if the question was about blocks
};
/// A part of the answer to MeasureThresholds: consecutive steps that continue the previous part.
struct ThresholdsMeasured {
    std::uint64_t commandId = 0;
    RunId run = 0;
    std::string asIf;  // gradients are judged as if stored in this format; empty: in the run's own
    std::vector<StepThreshold> thresholds;
};
/// Progress of the answer to a question, or that it waits for an earlier one. Sent at most ten times a second. Not recorded.
struct QuestionProgress {
    std::uint64_t commandId = 0;
    RunId run = 0;
    std::int64_t step = 0;  // the first step of the question
    WorkProgress progress;
};

}  // namespace mantissa
