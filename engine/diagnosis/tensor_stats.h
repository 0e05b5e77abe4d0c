// SPDX-License-Identifier: Apache-2.0
// Statistics of a step's tensors: element classes, magnitudes, lost updates. Plain values; any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/diagnosis/histogram.h"
#include "engine/diagnosis/sketch.h"
#include "kernels/dtype/element_classes.h"

namespace mantissa {

/// How often a run's tensors are measured. Off: never. Sampled: at each step whose number is a multiple of kSampledPeriod. Full: at each
/// step. Blocks: at each step, but of larger tensors only one block of elements in kStatsPeriod, the next ones at the next step
/// (kernels/stats_operations.h). The others measure every element.
enum class Instrumentation : std::uint8_t { Off, Sampled, Full, Blocks };
std::string_view instrumentationName(Instrumentation level);  // "off", "sampled", "full", "blocks"

/// Steps between sampled statistics, so that they cost at most a few hundredths of a step (`mantissa bench diagnosis`).
inline constexpr std::int64_t kSampledPeriod = 32;

constexpr bool measuresAt(Instrumentation level, std::int64_t step) {
    return level == Instrumentation::Sampled ? step % kSampledPeriod == 0 : level != Instrumentation::Off;
}

/// The role of a tensor. Statistic: a batch norm's running statistic. Update: weight after - weight before the step.
enum class TensorRole : std::uint8_t { Value, Gradient, WeightGradient, Update, Weight, Statistic };
std::string_view roleName(TensorRole role);  // "value", "gradient", "weight gradient", ...
constexpr bool isGradient(TensorRole role) {
    return role == TensorRole::Gradient || role == TensorRole::WeightGradient;
}

/// "FP16".
inline std::string screenName(Dtype dtype) {
    return std::string(facts(dtype).screenName);
}

/// Statistics of one tensor. They count the measured elements, which are classes.count() of `elements`.
struct TensorStats {
    std::string tensor;     // "layers.2.output", "layers.0.weight.grad"
    std::string layer;      // "layers.2"
    std::string operation;  // that wrote it: "linear", "cast"
    std::string phase;      // "forward", "backward", "optimizer"
    TensorRole role = TensorRole::Value;
    Dtype storage = Dtype::F32;
    bool isScaled = false;  // carries the loss scale
    std::int64_t elements = 0;
    ElementClasses classes;
    double smallest = 0;  // smallest magnitude of a nonzero finite element; 0: there is none
    double passed = 0;    // for a cross-entropy's gradient: the magnitude at a label's log-probability, which is not stored
    Histogram magnitudes;
    Sketch sketch;                     // empty unless a watched run sends sketches
    std::int64_t meant = 0, lost = 0;  // for an update: elements with a nonzero update, and those of them that did not change

    bool isPartial() const { return classes.count() < elements; }
    /// The largest finite magnitude, including `passed`.
    double largest() const { return std::max(classes.absMax, passed); }
    bool operator==(const TensorStats&) const = default;
};

/// Statistics of one step's tensors, in order of execution; with micro-batches, of the last one.
struct StepStats {
    std::int64_t step = 0;
    double lossScale = 1;  // of scaled gradients, divided by the number of micro-batches
    std::vector<TensorStats> tensors;
    /// Whether a watched run's weight gradients were measured before clipping; else as the optimizer got them.
    bool isBeforeClipping = false;

    /// Whether a tensor was measured only in part, so that its largest or non-finite elements may be missing.
    bool isPartial() const;
    bool operator==(const StepStats&) const = default;
};

}  // namespace mantissa
