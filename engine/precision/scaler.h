// SPDX-License-Identifier: Apache-2.0
// Loss scalers as pure state machines: found_inf in, scale out. No clock, no I/O, no memory but their own state.
//
// `none`    the loss is not scaled, and no step is ever skipped.
// `static`  a fixed scale; an overflowing step is skipped.
// `pytorch` torch.amp.GradScaler (torch/amp/grad_scaler.py and the _amp_update_scale_ kernel), hazards included: no floor; growth
//           compares the tracker with `==` and is refused when the product is not finite in fp32; the reciprocal is Inf for scales of
//           2^-128 and below.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mantissa {

/// The `scaler` key of a run. An absent field means the preset's own value.
struct ScalerSettings {
    std::string preset = "none";
    std::optional<double> initScale;
    std::optional<double> growthFactor;
    std::optional<double> backoffFactor;
    std::optional<std::int64_t> growthInterval;
    bool operator==(const ScalerSettings&) const = default;
};

/// What is fixed about a preset: defaults and a sentence for the screen.
struct ScalerPreset {
    std::string_view name;
    std::string_view summary;
    double initScale;
    double growthFactor;
    double backoffFactor;
    std::int64_t growthInterval;
    bool isDynamic;
    bool skipsOnFoundInf;
};
const std::vector<ScalerPreset>& scalerPresets();
const ScalerPreset* scalerPreset(std::string_view name);  // null when unknown

/// A sentence that says what is wrong with the settings, and the key it is about ("growth_factor"); nothing when they are sound.
struct ScalerProblem {
    std::string key;
    std::string sentence;
};
std::optional<ScalerProblem> checkScaler(const ScalerSettings& settings);

enum class ScaleChange : std::uint8_t { Kept, Grown, BackedOff };

class LossScaler {
public:
    /// `settings` must be sound (see checkScaler).
    explicit LossScaler(const ScalerSettings& settings);

    float scale() const { return m_scale; }
    /// float(1 / double(scale)): what gradients are multiplied with. Inf for a scale of 2^-128 or less, as in PyTorch.
    float inverseScale() const;
    bool skipsOnFoundInf() const;
    bool isDynamic() const;
    std::int64_t cleanSteps() const { return m_growthTracker; }  // since the last growth or overflow
    std::int64_t growthInterval() const { return m_growthInterval; }
    const ScalerSettings& settings() const { return m_settings; }

    /// One step's verdict. Call once a step, after the optimizer.
    ScaleChange update(bool foundInf);

    /// Sets the scale by hand; growth tracker untouched, as GradScaler.update(new_scale). Stored as fp32.
    void setScale(double scale);

    /// Live change of settings: same preset keeps scale and tracker; another preset starts from its own initial scale.
    void reconfigure(const ScalerSettings& settings);

private:
    ScalerSettings m_settings;
    const ScalerPreset* m_preset = nullptr;
    double m_growthFactor = 1, m_backoffFactor = 1;
    std::int64_t m_growthInterval = 1;
    float m_scale = 1;
    std::int64_t m_growthTracker = 0;
};

}  // namespace mantissa
