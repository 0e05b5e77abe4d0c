// SPDX-License-Identifier: Apache-2.0
#include "engine/diagnosis/predict.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mantissa {
namespace {

/// The largest power of two that leaves the tensor below where the format overflows.
int ownShift(Dtype format, double absMax) {
    if (absMax == 0) return 0;
    const double bound = facts(format).overflowFrom;
    int shift = std::ilogb(bound) - std::ilogb(absMax) + 1;
    while (std::ldexp(absMax, shift) >= bound) --shift;
    return shift;
}

}  // namespace

std::vector<LayerForecast> forecast(const StepCensus& look, const ForecastSettings& settings) {
    std::vector<LayerForecast> forecasts;
    for (const TensorCensus& tensor : look.tensors) {
        if (tensor.role == TensorRole::Statistic) continue;
        int shift = tensor.isScaled ? settings.gradientShift : 0;
        if (settings.scalesEachTensor) shift = ownShift(settings.format, tensor.classes.absMax);
        const auto isSame = [&](const LayerForecast& each) { return each.layer == tensor.layer && each.role == tensor.role; };
        auto found = std::find_if(forecasts.begin(), forecasts.end(), isSame);
        if (found == forecasts.end()) {
            LayerForecast first{.layer = tensor.layer, .role = tensor.role, .format = settings.format, .shift = shift};
            first.headroom = std::numeric_limits<double>::infinity();
            // behind the last of its layer
            const auto last =
                std::find_if(forecasts.rbegin(), forecasts.rend(), [&](const auto& each) { return each.layer == tensor.layer; });
            found = forecasts.insert(last == forecasts.rend() ? forecasts.end() : last.base(), first);
        }
        const StoredCounts counts = storedIn(settings.format, tensor.magnitudes, shift);
        found->stored.flushed += counts.flushed, found->stored.subnormal += counts.subnormal;
        found->stored.normal += counts.normal, found->stored.overflowed += counts.overflowed;
        found->zeros += tensor.classes.zero;
        found->shift = std::min(found->shift, shift);
        found->headroom = std::min(found->headroom, headroom(settings.format, tensor.classes.absMax) - shift);
    }
    return forecasts;
}

}  // namespace mantissa
