// SPDX-License-Identifier: Apache-2.0
// Loss scalers as pure state machines: the input is the check of a step's gradients, the output the next scale. No clock, no I/O.
//
// A preset is a row of values and named rules (scaler_presets.cpp), each as in its framework, including its hazards; kernels/loss_scale.h
// implements the rules, for host and device. Scales are fp32 or Python floats, as in the framework (ScaleArithmetic).
// Each framework also has its own test for an overflow (OverflowTest, kernels/operations.h).
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
    Unscaled,  // no scale; no step is skipped
    Fixed,
    Backoff,  // grows after clean steps, backs off at overflows
    LogMax,   // derived from a statistic of log2(max |gradient|)
};

/// A scaler's values and rules. The default values belong to a scaler without effect.
struct ScalerPreset {
    std::string_view name;
    std::string_view summary;  // a sentence for display
    ScalerKind kind = ScalerKind::Backoff;
    double initScale = 1;
    double growthFactor = 1;
    double backoffFactor = 1;
    std::int64_t growthInterval = 0;                            // clean steps; 0: growth does not depend on steps
    double minScale = 0;                                        // lower bound of a backoff; 0: none
    double maxScale = std::numeric_limits<double>::infinity();  // upper bound of growth and of the first scale
    std::int64_t hysteresis = 1;  // the first hysteresis - 1 overflows are skipped without backing off, until the next refill
    HysteresisRefill refill = HysteresisRefill::Never;
    GrowthTest growthTest = GrowthTest::Equals;
    ScaleArithmetic arithmetic = ScaleArithmetic::Fp32;
    bool dividesAtBackoff = false;         // divides by 1 / backoffFactor instead of multiplying by backoffFactor
    bool takesAnyBackoff = false;          // allows a backoff factor of 0 or less
    bool refusesInfinity = false;          // omits a growth that would leave fp32's range
    OverflowTest overflowTest{};           // any scaled gradient that is not finite
    bool stopsAtFloor = false;             // an overflow at the floor ends the run
    std::optional<double> stopScale = {};  // a backoff to this or less ends the run, at the scale before it

    bool isDynamic() const { return kind == ScalerKind::Backoff || kind == ScalerKind::LogMax; }
    bool skipsOnFoundInf() const { return kind != ScalerKind::Unscaled; }
    /// The scale of the first step.
    double firstScale() const { return initScale < maxScale ? initScale : maxScale; }
    /// The divisor of a backoff; 0: it multiplies by backoffFactor. Frameworks that divide have one factor for both directions, so
    /// backoffFactor = 1 / growthFactor means growthFactor itself.
    double backoffDivisor() const;
    /// Whether the preset uses this key of the `scaler` object ("growth_factor"); otherwise it would be ignored.
    bool takes(std::string_view key) const;
};
const std::vector<ScalerPreset>& scalerPresets();
const ScalerPreset* scalerPreset(std::string_view name);  // null if unknown

/// The scaler of a policy if none was chosen: PyTorch's for `fp16`, none for all others. `auto` must be resolved first.
ScalerSettings defaultScaler(std::string_view policy);

/// The preset with the settings' values instead of its own; for an unknown name one without effect.
ScalerPreset resolvedScaler(const ScalerSettings& settings);

/// An error in the settings: a sentence and the key ("growth_factor").
struct ScalerProblem {
    std::string key;
    std::string sentence;
};
std::optional<ScalerProblem> checkScaler(const ScalerSettings& settings);

/// The result of the check of one step's gradients.
struct GradientCheck {
    bool foundInf = false;
    float absMax = 1;  // the largest |unscaled gradient|; used only by LogMax
};

enum class ScaleChange : std::uint8_t { Kept, Grown, BackedOff };

/// Compares magnitudes: a negative backoff factor changes the sign.
ScaleChange scaleChange(float before, float after);

/// OpenSeq2Seq's LogMaxScaler: models x = log2(max |gradient|) as a normal variable and proposes the scale at which x overflows fp16 once
/// in a thousand steps. Arithmetic in fp32, as in its source, open_seq2seq/optimizers/automatic_loss_scaler.py.
class LogMax {
public:
    /// Adds one step and returns the proposed scale, not clipped. `absMax`: of the unscaled gradients. A step whose largest gradient is 0
    /// has x = -Inf and makes every later proposal NaN; both are as in the source.
    float propose(bool foundInf, float absMax);

    /// The complete state, for `restore`: the running mean of x; slower running means of x and x^2, for the variance; the remaining weights
    /// of the initial zeros in the fast and the slow means.
    using State = std::array<float, 5>;
    const State& state() const { return m_state; }
    void restore(const State& state) { m_state = state; }

private:
    State m_state{0, 0, 0, 1, 1};
};

class LossScaler {
public:
    /// `settings` must be valid (see checkScaler).
    explicit LossScaler(const ScalerSettings& settings);

    /// The factor of the loss; rulesState() has the scale itself, which may exceed fp32.
    float scale() const { return scaleOfLoss(m_state); }
    float inverseScale() const { return inverseOfScale(m_state); }
    bool skipsOnFoundInf() const { return m_scaler.skipsOnFoundInf(); }
    OverflowTest overflowTest() const { return m_scaler.overflowTest; }
    bool isDynamic() const { return m_scaler.isDynamic(); }
    /// Clean steps towards the next growth, which is due when they reach the interval.
    std::int64_t cleanSteps() const;
    const ScalerSettings& settings() const { return m_settings; }

    /// Advances the scale by one step's result. Call once a step, after the optimizer.
    ScaleChange update(const GradientCheck& check);

    /// The rules for a device; nothing if they cannot run on a device (LogMax).
    std::optional<BackoffRules> rules() const;
    const LossScaleState& rulesState() const { return m_state; }
    /// Sets the state that a device has reached.
    void follow(const LossScaleState& state);

    /// Why the framework stops the run at this point, in a clause; nothing if it continues.
    std::optional<std::string> stopReason() const;

    /// Sets the scale manually, without changing counts, as GradScaler.update(new_scale). Stored in the framework's type.
    void setScale(double scale);

    /// Changes settings during training. With an unchanged preset, scale and counts continue (a fixed scale becomes the new initial scale);
    /// another preset begins with its own initial scale.
    void reconfigure(const ScalerSettings& settings);

    /// State between two steps, in addition to the settings; a scaler that has stopped its run is not restored.
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
    ScalerPreset m_scaler;  // resolved
    LossScaleState m_state;
    LogMax m_logMax;
};

}  // namespace mantissa
