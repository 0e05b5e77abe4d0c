// SPDX-License-Identifier: Apache-2.0
// What a finite step has lost, in words.
#include <iterator>

#include "engine/diagnosis/verdict.h"
#include "engine/telemetry/number_format.h"

namespace mantissa {
namespace {

struct SilentWords {
    const char *name, *headline;
};
/// In the order of SilentKind.
constexpr SilentWords kSilentWords[] = {
    {"all zero", "Finite, but an operation loses its input."},
    {"tensor differs", "Finite, but an operation loses its input."},
    {"gradients all zero", "Finite, but gradients are lost."},
    {"gradients flushed", "Finite, but gradients are lost."},
    {"gradients differ", "Finite, but gradients are lost."},
    {"updates lost", "Finite, but the weights hardly move."},
    {"clipped", "Finite, but the weights hardly move."},
    {"clipped while scaled", "Finite, but the weights hardly move."},
    {"loss has grown", "Finite, but the loss has grown."},
    {"labels ignored", "Finite, but the labels have no effect."},
    {"no gradient", "Finite, but parameters get no gradient."},
    {"saturated", "Finite, but an activation is saturated."},
    {"weight outlier", "Finite, but a weight is far too large."},
    {"weights flushed", "Finite, but weights are lost in the format."},
    {"validation fails", "Finite, but validation is not."},
    {"nothing moves", "Finite, but the weights hardly move."},
    {"no progress", "Finite, but the loss does not fall."},
};
static_assert(std::size(kSilentWords) == static_cast<std::size_t>(SilentKind::NoProgress) + 1);
const SilentWords& wordsOf(SilentKind kind) {
    return kSilentWords[static_cast<std::size_t>(kind)];
}

}  // namespace

const char* silentHeadline(SilentKind kind) {
    return wordsOf(kind).headline;
}

const char* silentName(SilentKind kind) {
    return wordsOf(kind).name;
}

std::string silentText(const SilentFinding& finding) {
    switch (finding.kind) {
        case SilentKind::AllZero:
            return finding.tensor + " is all 0, where FP32's is not";
        case SilentKind::TensorDiffers:
            return finding.tensor + " differs by " + shareText(finding.value) + " from FP32's";
        case SilentKind::GradientsAllZero:
            return "the gradients of all parameters are 0, where FP32's are not";
        case SilentKind::GradientsFlushed:
            return shareText(finding.value) + " of the gradients that are not 0 in FP32 are flushed to 0";
        case SilentKind::GradientsDiffer:
            return "the gradients differ by " + shareText(finding.value) + " from FP32's";
        case SilentKind::UpdatesLost:
            return shareText(finding.value) +
                   " of the weights that FP32 would move stand still: the updates are lost in the format that keeps the weights";
        case SilentKind::Clipped:
            return "clipping leaves " + numberText(finding.value, 2) + " times the gradients";
        case SilentKind::ClippedScaled:
            return "clipping meets gradients that still carry the loss scale: their bound is " + numberText(finding.value, 2);
        case SilentKind::LossHasGrown:
            return "the loss is " + numberText(finding.value, 3) + " times as high as it was";
        case SilentKind::LabelsIgnored:
            return "label smoothing of 1 asks for the same probability of every class, whatever the label";
        case SilentKind::NoGradient:
            return (finding.tensor.empty() ? "all parameters" : finding.tensor) + " gets a gradient of exactly 0, in FP32 too";
        case SilentKind::Saturated:
            return shareText(finding.value) + " of " + finding.tensor + " is at the limits of the activation, where its derivative is 0";
        case SilentKind::WeightOutlier:
            return "the largest weight of " + finding.tensor + " is " + numberText(finding.value, 2) +
                   " times the root mean square of the others";
        case SilentKind::WeightsFlushed:
            return shareText(finding.value) + " of " + finding.tensor + " is 0 or subnormal in the format that multiplies it";
        case SilentKind::ValidationFails:
            return "the loss of a validation with these weights is not finite";
        case SilentKind::NothingMoves:
            return "the update leaves " + shareText(finding.value) + " of the weights as they are, in FP32 too: it is too small";
        case SilentKind::NoProgress:
            return "the loss is " + numberText(finding.value, 3) + " times that of the first ten steps";
    }
    return "";
}

}  // namespace mantissa
