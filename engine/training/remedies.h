// SPDX-License-Identifier: Apache-2.0
// What may help a bad step: which remedies there are, what came of trying one, and their order. One thread at a time.
#pragma once

#include <functional>
#include <vector>

#include "engine/training/examiner.h"

namespace mantissa {

/// The names of tensors that training or validation cannot use.
struct BrokenTensors {
    std::vector<std::string> weights;      // parameters that are not finite
    std::vector<std::string> hugeWeights;  // with a weight that is ten billion times the root mean square of the others
    std::vector<std::string> statistics;   // running statistics that are not finite, negative variances, or out of all bounds
    bool areStatisticsFinite = true;
};
BrokenTensors brokenTensors(const Trainer& trainer);

/// Gradient norms are spread from here on: the largest of fifty over their median.
inline constexpr double kSpread = 5;  // healthy runs: three

/// Whether it leaves everything as it is.
bool isLeft(const Remedy& remedy);

/// The mean loss of those steps that were not skipped; NaN where all were.
double meanLossOfTaken(std::vector<StepRecord>::const_iterator begin, std::vector<StepRecord>::const_iterator end);

/// Sorts remedies: those that help by the loss that they end with, a tenth more or less being equal, then the others that were tried
/// likewise, then those that were not. What leaves everything as it is comes last. `byValidation`: by that loss instead, where it is known.
void sortRemedies(std::vector<Remedy>& remedies, bool byValidation = false);

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
std::vector<Remedy> remediesOfSilence(const SilentFinding& finding, const std::vector<ChainLink>& chain, const TrainingSettings& settings,
                                      const RunPast& past);

Remedy rateOf(double lr);
/// Clipping at that gradient norm, rounded down.
Remedy clipAt(double norm);
/// The same scaler without what was set of it: bounds, factors, the interval of its growth.
Remedy scalersDefaults();
/// The mixed format of a pure one, which keeps masters of the weights in FP32.
Remedy masters(const TrainingSettings& settings);
/// An epsilon of Adam that is large enough for moments in FP16.
Remedy safeEpsilon();

/// Whether Adam's epsilon is too small for the format that a pure policy stores moments in; see leastEpsilon.
bool isEpsilonTooSmall(const TrainingSettings& settings);

/// Changes of the model, for a run from step 0 on, where the operation at fault is built so that it breaks. Not tried.
std::vector<Remedy> remediesOfModel(const ModelSettings& model, const ProvenanceCard& card);

/// The latest change of that setting; null: there was none.
const RunPast::Change* latestChange(const RunPast& past, const std::string& pointer);

}  // namespace mantissa
