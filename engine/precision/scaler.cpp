// SPDX-License-Identifier: Apache-2.0
// The state machine of all presets; scaler_presets.cpp has their differences.
#include "engine/precision/scaler.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

namespace mantissa {
namespace {

constexpr double kKeep = 0.99, kSlowKeep = 0.999;
constexpr float kDeviations = 3.09f;  // of a normal variable: exceeded once in a thousand
constexpr float kLogMax = 16;         // about log2 of the largest fp16 number

void decay(float& average, double keep, float x) {
    average = static_cast<float>(keep) * average + static_cast<float>(1 - keep) * x;
}

std::string numberText(double number) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", number);
    return text;
}

/// Not inlined: GCC 12 vectorises adjacent conditional conversions and omits the rounding.
[[gnu::noinline]] double narrowed(double value) {
    return static_cast<double>(static_cast<float>(value));
}

}  // namespace

ScaleChange scaleChange(float before, float after) {
    const float from = std::abs(before), to = std::abs(after);
    return to > from ? ScaleChange::Grown : to < from ? ScaleChange::BackedOff : ScaleChange::Kept;
}

float LogMax::propose(bool foundInf, float absMax) {
    auto& [mean, slowMean, square, bias, slowBias] = m_state;
    // the source uses 2^16 for x, though 16 must be meant: one overflow then keeps the scale at its minimum for hundreds of steps
    const float x = foundInf || !std::isfinite(absMax) ? std::exp2(kLogMax) : std::log(absMax) / std::log(2.0f);
    decay(mean, kKeep, x);
    decay(slowMean, kSlowKeep, x);
    decay(square, kSlowKeep, x * x);
    bias *= static_cast<float>(kKeep);
    slowBias *= static_cast<float>(kSlowKeep);
    const float unbiasedMean = mean / (1 - bias);
    const float unbiasedSlowMean = slowMean / (1 - slowBias);
    const float variance = square / (1 - slowBias) - unbiasedSlowMean * unbiasedSlowMean;
    const float deviation = std::sqrt(variance < 0 ? 0 : variance);  // NaN stays NaN
    return std::exp2(kLogMax - (deviation * kDeviations + unbiasedMean));
}

LossScaler::LossScaler(const ScalerSettings& settings) {
    reconfigure(settings);
}

void LossScaler::reconfigure(const ScalerSettings& settings) {
    const ScalerPreset before = std::exchange(m_scaler, resolvedScaler(settings));
    const bool isAnother = m_scaler.name != before.name;
    m_settings = settings;
    if (isAnother) {
        m_state = {.hysteresisLeft = m_scaler.hysteresis};
        m_logMax = {};
    }
    const bool isRestated = m_scaler.kind == ScalerKind::Fixed && m_scaler.initScale != before.initScale;
    if (isAnother || isRestated) setScale(m_scaler.firstScale());
}

void LossScaler::restore(const State& state) {
    m_state = {.scale = state.scale, .growthTracker = state.growthTracker, .hysteresisLeft = state.hysteresisLeft};
    m_logMax.restore(state.logMax);
}

std::optional<BackoffRules> LossScaler::rules() const {
    if (m_scaler.kind == ScalerKind::LogMax) return std::nullopt;
    const auto scaleAsStored = [&](double scale) { return m_scaler.arithmetic == ScaleArithmetic::Double ? scale : narrowed(scale); };
    const auto factorAsStored = [&](double factor) { return m_scaler.arithmetic == ScaleArithmetic::Fp32 ? narrowed(factor) : factor; };
    return BackoffRules{.isDynamic = m_scaler.kind == ScalerKind::Backoff,
                        .arithmetic = m_scaler.arithmetic,
                        .growthFactor = factorAsStored(m_scaler.growthFactor),
                        .backoffFactor = factorAsStored(m_scaler.backoffFactor),
                        .backoffDivisor = factorAsStored(m_scaler.backoffDivisor()),
                        .growthInterval = m_scaler.growthInterval,
                        .minScale = m_scaler.minScale > 0 ? scaleAsStored(m_scaler.minScale) : -std::numeric_limits<double>::infinity(),
                        .maxScale = scaleAsStored(m_scaler.maxScale),
                        .hysteresis = m_scaler.hysteresis,
                        .refill = m_scaler.refill,
                        .growthTest = m_scaler.growthTest,
                        .refusesInfinity = m_scaler.refusesInfinity,
                        .stopsAtFloor = m_scaler.stopsAtFloor,
                        .hasStopScale = m_scaler.stopScale.has_value(),
                        .stopScale = m_scaler.stopScale.value_or(0)};
}

void LossScaler::follow(const LossScaleState& state) {
    m_state = state;
}

ScaleChange LossScaler::update(const GradientCheck& check) {
    const float before = scale();
    if (const auto backoff = rules()) {
        advanceLossScale(*backoff, m_state, check.foundInf);
    } else {
        const float proposed = m_logMax.propose(check.foundInf, check.absMax);
        setScale(std::clamp(static_cast<double>(proposed), m_scaler.minScale, m_scaler.maxScale));  // NaN stays NaN
    }
    return scaleChange(before, scale());
}

std::optional<std::string> LossScaler::stopReason() const {
    const std::string name(m_scaler.name);
    switch (m_state.stop) {
        case ScaleStop::AtFloor:
            return "a step overflowed at the smallest loss scale, " + numberText(m_scaler.minScale) + ", where " + name + " stops";
        case ScaleStop::AtStopScale:
            return "an overflow would bring the loss scale to " + numberText(m_scaler.stopScale.value_or(0)) + " or less, where " + name +
                   " stops";
        case ScaleStop::GoesOn:
            break;
    }
    return std::nullopt;
}

std::int64_t LossScaler::cleanSteps() const {
    const std::int64_t tracker = m_state.growthTracker;
    switch (m_scaler.growthTest) {
        case GrowthTest::Equals:
        case GrowthTest::Reaches:
        case GrowthTest::EqualsOrWraps:
            return tracker;
        case GrowthTest::OneLater:  // the first one only starts the count
            return std::max<std::int64_t>(tracker - 1, 0);
        case GrowthTest::Multiples:
            return tracker % m_scaler.growthInterval;
        case GrowthTest::MultiplesOneLater:
            return std::max<std::int64_t>(tracker - 1, 0) % m_scaler.growthInterval;
    }
    return 0;
}

void LossScaler::setScale(double scale) {
    m_state.scale = storedScale(m_scaler.arithmetic, scale);
}

}  // namespace mantissa
