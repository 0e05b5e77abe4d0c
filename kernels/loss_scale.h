// SPDX-License-Identifier: Apache-2.0
// How a loss scale backs off and grows, one step's verdict at a time: the one definition, for host and device. What the frameworks' rules
// are is engine/precision/scaler_presets.cpp's. Scales are fp32: a product is taken in double and narrowed once. Pure; any thread.
#pragma once

#include <cstdint>

#include "kernels/dtype/host_device.h"
#include "kernels/dtype/rounding.h"

namespace mantissa {

/// When a clean step makes the scale grow. `k`: clean steps since the last overflow or growth, this one included.
enum class GrowthTest : std::uint8_t {
    Equals,            // k == interval: a count past a lowered interval never grows
    Reaches,           // k >= interval
    EqualsOrWraps,     // k == interval; the count is kept modulo the interval
    OneLater,          // k == interval + 1: compared before the step is counted
    Multiples,         // clean steps since the last overflow alone: each multiple of the interval
    MultiplesOneLater  // the same, less one: interval + 1, then each interval
};

enum class HysteresisRefill : std::uint8_t { Never, OnGrowth, OnCleanStep };  // Never: there is no hysteresis

struct BackoffRules {
    bool isDynamic = false;  // else the scale stays as it is
    double growthFactor = 1, backoffFactor = 1;
    std::int64_t growthInterval = 0;
    float floor = 0, ceiling = 0;
    std::int64_t hysteresis = 1;
    HysteresisRefill refill = HysteresisRefill::Never;
    GrowthTest growthTest = GrowthTest::Equals;
    bool refusesInfinity = false;
    bool stopsAtFloor = false;
    bool hasStopScale = false;
    double stopScale = 0;  // a backoff to this or less ends the run, at the scale before it
    bool operator==(const BackoffRules&) const = default;
};

enum class ScaleStop : std::int32_t { GoesOn, AtFloor, AtStopScale };

struct LossScaleState {
    float scale = 1;
    ScaleStop stop = ScaleStop::GoesOn;
    std::int64_t growthTracker = 0;   // as the framework counts
    std::int64_t hysteresisLeft = 1;  // overflows up to the one that backs off
};

/// float(1 / double(scale)): what gradients are multiplied with. Inf for a scale of 2^-128 or less, as in PyTorch.
MANTISSA_HD inline float inverseOfScale(float scale) {
    return static_cast<float>(1.0 / static_cast<double>(scale));
}

/// Counts a clean step; true when growth is due.
MANTISSA_HD inline bool countCleanStep(GrowthTest test, std::int64_t interval, std::int64_t& tracker) {
    const std::int64_t k = tracker + 1;
    bool isDue = false;
    tracker = k;
    switch (test) {
        case GrowthTest::Equals:
            isDue = k == interval;
            break;
        case GrowthTest::Reaches:
            isDue = k >= interval;
            break;
        case GrowthTest::EqualsOrWraps:
            tracker = k % interval;
            return k == interval;
        case GrowthTest::OneLater:
            isDue = k == interval + 1;
            break;
        case GrowthTest::Multiples:
            return k % interval == 0;
        case GrowthTest::MultiplesOneLater:
            return k > 1 && (k - 1) % interval == 0;
    }
    if (isDue) tracker = 0;
    return isDue;
}

MANTISSA_HD inline void backOff(const BackoffRules& rules, LossScaleState& state) {
    state.growthTracker = 0;
    if (state.hysteresisLeft > 1) {
        --state.hysteresisLeft;
        return;
    }
    if (rules.stopsAtFloor && state.scale == rules.floor) {
        state.stop = ScaleStop::AtFloor;
        return;
    }
    const auto product = static_cast<float>(static_cast<double>(state.scale) * rules.backoffFactor);
    const float next = product < rules.floor ? rules.floor : product;
    if (rules.hasStopScale && static_cast<double>(next) <= rules.stopScale) {
        state.stop = ScaleStop::AtStopScale;
        return;
    }
    state.scale = next;
}

/// One step's verdict.
MANTISSA_HD inline void advanceLossScale(const BackoffRules& rules, LossScaleState& state, bool foundInf) {
    if (!rules.isDynamic) return;
    if (foundInf) return backOff(rules, state);
    const bool isDue = countCleanStep(rules.growthTest, rules.growthInterval, state.growthTracker);
    if (isDue || rules.refill == HysteresisRefill::OnCleanStep) state.hysteresisLeft = rules.hysteresis;
    if (!isDue) return;
    const auto grown = static_cast<float>(static_cast<double>(state.scale) * rules.growthFactor);
    if (rules.refusesInfinity && !(floatBits(grown) < kFloatInf)) return;
    state.scale = rules.ceiling < grown ? rules.ceiling : grown;
}

}  // namespace mantissa
