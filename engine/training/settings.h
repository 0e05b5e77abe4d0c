// SPDX-License-Identifier: Apache-2.0
// Everything that determines a run, as plain values. Defaults are PyTorch's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/data/dataset.h"
#include "engine/models/model.h"
#include "engine/precision/policy.h"
#include "engine/precision/scaler.h"
#include "engine/training/schedule.h"

namespace mantissa {

struct OptimizerSettings {
    std::string kind = "adamw";  // adamw adam sgd lion muon
    double lr = 1e-3;
    double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
    double weightDecay = 0.01;  // adamw's default; the others' is 0
    std::string decay = "all";  // all or matrices, without biases and norm weights
    double momentum = 0, dampening = 0;
    bool nesterov = false;
    ScheduleSettings schedule;
    std::string stateDtype = "weights";  // of moments: as the weights are stored, or fp32 bf16 fp16
    // Muon's; it updates hidden matrices, and AdamW updates the rest
    std::int64_t nsSteps = 5;
    std::string nsDtype = "bf16";                // of the Newton-Schulz iteration: fp32 tf32 bf16 fp16
    std::string adjustLrFn = "match_rms_adamw";  // the factor of the rate by a matrix's shape; or original, spectral_unclamped
    bool operator==(const OptimizerSettings&) const = default;

    /// Whether it divides by the root of second moments: Adam, AdamW, and AdamW beside Muon.
    bool hasSecondMoments() const { return kind == "adam" || kind == "adamw" || kind == "muon"; }
    /// The format of the moments under the named policy.
    Dtype stateFormat(std::string_view policy) const {
        if (stateDtype != "weights") return dtypeFromName(stateDtype).value_or(Dtype::F32);
        return isPure(policy) ? productDtypes(policy).front() : Dtype::F32;
    }
};

struct InitSettings {
    std::uint64_t seed = 1;
    std::string weights;  // path of a .safetensors file, or "bundled:NAME"; empty: drawn from the seed
    bool operator==(const InitSettings&) const = default;
};

/// A fault injected into one step: `value` replaces one element of a tensor right after the instruction that makes it. Tensors have the
/// names of a plan's buffers: "layers.2.output", "layers.2.output.grad", "layers.2.weight as fp16".
struct TensorInjection {
    std::string tensor;
    float value = 0;                      // rounded to the tensor's format; may become infinite
    std::optional<std::int64_t> element;  // nothing: the middle one
    bool operator==(const TensorInjection&) const = default;
};

struct LossSettings {
    std::string logits = "autocast";  // the format of cross-entropy: by the autocast list, or fp32 as with logits.float()
    bool operator==(const LossSettings&) const = default;
};

struct TrainingSettings {
    DataSettings data;
    ModelSettings model;
    LossSettings loss;
    InitSettings init;
    OptimizerSettings optimizer;
    std::optional<double> clipGradNorm;
    std::string unscale = "before_clip";  // after_clip: the wrong order, which clips scaled gradients
    bool zeroGrad = true;                 // false: a common mistake; gradients accumulate over steps
    std::int64_t accumulate = 1;          // micro-batches per step
    std::int64_t steps = 2000;
    std::int64_t validationInterval = 100;  // steps from one validation to the next
    double validationEpochs = 0;            // if above 0, epochs instead
    std::int64_t sampleTokens = 200;        // of the text that a language model generates at each validation
    PrecisionSettings precision;
    std::string evalPrecision;  // policy for validation; empty: that of training, with overrides
    ScalerSettings scaler;
    bool operator==(const TrainingSettings&) const = default;
};

/// Live changes that are not settings: the present loss scale, and resets of running statistics and of the loss scaler to its preset's
/// defaults.
inline constexpr const char *kScalePointer = "/scaler/scale", *kResetStatisticsPointer = "/reset/statistics",
                            *kResetScalerPointer = "/reset/scaler";

/// Returns the shape of data that a model must fit.
inline DataShape shapeOf(const Dataset& data) {
    const bool isTokens = data.kind == DataKind::Tokens;
    return {.features = data.features,
            .classes = isTokens ? data.tokens.vocabulary.size() : data.classes,
            .targets = data.targets,
            .height = data.image.height,
            .width = data.image.width,
            .channels = data.image.channels,
            .context = isTokens ? data.tokens.context : 0,
            .validationCount = data.validationCount()};
}

}  // namespace mantissa
