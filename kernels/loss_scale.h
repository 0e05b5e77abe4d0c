// SPDX-License-Identifier: Apache-2.0
// How a loss scale backs off and grows after each step: one definition, for host and device. The rules of the frameworks are in
// engine/precision/scaler_presets.cpp. Pure; any thread.
#pragma once

#include <cstdint>

#include "kernels/dtype/host_device.h"

namespace mantissa {

/// When a clean step grows the scale. `k`: clean steps since the last overflow or growth, this one included.
enum class GrowthTest : std::uint8_t {
    Equals,            // k == interval: a count past a lowered interval never grows
    Reaches,           // k >= interval
    EqualsOrWraps,     // k == interval; the count is kept modulo the interval
    OneLater,          // k == interval + 1: compared before the step is counted
    Multiples,         // clean steps since the last overflow only: each multiple of the interval
    MultiplesOneLater  // Multiples, one step later: interval + 1, then each interval
};

enum class HysteresisRefill : std::uint8_t { Never, OnGrowth, OnCleanStep };  // Never: there is no hysteresis

/// The types in which a framework stores its scale and factors. A product or quotient is computed in double and rounded to the scale's
/// type; of two fp32 numbers this equals the fp32 result, since the product is exact and the quotient far enough from a tie.
enum class ScaleArithmetic : std::uint8_t {
    DoubleThenNarrow,  // scale fp32, factors double
    Fp32,              // both fp32
    Double             // both double, a Python float: the scale can exceed fp32's range, and training multiplies with its fp32 value
};

/// A loss scaler's parameters, with numbers as the framework stores them.
struct BackoffRules {
    bool isDynamic = false;  // else the scale stays as it is
    ScaleArithmetic arithmetic = ScaleArithmetic::DoubleThenNarrow;
    double growthFactor = 1, backoffFactor = 1;
    double backoffDivisor = 0;  // a divisor used instead of the factor; 0: it multiplies by the factor
    std::int64_t growthInterval = 0;
    double minScale = 0, maxScale = 0;  // -inf, inf: none
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
    double scale = 1;  // an fp32 number if the arithmetic stores it in fp32
    ScaleStop stop = ScaleStop::GoesOn;
    std::int64_t growthTracker = 0;   // as the framework counts
    std::int64_t hysteresisLeft = 1;  // overflows until the next backoff, that one included
};

/// The factor of the loss, in fp32.
MANTISSA_HD inline float scaleOfLoss(const LossScaleState& state) {
    return static_cast<float>(state.scale);
}

/// The factor of the gradients. Inf for a scale of 2^-128 or less, as in PyTorch.
MANTISSA_HD inline float inverseOfScale(const LossScaleState& state) {
    return static_cast<float>(1.0 / state.scale);
}

/// A scale as the framework stores it.
MANTISSA_HD inline double storedScale(ScaleArithmetic arithmetic, double scale) {
    return arithmetic == ScaleArithmetic::Double ? scale : static_cast<double>(static_cast<float>(scale));
}

/// Counts a clean step. Returns true when growth is due.
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
    if (rules.stopsAtFloor && state.scale == rules.minScale) {
        state.stop = ScaleStop::AtFloor;
        return;
    }
    const bool divides = rules.backoffDivisor != 0;
    const double lower = divides ? state.scale / rules.backoffDivisor : state.scale * rules.backoffFactor;
    const double stored = storedScale(rules.arithmetic, lower), next = stored < rules.minScale ? rules.minScale : stored;
    if (rules.hasStopScale && next <= rules.stopScale) {
        state.stop = ScaleStop::AtStopScale;
        return;
    }
    state.scale = next;
}

/// Advances the scale by one step's result.
MANTISSA_HD inline void advanceLossScale(const BackoffRules& rules, LossScaleState& state, bool foundInf) {
    if (!rules.isDynamic) return;
    if (foundInf) return backOff(rules, state);
    const bool isDue = countCleanStep(rules.growthTest, rules.growthInterval, state.growthTracker);
    if (isDue || rules.refill == HysteresisRefill::OnCleanStep) state.hysteresisLeft = rules.hysteresis;
    if (!isDue) return;
    const double grown = storedScale(rules.arithmetic, state.scale * rules.growthFactor);
    if (rules.refusesInfinity && grown - grown != 0) return;  // Inf, NaN
    state.scale = rules.maxScale < grown ? rules.maxScale : grown;
}

}  // namespace mantissa
