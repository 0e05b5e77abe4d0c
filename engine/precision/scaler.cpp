// SPDX-License-Identifier: Apache-2.0
#include "engine/precision/scaler.h"

#include <cmath>

namespace mantissa {

const std::vector<ScalerPreset>& scalerPresets() {
    static const std::vector<ScalerPreset> kPresets{
        {"none", "The loss is not scaled, and no step is skipped.", 1, 1, 1, 1, false, false},
        {"static", "One scale for the whole run; a step that overflows is skipped.", 65536, 1, 1, 1, false, true},
        {"pytorch", "torch.amp.GradScaler: doubles after 2 000 clean steps in a row, halves at each overflow, has no floor.", 65536, 2, 0.5,
         2000, true, true},
    };
    return kPresets;
}

const ScalerPreset* scalerPreset(std::string_view name) {
    for (const ScalerPreset& preset : scalerPresets()) {
        if (preset.name == name) return &preset;
    }
    return nullptr;
}

std::optional<ScalerProblem> checkScaler(const ScalerSettings& settings) {
    const ScalerPreset* preset = scalerPreset(settings.preset);
    if (preset == nullptr) return ScalerProblem{"preset", "'" + settings.preset + "' is not a scaler preset"};
    // a key that the preset would ignore is a mistake, not a wish
    if (preset->name == "none" && settings.initScale) return ScalerProblem{"init_scale", "preset 'none' has no scale"};
    if (!preset->isDynamic) {
        const std::string fixed = "preset '" + settings.preset + "' never changes its scale";
        if (settings.growthFactor) return ScalerProblem{"growth_factor", fixed};
        if (settings.backoffFactor) return ScalerProblem{"backoff_factor", fixed};
        if (settings.growthInterval) return ScalerProblem{"growth_interval", fixed};
    }
    const auto isPositive = [](double x) { return std::isfinite(x) && x > 0; };
    if (settings.initScale && !isPositive(*settings.initScale)) return ScalerProblem{"init_scale", "must be a positive number"};
    if (settings.growthFactor && !(isPositive(*settings.growthFactor) && *settings.growthFactor > 1)) {
        return ScalerProblem{"growth_factor", "must be greater than 1"};
    }
    if (settings.backoffFactor && !(isPositive(*settings.backoffFactor) && *settings.backoffFactor < 1)) {
        return ScalerProblem{"backoff_factor", "must lie between 0 and 1"};
    }
    if (settings.growthInterval && *settings.growthInterval < 1) return ScalerProblem{"growth_interval", "must be at least 1"};
    return std::nullopt;
}

LossScaler::LossScaler(const ScalerSettings& settings) {
    reconfigure(settings);
}

void LossScaler::reconfigure(const ScalerSettings& settings) {
    const ScalerPreset* before = m_preset;
    m_settings = settings;
    m_preset = scalerPreset(settings.preset);
    m_growthFactor = settings.growthFactor.value_or(m_preset->growthFactor);
    m_backoffFactor = settings.backoffFactor.value_or(m_preset->backoffFactor);
    m_growthInterval = settings.growthInterval.value_or(m_preset->growthInterval);
    if (m_preset != before) {
        m_scale = static_cast<float>(settings.initScale.value_or(m_preset->initScale));
        m_growthTracker = 0;
    }
}

float LossScaler::inverseScale() const {
    return static_cast<float>(1.0 / static_cast<double>(m_scale));
}
bool LossScaler::skipsOnFoundInf() const {
    return m_preset->skipsOnFoundInf;
}
bool LossScaler::isDynamic() const {
    return m_preset->isDynamic;
}

ScaleChange LossScaler::update(bool foundInf) {
    if (!m_preset->isDynamic) return ScaleChange::Kept;
    if (foundInf) {
        m_scale = static_cast<float>(static_cast<double>(m_scale) * m_backoffFactor);
        m_growthTracker = 0;
        return ScaleChange::BackedOff;
    }
    m_growthTracker += 1;
    if (m_growthTracker != m_growthInterval) return ScaleChange::Kept;  // `==` in the source: a tracker past a lowered interval never grows
    m_growthTracker = 0;
    const auto grown = static_cast<float>(static_cast<double>(m_scale) * m_growthFactor);
    if (!std::isfinite(grown)) return ScaleChange::Kept;
    m_scale = grown;
    return ScaleChange::Grown;
}

void LossScaler::setScale(double scale) {
    m_scale = static_cast<float>(scale);
}

}  // namespace mantissa
