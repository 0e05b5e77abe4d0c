// SPDX-License-Identifier: Apache-2.0
// From what was seen to what it means, in words. Pure functions; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/diagnosis/examination.h"

namespace mantissa {

/// A loss above this part of what guessing gives has learned nothing; so has an accuracy that is less than that part of the way from chance
/// to 1 above chance.
inline constexpr double kBelowGuessing = 0.97, kAboveChance = 0.25;
/// The loss of giving each of so many classes the same probability; NaN where there are none.
double lossOfGuessing(std::int64_t classes);
/// Whether a loss, or an accuracy of the validation (NaN: not known), is clearly better than guessing among so many classes.
bool beatsGuessing(std::int64_t classes, double loss, double accuracy);

/// What is known of the run beyond the card and the trials.
struct StepEvidence {
    bool foundInf = true;  // or a loss that is not finite: the step was bad
    bool isBatchFinite = true;
    bool setsGradientsToZero = true;         // before each step
    bool keepsBadGradients = false;          // of earlier steps, which were not set to zero
    std::vector<std::string> badWeights;     // parameters that were not finite before the step
    std::vector<std::string> hugeWeights;    // parameters with a weight that is finite and far too large
    std::vector<std::string> badStatistics;  // running statistics that validation cannot use
    bool areStatisticsFinite = false;        // those: they are out of all bounds
    bool isEpsilonTooSmall = false;          // Adam's, for moments in the format that stores them
    std::string weightsFile = {};            // that the run's weights were loaded from, where this step is its first
    bool isReciprocalInfinite = false;       // of the loss scale, in FP32
    double gradNorm = 0;                     // 2-norm of finite gradients, in double
    bool isNormFinite = true;                // as FP32 has it
    bool clips = false;                      // by that norm
    bool isScalerDynamic = false;
    bool hasScaler = false;
    double backoffFactor = 0.5;              // of a dynamic scaler
    std::int64_t consecutiveSkips = 0;       // this one included
    bool isSettling = false;                 // it has never grown, in the run's first steps: it is still looking for its first scale
    std::vector<SilentFinding> silent = {};  // of a finite step
    bool isSearched = true;                  // a finite step, for what it loses; false: that was ended early
    RunPast past = {};
    std::vector<Remedy> remedies = {};  // as far as they were tried
};

/// A running statistic beyond this, or a variance below 0, is none of a batch.
inline constexpr double kHugeStatistic = 1e9;

/// Whether parts of the model take no part in training any more, in FP32 neither.
bool isDead(const std::vector<SilentFinding>& findings);
Text silentTitle(SilentKind kind);        // "Finite, but gradients are lost"
const char* silentName(SilentKind kind);  // "updates lost": also in JSON
/// "layers.2.output is all 0, where FP32's is not": a clause.
Text silentText(const SilentFinding& finding);

/// Whether a step was found to fail in no other way than that its run makes no progress.
bool onlyLearnsNothing(const Examination& found);
/// The heading of a run that has a step with this examination. Nothing where the step does not fail silently.
std::optional<SilentMatter> silentMatter(const Examination& found);

/// A loss this many times the usual one has grown.
inline constexpr double kGrownLoss = 10;
/// The loss now, by fp32 where that is finite, over the usual one; NaN where either is unknown.
double lossGrowth(const std::vector<Trial>& trials, const RunPast& past);

/// How some steps in a row went.
struct StepsTried {
    std::int64_t steps = 0, skips = 0, nonFinite = 0, nonFiniteAtTheEnd = 0;  // at the end: in the last quarter
    double loss = 0;                                                          // mean of the last tenth
    std::int64_t growthInterval = 0;                                          // of a dynamic scaler; 0: growth does not go by steps
};
/// Whether training is healthy in those steps. Each step that is not finite is skipped, and at most so many are. Where every step may be
/// skipped, on the way to a scale, the last quarter holds one skip at most; a scaler that grows within those steps may skip two there, or
/// three for each growth, and never more than a quarter. The loss ends no higher than 1.1 times `before`, the highest of healthy steps
/// (NaN: any finite loss will do).
bool isHealthy(const StepsTried& tried, std::int64_t skipsAllowed, double before);

/// Names what happened. The trials must hold the step as it was used and, where it could be run, fp32. Judged again with the remedies that
/// were tried, a step is only called normal where leaving it heals, and diverging where nothing that concerns the format does.
SkipVerdict judgeStep(const ProvenanceCard& card, const std::vector<Trial>& trials, const StepEvidence& evidence);

}  // namespace mantissa
