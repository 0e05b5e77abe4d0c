// SPDX-License-Identifier: Apache-2.0
// Names of verdicts, and texts for silent failures of a finite step.
#include "engine/diagnosis/verdict_words.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "engine/diagnosis/verdict.h"

namespace mantissa {
namespace {

struct SilentWords {
    const char* name;
    Pattern title;
};
/// In the order of SilentKind.
constexpr SilentWords kSilentWords[] = {
    {"all zero", "Finite, but an operation loses its input"_text},
    {"tensor differs", "Finite, but an operation loses its input"_text},
    {"gradients all zero", "Finite, but gradients are lost"_text},
    {"gradients flushed", "Finite, but gradients are lost"_text},
    {"gradients differ", "Finite, but gradients are lost"_text},
    {"updates lost", "Finite, but the weights hardly move"_text},
    {"clipped", "Finite, but the weights hardly move"_text},
    {"clipped while scaled", "Finite, but the weights hardly move"_text},
    {"loss has grown", "Finite, but the loss has grown"_text},
    {"setting defeats", "Finite, but a setting keeps it from learning"_text},
    {"no gradient", "Finite, but parameters get no gradient"_text},
    {"saturated", "Finite, but an activation is saturated"_text},
    {"weight outlier", "Finite, but a weight is far too large"_text},
    {"weights flushed", "Finite, but weights are lost in the format"_text},
    {"validation fails", "Finite, but validation is not"_text},
    {"nothing moves", "Finite, but the weights hardly move"_text},
    {"no progress", "Finite, but the loss does not fall"_text},
};
static_assert(std::size(kSilentWords) == static_cast<std::size_t>(SilentKind::NoProgress) + 1);
const SilentWords& wordsOf(SilentKind kind) {
    return kSilentWords[static_cast<std::size_t>(kind)];
}

/// Why a setting prevents learning.
Text defeatText(const SilentFinding& finding) {
    const Figure value{finding.value, 3};
    const Percent share{finding.value};
    const std::pair<const char*, Text> texts[] = {
        {"/model/label_smoothing", "label smoothing of 1 asks for the same probability of every class, whatever the label"_text},
        {"/model/dropout", {"dropout sets %1 of each activation to 0"_text, share}},
        {"/model/mask", {"the causal mask sets scores of later positions to %1, so that attention sees them"_text, value}},
        {"/model/norm_eps", {"the norms divide by the root of their variance and an epsilon of %1, far above any variance"_text, value}},
        {"/optimizer/momentum", {"with a momentum of %1 no gradient is ever forgotten"_text, value}},
        {"/optimizer/dampening", "with a dampening of 1 no gradient but the first enters the momentum"_text},
        {"/optimizer/weight_decay", {"weight decay takes %1 of each weight in a step"_text, share}},
        {"/optimizer/eps", {"an epsilon of %1 is added to the root of the second moment, far above the gradients"_text, value}},
        {"/optimizer/lr", "the learning rate is 0"_text},
        {"/optimizer/schedule", {"the schedule multiplies the learning rate by %1"_text, value}},
    };
    for (const auto& [pointer, text] : texts)
        if (finding.tensor == pointer) return text;
    return Text::verbatim(finding.tensor);
}

}  // namespace

const char* verdictName(StepVerdict verdict) {
    static constexpr const char* kNames[] = {
        "scale too high", "forward overflow", "bad data",       "bad weights",    "arithmetic NaN", "unexplained",  "sound",
        "divergence",     "kept gradients",   "silent failure", "bad statistics", "scale too low",  "norm overflow"};
    static_assert(std::size(kNames) == static_cast<std::size_t>(StepVerdict::NormOverflow) + 1);
    return kNames[static_cast<std::size_t>(verdict)];
}

const char* silentName(SilentKind kind) {
    return wordsOf(kind).name;
}

Text silentTitle(SilentKind kind) {
    return Text(wordsOf(kind).title);
}

bool onlyLearnsNothing(const Examination& found) {
    return found.verdict.kind == StepVerdict::SilentFailure && !found.silent.empty() && found.silent.front().kind == SilentKind::NoProgress;
}

std::optional<SilentMatter> silentMatter(const Examination& found) {
    if (found.verdict.kind != StepVerdict::SilentFailure) return std::nullopt;
    if (found.silent.empty()) return silentMatter(found.gauges);
    return SilentMatter{silentTitle(found.silent.front().kind),
                        {"In step %1, which was examined, %2."_text, found.step, silentText(found.silent.front())},
                        found.step};
}

bool isDead(const std::vector<SilentFinding>& findings) {
    return std::any_of(findings.begin(), findings.end(), [](const SilentFinding& each) {
        return each.kind == SilentKind::Saturated || each.kind == SilentKind::NoGradient ||
               (each.kind == SilentKind::AllZero && each.value == 0);
    });
}

Text silentText(const SilentFinding& finding) {
    const Percent share{finding.value};
    const std::string& tensor = finding.tensor;
    switch (finding.kind) {
        case SilentKind::AllZero:
            return {finding.value == 0 ? "%1 is all 0, in FP32 too"_text : "%1 is all 0, where FP32's is not"_text, tensor};
        case SilentKind::TensorDiffers:
            return {"%1 differs by %2 from FP32's"_text, tensor, share};
        case SilentKind::GradientsAllZero:
            return "the gradients of all parameters are 0, where FP32's are not"_text;
        case SilentKind::GradientsFlushed:
            return {"%1 of the gradients that are not 0 in FP32 are flushed to 0"_text, share};
        case SilentKind::GradientsDiffer:
            return {"the gradients differ by %1 from FP32's"_text, share};
        case SilentKind::UpdatesLost:
            if (finding.layer.empty())
                return {
                    "%1 of the weights that FP32 would move do not change: the updates are lost in the format that keeps the weights"_text,
                    share};
            return {
                "%1 of the weights of %2 that FP32 would move do not change: the updates are lost in the format that keeps the weights"_text,
                share, finding.layer};
        case SilentKind::Clipped:
            return {"clipping multiplies the gradients by %1"_text, Figure{finding.value, 2}};
        case SilentKind::ClippedScaled:
            return {"gradients are clipped before they are unscaled: the bound acts as %1"_text, Figure{finding.value, 2}};
        case SilentKind::LossHasGrown:
            return {"the mean of the last ten losses is %1 times as high as it was"_text, Figure{finding.value, 3}};
        case SilentKind::SettingDefeats:
            return defeatText(finding);
        case SilentKind::NoGradient:
            return counted(std::llround(finding.value), "%2 gets a gradient of exactly 0, in FP32 too"_text,
                           "%1 tensors of parameters get a gradient of exactly 0, in FP32 too, the first of them %2"_text, tensor);
        case SilentKind::Saturated:
            return {"%1 of %2 is at the limits of the activation, where its derivative is 0"_text, share, tensor};
        case SilentKind::WeightOutlier:
            return {"the largest weight of %1 is %2 times the root mean square of the others"_text, tensor, Figure{finding.value, 2}};
        case SilentKind::WeightsFlushed:
            return {"%1 of %2 is 0 or subnormal in the format that multiplies it"_text, share, tensor};
        case SilentKind::ValidationFails:
            if (tensor.empty()) return "the loss of a validation with these weights is not finite"_text;
            return {"the loss of a validation with these weights is not finite: %1 overflows in the format that it computes in"_text,
                    tensor};
        case SilentKind::NothingMoves:
            return {"the update does not change %1 of the weights, not in FP32 either: it is too small"_text, share};
        case SilentKind::NoProgress:
            if (finding.value < 1.01) return "the loss is where it was in the first ten steps"_text;
            return {"the loss is %1 times that of the first ten steps"_text, Figure{finding.value, 3}};
    }
    return {};
}

Text agreementText(const Trial& trial) {
    if (std::isnan(trial.difference)) return {};
    const Percent difference{trial.difference}, flushed{trial.flushedShare};
    if (trial.difference < 0.2 && trial.flushedShare > 0)
        return {"There its gradients are within %1 of FP32's, with %2 of them flushed to zero."_text, difference, flushed};
    if (trial.difference < 0.2) return {"There its gradients are within %1 of FP32's."_text, difference};
    if (trial.flushedShare > 0) return {"There they differ by %1 from FP32's, with %2 of them flushed to zero."_text, difference, flushed};
    return {"There they differ by %1 from FP32's."_text, difference};
}

Text outcomeText(const Remedy& remedy) {
    if (!std::isfinite(remedy.loss)) return {"%1 of the next %2 steps are not finite"_text, remedy.nonFinite, remedy.steps};
    return {"the loss is %1 after %2 steps"_text, Figure{remedy.loss, 3}, remedy.steps};
}

Text changesText(const RunPast& past) {
    Text text;
    for (const RunPast::Change& change : past.changes)
        text += Text("%1 was changed from %2 to %3 at step %4."_text, Text::term(change.label), change.from, change.to, change.step);
    return text;
}

bool overflowsWithin(const ProvenanceCard& card, double value) {
    return card.isProducer && std::abs(value) < 0.5 * card.formatMax;  // false for NaN
}

}  // namespace mantissa
