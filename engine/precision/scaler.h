// SPDX-License-Identifier: Apache-2.0
// Loss scalers as pure state machines: what the check of a step's gradients found in, the next scale out. No clock, no I/O.
//
// A preset is a row of values and of named rules (scaler_presets.cpp), each as its framework has it, hazards included; what the rules do is
// kernels/loss_scale.h's, the same on a device. Scales are fp32 or Python floats, as the framework has them (ScaleArithmetic).
// What counts as an overflow is each framework's own test too (kernels/backend.h has them).
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/precision/log_max.h"
#include "kernels/loss_scale.h"

namespace mantissa {

enum class OverflowTest : std::int32_t;

/// The `scaler` key of a run. An absent field means the preset's own value.
struct ScalerSettings {
    std::string preset = "none";
    std::optional<double> initScale;
    std::optional<double> growthFactor;
    std::optional<double> backoffFactor;
    std::optional<std::int64_t> growthInterval;
    std::optional<double> minScale;
    std::optional<double> maxScale;
    std::optional<std::int64_t> hysteresis;
    bool operator==(const ScalerSettings&) const = default;
};

enum class ScalerKind : std::uint8_t {
    Unscaled,  // no scale, and no step is ever skipped
    Fixed,
    Backoff,  // grows after clean steps, backs off at overflows
    LogMax,   // follows a statistic of log2(max |gradient|)
};

/// A scaler's numbers and rules. The numbers' defaults are those of a scaler that does nothing.
struct ScalerPreset {
    std::string_view name;
    std::string_view summary;  // a sentence for the screen
    ScalerKind kind = ScalerKind::Backoff;
    double initScale = 1;
    double growthFactor = 1;
    double backoffFactor = 1;
    std::int64_t growthInterval = 0;                            // clean steps; 0: growth does not go by steps
    double minScale = 0;                                        // a backoff ends here; 0: no floor
    double maxScale = std::numeric_limits<double>::infinity();  // growth, and the first scale, end here
    std::int64_t hysteresis = 1;  // the first hysteresis - 1 overflows are skipped without backing off, until the next refill
    HysteresisRefill refill = HysteresisRefill::Never;
    GrowthTest growthTest = GrowthTest::Equals;
    ScaleArithmetic arithmetic = ScaleArithmetic::Fp32;
    bool dividesAtBackoff = false;         // by 1 / backoffFactor, else it multiplies by backoffFactor
    bool takesAnyBackoff = false;          // a backoff factor of 0 or less too
    bool refusesInfinity = false;          // a growth that would leave fp32 is not made
    OverflowTest overflowTest{};           // any scaled gradient that is not finite
    bool stopsAtFloor = false;             // an overflow at the floor ends the run
    std::optional<double> stopScale = {};  // a backoff to this or less ends the run, at the scale before it

    bool isDynamic() const { return kind == ScalerKind::Backoff || kind == ScalerKind::LogMax; }
    bool skipsOnFoundInf() const { return kind != ScalerKind::Unscaled; }
    /// The scale of the first step.
    double firstScale() const { return initScale < maxScale ? initScale : maxScale; }
    /// What a backoff divides by; 0: it multiplies by backoffFactor. Frameworks that divide have one factor for both directions, so
    /// backoffFactor = 1 / growthFactor stands for growthFactor itself.
    double backoffDivisor() const;
    /// Whether the preset can be given this key of the `scaler` object ("growth_factor"), or would ignore it.
    bool takes(std::string_view key) const;
};
const std::vector<ScalerPreset>& scalerPresets();
const ScalerPreset* scalerPreset(std::string_view name);  // null when unknown

/// What a policy is trained with when no scaler was chosen: PyTorch's for `fp16`, none for everything else. `auto` is first resolved.
ScalerSettings defaultScaler(std::string_view policy);

/// The preset with the numbers that the settings give in place of its own; for an unknown name one that does nothing.
ScalerPreset scalerInForce(const ScalerSettings& settings);

/// A sentence that says what is wrong with the settings, and the key it is about ("growth_factor"); nothing when they are sound.
struct ScalerProblem {
    std::string key;
    std::string sentence;
};
std::optional<ScalerProblem> checkScaler(const ScalerSettings& settings);

/// What the check of one step's gradients found.
struct GradientCheck {
    bool foundInf = false;
    float absMax = 1;  // the largest |unscaled gradient|; only LogMax looks at it
};

enum class ScaleChange : std::uint8_t { Kept, Grown, BackedOff };

/// By magnitude: a negative backoff factor changes the sign.
ScaleChange scaleChange(float before, float after);

class LossScaler {
public:
    /// `settings` must be sound (see checkScaler).
    explicit LossScaler(const ScalerSettings& settings);

    /// What the loss is multiplied with; rulesState() has the scale itself, which may be beyond fp32.
    float scale() const { return scaleOfLoss(m_state); }
    float inverseScale() const { return inverseOfScale(m_state); }
    bool skipsOnFoundInf() const { return m_scaler.skipsOnFoundInf(); }
    OverflowTest overflowTest() const { return m_scaler.overflowTest; }
    bool isDynamic() const { return m_scaler.isDynamic(); }
    /// Clean steps towards the next growth, which is due when they reach the interval.
    std::int64_t cleanSteps() const;
    const ScalerSettings& settings() const { return m_settings; }

    /// One step's verdict. Call once a step, after the optimizer.
    ScaleChange update(const GradientCheck& check);

    /// The rules as a device follows them by itself; nothing for those that it does not (LogMax).
    std::optional<BackoffRules> rules() const;
    const LossScaleState& rulesState() const { return m_state; }
    /// Takes over what a device has come to.
    void follow(const LossScaleState& state);

    /// Why the framework ends the run here, in a clause; nothing while it goes on.
    std::optional<std::string> stopReason() const;

    /// Sets the scale by hand; counts untouched, as GradScaler.update(new_scale). Stored as the framework stores it.
    void setScale(double scale);

    /// Live change of settings. Within a preset scale and counts go on (a fixed scale follows its initial scale); another preset begins
    /// from its own initial scale.
    void reconfigure(const ScalerSettings& settings);

    /// What it remembers between two steps, beside its settings; a scaler that has ended its run is not restored.
    struct State {
        double scale = 1;
        std::int64_t growthTracker = 0;
        std::int64_t hysteresisLeft = 1;
        LogMax::State logMax{};
        float ofLoss() const { return static_cast<float>(scale); }
    };
    State state() const { return {m_state.scale, m_state.growthTracker, m_state.hysteresisLeft, m_logMax.state()}; }
    void restore(const State& state);

private:
    ScalerSettings m_settings;
    ScalerPreset m_scaler;  // in force
    LossScaleState m_state;
    LogMax m_logMax;
};

}  // namespace mantissa
