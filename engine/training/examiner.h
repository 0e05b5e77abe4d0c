// SPDX-License-Identifier: Apache-2.0
// After the fact: repeats one step with a look at everything, then at other scales and in other formats, and says what went wrong and what
// would help. Deterministic but for the times. One thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "engine/diagnosis/examination.h"
#include "engine/training/trainer.h"

namespace mantissa {

struct ExaminerOptions {
    double trialSeconds = 0.5;          // no further trial or remedy is begun after so much; the step as it was and FP32 are always tried
    std::int64_t remedySteps = 20;      // 0: remedies are named, not tried
    std::int64_t consecutiveSkips = 1;  // ending with this step, as the run has counted
    bool validates = false;             // after each remedy: takes time
    RunPast past = {};
    /// Tries a remedy in a copy of the run that goes back to before `step`. May throw what refuses it. Without it none is tried so.
    std::function<void(std::int64_t step, Remedy& remedy, const std::function<bool()>& goesOn)> tryFrom = {};
    /// The run's settings once that setting has that value (JSON), with all that follows from it: what is tried is what a change does.
    /// May throw what refuses the change. Without it no remedy but the loss scale is tried.
    std::function<TrainingSettings(const std::string& pointer, const std::string& value)> settingsWith;
};

/// The names of parameters, and of running statistics, that are not finite.
struct BrokenTensors {
    std::vector<std::string> weights, statistics;
};
BrokenTensors brokenTensors(const Trainer& trainer);

/// Sorts remedies: those that help by the loss that they end with, a tenth more or less being equal, then the others likewise. What leaves
/// everything as it is comes last.
void sortRemedies(std::vector<Remedy>& remedies);

/// Trains on for so many steps, each by `step`, as long as `goesOn`, and notes in the remedy what came of it.
void tryOn(Trainer& trainer, const std::function<StepRecord()>& step, Remedy& remedy, std::int64_t steps, const ExaminerOptions& options,
           const std::function<bool()>& goesOn);

/// Changes that may bring a run back that diverges: of settings that were changed, of such as cannot work, a tenth of the learning rate,
/// and clipping. Not tried.
std::vector<Remedy> remediesOfDivergence(const TrainingSettings& settings, const RunPast& past);

/// The step to go back to: before the first change near where the losses were healthy last, else a few steps before that.
std::int64_t beganToDiverge(const RunPast& past);

/// Examines the step that `before` stands at, with the trainer whose state it is, or one of the same run; afterwards the trainer is as it
/// was, but that it keeps no bad steps until it is told to. Throws as Trainer::restore when it cannot be put back.
Examination examineStep(Trainer& trainer, const StepStart& before, const ExaminerOptions& options);

/// Whether the step's update wrote something that is not finite although its passes are. `card.layer` is empty when that is not so.
Examination examineUpdate(Trainer& trainer, const StepStart& before, const ExaminerOptions& options);

}  // namespace mantissa
