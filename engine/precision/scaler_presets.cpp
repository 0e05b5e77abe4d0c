// SPDX-License-Identifier: Apache-2.0
// The presets: each framework's loss scaler as a row of values and rules, with its source.
#include <cmath>

#include "engine/precision/scaler.h"
#include "kernels/backend.h"

namespace mantissa {
namespace {

constexpr double k2To7 = 1 << 7, k2To15 = 1 << 15, k2To16 = 1 << 16, k2To24 = 1 << 24, k2To32 = 4294967296.0;

std::vector<ScalerPreset> makePresets() {
    std::vector<ScalerPreset> all;
    all.push_back({.name = "none", .summary = "The loss is not scaled, and no step is skipped.", .kind = ScalerKind::Unscaled});
    all.push_back({.name = "static",
                   .summary = "One scale for the whole run; a step that overflows is skipped.",
                   .kind = ScalerKind::Fixed,
                   .initScale = k2To16});
    // torch/amp/grad_scaler.py and the _amp_update_scale_ kernel
    all.push_back({.name = "pytorch",
                   .summary = "torch.amp.GradScaler: doubles after 2 000 clean steps in a row, halves at each overflow, has no floor.",
                   .initScale = k2To16,
                   .growthFactor = 2,
                   .backoffFactor = 0.5,
                   .growthInterval = 2000,
                   .arithmetic = ScaleArithmetic::DoubleThenNarrow,
                   .takesAnyBackoff = true,
                   .refusesInfinity = true});
    // keras/src/optimizers/loss_scale_optimizer.py
    all.push_back({.name = "keras3",
                   .summary = "Keras 3: doubles after 2 000 clean steps in a row, even to infinity; halves at each overflow, even to 0.",
                   .initScale = k2To15,
                   .growthFactor = 2,
                   .backoffFactor = 0.5,
                   .growthInterval = 2000});
    // tf_keras/mixed_precision/loss_scale_optimizer.py
    all.push_back({.name = "tf-keras",
                   .summary = "tf.keras: doubles after 2 000 clean steps in a row, halves at each overflow down to 1, and skips on there.",
                   .initScale = k2To15,
                   .growthFactor = 2,
                   .backoffFactor = 0.5,
                   .growthInterval = 2000,
                   .minScale = 1,
                   .growthTest = GrowthTest::Reaches,
                   .dividesAtBackoff = true,
                   .refusesInfinity = true,
                   .overflowTest = OverflowTest::UnscaledElements});
    // apex/amp/scaler.py (amp was removed in 2025)
    all.push_back({.name = "apex",
                   .summary = "Apex amp: doubles after 2 000 clean steps in a row up to 2^24, halves at each overflow, has no floor.",
                   .initScale = k2To16,
                   .growthFactor = 2,
                   .backoffFactor = 0.5,
                   .growthInterval = 2000,
                   .maxScale = k2To24,
                   .arithmetic = ScaleArithmetic::Double,
                   .dividesAtBackoff = true});
    // megatron/core/optimizer/grad_scaler.py
    all.push_back(
        {.name = "megatron",
         .summary = "Megatron-LM: begins at 2^32, doubles after 1 000 clean steps; the first overflow since then is let pass, each further "
                    "one halves, down to 1.",
         .initScale = k2To32,
         .growthFactor = 2,
         .backoffFactor = 0.5,
         .growthInterval = 1000,
         .minScale = 1,
         .hysteresis = 2,
         .refill = HysteresisRefill::OnGrowth});
    // deepspeed/runtime/fp16/loss_scaler.py, DynamicLossScaler, which ZeRO uses
    all.push_back({.name = "deepspeed",
                   .summary =
                       "DeepSpeed ZeRO: doubles after 1 001 clean steps, then every 1 000; the first overflow since then is let pass, each "
                       "further one halves; one more at 1 ends the run.",
                   .initScale = k2To16,
                   .growthFactor = 2,
                   .backoffFactor = 0.5,
                   .growthInterval = 1000,
                   .minScale = 1,
                   .hysteresis = 2,
                   .refill = HysteresisRefill::OnGrowth,
                   .growthTest = GrowthTest::MultiplesOneLater,
                   .arithmetic = ScaleArithmetic::Double,
                   .dividesAtBackoff = true,
                   .overflowTest = OverflowTest::Sums,
                   .stopsAtFloor = true});
    ScalerPreset consecutive = all.back();
    consecutive.name = "deepspeed-consecutive";
    consecutive.summary = "DeepSpeed ZeRO with consecutive_hysteresis: as deepspeed, but halves only when two steps in a row overflow.";
    consecutive.refill = HysteresisRefill::OnCleanStep;
    all.push_back(consecutive);
    // fairseq/optim/dynamic_loss_scaler.py with the trainer's settings; min_scale is its threshold_loss_scale
    all.push_back({.name = "fairseq",
                   .summary = "fairseq: begins at 2^7, doubles after 16 384 clean steps, halves at each overflow; at 0.0001 the run ends.",
                   .initScale = k2To7,
                   .growthFactor = 2,
                   .backoffFactor = 0.5,
                   .growthInterval = 1 << 14,
                   .growthTest = GrowthTest::Multiples,
                   .arithmetic = ScaleArithmetic::Double,
                   .dividesAtBackoff = true,
                   .overflowTest = OverflowTest::Norm,
                   .stopScale = 1e-4});
    // jmp/_src/loss_scale.py; it has no default first scale, its example starts at 2^15
    all.push_back({.name = "jmp",
                   .summary = "jmp.DynamicLossScale: doubles after 2 000 clean steps in a row, halves at each overflow down to 1.",
                   .initScale = k2To15,
                   .growthFactor = 2,
                   .backoffFactor = 0.5,
                   .growthInterval = 2000,
                   .minScale = 1,
                   .growthTest = GrowthTest::EqualsOrWraps,
                   .dividesAtBackoff = true,
                   .refusesInfinity = true,
                   .overflowTest = OverflowTest::UnscaledElements});  // its README unscales first, and then calls all_finite
    // flax/training/dynamic_scale.py
    all.push_back({.name = "flax",
                   .summary = "flax DynamicScale: doubles after 2 001 clean steps in a row, halves at each overflow; stays within FP32's "
                              "normal numbers.",
                   .initScale = k2To16,
                   .growthFactor = 2,
                   .backoffFactor = 0.5,
                   .growthInterval = 2000,
                   .minScale = static_cast<double>(std::numeric_limits<float>::min()),
                   .maxScale = static_cast<double>(std::numeric_limits<float>::max()),
                   .growthTest = GrowthTest::OneLater,
                   .takesAnyBackoff = true,
                   .overflowTest = OverflowTest::UnscaledElements});
    // open_seq2seq/optimizers/automatic_loss_scaler.py
    all.push_back({.name = "logmax",
                   .summary = "OpenSeq2Seq LogMax: sets the scale at every step so that, by the spread of the largest gradient so far, one "
                              "step in a thousand overflows.",
                   .kind = ScalerKind::LogMax,
                   .initScale = 1,
                   .minScale = 1,
                   .maxScale = k2To24});
    return all;
}

/// Returns why `preset` does not accept `key`.
std::string whyIgnored(const ScalerPreset& preset, std::string_view key) {
    const std::string name = "preset '" + std::string(preset.name) + "' ";
    switch (preset.kind) {
        case ScalerKind::Unscaled:
            return name + "has no scale";
        case ScalerKind::Fixed:
            return name + "never changes its scale";
        case ScalerKind::LogMax:
            return name + "has no " + std::string(key) + ", its scale follows the largest gradients";
        case ScalerKind::Backoff:
            break;
    }
    return name + "backs off at each overflow, it has no " + std::string(key);
}

bool isPositive(double x) {
    return std::isfinite(x) && x > 0;
}

}  // namespace

double ScalerPreset::backoffDivisor() const {
    if (!dividesAtBackoff) return 0;
    return backoffFactor == 1 / growthFactor ? growthFactor : 1 / backoffFactor;
}

bool ScalerPreset::takes(std::string_view key) const {
    const bool isBound = key == "min_scale" || key == "max_scale";
    switch (kind) {
        case ScalerKind::Unscaled:
            return false;
        case ScalerKind::Fixed:
            return key == "init_scale";
        case ScalerKind::LogMax:
            return key == "init_scale" || isBound;
        case ScalerKind::Backoff:
            return key != "hysteresis" || refill != HysteresisRefill::Never;
    }
    return false;
}

const std::vector<ScalerPreset>& scalerPresets() {
    static const std::vector<ScalerPreset> kPresets = makePresets();
    return kPresets;
}

const ScalerPreset* scalerPreset(std::string_view name) {
    for (const ScalerPreset& preset : scalerPresets()) {
        if (preset.name == name) return &preset;
    }
    return nullptr;
}

ScalerSettings defaultScaler(std::string_view policy) {
    return {.preset = policy == "fp16" ? "pytorch" : "none"};
}

ScalerPreset resolvedScaler(const ScalerSettings& settings) {
    const ScalerPreset* preset = scalerPreset(settings.preset);
    ScalerPreset scaler = preset != nullptr ? *preset : ScalerPreset{.kind = ScalerKind::Unscaled};
    scaler.initScale = settings.initScale.value_or(scaler.initScale);
    scaler.growthFactor = settings.growthFactor.value_or(scaler.growthFactor);
    scaler.backoffFactor = settings.backoffFactor.value_or(scaler.backoffFactor);
    scaler.growthInterval = settings.growthInterval.value_or(scaler.growthInterval);
    scaler.minScale = settings.minScale.value_or(scaler.minScale);
    scaler.maxScale = settings.maxScale.value_or(scaler.maxScale);
    scaler.hysteresis = settings.hysteresis.value_or(scaler.hysteresis);
    return scaler;
}

std::optional<ScalerProblem> checkScaler(const ScalerSettings& settings) {
    const ScalerPreset* preset = scalerPreset(settings.preset);
    if (preset == nullptr) return ScalerProblem{"preset", "'" + settings.preset + "' is not a scaler preset"};
    const std::pair<const char*, bool> given[] = {
        {"init_scale", settings.initScale.has_value()},         {"growth_factor", settings.growthFactor.has_value()},
        {"backoff_factor", settings.backoffFactor.has_value()}, {"growth_interval", settings.growthInterval.has_value()},
        {"min_scale", settings.minScale.has_value()},           {"max_scale", settings.maxScale.has_value()},
        {"hysteresis", settings.hysteresis.has_value()}};
    for (const auto& [key, isGiven] : given) {  // a key that the preset ignores is an error
        if (isGiven && !preset->takes(key)) return ScalerProblem{key, whyIgnored(*preset, key)};
    }
    const std::pair<const char*, std::optional<double>> scales[] = {
        {"init_scale", settings.initScale}, {"min_scale", settings.minScale}, {"max_scale", settings.maxScale}};
    for (const auto& [key, scale] : scales) {
        if (scale && !isPositive(*scale)) return ScalerProblem{key, "must be a positive number"};
    }
    if (settings.growthFactor && !(isPositive(*settings.growthFactor) && *settings.growthFactor > 1)) {
        return ScalerProblem{"growth_factor", "must be greater than 1"};
    }
    const bool takesAnyBackoff = preset->takesAnyBackoff;
    if (const auto factor = settings.backoffFactor; factor && !(*factor < 1 && (takesAnyBackoff ? std::isfinite(*factor) : *factor > 0))) {
        return ScalerProblem{"backoff_factor", takesAnyBackoff ? "must be a number less than 1" : "must lie between 0 and 1"};
    }
    if (settings.growthInterval && *settings.growthInterval < 1) return ScalerProblem{"growth_interval", "must be at least 1"};
    if (settings.hysteresis && *settings.hysteresis < 1) return ScalerProblem{"hysteresis", "must be at least 1"};
    const ScalerPreset scaler = resolvedScaler(settings);
    if (scaler.minScale > scaler.maxScale) {
        return ScalerProblem{settings.minScale ? "min_scale" : "max_scale", "the smallest scale would be above the largest"};
    }
    return std::nullopt;
}

}  // namespace mantissa
