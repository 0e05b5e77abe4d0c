// SPDX-License-Identifier: Apache-2.0
// Verdicts on examined steps and tried remedies, in words. Pure functions; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/diagnosis/examination.h"

namespace mantissa {

/// Bounds of learning. A loss above kBelowGuessing times that of guessing has learned nothing; neither has an accuracy below chance +
/// kAboveChance * (1 - chance).
inline constexpr double kBelowGuessing = 0.97, kAboveChance = 0.25;
/// The cross-entropy of equal probabilities for all classes; NaN for fewer than two classes.
double lossOfGuessing(std::int64_t classes);
/// Whether a loss or a validation accuracy (NaN: unknown) is clearly better than guessing among so many classes.
bool beatsGuessing(std::int64_t classes, double loss, double accuracy);

/// Facts about the run beyond the provenance card and the trials.
struct StepEvidence {
    bool foundInf = true;  // or a non-finite loss
    bool isBatchFinite = true;
    bool setsGradientsToZero = true;         // before each step
    bool keepsBadGradients = false;          // non-finite gradients of earlier steps were not reset to zero
    std::vector<std::string> badWeights;     // parameters that were not finite before the step
    std::vector<std::string> hugeWeights;    // finite parameters with a far too large weight
    std::vector<std::string> badStatistics;  // running statistics that are not finite, huge, or negative variances
    bool areStatisticsFinite = false;        // the bad statistics are finite, but out of bounds
    bool isEpsilonTooSmall = false;          // Adam's, for the storage format of its moments
    std::string weightsFile = {};            // the file of the run's initial weights, if this is its first step
    bool isReciprocalInfinite = false;       // of the loss scale, in FP32
    double gradNorm = 0;                     // 2-norm of finite gradients, in double
    bool isNormFinite = true;                // in FP32
    bool clips = false;                      // by that norm
    bool isScalerDynamic = false;
    bool hasScaler = false;
    double backoffFactor = 0.5;         // of a dynamic scaler
    std::int64_t consecutiveSkips = 0;  // this one included
    bool isSettling = false;            // the run is in its first steps and the scale has not grown yet: the scaler searches a usable scale
    std::vector<SilentFinding> silent = {};  // of a finite step
    bool isSearched = true;                  // false: the search for silent failures of a finite step was stopped early
    RunPast past = {};
    std::vector<Remedy> remedies = {};  // those tried so far
};

/// A running statistic above this magnitude cannot come from a batch.
inline constexpr double kHugeStatistic = 1e9;

/// Whether a part of the model no longer trains, in FP32 either.
bool isDead(const std::vector<SilentFinding>& findings);
Text silentTitle(SilentKind kind);        // "Finite, but gradients are lost"
const char* silentName(SilentKind kind);  // "updates lost": also in JSON
/// Describes a finding as a clause: "layers.2.output is all 0, where FP32's is not".
Text silentText(const SilentFinding& finding);

/// Whether missing progress of the run is the first finding about a finite step.
bool onlyLearnsNothing(const Examination& found);
/// Returns the silent failure that an examination found; nothing for other verdicts.
std::optional<SilentMatter> silentMatter(const Examination& found);

/// Whether a value of the card's tensor, as computed in FP32, is far within the format's range: then something within the operation, such
/// as an exponential or a sum, overflows.
bool overflowsWithin(const ProvenanceCard& card, double value);

/// The factor over the usual loss from which a loss counts as grown.
inline constexpr double kGrownLoss = 10;

/// Summary of consecutive steps.
struct StepsTried {
    std::int64_t steps = 0, skips = 0, nonFinite = 0, nonFiniteAtTheEnd = 0;  // at the end: in the last quarter
    double loss = 0;                                                          // mean of the last tenth
    std::int64_t growthInterval = 0;  // of a dynamic scaler; 0: growth does not depend on a number of steps
};
/// Whether training is healthy in these steps: every non-finite step is skipped, at most `skipsAllowed` are, and the loss is at most 1.1
/// times `before`, the highest of healthy steps (NaN: any finite loss). The last quarter may hold half of `skipsAllowed`, but at least one.
/// If every step may be skipped, as in the search for a scale, the last quarter may hold one skip. With a scaler that grows within these
/// steps it may hold two, or one and three for each growth, but at most a quarter of its steps.
bool isHealthy(const StepsTried& tried, std::int64_t skipsAllowed, double before);

/// Returns the verdict on a step. `trials` must contain the step as used and, if it could run, fp32. With tried remedies in `evidence`, a
/// skip is normal only if unchanged settings help, and a divergence only if no change of the format does.
SkipVerdict judgeStep(const ProvenanceCard& card, const std::vector<Trial>& trials, const StepEvidence& evidence);

}  // namespace mantissa
