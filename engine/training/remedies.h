// SPDX-License-Identifier: Apache-2.0
// What may help a bad step: which remedies there are, what came of trying one, and their order. One thread at a time.
#pragma once

#include <functional>
#include <vector>

#include "engine/training/examiner.h"

namespace mantissa {

/// The names of parameters, and of running statistics, that are not finite.
struct BrokenTensors {
    std::vector<std::string> weights, statistics;
};
BrokenTensors brokenTensors(const Trainer& trainer);

/// Sorts remedies: those that help by the loss that they end with, a tenth more or less being equal, then the others likewise. What leaves
/// everything as it is comes last.
void sortRemedies(std::vector<Remedy>& remedies);

/// Trains on for so many steps, each by `step`, as long as `goesOn` says so, and notes in the remedy what came of it.
void tryOn(Trainer& trainer, const std::function<StepRecord()>& step, Remedy& remedy, std::int64_t steps, const ExaminerOptions& options,
           const StepsGoOn& goesOn);

/// Changes that may bring a run back that diverges: of settings that were changed, of such as cannot work, a tenth of the learning rate,
/// and clipping. Not tried.
std::vector<Remedy> remediesOfDivergence(const TrainingSettings& settings, const RunPast& past);

/// The step to go back to: before the first change near where the losses were healthy last, else a few steps before that.
std::int64_t beganToDiverge(const RunPast& past);

/// Changes that keep what an optimizer writes finite. Not tried.
std::vector<Remedy> remediesOfUpdate(const TrainingSettings& settings);

/// Changes that may bring back what a finite step has lost; `chain`: the step's tensors, by which the operation at fault is found. Not
/// tried.
std::vector<Remedy> remediesOfSilence(const SilentFinding& finding, const std::vector<ChainLink>& chain, const TrainingSettings& settings);

}  // namespace mantissa
