// SPDX-License-Identifier: Apache-2.0
// The record of one step, and the memory of a plan. Plain values that cross threads, the wire and files.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mantissa {

/// Flags of a step, so that a non-finite value is never only a gap.
enum StepFlag : std::uint32_t {
    kFlagSkipped = 1u << 0,
    kFlagFoundInf = 1u << 1,
    kFlagLossNonFinite = 1u << 2,
    kFlagGradNormNonFinite = 1u << 3,
    kFlagScaleGrew = 1u << 4,  // the scaler's update after this step
    kFlagScaleBackedOff = 1u << 5,
    kFlagSettingChanged = 1u << 6,  // a command took effect at this step
    kFlagValidated = 1u << 7,       // the validation columns are valid
    kFlagSwitchedPlan = 1u << 8,    // this step ran on a new plan
};
/// "skipped|found_inf", "" if none: the CSV's last column.
std::string flagsText(std::uint32_t flags);

/// The record of one step. Steps are numbered from 0. Non-finite doubles are valid values.
struct StepRecord {
    std::int64_t step = 0;
    std::int64_t samples = 0;       // processed so far, this step included; -1: unknown, in a watched run that does not report each number
    double epoch = 0;               // samples / training samples
    double wallSeconds = 0;         // of training in the session, since its start, without pauses
    double loss = 0;                // unscaled mean over the batch (all micro-batches)
    double validationLoss = 0;      // if kFlagValidated; after this step
    double validationAccuracy = 0;  // 0..1; NaN without classes
    double lossScale = 1;           // used in this step
    std::int64_t skippedTotal = 0;
    double gradNorm = 0;  // global, unscaled, before clipping
    double lr = 0;        // used in this step
    double stepMs = 0;
    double samplesPerSecond = 0;
    std::int64_t memoryBytes = 0;
    std::uint32_t flags = 0;

    bool skipped() const { return (flags & kFlagSkipped) != 0; }
    bool validated() const { return (flags & kFlagValidated) != 0; }
    bool hasAccuracy() const { return validated() && !std::isnan(validationAccuracy); }
};

/// Whether two values are equal to the last bit; all NaNs are equal.
inline bool isSameValue(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

/// One operation of a model's forward pass, for display: its format and its costs.
struct LayerLine {
    std::string layer;      // "transformer.h.0.attn.c_attn"
    std::string operation;  // "linear"
    std::string format;     // compute format: "fp16"
    std::int64_t parameters = 0;
    std::int64_t outputBytes = 0;  // of its result
    bool operator==(const LayerLine&) const = default;
};

/// The name of the loss in a model's lines: "cross-entropy", "mean squared error"; empty if unknown.
std::string lossName(const std::vector<LayerLine>& layers);

/// Memory by purpose in bytes, known before the first step.
struct MemoryLedger {
    std::int64_t weights = 0, masterWeights = 0, gradients = 0, optimizer = 0, activations = 0, workspace = 0;
    /// The part of the workspace that operations use internally. It depends on the backend, not only on the format: on a CPU most of it
    /// serves the emulation of a format.
    std::int64_t scratch = 0;
    std::int64_t withoutScratch() const { return total() - scratch; }
    std::int64_t total() const { return weights + masterWeights + gradients + optimizer + activations + workspace; }
    bool operator==(const MemoryLedger&) const = default;
};

/// The arithmetic of a run's products, and its device's peak rates. Rates in TFLOP/s, 0: unknown.
struct ProductRates {
    std::string format;                // compute format of most products: "bf16"
    double flopsPerSample = 0;         // forward and backward
    std::int64_t tokensPerSample = 0;  // of language models
    double peak = 0;                   // a GPU's, by its manufacturer: dense, with fp32 sums
    double measuredPeak = 0;           // of one large product, measured on the device
    double tflops(double samplesPerSecond) const { return flopsPerSample * samplesPerSecond / 1e12; }
    bool operator==(const ProductRates&) const = default;
};
/// Speed for display: "5 000 tokens/s, 312 TFLOP/s in bf16 products: 31.5 % of the peak of 989, 41.9 % of the 745 that a large one reaches
/// here"; shares of unknown rates, such as a processor's peak, are left out. Empty without products, and without a speed.
std::string speedText(const ProductRates& rates, double samplesPerSecond);

/// Memory for display: "441 kB planned, plus 177 kB of scratch, mostly for emulation; 1 203 kB allocated with the data; 3 221 225 kB in use
/// on the device": the ledger, the run's allocations, and the device memory in use by all processes. Arguments in bytes; a negative
/// `deviceUsed` is unknown, and left out.
std::string memoryFiguresText(const MemoryLedger& planned, bool isEmulated, std::int64_t allocated, std::int64_t deviceUsed);

/// The first non-finite tensor of a run, found by repeating the step under audit.
struct FirstNonFinite {
    std::int64_t step = 0;
    std::string layer;      // "layers.2"
    std::string operation;  // "linear", "cross_entropy_grad"
    std::string phase;      // "forward", "backward", "optimizer"
    std::string tensor;     // "layers.2.output"
    std::string cls;        // "+Inf", "-Inf", "NaN"
};

/// The metrics common to plots and files. Other: any other quantity, identified by its name.
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
/// A metric's key, its column in the CSV: "val_loss"; empty for Other.
std::string_view metricName(Metric metric);

/// A quantity that is not a metric of each step.
struct NamedValue {
    std::string name;
    double value = 0;
    bool operator==(const NamedValue&) const = default;
};

/// The record's value of a metric; NaN for validation metrics of a step without validation, for accuracy without classes, and for Other.
double metricValue(const StepRecord& record, Metric metric);
/// Whether the record has the metric: only some steps have validation metrics, and a watched run may lack others.
bool hasMetric(const StepRecord& record, Metric metric);

}  // namespace mantissa
