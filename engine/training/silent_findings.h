// SPDX-License-Identifier: Apache-2.0
// Search for silent failures of a finite step, compared with FP32. One thread at a time.
#pragma once

#include <functional>
#include <vector>

#include "engine/diagnosis/examination.h"
#include "engine/diagnosis/run_comparison.h"
#include "engine/training/step_trials.h"

namespace mantissa {

/// Returns the largest magnitude over the root mean square of the others; 0 if all others are 0.
double outlierOf(const std::vector<float>& values);

inline constexpr std::int64_t kStepsToProgress = 50;  // by which a run should have made progress
inline constexpr double kFullRate = 0.5;              // of the learning rate; steps with a lower rate are not judged
/// Whether the loss has not decreased after kStepsToProgress steps. For a run with weights from a file, which may have little to learn,
/// only if the loss is also not better than guessing.
bool hasNoProgress(const RunPast& past, const Trainer& trainer);

/// Returns settings that prevent learning in any format.
std::vector<SilentFinding> defeatingSettings(const TrainingSettings& settings, std::int64_t step);

/// Appends a finding if the loss has grown.
void judgeLoss(std::vector<SilentFinding>& findings, const RunPast& past);

/// Appends lost gradients. `trial`: the step as used, compared with FP32. `hasLearned`: whether gradients may well be lost, because the run
/// has learned its data.
void judgeGradients(std::vector<SilentFinding>& findings, const TrainingSettings& settings, const Trial& trial, bool hasLearned);

/// Returns all findings about a finite step, the gravest first; those so far if `isStopped` returns true. `tried` begins with the step as
/// used; FP32's trial is appended.
std::vector<SilentFinding> findWhatIsLost(StepTrials& trials, std::vector<Trial>& tried, const RunPast& past,
                                          const std::vector<std::string>& brokenStatistics, const std::function<bool()>& isStopped);

}  // namespace mantissa
