// SPDX-License-Identifier: Apache-2.0
// What one step leaves behind, and what a plan weighs. Plain values that cross threads, the wire and files.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mantissa {

/// Facts beside the values, so that a non-finite value is never only a gap.
enum StepFlag : std::uint32_t {
    kFlagSkipped = 1u << 0,
    kFlagFoundInf = 1u << 1,
    kFlagLossNonFinite = 1u << 2,
    kFlagGradNormNonFinite = 1u << 3,
    kFlagScaleGrew = 1u << 4,  // the scaler's update after this step
    kFlagScaleBackedOff = 1u << 5,
    kFlagSettingChanged = 1u << 6,  // a command took effect at this step
    kFlagValidated = 1u << 7,       // the validation columns hold values
    kFlagSwitchedPlan = 1u << 8,    // this step ran on a new plan
};
/// "skipped|found_inf", "" when none: the CSV's last column.
std::string flagsText(std::uint32_t flags);

/// Step k's row. Steps count from 0. Non-finite doubles are data.
struct StepRecord {
    std::int64_t step = 0;
    std::int64_t samples = 0;       // used up so far, this step included; -1: of a watched run, which does not report each number
    double epoch = 0;               // samples / training samples
    double wallSeconds = 0;         // of training in the session, since its start; pauses left out
    double loss = 0;                // unscaled mean over the batch (over all micro-batches)
    double validationLoss = 0;      // with kFlagValidated; after this step
    double validationAccuracy = 0;  // 0..1; NaN where there are no classes
    double lossScale = 1;           // the one used in this step
    std::int64_t skippedTotal = 0;
    double gradNorm = 0;  // global, unscaled, before clipping
    double lr = 0;        // the one used in this step
    double stepMs = 0;
    double samplesPerSecond = 0;
    std::int64_t memoryBytes = 0;
    std::uint32_t flags = 0;

    bool skipped() const { return (flags & kFlagSkipped) != 0; }
    bool validated() const { return (flags & kFlagValidated) != 0; }
    bool hasAccuracy() const { return validated() && !std::isnan(validationAccuracy); }
};

/// Equal to the last bit; one NaN is like another.
inline bool isSameValue(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

/// One operation of a model's forward pass, for people: what it computes in and what it costs.
struct LayerLine {
    std::string layer;      // "transformer.h.0.attn.c_attn"
    std::string operation;  // "linear"
    std::string format;     // that it computes in: "fp16"
    std::int64_t parameters = 0;
    std::int64_t outputBytes = 0;  // of what it makes
    bool operator==(const LayerLine&) const = default;
};

/// What the loss at the end of a model's lines is, for people: "cross-entropy", "mean squared error"; empty where they do not say.
std::string lossName(const std::vector<LayerLine>& layers);

/// Bytes by purpose, known before the first step.
struct MemoryLedger {
    std::int64_t weights = 0, masterWeights = 0, gradients = 0, optimizer = 0, activations = 0, workspace = 0;
    /// Of the workspace, what operations need within themselves. It is the backend's affair and not the format's: on a CPU it is mostly
    /// what the emulation of a format takes.
    std::int64_t scratch = 0;
    std::int64_t withoutScratch() const { return total() - scratch; }
    std::int64_t total() const { return weights + masterWeights + gradients + optimizer + activations + workspace; }
    bool operator==(const MemoryLedger&) const = default;
};

/// What a run's products come to, and what its device could do with them at most. Rates in TFLOP/s, 0: not known.
struct ProductRates {
    std::string format;                // that most of them are computed in: "bf16"
    double flopsPerSample = 0;         // forward and backward
    std::int64_t tokensPerSample = 0;  // of language models
    double peak = 0;                   // of a card, by its maker: dense, with fp32 sums
    double ceiling = 0;                // of one large product, measured on the device
    double tflops(double samplesPerSecond) const { return flopsPerSample * samplesPerSecond / 1e12; }
    bool operator==(const ProductRates&) const = default;
};
/// "5 000 tokens/s, 312 TFLOP/s in bf16 products: 31.5 % of the peak of 989, 41.9 % of the 745 that a large one reaches here";
/// without the share of what is not known, as the peak of a processor is not. Empty without products, and without a speed.
std::string speedText(const ProductRates& rates, double samplesPerSecond);

/// "812 kB planned, 1 203 kB allocated with the data, of the device in use: 3 221 225 kB": the ledger, what the backend has given,
/// what all have taken of the device. Bytes; a negative last one is not known, and left out.
std::string memoryFiguresText(std::int64_t planned, std::int64_t allocated, std::int64_t deviceUsed);

/// The first non-finite tensor of a run, found by repeating the step under audit.
struct FirstNonFinite {
    std::int64_t step = 0;
    std::string layer;      // "layers.2"
    std::string operation;  // "linear", "cross_entropy_grad"
    std::string phase;      // "forward", "backward", "optimizer"
    std::string tensor;     // "layers.2.output"
    std::string cls;        // "+Inf", "-Inf", "NaN"
};

/// The metrics that plots and files share. Other: a quantity that is none of them, known by its name.
enum class Metric : std::uint8_t {
    Loss,
    ValidationLoss,
    ValidationAccuracy,
    LossScale,
    SkippedTotal,
    GradNorm,
    LearningRate,
    StepMs,
    SamplesPerSecond,
    MemoryBytes,
    Other
};
inline constexpr int kMetricCount = 10;  // without Other
/// The key of a metric, which is its column in the CSV: "val_loss"; empty for Other.
std::string_view metricName(Metric metric);

/// A quantity that is no metric of each step.
struct NamedValue {
    std::string name;
    double value = 0;
    bool operator==(const NamedValue&) const = default;
};

/// The record's value for a metric; NaN for the validation metrics of a step that was not validated, for an accuracy where there are no
/// classes, and for Other.
double metricValue(const StepRecord& record, Metric metric);
/// Whether the record has the metric: validation metrics are of some steps only, and a watched run may not report others.
bool hasMetric(const StepRecord& record, Metric metric);

}  // namespace mantissa
