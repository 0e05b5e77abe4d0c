// SPDX-License-Identifier: Apache-2.0
#include "engine/precision/health.h"

#include <cmath>

namespace mantissa {
namespace {

std::string counted(std::int64_t count, const std::string& one) {
    return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

/// fp32's reciprocal is Inf from here down: finite gradients pass the check and are poisoned by the unscaling.
bool isDeadScale(double scale) {
    return scale == 0 || !std::isfinite(static_cast<float>(1 / scale));
}

Health unscaled(const HealthInput& in) {
    if (!in.isLastLossFinite || !in.isLastNormFinite) {
        const std::string since = in.firstNonFiniteStep >= 0 ? " since step " + std::to_string(in.firstNonFiniteStep) : "";
        const std::string where = in.firstNonFiniteWhere.empty() ? "" : " First: " + in.firstNonFiniteWhere + ".";
        return {Verdict::NotFinite, Severity::Bad, "Not finite", "Not finite" + since + ", and nothing skips such a step." + where};
    }
    return {Verdict::Finite, Severity::Good, "Finite", "All finite. No step skipped."};
}

}  // namespace

Health judge(const HealthInput& in) {
    if (in.steps == 0) return {Verdict::NotStarted, Severity::Note, "Not started", "No step yet."};
    if (in.preset == "none") return unscaled(in);
    if (isDeadScale(in.scale)) {
        return {Verdict::Dead, Severity::Bad, "Dead",
                "The scale is so small that its reciprocal is infinite. Steps are no longer meaningful."};
    }

    constexpr std::int64_t kCollapse = 8;     // halvings in a row that a search from a sensible start does not need once it has trained
    constexpr std::int64_t kLongSearch = 40;  // from 2^32 down to 2^-8: no gradient needs that
    const bool skipsOnly = in.skippedTotal == in.steps;  // since the start
    const bool collapses =
        in.consecutiveSkips >= (skipsOnly ? kLongSearch : kCollapse) || (in.consecutiveSkips > 1 && in.isFirstNonFiniteForward);
    if (in.consecutiveSkips > 0 && (collapses || !in.isLastLossFinite)) {
        const bool cannotHelp = in.isFirstNonFiniteForward || !in.isLastLossFinite;
        const std::string where = in.firstNonFiniteWhere.empty() ? "" : " First non-finite: " + in.firstNonFiniteWhere + ".";
        if (cannotHelp) {
            return {Verdict::Collapsing, Severity::Bad, "Collapsing",
                    "Not a scale problem. " + counted(in.consecutiveSkips, "skip") + " in a row." + where};
        }
        const std::string stuck = in.isDynamic ? "" : " The scale is fixed: every such step is lost.";
        return {Verdict::Collapsing, Severity::Bad, "Skip storm", counted(in.consecutiveSkips, "skip") + " in a row." + stuck + where};
    }
    if (!in.isDynamic) {
        if (in.skippedTotal == 0) return {Verdict::Steady, Severity::Good, "Steady", "All finite. No step skipped."};
        const Severity severity = in.consecutiveSkips > 0 ? Severity::Note : Severity::Good;
        return {
            Verdict::HittingSpike, severity, "Fixed scale",
            std::to_string(in.skippedTotal) + " of " + counted(in.steps, "step") + " skipped: the scale is fixed and these overflowed."};
    }
    if (in.consecutiveSkips > 0 && skipsOnly) {
        return {Verdict::Calibrating, Severity::Good, "Calibrating",
                "Finding a usable scale: " + counted(in.skippedTotal, "skip") + " so far. Normal."};
    }
    if (in.lastSkip >= 0 && in.skippedTotal == in.lastSkip + 1 && in.cleanSteps < in.growthInterval) {
        return {Verdict::Calibrating, Severity::Good, "Calibrating",
                "Probing: " + counted(in.skippedTotal, "skip") + " in the first " + counted(in.steps, "step") + ", normal."};
    }
    const bool justSkipped = in.lastSkip >= 0 && in.cleanSteps < std::min<std::int64_t>(in.growthInterval, 10);
    if (justSkipped) {
        const std::int64_t sinceGrowth = in.lastGrowthBeforeSkip >= 0 ? in.lastSkip - in.lastGrowthBeforeSkip : -1;
        if (sinceGrowth >= 0 && sinceGrowth < in.growthInterval) {
            return {Verdict::Probing, Severity::Good, "Probing", "Tried a larger scale, stepped back. Normal."};
        }
        return {Verdict::HittingSpike, Severity::Note, "Hitting a spike",
                "Step " + std::to_string(in.lastSkip) + " had larger gradients than the scale allows."};
    }
    const std::string total = in.skippedTotal > 0 ? " " + counted(in.skippedTotal, "skip") + " so far." : "";
    return {Verdict::Steady, Severity::Good, "Steady",
            std::to_string(in.cleanSteps) + " of " + std::to_string(in.growthInterval) + " clean steps to the next growth." + total};
}

}  // namespace mantissa
