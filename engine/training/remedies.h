// SPDX-License-Identifier: Apache-2.0
// Remedies for a failed step: candidates, the trial of one, and their order. One thread at a time.
#pragma once

#include <functional>
#include <vector>

#include "engine/training/examiner.h"

namespace mantissa {

/// Names of tensors that training or validation cannot use.
struct BrokenTensors {
    std::vector<std::string> weights;      // parameters that are not finite
    std::vector<std::string> hugeWeights;  // with a weight above 1e10 times the root mean square of the others
    std::vector<std::string> statistics;   // running statistics that are not finite, above kHugeStatistic, or negative variances
    bool areStatisticsFinite = true;
};
BrokenTensors brokenTensors(const Trainer& trainer);

/// The bound of spread gradient norms: the largest of fifty over their median.
inline constexpr double kSpread = 5;  // healthy runs have about 3

/// Whether the remedy changes nothing.
bool isLeft(const Remedy& remedy);

/// Returns the mean loss of the steps that were not skipped; NaN if all were.
double meanLossOfTaken(std::vector<StepRecord>::const_iterator begin, std::vector<StepRecord>::const_iterator end);

/// Sorts remedies: those that help by their final loss, where differences up to a tenth count as equal, then the others that were tried
/// likewise, then untried ones, and last the one that changes nothing. `byValidation`: by the validation loss, if it is known.
void sortRemedies(std::vector<Remedy>& remedies, bool byValidation = false);

/// Trains up to `steps` steps by calling `step`, as long as `goesOn` returns true, and enters the result in the remedy.
void tryOn(Trainer& trainer, const std::function<StepRecord()>& step, Remedy& remedy, std::int64_t steps, const ExaminerOptions& options,
           const StepsGoOn& goesOn);

/// Returns untried changes against a divergence: of settings changed before, of settings that prevent learning, of Adam's parameters, and
/// clipping.
std::vector<Remedy> remediesOfDivergence(const TrainingSettings& settings, const RunPast& past);

/// Returns the step to rewind to: before the first change near the last healthy losses, else a few steps before them.
std::int64_t beganToDiverge(const RunPast& past);

/// Returns untried changes that keep the optimizer's results finite.
std::vector<Remedy> remediesOfUpdate(const TrainingSettings& settings);

/// Returns untried changes against a silent failure. `chain`: the step's tensors, to find the operation at fault.
std::vector<Remedy> remediesOfSilence(const SilentFinding& finding, const std::vector<ChainLink>& chain, const TrainingSettings& settings,
                                      const RunPast& past);

Remedy rateOf(double lr);
/// Returns clipping at a gradient norm, rounded down to one digit.
Remedy clipAt(double norm);
/// Returns a reset of the scaler's bounds, factors and growth interval to defaults.
Remedy scalersDefaults();
/// Returns a switch from a pure policy to the mixed one with FP32 master weights.
Remedy masters(const TrainingSettings& settings);
/// Returns an epsilon of Adam that is large enough for moments in FP16.
Remedy safeEpsilon();

/// Whether Adam's epsilon is too small for moments in FP16; see `leastEpsilon`.
bool isEpsilonTooSmall(const TrainingSettings& settings);

/// Returns untried changes of the model, for a run from step 0, if the operation at fault is unstable by construction.
std::vector<Remedy> remediesOfModel(const ModelSettings& model, const ProvenanceCard& card);

/// Returns the latest change of a setting; null if there is none.
const RunPast::Change* latestChange(const RunPast& past, const std::string& pointer);

}  // namespace mantissa
