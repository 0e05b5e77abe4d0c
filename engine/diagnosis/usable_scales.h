// SPDX-License-Identifier: Apache-2.0
// The usable loss scales of a layer: large enough that few gradients are flushed to 0, small enough that none overflows. They follow from
// statistics of scaled gradients over some steps. Pure values and functions; any thread.
//
// The range is exact for the measured elements (`isPartial`). Gradients that were already flushed are counted as zeros, so the lower bound
// from an fp16 run's own gradients may be too low; that from an fp32 run's is not.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/diagnosis/tensor_stats.h"
#include "engine/telemetry/text.h"

namespace mantissa {

struct UsableScalesSettings {
    double mostFlushed = 0.02;  // allowed share of a layer's nonzero gradients that are flushed
    /// The storage format to judge gradients for. Nothing: their own.
    std::optional<Dtype> format;
    /// Steps whose forward pass is known to have failed, also where no value of it was measured.
    std::vector<std::int64_t> failedSteps = {};
};

/// Usable loss scales from `lowest` to `highest`, both powers of two times the last measured step's scale.
struct UsableScales {
    std::string layer;          // empty: several layers
    Dtype format = Dtype::F16;  // the storage format of its gradients with the smallest range
    double lowest = 0;          // 0: no scale is too low
    double highest = 0x1p127;   // fp32's largest power of two
    std::string lowestBy;       // the layer that sets the lower bound; empty: none
    std::string highestBy;      // the tensor that overflows above the upper bound; empty: none
    /// At the last scale: log2 of a format's largest number over a tensor's largest element in all measured steps; the smallest of the
    /// tensors.
    double headroom = 0;
    double flushed = 0;  // at the last scale: mean flushed share over the measured steps; the largest of the layers
    Text sentence;       // "any loss scale from 2⁷ to 2¹⁵ is safe", "FP16 cannot work here: override this layer (...)"

    bool isPartial = false;  // gradients were measured in part; others may overflow
    /// A layer whose gradients are all 0 in a format with a small range, perhaps flushed, so that its usable scales are unknown. Empty:
    /// none.
    std::string unknownBy = {};
    /// A tensor with Inf or NaN in a measured step: a usable scale is at most `highest`, but not every scale below it is usable. Empty:
    /// none.
    std::string overflowedBy = {};

    bool isKnown() const { return unknownBy.empty(); }
    bool isEmpty() const { return lowest > highest; }
    bool holds(double scale) const { return isKnown() && scale >= lowest && scale <= highest; }
};

/// Returns whether the forward pass of the step failed, so that no loss scale helps: a forward value is +Inf or NaN, and a gradient is not
/// finite. Masks hold -Inf, so that value does not count. `failedSteps`: as in UsableScalesSettings.
bool isForwardBroken(const StepStats& stats, std::span<const std::int64_t> failedSteps = {});

/// Returns the usable scales of each layer with scaled gradients, in the order of the backward pass. Flushed shares are means over the
/// measured steps; overflow is that of the worst step. Steps whose forward pass failed do not count. Empty without measured steps.
std::vector<UsableScales> usableScalesOf(std::span<const StepStats> samples, const UsableScalesSettings& settings = {});

/// Returns the intersection of all ranges.
UsableScales intersectionOf(std::span<const UsableScales> usableScales);

/// Returns a loss scale to use: `used` if it is usable or nothing is known, else a few doublings inside the nearest bound. For an empty
/// range it is `highest`, because an overflow loses a whole step and not a few gradients.
double scaleFrom(const UsableScales& usable, double used);

}  // namespace mantissa
