// SPDX-License-Identifier: Apache-2.0
// What was seen of a step's tensors: element classes, magnitudes, lost updates. Plain values; any thread.
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

/// How often a run's tensors are looked at. Off: never. Sampled: at each step whose number is a multiple of kSampledPeriod. Full: at each
/// step. A look covers every element. Blocks: at each step, but of each tensor of some size one block of elements in kStatsPeriod is seen,
/// the next ones at the next step (kernels/stats_operations.h).
enum class Instrumentation : std::uint8_t { Off, Sampled, Full, Blocks };
std::string_view instrumentationName(Instrumentation level);  // "off", "sampled", "full", "blocks"

/// So many that sampled looks cost a few hundredths of a step at most: `mantissa bench diagnosis`.
inline constexpr std::int64_t kSampledPeriod = 32;

constexpr bool looksAt(Instrumentation level, std::int64_t step) {
    return level == Instrumentation::Sampled ? step % kSampledPeriod == 0 : level != Instrumentation::Off;
}

/// Statistic: running ones of batch norms. Update: what a weight moved by, weight after - weight before.
enum class TensorRole : std::uint8_t { Value, Gradient, WeightGradient, Update, Weight, Statistic };
std::string_view roleName(TensorRole role);  // "value", "gradient", "weight gradient", ...
constexpr bool isGradient(TensorRole role) {
    return role == TensorRole::Gradient || role == TensorRole::WeightGradient;
}

/// What is counted is what was seen of the tensor: all of it, or classes.count() of its `elements`, and shares are of those.
struct TensorStats {
    std::string tensor;     // "layers.2.output", "layers.0.weight.grad"
    std::string layer;      // "layers.2"
    std::string operation;  // that made it: "linear", "cast"
    std::string phase;      // in which it was made: "forward", "backward", "optimizer"
    TensorRole role = TensorRole::Value;
    Dtype storage = Dtype::F32;
    bool isScaled = false;  // carries the loss scale
    std::int64_t elements = 0;
    ElementClasses classes;
    double smallest = 0;  // magnitude of a finite element other than 0; 0: there is none
    double passed = 0;    // of a cross-entropy's gradient: the magnitude at a label's log-probability, which is stored nowhere
    Histogram magnitudes;
    Sketch sketch;                     // of its elements; empty unless a watched run sends sketches
    std::int64_t meant = 0, lost = 0;  // of an update: elements that the step meant to move, and those that stayed as they were

    bool isPartial() const { return classes.count() < elements; }
    /// The largest magnitude that its format had to hold.
    double largest() const { return std::max(classes.absMax, passed); }
    bool operator==(const TensorStats&) const = default;
};

/// Of one step, in the order in which the tensors were made; of several micro-batches, the last one's.
struct StepStats {
    std::int64_t step = 0;
    double lossScale = 1;  // that scaled gradients carry, divided among the micro-batches
    std::vector<TensorStats> tensors;
    /// Weight gradients of a watched run were counted before they were clipped; else as the optimizer got them.
    bool isBeforeClipping = false;

    /// Whether there are tensors of which only a part was seen: then the largest element, or one that is not finite, may be elsewhere.
    bool isPartial() const;
    bool operator==(const StepStats&) const = default;
};

}  // namespace mantissa
