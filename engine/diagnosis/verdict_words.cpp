// SPDX-License-Identifier: Apache-2.0
// The names of verdicts, and the words for what a finite step has lost.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "engine/diagnosis/verdict.h"
#include "engine/telemetry/number_format.h"

namespace mantissa {
namespace {

struct SilentWords {
    const char *name, *headline;
};
/// In the order of SilentKind.
constexpr SilentWords kSilentWords[] = {
    {"all zero", "Finite, but an operation loses its input."},    {"tensor differs", "Finite, but an operation loses its input."},
    {"gradients all zero", "Finite, but gradients are lost."},    {"gradients flushed", "Finite, but gradients are lost."},
    {"gradients differ", "Finite, but gradients are lost."},      {"updates lost", "Finite, but the weights hardly move."},
    {"clipped", "Finite, but the weights hardly move."},          {"clipped while scaled", "Finite, but the weights hardly move."},
    {"loss has grown", "Finite, but the loss has grown."},        {"setting defeats", "Finite, but a setting keeps it from learning."},
    {"no gradient", "Finite, but parameters get no gradient."},   {"saturated", "Finite, but an activation is saturated."},
    {"weight outlier", "Finite, but a weight is far too large."}, {"weights flushed", "Finite, but weights are lost in the format."},
    {"validation fails", "Finite, but validation is not."},       {"nothing moves", "Finite, but the weights hardly move."},
    {"no progress", "Finite, but the loss does not fall."},
};
static_assert(std::size(kSilentWords) == static_cast<std::size_t>(SilentKind::NoProgress) + 1);
const SilentWords& wordsOf(SilentKind kind) {
    return kSilentWords[static_cast<std::size_t>(kind)];
}

/// Why nothing can be learned with a setting.
std::string defeatText(const SilentFinding& finding) {
    const std::string value = numberText(finding.value, 3);
    const std::pair<const char*, std::string> texts[] = {
        {"/model/label_smoothing", "label smoothing of 1 asks for the same probability of every class, whatever the label"},
        {"/model/dropout", "dropout sets " + shareText(finding.value) + " of each activation to 0"},
        {"/model/mask", "the causal mask adds " + value + " to scores of later positions, so that attention sees them"},
        {"/model/norm_eps", "the norms divide by the root of their variance and an epsilon of " + value + ", far above any variance"},
        {"/optimizer/momentum", "with a momentum of " + value + " no gradient is ever forgotten"},
        {"/optimizer/dampening", "with a dampening of 1 no gradient but the first enters the momentum"},
        {"/optimizer/weight_decay", "weight decay takes " + shareText(finding.value) + " of each weight in a step"},
        {"/optimizer/eps", "an epsilon of " + value + " is added to the root of the second moment, far above the gradients"},
        {"/optimizer/lr", "the learning rate is 0"},
        {"/optimizer/schedule", "the schedule multiplies the learning rate by " + value},
    };
    for (const auto& [pointer, text] : texts)
        if (finding.tensor == pointer) return text;
    return finding.tensor;
}

}  // namespace

const char* verdictName(StepVerdict verdict) {
    switch (verdict) {
        case StepVerdict::ScaleTooHigh:
            return "scale too high";
        case StepVerdict::ForwardOverflow:
            return "forward overflow";
        case StepVerdict::BadData:
            return "bad data";
        case StepVerdict::BadWeights:
            return "bad weights";
        case StepVerdict::ArithmeticNaN:
            return "arithmetic NaN";
        case StepVerdict::Unexplained:
            return "unexplained";
        case StepVerdict::Sound:
            return "sound";
        case StepVerdict::Divergence:
            return "divergence";
        case StepVerdict::KeptGradients:
            return "kept gradients";
        case StepVerdict::SilentFailure:
            return "silent failure";
        case StepVerdict::BadStatistics:
            return "bad statistics";
        case StepVerdict::ScaleTooLow:
            return "scale too low";
        case StepVerdict::NormOverflow:
            return "norm overflow";
    }
    return "";
}

const char* silentName(SilentKind kind) {
    return wordsOf(kind).name;
}

const char* silentHeadline(SilentKind kind) {
    return wordsOf(kind).headline;
}

bool isDead(const std::vector<SilentFinding>& findings) {
    return std::any_of(findings.begin(), findings.end(), [](const SilentFinding& each) {
        return each.kind == SilentKind::Saturated || each.kind == SilentKind::NoGradient ||
               (each.kind == SilentKind::AllZero && each.value == 0);
    });
}

std::string silentText(const SilentFinding& finding) {
    switch (finding.kind) {
        case SilentKind::AllZero:
            return finding.tensor + (finding.value == 0 ? " is all 0, in FP32 too" : " is all 0, where FP32's is not");
        case SilentKind::TensorDiffers:
            return finding.tensor + " differs by " + shareText(finding.value) + " from FP32's";
        case SilentKind::GradientsAllZero:
            return "the gradients of all parameters are 0, where FP32's are not";
        case SilentKind::GradientsFlushed:
            return shareText(finding.value) + " of the gradients that are not 0 in FP32 are flushed to 0";
        case SilentKind::GradientsDiffer:
            return "the gradients differ by " + shareText(finding.value) + " from FP32's";
        case SilentKind::UpdatesLost:
            return shareText(finding.value) + " of the weights " + (finding.layer.empty() ? "" : "of " + finding.layer + " ") +
                   "that FP32 would move do not change: the updates are lost in the format that keeps the weights";
        case SilentKind::Clipped:
            return "clipping multiplies the gradients by " + numberText(finding.value, 2);
        case SilentKind::ClippedScaled:
            return "gradients are clipped before they are unscaled: the bound acts as " + numberText(finding.value, 2);
        case SilentKind::LossHasGrown:
            return "the loss is " + numberText(finding.value, 3) + " times as high as it was";
        case SilentKind::SettingDefeats:
            return defeatText(finding);
        case SilentKind::NoGradient:
            return finding.value == 1 ? finding.tensor + " gets a gradient of exactly 0, in FP32 too"
                                      : groupedText(std::llround(finding.value)) +
                                            " tensors of parameters get a gradient of exactly 0, in FP32 "
                                            "too, the first of them " +
                                            finding.tensor;
        case SilentKind::Saturated:
            return shareText(finding.value) + " of " + finding.tensor + " is at the limits of the activation, where its derivative is 0";
        case SilentKind::WeightOutlier:
            return "the largest weight of " + finding.tensor + " is " + numberText(finding.value, 2) +
                   " times the root mean square of the others";
        case SilentKind::WeightsFlushed:
            return shareText(finding.value) + " of " + finding.tensor + " is 0 or subnormal in the format that multiplies it";
        case SilentKind::ValidationFails:
            return "the loss of a validation with these weights is not finite" +
                   (finding.tensor.empty() ? "" : ": " + finding.tensor + " overflows in the format that it computes in");
        case SilentKind::NothingMoves:
            return "the update leaves " + shareText(finding.value) + " of the weights as they are, in FP32 too: it is too small";
        case SilentKind::NoProgress:
            return finding.value < 1.01 ? "the loss is where it was in the first ten steps"
                                        : "the loss is " + numberText(finding.value, 3) + " times that of the first ten steps";
    }
    return "";
}

}  // namespace mantissa
