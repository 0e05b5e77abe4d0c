// SPDX-License-Identifier: Apache-2.0
#include "engine/diagnosis/race.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mantissa {
namespace {

/// Reasons why a scaler is out of the race. A scale of 0 turns all gradients into NaN at unscaling, which no test can detect.
constexpr const char* kFallenToZero = "the loss scale has fallen to 0, and what is divided by it is NaN";
constexpr const char* kNothingSkips = "a step overflows that nothing skips, and the weights are not finite from there on";

}  // namespace

RacedScaler raced(std::span<const StepThreshold> thresholds, const ScalerSettings& settings) {
    RacedScaler result{.settings = settings};
    LossScaler scaler(settings);
    std::int64_t row = 0, measured = 0;
    double headroom = 0;
    const auto endAt = [&](std::int64_t step, const std::string& reason) {
        result.endStep = step;
        result.endReason = reason;
    };
    for (const StepThreshold& threshold : thresholds) {
        const float scale = scaler.scale();
        if (scale == 0) {
            endAt(threshold.step, kFallenToZero);
            break;
        }
        result.scales.push_back(scale);
        const double magnitude = std::abs(static_cast<double>(scale));  // a negative backoff factor changes the sign
        const bool foundInf = !threshold.staysFiniteAt(magnitude);
        if (foundInf && !scaler.skipsOnFoundInf()) {
            endAt(threshold.step, kNothingSkips);
            break;
        }
        row = foundInf ? row + 1 : 0;
        result.longestRow = std::max(result.longestRow, row);
        if (foundInf) result.skipped.push_back(threshold.step);
        if (!foundInf && threshold.flushesAll(magnitude)) ++result.flushedSteps;
        if (!foundInf && threshold.highest < kHighestLossScale) {
            headroom += std::max(0.0, std::log2(threshold.highest / magnitude));
            ++measured;
        }
        scaler.update({foundInf, static_cast<float>(threshold.gradientMax)});
        if (const auto& reason = scaler.stopReason()) {
            endAt(threshold.step, *reason);
            break;
        }
    }
    result.finalScale = static_cast<double>(scaler.scale());
    result.meanHeadroom = measured > 0 ? headroom / static_cast<double>(measured) : std::numeric_limits<double>::quiet_NaN();
    return result;
}

std::vector<ScalerSettings> racingPresets() {
    std::vector<ScalerSettings> settings;
    for (const ScalerPreset& preset : scalerPresets()) {
        if (preset.skipsOnFoundInf()) settings.push_back({.preset = std::string(preset.name)});
    }
    return settings;
}

}  // namespace mantissa
