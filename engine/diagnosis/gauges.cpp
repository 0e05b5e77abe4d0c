// SPDX-License-Identifier: Apache-2.0
#include "engine/diagnosis/gauges.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <utility>

namespace mantissa {
namespace {

/// Above this share updates that are lost are worth a note.
constexpr double kNotedShare = 0.1;

template <typename... Values>
std::string filled(const char* format, Values... values) {
    char text[512];
    std::snprintf(text, sizeof text, format, values...);
    return text;
}

std::string percentText(double share) {
    return filled(share > 0 && share < 0.01 ? "%.2f %%" : "%.0f %%", 100 * share);
}

std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t kMost = 3;
    std::string text;
    for (std::size_t i = 0; i < std::min(kMost, names.size()); ++i) text += (i > 0 ? ", " : "") + names[i];
    if (names.size() > kMost) text += " and " + std::to_string(names.size() - kMost) + " more";
    return text;
}

/// What a sentence ends with that rests on parts of such tensors: where one block does badly, or well, the others may not.
std::string inPart(const StepCensus& look, TensorRole role) {
    const bool isPartial = std::any_of(look.tensors.begin(), look.tensors.end(),
                                       [&](const TensorCensus& tensor) { return tensor.role == role && tensor.isPartial(); });
    return isPartial ? "; one block in eight was looked at" : "";
}

/// What becomes of a part of an update that its weight's format does not hold; empty: it is lost.
std::string keptElsewhere(WeightUpdate update) {
    if (update == weightUpdateFromName("stochastic"))
        return "stochastic rounding moves a weight as often as its update asks for, so that none is lost in the mean";
    if (update == weightUpdateFromName("kahan")) return "Kahan's sums carry what a step loses into the next ones";
    return "";
}

Gauge swallowedGauge(const StepCensus& look, WeightUpdate update) {
    SwallowedShare worst;
    for (const SwallowedShare& each : swallowedShares(look)) {
        if (worst.layer.empty() || each.share() > worst.share()) worst = each;
    }
    const double share = worst.share();
    const std::string part = inPart(look, TensorRole::Update);
    Gauge gauge{GaugeKind::SwallowedUpdates, Severity::Good, share, "every update that was meant moved its weight" + part};
    if (share == 0) return gauge;
    gauge.severity = share >= kLostUpdates ? Severity::Bad : share >= kNotedShare ? Severity::Note : Severity::Good;
    gauge.sentence = percentText(share) + " of the updates of " + worst.layer +
                     " are smaller than half a step of the format that keeps its weights, and change nothing";
    if (const std::string kept = keptElsewhere(update); !kept.empty()) {
        gauge.severity = std::min(gauge.severity, Severity::Note);
        gauge.sentence += " in this step: " + kept;
    }
    gauge.sentence += part;
    return gauge;
}

Gauge standingGauge(const StepCensus& look, WeightUpdate update) {
    std::vector<std::string> standing;
    std::int64_t meant = 0;
    for (const TensorCensus& tensor : look.tensors) {
        if (tensor.role != TensorRole::Update || tensor.meant == 0) continue;
        ++meant;
        if (tensor.classes.zero == tensor.classes.count()) standing.push_back(tensor.tensor);
    }
    const double share = meant == 0 ? 0 : static_cast<double>(standing.size()) / static_cast<double>(meant);
    if (standing.empty()) return {GaugeKind::StandingWeights, Severity::Good, 0, "every tensor of weights moved"};
    const std::string kept = keptElsewhere(update);
    return {GaugeKind::StandingWeights, kept.empty() ? Severity::Bad : Severity::Note, share,
            "the step left all weights of " + listed(standing) + " as they were" + (kept.empty() ? "" : ": " + kept) +
                inPart(look, TensorRole::Update)};
}

Gauge epsilonGauge(double epsilon, Dtype weights) {
    const DtypeFacts& f = facts(weights);
    Gauge gauge{GaugeKind::FlushedEpsilon, Severity::Good, epsilon, {}};
    if (epsilon > f.flushBelow) {
        gauge.sentence = filled("Adam's epsilon of %g is more than 0 in %s", epsilon, std::string(f.name).c_str());
        return gauge;
    }
    gauge.severity = Severity::Note;
    gauge.sentence = filled(
        "Adam's epsilon of %g is 0 in %s, whose smallest number is %.2g: a loop that keeps it there divides by 0 wherever the second "
        "moment is "
        "0 too. Here steps are computed in fp32; take at least %.2g",
        epsilon, std::string(f.name).c_str(), f.minSubnormal, f.minSubnormal);
    return gauge;
}

std::vector<std::string> brokenTensors(const StepCensus& look, TensorRole role) {
    std::vector<std::string> broken;
    for (const TensorCensus& tensor : look.tensors) {
        if (tensor.role == role && !tensor.classes.allFinite()) broken.push_back(tensor.tensor);
    }
    return broken;
}

Gauge statisticsGauge(const StepCensus& look) {
    const std::vector<std::string> broken = brokenTensors(look, TensorRole::Statistic);
    if (broken.empty())
        return {GaugeKind::BrokenStatistics, Severity::Good, 0, "running statistics are finite" + inPart(look, TensorRole::Statistic)};
    return {
        GaugeKind::BrokenStatistics, Severity::Bad, static_cast<double>(broken.size()),
        "running statistics are not finite and will stay so, in " + listed(broken) + ": training does not show it, every validation does"};
}

Gauge scheduleGauge(std::int64_t ahead) {
    if (ahead <= 0) return {GaugeKind::ScheduleAhead, Severity::Good, 0, "the learning rate's schedule goes with the optimizer's steps"};
    return {GaugeKind::ScheduleAhead, Severity::Note, static_cast<double>(ahead),
            filled("the learning rate's schedule is %lld %s ahead of the optimizer: it went on at skipped steps",
                   static_cast<long long>(ahead), ahead == 1 ? "step" : "steps")};
}

Gauge clipGauge(double bound, bool clipsScaled, double lossScale) {
    if (!clipsScaled || lossScale == 1)
        return {GaugeKind::ClippedWhileScaled, Severity::Good, bound, "gradients are clipped after they were unscaled"};
    return {GaugeKind::ClippedWhileScaled, Severity::Bad, bound / lossScale,
            filled("clipping meets gradients that still carry the loss scale: the bound of %g is one of %.3g", bound, bound / lossScale)};
}

Gauge tf32Gauge(const std::vector<std::string>& layers) {
    if (layers.empty()) return {GaugeKind::Tf32ForIeee, Severity::Good, 0, "products are fp32's own"};
    return {GaugeKind::Tf32ForIeee, Severity::Note, static_cast<double>(layers.size()),
            "fp32 was asked for, and " + listed(layers) + " compute in tf32, with 10 fraction bits in place of 23"};
}

std::string asSentence(std::string words) {
    words.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(words.front())));
    return words + ".";
}

/// The first cause first: what clipping leaves of scaled gradients is lost in the update, and weights whose every update is lost stand
/// still.
constexpr std::pair<GaugeKind, const char*> kHeadlines[] = {
    {GaugeKind::BrokenWeights, "Finite, but weights are not."},
    {GaugeKind::BrokenStatistics, "Finite, but running statistics are not."},
    {GaugeKind::ClippedWhileScaled, "Finite, but scaled gradients are clipped."},
    {GaugeKind::SwallowedUpdates, "Finite, but updates are lost."},
    {GaugeKind::StandingWeights, "Finite, but weights do not move."},
    {GaugeKind::FlushedEpsilon, "Finite, but Adam's epsilon is 0."},
    {GaugeKind::ScheduleAhead, "Finite, but the schedule is ahead of the optimizer."},
    {GaugeKind::Tf32ForIeee, "Finite, but TF32 stands in for FP32."},
};
static_assert(std::size(kHeadlines) == static_cast<std::size_t>(GaugeKind::BrokenWeights) + 1);

}  // namespace

Gauge weightsGauge(const std::vector<std::string>& broken, const std::string& part) {
    if (broken.empty()) return {GaugeKind::BrokenWeights, Severity::Good, 0, "every weight is finite" + part};
    return {GaugeKind::BrokenWeights, Severity::Bad, static_cast<double>(broken.size()),
            "there are numbers that are not finite in " + listed(broken) + ": they stay there, and a saved file keeps them"};
}

std::string_view gaugeName(GaugeKind kind) {
    switch (kind) {
        case GaugeKind::SwallowedUpdates:
            return "swallowed updates";
        case GaugeKind::StandingWeights:
            return "standing weights";
        case GaugeKind::FlushedEpsilon:
            return "flushed epsilon";
        case GaugeKind::BrokenStatistics:
            return "broken statistics";
        case GaugeKind::ScheduleAhead:
            return "schedule ahead";
        case GaugeKind::ClippedWhileScaled:
            return "clipped while scaled";
        case GaugeKind::Tf32ForIeee:
            return "TF32 for IEEE";
        case GaugeKind::BrokenWeights:
            return "broken weights";
    }
    return "";
}

std::vector<SwallowedShare> swallowedShares(const StepCensus& look) {
    std::vector<SwallowedShare> shares;
    for (const TensorCensus& tensor : look.tensors) {
        if (tensor.role != TensorRole::Update) continue;
        auto found = std::find_if(shares.begin(), shares.end(), [&](const SwallowedShare& each) { return each.layer == tensor.layer; });
        if (found == shares.end()) found = shares.insert(shares.end(), {tensor.layer, 0, 0});
        found->meant += tensor.meant;
        found->swallowed += tensor.swallowed;
    }
    return shares;
}

std::vector<Gauge> gaugesOf(const GaugeInput& input) {
    std::vector<Gauge> gauges;
    const auto has = [&](TensorRole role) {
        return input.look != nullptr && std::any_of(input.look->tensors.begin(), input.look->tensors.end(),
                                                    [&](const TensorCensus& tensor) { return tensor.role == role; });
    };
    if (has(TensorRole::Update)) {
        gauges.push_back(swallowedGauge(*input.look, input.weightUpdate));
        gauges.push_back(standingGauge(*input.look, input.weightUpdate));
    }
    if (input.adamEpsilon) gauges.push_back(epsilonGauge(*input.adamEpsilon, input.weights));
    if (has(TensorRole::Statistic)) gauges.push_back(statisticsGauge(*input.look));
    if (input.hasSchedule) gauges.push_back(scheduleGauge(input.scheduleSteps - input.optimizerSteps));
    if (input.clipGradNorm) gauges.push_back(clipGauge(*input.clipGradNorm, input.clipsScaled, input.lossScale));
    if (input.asksForFp32) gauges.push_back(tf32Gauge(input.tf32Layers));
    if (has(TensorRole::Weight))
        gauges.push_back(weightsGauge(brokenTensors(*input.look, TensorRole::Weight), inPart(*input.look, TensorRole::Weight)));
    return gauges;
}

std::optional<SilentMatter> silentMatter(const std::vector<Gauge>& gauges, bool isValidationFinite) {
    for (const auto& [kind, headline] : kHeadlines) {
        for (const Gauge& gauge : gauges) {
            if (gauge.kind == kind && gauge.severity == Severity::Bad) return SilentMatter{headline, asSentence(gauge.sentence)};
        }
    }
    if (isValidationFinite) return std::nullopt;
    return SilentMatter{"Finite, but validation is not.", "The loss of the latest validation is not finite."};
}

}  // namespace mantissa
