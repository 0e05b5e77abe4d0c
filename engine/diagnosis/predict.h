// SPDX-License-Identifier: Apache-2.0
// Forecasts of the values that a run would lose in another format, layer by layer. They are exact for tensors that are stored in fp32 and
// measured completely. Pure values and functions; any thread.
#pragma once

#include <string>
#include <vector>

#include "engine/diagnosis/health.h"
#include "engine/diagnosis/tensor_stats.h"

namespace mantissa {

/// The forecast for a layer's tensors of one role.
struct LayerForecast {
    std::string layer;
    TensorRole role = TensorRole::Value;
    Dtype format = Dtype::F16;
    int shift = 0;           // tensors are first multiplied by 2^shift; the smallest if each has its own
    StoredCounts stored;     // counts after the shift
    std::int64_t zeros = 0;  // elements that are 0 already
    std::int64_t nonFinite = 0;
    double headroom = 0;   // log2 of the format's largest number over the largest element, after the shift; the smallest of the tensors
    std::string tightest;  // the tensor with the smallest headroom
};

struct ForecastSettings {
    Dtype format = Dtype::F16;
    /// log2 of the forecast's loss scale over the measured one; applies to scaled gradients only.
    int gradientShift = 0;
    /// Each tensor has its own scale, as in fp8: the largest power of two without overflow. Weights and updates are then omitted, because
    /// they are stored in a wider format.
    bool scalesEachTensor = false;

    /// The usual settings of the format: fp8 with a scale for each tensor.
    static ForecastSettings of(Dtype format, int gradientShift) { return {format, gradientShift, isFp8(format)}; }
};

/// Returns the forecasts in the order of layers, a layer's roles together. Running statistics, which stay in fp32, are omitted.
std::vector<LayerForecast> forecast(const StepStats& stats, const ForecastSettings& settings);

/// The forecast in words. Bad: something overflows. Note: more gradients of a layer are flushed than usable loss scales allow by default,
/// or the step is already not finite.
struct ForecastVerdict {
    Severity severity = Severity::Good;
    Text sentence;  // "As FP16 with loss scale 2¹⁶ nothing would overflow; 3.1 % of the gradients of layers.0 would flush to zero."
    Text caveat;    // names losses that are not counted: earlier ones, or in unmeasured elements; empty: the forecast is exact
};
ForecastVerdict forecastVerdict(const StepStats& stats, const ForecastSettings& settings);

}  // namespace mantissa
