// SPDX-License-Identifier: Apache-2.0
#include "engine/diagnosis/gauges.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace mantissa {
namespace {

/// Share of lost updates above which a note is shown.
constexpr double kNotedShare = 0.1;

/// Whether a sentence is based on parts of such tensors: other blocks may differ.
bool isInPart(const StepStats& stats, TensorRole role) {
    return std::any_of(stats.tensors.begin(), stats.tensors.end(),
                       [&](const TensorStats& tensor) { return tensor.role == role && tensor.isPartial(); });
}

Text withPart(Text sentence, bool isPartial) {
    if (isPartial) sentence += "One block in eight was measured."_text;
    return sentence;
}

/// Where the part of an update is kept that its weight's format cannot hold; empty: it is lost.
Text keptElsewhere(WeightUpdate update) {
    if (update == weightUpdateFromName("stochastic"))
        return "Stochastic rounding moves a weight as often as its update asks for, so that none is lost in the mean."_text;
    if (update == weightUpdateFromName("kahan")) return "Kahan's sums carry what a step loses into the next ones."_text;
    return {};
}

/// Whether the layer's gradients were measured and are all exactly 0: what its updates do then is left from earlier steps, or decay.
bool hasOnlyZeroGradients(const StepStats& stats, const std::string& layer) {
    bool isMeasured = false;
    for (const TensorStats& tensor : stats.tensors) {
        if (tensor.role != TensorRole::WeightGradient || tensor.layer != layer) continue;
        if (tensor.classes.zero < tensor.classes.count()) return false;
        isMeasured = true;
    }
    return isMeasured;
}

std::vector<std::string> brokenTensors(const StepStats& stats, TensorRole role) {
    std::vector<std::string> broken;
    for (const TensorStats& tensor : stats.tensors) {
        if (tensor.role == role && !tensor.classes.allFinite()) broken.push_back(tensor.tensor);
    }
    return broken;
}

Gauge lostUpdatesGauge(const StepStats& stats, WeightUpdate update) {
    LostUpdateShare worst;
    for (const LostUpdateShare& each : lostUpdateShares(stats)) {
        if (hasOnlyZeroGradients(stats, each.layer)) continue;
        if (worst.layer.empty() || each.share() > worst.share()) worst = each;
    }
    const double share = worst.layer.empty() ? 0 : worst.share();
    Gauge gauge{GaugeKind::LostUpdates,
                share >= kLostUpdates  ? Severity::Bad
                : share >= kNotedShare ? Severity::Note
                                       : Severity::Good,
                share};
    if (worst.layer.empty()) {
        gauge.sentence = brokenTensors(stats, TensorRole::Update).empty() ? "All gradients are exactly 0: there is no update to lose."_text
                                                                          : "No update is finite."_text;
    } else if (share == 0) {
        gauge.sentence = "Every update that was meant moved its weight."_text;
    } else if (const Text kept = keptElsewhere(update); !kept.empty()) {
        gauge.severity = std::min(gauge.severity, Severity::Note);
        gauge.sentence =
            Text(
                "In %2, %1 of the updates are smaller than half the spacing (ulp) of the weights' format and change nothing in this "
                "training step."_text,
                Percent{share}, worst.layer) +
            kept;
    } else {
        gauge.sentence = {
            "In %2, %1 of the updates are smaller than half the spacing (ulp) of the weights' format and change nothing."_text,
            Percent{share}, worst.layer};
    }
    gauge.sentence = withPart(std::move(gauge.sentence), isInPart(stats, TensorRole::Update));
    return gauge;
}

Gauge unchangedGauge(const StepStats& stats, WeightUpdate update) {
    std::vector<std::string> standing;
    std::int64_t meant = 0;
    bool areGradientsZero = true;  // of all layers that stand
    for (const TensorStats& tensor : stats.tensors) {
        if (tensor.role != TensorRole::Update || tensor.meant == 0) continue;
        ++meant;
        if (tensor.classes.zero < tensor.classes.count()) continue;
        standing.push_back(tensor.tensor);
        areGradientsZero = areGradientsZero && hasOnlyZeroGradients(stats, tensor.layer);
    }
    const double share = meant == 0 ? 0 : static_cast<double>(standing.size()) / static_cast<double>(meant);
    if (standing.empty()) return {GaugeKind::UnchangedWeights, Severity::Good, 0, "Every tensor of weights moved."_text};
    if (areGradientsZero)
        return {GaugeKind::UnchangedWeights, Severity::Bad, share,
                withPart(Text("All gradients of %1 are exactly 0, so these weights do not move."_text, listOf(standing)),
                         isInPart(stats, TensorRole::Update))};
    const Text kept = keptElsewhere(update);
    return {
        GaugeKind::UnchangedWeights, kept.empty() ? Severity::Bad : Severity::Note, share,
        withPart(Text("The step left all weights of %1 as they were."_text, listOf(standing)) + kept, isInPart(stats, TensorRole::Update))};
}

/// The largest beta2 with which each normal number of this format decreases as a second moment where the gradient is 0: 1 minus the unit
/// roundoff. With a larger beta2 some of them round back to themselves; once 1 - beta2 is at most half the unit roundoff, all do.
double largestBeta2(Dtype moments) {
    return 1 - facts(moments).unitRoundoff();
}

Gauge decayGauge(double beta2, Dtype moments) {
    constexpr double kSmallestToMatter = 1e-12;  // a gradient of 1e-6
    const std::string format(facts(moments).name);
    const double largest = largestBeta2(moments), bound = standingBelow(moments, beta2);
    if (beta2 > largest)
        return {GaugeKind::LostDecay, Severity::Note, beta2,
                Text("A beta2 of %1 is too large for second moments that are stored in %2: their decay rounds back, so they stay at the "
                     "largest gradients of the past, and updates stay small. Take at most %3, or store the optimizer's state in fp32."_text,
                     Figure{beta2}, format, Figure{std::floor(largest * 1000) / 1000, 3})};
    if (bound > kSmallestToMatter)
        return {GaugeKind::LostDecay, Severity::Note, beta2,
                Text("Second moments below %1 do not decrease in %2 with a beta2 of %3: their decay rounds back. These are gradients below "
                     "%4. Store the optimizer's state in fp32."_text,
                     Figure{bound, 2}, format, Figure{beta2}, Figure{std::sqrt(bound), 2})};
    return {GaugeKind::LostDecay, Severity::Good, beta2,
            Text("Second moments in %1 decrease with a beta2 of %2."_text, format, Figure{beta2})};
}

Gauge epsilonGauge(double epsilon, Dtype moments) {
    const std::string format(facts(moments).name);
    const double least = leastEpsilon(moments), digit = std::pow(10.0, std::floor(std::log10(least)));
    if (epsilon >= least)
        return {GaugeKind::FlushedEpsilon, Severity::Good, epsilon,
                Text("Adam's epsilon of %1 is large enough for moments that are stored in %2."_text, Figure{epsilon}, format)};
    return {
        GaugeKind::FlushedEpsilon, Severity::Note, epsilon,
        Text("Adam's epsilon of %1 is too small for moments that are stored in %2. Small second moments become 0 there; where the gradient "
             "is 0 too, the first moment is divided by epsilon alone. Take at least %3."_text,
             Figure{epsilon}, format, Figure{std::ceil(least / digit) * digit, 1})};
}

Gauge statisticsGauge(const StepStats& stats) {
    const std::vector<std::string> broken = brokenTensors(stats, TensorRole::Statistic);
    if (broken.empty())
        return {GaugeKind::BrokenStatistics, Severity::Good, 0,
                withPart("Running statistics are finite."_text, isInPart(stats, TensorRole::Statistic))};
    return {GaugeKind::BrokenStatistics, Severity::Bad, static_cast<double>(broken.size()),
            Text("%1 will not become finite again: training does not show it, every validation does."_text, listOf(broken))};
}

Gauge scheduleGauge(std::int64_t ahead) {
    if (ahead <= 0)
        return {GaugeKind::ScheduleAhead, Severity::Good, 0, "The learning rate's schedule goes with the optimizer's steps."_text};
    return {
        GaugeKind::ScheduleAhead, Severity::Note, static_cast<double>(ahead),
        counted(ahead, "The learning rate's schedule is %1 step ahead of the optimizer, because it also advanced at a skipped step."_text,
                "The learning rate's schedule is %1 steps ahead of the optimizer, because it also advanced at skipped steps."_text)};
}

Gauge clipGauge(double bound, bool clipsScaled, double lossScale) {
    if (!clipsScaled || lossScale == 1)
        return {GaugeKind::ClippedWhileScaled, Severity::Good, bound, "Gradients are clipped after they were unscaled."_text};
    return {GaugeKind::ClippedWhileScaled, Severity::Bad, bound / lossScale,
            Text("Gradients are clipped before they are unscaled: the limit of %1 acts as one of %2."_text, Figure{bound},
                 Figure{bound / lossScale, 3})};
}

Gauge tf32Gauge(const std::vector<std::string>& layers) {
    if (layers.empty()) return {GaugeKind::Tf32ForIeee, Severity::Good, 0, "Products are fp32's own."_text};
    return {GaugeKind::Tf32ForIeee, Severity::Note, static_cast<double>(layers.size()),
            Text("fp32 was asked for, and %1 compute in tf32, with 10 fraction bits in place of 23."_text, listOf(layers))};
}

struct GaugeWords {
    GaugeKind kind;
    std::string_view name, title;
    Pattern silentTitle;
};
/// Causes before effects: clipping scaled gradients causes lost updates, and losing every update causes unchanged weights.
constexpr GaugeWords kGaugeWords[] = {
    {GaugeKind::BrokenWeights, "broken weights", "weights not finite", "Finite, but weights are not"_text},
    {GaugeKind::BrokenStatistics, "broken statistics", "BatchNorm buffers not finite", "Finite, but running statistics are not"_text},
    {GaugeKind::ClippedWhileScaled, "clipped while scaled", "clipped while scaled", "Finite, but scaled gradients are clipped"_text},
    {GaugeKind::LostUpdates, "swallowed updates", "lost updates", "Finite, but updates are lost"_text},
    {GaugeKind::UnchangedWeights, "standing weights", "unchanged weights", "Finite, but weights do not move"_text},
    {GaugeKind::FlushedEpsilon, "flushed epsilon", "Adam epsilon rounds to 0", "Finite, but Adam's epsilon is too small"_text},
    {GaugeKind::LostDecay, "lost decay", "second moments do not decay", "Finite, but second moments do not decay"_text},
    {GaugeKind::ScheduleAhead, "schedule ahead", "LR schedule ahead", "Finite, but the schedule is ahead of the optimizer"_text},
    {GaugeKind::Tf32ForIeee, "TF32 for IEEE", "TF32 in place of FP32", "Finite, but computed in TF32 instead of FP32"_text},
};
static_assert(std::size(kGaugeWords) == static_cast<std::size_t>(GaugeKind::LostDecay) + 1);

const GaugeWords& wordsOfGauge(GaugeKind kind) {
    return *std::find_if(std::begin(kGaugeWords), std::end(kGaugeWords), [&](const GaugeWords& each) { return each.kind == kind; });
}

}  // namespace

Gauge weightsGauge(const std::vector<std::string>& broken, bool isPartial) {
    if (broken.empty()) return {GaugeKind::BrokenWeights, Severity::Good, 0, withPart("Every weight is finite."_text, isPartial)};
    return {GaugeKind::BrokenWeights, Severity::Bad, static_cast<double>(broken.size()),
            Text("There are numbers that are not finite in %1: they stay there, and a saved file keeps them."_text, listOf(broken))};
}

std::string_view gaugeName(GaugeKind kind) {
    return wordsOfGauge(kind).name;
}

std::string_view gaugeTitle(GaugeKind kind) {
    return wordsOfGauge(kind).title;
}

std::vector<LostUpdateShare> lostUpdateShares(const StepStats& stats) {
    std::vector<LostUpdateShare> shares;
    for (const TensorStats& tensor : stats.tensors) {
        if (tensor.role != TensorRole::Update || !tensor.classes.allFinite()) continue;  // a NaN weight does not move, and loses nothing
        auto found = std::find_if(shares.begin(), shares.end(), [&](const LostUpdateShare& each) { return each.layer == tensor.layer; });
        if (found == shares.end()) found = shares.insert(shares.end(), {tensor.layer, 0, 0});
        found->meant += tensor.meant;
        found->lost += tensor.lost;
    }
    return shares;
}

double leastEpsilon(Dtype moments) {
    constexpr double kMostRates = 20;
    return std::sqrt(facts(moments).flushBelow) / kMostRates;
}

double standingBelow(Dtype moments, double beta2) {
    return facts(moments).minSubnormal / (2 * (1 - beta2));
}

std::vector<Gauge> gaugesOf(const GaugeInput& input) {
    std::vector<Gauge> gauges;
    const auto has = [&](TensorRole role) {
        return input.stats != nullptr && std::any_of(input.stats->tensors.begin(), input.stats->tensors.end(),
                                                     [&](const TensorStats& tensor) { return tensor.role == role; });
    };
    if (has(TensorRole::Update)) {
        gauges.push_back(lostUpdatesGauge(*input.stats, input.weightUpdate));
        gauges.push_back(unchangedGauge(*input.stats, input.weightUpdate));
    }
    if (input.adamEpsilon) gauges.push_back(epsilonGauge(*input.adamEpsilon, input.moments));
    if (has(TensorRole::Statistic)) gauges.push_back(statisticsGauge(*input.stats));
    if (input.hasSchedule) gauges.push_back(scheduleGauge(input.scheduleSteps - input.optimizerSteps));
    if (input.clipGradNorm) gauges.push_back(clipGauge(*input.clipGradNorm, input.clipsScaled, input.lossScale));
    if (input.asksForFp32) gauges.push_back(tf32Gauge(input.tf32Layers));
    if (has(TensorRole::Weight))
        gauges.push_back(weightsGauge(brokenTensors(*input.stats, TensorRole::Weight), isInPart(*input.stats, TensorRole::Weight)));
    if (input.adamEpsilon) gauges.push_back(decayGauge(input.beta2, input.moments));
    return gauges;
}

std::optional<SilentMatter> silentMatter(const std::vector<Gauge>& gauges, bool isValidationFinite) {
    for (const GaugeWords& words : kGaugeWords) {
        for (const Gauge& gauge : gauges) {
            if (gauge.kind != words.kind || gauge.severity != Severity::Bad) continue;
            return SilentMatter{words.silentTitle, gauge.sentence, -1,
                                words.kind == GaugeKind::LostUpdates || words.kind == GaugeKind::UnchangedWeights};
        }
    }
    if (isValidationFinite) return std::nullopt;
    return SilentMatter{"Finite, but validation is not"_text, "The loss of the latest validation is not finite."_text};
}

}  // namespace mantissa
