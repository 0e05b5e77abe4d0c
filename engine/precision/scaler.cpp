// SPDX-License-Identifier: Apache-2.0
// The state machine that all presets share; what differs between them is in scaler_presets.cpp.
#include "engine/precision/scaler.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace mantissa {
namespace {

float times(float scale, double factor) {
    return static_cast<float>(static_cast<double>(scale) * factor);
}

std::string numberText(double number) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", number);
    return text;
}

struct GrowthCount {
    bool isDue = false;
    std::int64_t tracker = 0;
};

/// One clean step more on the framework's own counter.
GrowthCount counted(GrowthTest test, std::int64_t tracker, std::int64_t interval) {
    const std::int64_t k = tracker + 1;
    const auto resetWhen = [k](bool isDue) { return GrowthCount{isDue, isDue ? 0 : k}; };
    switch (test) {
        case GrowthTest::Equals:
            return resetWhen(k == interval);
        case GrowthTest::Reaches:
            return resetWhen(k >= interval);
        case GrowthTest::EqualsOrWraps:
            return {k == interval, k % interval};
        case GrowthTest::OneLater:
            return resetWhen(k == interval + 1);
        case GrowthTest::Multiples:
            return {k % interval == 0, k};
        case GrowthTest::MultiplesOneLater:
            return {k > 1 && (k - 1) % interval == 0, k};
    }
    return {};
}

}  // namespace

LossScaler::LossScaler(const ScalerSettings& settings) {
    reconfigure(settings);
}

void LossScaler::reconfigure(const ScalerSettings& settings) {
    const ScalerPreset before = std::exchange(m_scaler, scalerInForce(settings));
    const bool isAnother = m_scaler.name != before.name;
    m_settings = settings;
    if (isAnother) {
        m_growthTracker = 0;
        m_hysteresisLeft = m_scaler.hysteresis;
        m_logMax = {};
        m_stopReason.reset();
    }
    const bool isRestated = m_scaler.kind == ScalerKind::Fixed && m_scaler.initScale != before.initScale;
    if (isAnother || isRestated) m_scale = static_cast<float>(m_scaler.firstScale());
}

void LossScaler::restore(const State& state) {
    m_scale = state.scale;
    m_growthTracker = state.growthTracker;
    m_hysteresisLeft = state.hysteresisLeft;
    m_logMax.restore(state.logMax);
    m_stopReason.reset();
}

float LossScaler::inverseScale() const {
    return static_cast<float>(1.0 / static_cast<double>(m_scale));
}

ScaleChange LossScaler::update(const GradientCheck& check) {
    const float before = m_scale;
    if (m_scaler.kind == ScalerKind::LogMax) {
        const float proposed = m_logMax.propose(check.foundInf, check.absMax);
        m_scale = std::clamp(proposed, static_cast<float>(m_scaler.minScale), static_cast<float>(m_scaler.maxScale));  // NaN stays NaN
    } else if (m_scaler.kind == ScalerKind::Backoff) {
        check.foundInf ? backOff() : countCleanStep();
    }
    return m_scale > before ? ScaleChange::Grown : m_scale < before ? ScaleChange::BackedOff : ScaleChange::Kept;
}

void LossScaler::backOff() {
    m_growthTracker = 0;
    if (m_hysteresisLeft > 1) {
        --m_hysteresisLeft;
        return;
    }
    const auto floor = static_cast<float>(m_scaler.minScale);
    if (m_scaler.stopsAtFloor && m_scale == floor) {
        m_stopReason = "a step overflowed at the smallest loss scale, " + numberText(m_scaler.minScale) + ", where " +
                       std::string(m_scaler.name) + " gives up";
        return;
    }
    const float next = std::max(times(m_scale, m_scaler.backoffFactor), floor);
    if (m_scaler.stopScale && static_cast<double>(next) <= *m_scaler.stopScale) {
        m_stopReason = "an overflow would bring the loss scale to " + numberText(*m_scaler.stopScale) + " or less, where " +
                       std::string(m_scaler.name) + " gives up";
        return;
    }
    m_scale = next;
}

void LossScaler::countCleanStep() {
    const GrowthCount count = counted(m_scaler.growthTest, m_growthTracker, m_scaler.growthInterval);
    m_growthTracker = count.tracker;
    if (count.isDue || m_scaler.refill == HysteresisRefill::OnCleanStep) m_hysteresisLeft = m_scaler.hysteresis;
    if (count.isDue) grow();
}

void LossScaler::grow() {
    const float grown = times(m_scale, m_scaler.growthFactor);
    if (m_scaler.refusesInfinity && !std::isfinite(grown)) return;
    m_scale = std::min(grown, static_cast<float>(m_scaler.maxScale));
}

std::int64_t LossScaler::cleanSteps() const {
    switch (m_scaler.growthTest) {
        case GrowthTest::Equals:
        case GrowthTest::Reaches:
        case GrowthTest::EqualsOrWraps:
            return m_growthTracker;
        case GrowthTest::OneLater:  // the first one only opens the count
            return std::max<std::int64_t>(m_growthTracker - 1, 0);
        case GrowthTest::Multiples:
            return m_growthTracker % m_scaler.growthInterval;
        case GrowthTest::MultiplesOneLater:
            return std::max<std::int64_t>(m_growthTracker - 1, 0) % m_scaler.growthInterval;
    }
    return 0;
}

void LossScaler::setScale(double scale) {
    m_scale = static_cast<float>(scale);
}

}  // namespace mantissa
