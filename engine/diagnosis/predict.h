// SPDX-License-Identifier: Apache-2.0
// What formats would lose of a run's tensors, layer by layer, before the run is switched to them: exact for what is stored in fp32, as
// nothing has been lost of it yet, and was looked at whole. Pure values and functions; any thread.
#pragma once

#include <string>
#include <vector>

#include "engine/diagnosis/health.h"
#include "engine/diagnosis/tensor_stats.h"

namespace mantissa {

/// A layer's tensors of one role, together.
struct LayerForecast {
    std::string layer;
    TensorRole role = TensorRole::Value;
    Dtype format = Dtype::F16;
    int shift = 0;           // they were multiplied by 2^shift first
    StoredCounts stored;     // at that
    std::int64_t zeros = 0;  // that were 0 before
    std::int64_t nonFinite = 0;
    double headroom = 0;   // log2 of the format's largest number over the largest element, at that shift; the least
    std::string tightest;  // the tensor that has it
};

struct ForecastSettings {
    Dtype format = Dtype::F16;
    /// log2 of the loss scale that gradients would carry over the one that they carry; values, weights and updates stay as they are.
    int gradientShift = 0;
    /// Each tensor has a scale of its own, as in fp8: the largest power of two at which it does not overflow. Weights and updates are left
    /// out then: they are kept in a wider format.
    bool scalesEachTensor = false;

    /// As the format is used: fp8 with a scale for each tensor.
    static ForecastSettings of(Dtype format, int gradientShift) { return {format, gradientShift, isFp8(format)}; }
};

/// In the order in which the layers come, roles of a layer side by side. Statistics are left out: they are kept in fp32.
std::vector<LayerForecast> forecast(const StepStats& look, const ForecastSettings& settings);

/// The same in a sentence or two. Bad: something overflows. Note: more gradients of a layer are flushed than a range of usable scales
/// allows by default, or it cannot be told.
struct ForecastVerdict {
    Severity severity = Severity::Good;
    std::string sentence;  // "As FP16 with loss scale 2¹⁶ nothing would overflow; 3.1 % of layers.0's gradients would flush to zero."
    std::string caveat;    // what was lost before the look, or was not looked at, and is not counted; empty: the forecast is exact
};
ForecastVerdict forecastVerdict(const StepStats& look, const ForecastSettings& settings);

}  // namespace mantissa
