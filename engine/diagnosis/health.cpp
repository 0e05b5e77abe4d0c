// SPDX-License-Identifier: Apache-2.0
#include "engine/diagnosis/health.h"

#include <cmath>
#include <utility>

namespace mantissa {
namespace {

constexpr std::int64_t kRecentSteps = 10;  // a skip is shown for this long
constexpr std::int64_t kStorm = 8;         // consecutive skips that no sound fixed scale needs
constexpr std::int64_t kStepsBack = 3;     // maximum of consecutive skips after a scale increase
constexpr double kFarFall = 0x1p4;         // probing after a growth lowers a scale by fewer halvings
constexpr std::int64_t kEnoughSteps = 8;   // of a share of skipped steps

Text firstNonFinite(const HealthInput& in) {
    return in.firstNonFiniteWhere.empty() ? Text() : Text("First non-finite: %1."_text, in.firstNonFiniteWhere);
}

Text skipsInARow(const HealthInput& in) {
    return counted(in.consecutiveSkips, "%1 skip in a row."_text, "%1 skips in a row."_text);
}

Health withoutScaler(const HealthInput& in) {
    if (!in.isLastLossFinite || !in.isLastNormFinite) {
        Text sentence = "Not finite, and nothing skips such a step."_text;
        if (in.firstNonFiniteStep >= 0) sentence = {"Not finite since step %1, and nothing skips such a step."_text, in.firstNonFiniteStep};
        return {Verdict::NotFinite, Severity::Bad, "Not finite"_text, sentence + firstNonFinite(in)};
    }
    if (in.firstNonFiniteStep >= 0) {
        return {Verdict::Finite, Severity::Note, "Finite again"_text,
                Text("Finite now, but step %1 was not, and was not skipped."_text, in.firstNonFiniteStep) + firstNonFinite(in)};
    }
    return {Verdict::Finite, Severity::Good, "Finite"_text, "All finite. No step skipped."_text};
}

/// The last step was skipped with a finite forward pass, if known.
Health searching(const HealthInput& in) {
    if (std::abs(in.scale) < 1 && in.consecutiveSkips >= kStorm) {
        // fp16 gradients that overflow at a scale below 1 exceed 65,504 unscaled
        return {
            Verdict::Collapsing, Severity::Bad, "Skip storm"_text,
            Text("%1 steps in a row were skipped, although the loss scale is already below 1: the scale is probably not the cause."_text,
                 in.consecutiveSkips) +
                firstNonFinite(in)};
    }
    if (in.skippedTotal == in.steps) {
        return {Verdict::Calibrating, Severity::Good, "Calibrating"_text,
                counted(in.skippedTotal, "Finding a usable scale: %1 skip so far. Normal."_text,
                        "Finding a usable scale: %1 skips so far. Normal."_text)};
    }
    return {
        Verdict::Calibrating, Severity::Note, "Calibrating"_text,
        counted(in.consecutiveSkips, "Finding a usable scale: %1 skip in a row."_text, "Finding a usable scale: %1 skips in a row."_text)};
}

Health withFixedScale(const HealthInput& in) {
    if (in.skippedTotal == 0) return {Verdict::Steady, Severity::Good, "Steady"_text, "All finite. No step skipped."_text};
    if (in.consecutiveSkips >= kStorm) {
        return {Verdict::Collapsing, Severity::Bad, "Skip storm"_text,
                skipsInARow(in) + "The scale is fixed: every such step is lost."_text + firstNonFinite(in)};
    }
    // Shown at any later step: nothing lowers the scale, so more steps will be lost.
    const bool isRecent = in.steps - in.lastSkip <= kRecentSteps;
    const bool isMostLost = isRecent && in.steps >= kEnoughSteps && 2 * in.skippedTotal >= in.steps;
    return {Verdict::HittingSpike, isMostLost ? Severity::Bad : Severity::Note, "Fixed scale"_text,
            counted(in.steps, "%2 of %1 step skipped: the scale is fixed and these overflowed."_text,
                    "%2 of %1 steps skipped: the scale is fixed and these overflowed."_text, in.skippedTotal)};
}

/// Whether the last skip belongs to the search from the initial scale: no growth before it, and at least half of the steps skipped.
bool isFirstSearch(const HealthInput& in) {
    return in.lastGrowthBeforeSkip < 0 && in.lastSkip < 2 * in.skippedTotal;
}

bool hasFallenFar(const HealthInput& in) {
    return in.highestScale >= kFarFall * std::abs(in.scale) && in.skipsSinceHighest > 0;
}

Text cleanStepsText(const HealthInput& in) {
    if (in.isOver)
        return counted(in.cleanSteps, "%1 clean step since the scale last changed."_text,
                       "%1 clean steps since the scale last changed."_text);
    if (in.growthInterval <= 0) return "The scale follows the largest gradients."_text;
    return {"%1 of %2 clean steps to the next growth."_text, in.cleanSteps, in.growthInterval};
}

/// A scale that single skips have taken far down, even if the last of them was long ago.
Health afterFall(const HealthInput& in) {
    Text sentence = counted(in.skipsSinceHighest, "The scale fell from %2 to %3 in %1 skip."_text,
                            "The scale fell from %2 to %3 in %1 skips."_text, PowerOfTwo{in.highestScale}, PowerOfTwo{in.scale});
    return {Verdict::ScaleFell, Severity::Note, "Scale fell"_text, std::move(sentence) + cleanStepsText(in)};
}

/// Verdict on a single skip within the last few steps.
Health afterSkip(const HealthInput& in) {
    if (isFirstSearch(in)) {
        const Text skips = counted(in.skippedTotal, "%1 skip"_text, "%1 skips"_text);
        return {
            Verdict::Calibrating, Severity::Good, "Calibrating"_text,
            counted(in.steps, "Probing: %2 in the first %1 step, normal."_text, "Probing: %2 in the first %1 steps, normal."_text, skips)};
    }
    // the increased scale was not kept for a whole interval
    if (in.lastGrowthBeforeSkip >= 0 && in.lastSkip - in.lastGrowthBeforeSkip <= in.growthInterval) {
        if (hasFallenFar(in)) return afterFall(in);
        return {Verdict::Probing, Severity::Good, "Probing"_text, "Tried a larger scale and lowered it again. Normal."_text};
    }
    return {Verdict::HittingSpike,
            Severity::Note,
            "Hitting a spike"_text,
            {"Step %1 had larger gradients than the scale allows."_text, in.lastSkip}};
}

}  // namespace

Health judge(const HealthInput& in) {
    if (!in.stopReason.empty()) return {Verdict::Stopped, Severity::Bad, "Stopped"_text, {"Stopped: %1."_text, in.stopReason}};
    if (in.steps == 0) return {Verdict::NotStarted, Severity::Note, "Not started"_text, "No step yet."_text};
    if (in.preset == "none") return withoutScaler(in);
    if (!std::isfinite(static_cast<float>(in.scale))) {
        return {Verdict::Dead, Severity::Bad, "Dead"_text, "The scale is infinite: every step overflows. Set a smaller one."_text};
    }
    if (in.scale == 0 || !std::isfinite(static_cast<float>(1 / in.scale))) {
        // finite gradients pass the check, and the unscaling turns them into Inf and NaN
        return {Verdict::Dead, Severity::Bad, "Dead"_text, "The scale is so small that its reciprocal is Inf: no step is valid."_text};
    }
    const bool isForwardStorm = in.isFirstNonFiniteForward && in.consecutiveSkips > 1;
    if (in.consecutiveSkips > 0 && (!in.isLastLossFinite || isForwardStorm)) {
        return {Verdict::Collapsing, Severity::Bad, "Collapsing"_text,
                Text("Not a scale problem."_text) + skipsInARow(in) + firstNonFinite(in)};
    }
    if (!in.isDynamic) return withFixedScale(in);
    if (in.consecutiveSkips > 1 || (in.consecutiveSkips > 0 && in.skippedTotal == in.steps)) return searching(in);
    if (in.lastSkipRow > kStepsBack && in.lastGrowth < in.lastSkip && !isFirstSearch(in)) {
        return {Verdict::HittingSpike, Severity::Note, "Hitting a spike"_text,
                Text("%1 skips in a row up to step %2, and the scale has not grown since."_text, in.lastSkipRow, in.lastSkip)};
    }
    if (in.lastSkip >= 0 && in.steps - in.lastSkip <= kRecentSteps) return afterSkip(in);
    if (hasFallenFar(in)) return afterFall(in);
    Text sentence = cleanStepsText(in);
    if (in.skippedTotal > 0) sentence += counted(in.skippedTotal, "%1 skip so far."_text, "%1 skips so far."_text);
    return {Verdict::Steady, Severity::Good, "Steady"_text, std::move(sentence)};
}

}  // namespace mantissa
