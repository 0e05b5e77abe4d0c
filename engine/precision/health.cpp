// SPDX-License-Identifier: Apache-2.0
#include "engine/precision/health.h"

#include <cmath>
#include <utility>

namespace mantissa {
namespace {

constexpr std::int64_t kRecentSteps = 10;  // a skip stays the news for so long
constexpr std::int64_t kStorm = 8;         // skips in a row that no sound fixed scale needs

std::string counted(std::int64_t count, const std::string& one) {
    return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

std::string firstNonFinite(const HealthInput& in) {
    return in.firstNonFiniteWhere.empty() ? std::string() : " First non-finite: " + in.firstNonFiniteWhere + ".";
}

Health withoutScaler(const HealthInput& in) {
    const std::string step = std::to_string(in.firstNonFiniteStep);
    if (!in.isLastLossFinite || !in.isLastNormFinite) {
        const std::string since = in.firstNonFiniteStep >= 0 ? " since step " + step : std::string();
        return {Verdict::NotFinite, Severity::Bad, "Not finite",
                "Not finite" + since + ", and nothing skips such a step." + firstNonFinite(in)};
    }
    if (in.firstNonFiniteStep >= 0) {
        return {Verdict::Finite, Severity::Note, "Finite again",
                "Finite now, but step " + step + " was not, and was not skipped." + firstNonFinite(in)};
    }
    return {Verdict::Finite, Severity::Good, "Finite", "All finite. No step skipped."};
}

/// The last step was skipped, and the forward pass was finite as far as is known.
Health searching(const HealthInput& in) {
    if (std::abs(in.scale) < 1 && in.consecutiveSkips >= kStorm) {
        // fp16 gradients that overflow at a scale below 1 are above 65,504 themselves
        return {Verdict::Collapsing, Severity::Bad, "Skip storm",
                counted(in.consecutiveSkips, "skip") + " in a row, and the scale is below 1 by now: hardly a scale problem." +
                    firstNonFinite(in)};
    }
    if (in.skippedTotal == in.steps) {
        return {Verdict::Calibrating, Severity::Good, "Calibrating",
                "Finding a usable scale: " + counted(in.skippedTotal, "skip") + " so far. Normal."};
    }
    return {Verdict::Calibrating, Severity::Note, "Calibrating",
            "Finding a usable scale: " + counted(in.consecutiveSkips, "skip") + " in a row."};
}

Health withFixedScale(const HealthInput& in) {
    if (in.skippedTotal == 0) return {Verdict::Steady, Severity::Good, "Steady", "All finite. No step skipped."};
    if (in.consecutiveSkips >= kStorm) {
        return {Verdict::Collapsing, Severity::Bad, "Skip storm",
                counted(in.consecutiveSkips, "skip") + " in a row. The scale is fixed: every such step is lost." + firstNonFinite(in)};
    }
    return {Verdict::HittingSpike, in.consecutiveSkips > 0 ? Severity::Note : Severity::Good, "Fixed scale",
            std::to_string(in.skippedTotal) + " of " + counted(in.steps, "step") + " skipped: the scale is fixed and these overflowed."};
}

/// A skip within the last few steps that stands alone.
Health afterSkip(const HealthInput& in) {
    // at least every second step up to the last skip was one, and nothing has grown yet: the search from the initial scale
    if (in.lastGrowthBeforeSkip < 0 && in.lastSkip < 2 * in.skippedTotal) {
        return {Verdict::Calibrating, Severity::Good, "Calibrating",
                "Probing: " + counted(in.skippedTotal, "skip") + " in the first " + counted(in.steps, "step") + ", normal."};
    }
    // the grown scale has not held for one whole interval
    if (in.lastGrowthBeforeSkip >= 0 && in.lastSkip - in.lastGrowthBeforeSkip <= in.growthInterval) {
        return {Verdict::Probing, Severity::Good, "Probing", "Tried a larger scale, stepped back. Normal."};
    }
    return {Verdict::HittingSpike, Severity::Note, "Hitting a spike",
            "Step " + std::to_string(in.lastSkip) + " had larger gradients than the scale allows."};
}

}  // namespace

Health judge(const HealthInput& in) {
    if (!in.stopReason.empty()) return {Verdict::Stopped, Severity::Bad, "Stopped", "Stopped: " + in.stopReason + "."};
    if (in.steps == 0) return {Verdict::NotStarted, Severity::Note, "Not started", "No step yet."};
    if (in.preset == "none") return withoutScaler(in);
    if (!std::isfinite(static_cast<float>(in.scale))) {
        return {Verdict::Dead, Severity::Bad, "Dead", "The scale is infinite: every step overflows. Set a smaller one."};
    }
    if (in.scale == 0 || !std::isfinite(static_cast<float>(1 / in.scale))) {
        // finite gradients pass the check, and the unscaling turns them into Inf and NaN
        return {Verdict::Dead, Severity::Bad, "Dead",
                "The scale is so small that its reciprocal is infinite. Steps are no longer meaningful."};
    }
    const bool isForwardStorm = in.isFirstNonFiniteForward && in.consecutiveSkips > 1;
    if (in.consecutiveSkips > 0 && (!in.isLastLossFinite || isForwardStorm)) {
        return {Verdict::Collapsing, Severity::Bad, "Collapsing",
                "Not a scale problem. " + counted(in.consecutiveSkips, "skip") + " in a row." + firstNonFinite(in)};
    }
    if (!in.isDynamic) return withFixedScale(in);
    if (in.consecutiveSkips > 1 || (in.consecutiveSkips > 0 && in.skippedTotal == in.steps)) return searching(in);
    if (in.lastSkip >= 0 && in.steps - in.lastSkip <= kRecentSteps) return afterSkip(in);
    std::string sentence = in.growthInterval == 0 ? std::string("The scale follows the largest gradients.")
                                                  : std::to_string(in.cleanSteps) + " of " + std::to_string(in.growthInterval) +
                                                        " clean steps to the next growth.";
    if (in.skippedTotal > 0) sentence += " " + counted(in.skippedTotal, "skip") + " so far.";
    return {Verdict::Steady, Severity::Good, "Steady", std::move(sentence)};
}

}  // namespace mantissa
