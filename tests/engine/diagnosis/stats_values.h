// SPDX-License-Identifier: Apache-2.0
// A statistics of numbers that a test has made up, counted one by one.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "engine/diagnosis/tensor_stats.h"
#include "tests/engine/diagnosis/histogram_values.h"

namespace mantissa::test {

inline TensorStats statsOfValues(const std::string& layer, const std::string& tensor, TensorRole role, const std::vector<float>& values,
                                 Dtype storage = Dtype::F32) {
    TensorStats stats{.tensor = tensor, .layer = layer, .role = role, .storage = storage};
    stats.isScaled = role == TensorRole::Gradient || role == TensorRole::WeightGradient;
    for (const float value : values) {
        ++(std::isnan(value)   ? stats.classes.nan
           : std::isinf(value) ? (value < 0 ? stats.classes.negativeInf : stats.classes.positiveInf)
           : value == 0        ? stats.classes.zero
           : value < 0         ? stats.classes.negative
                               : stats.classes.positive);
        if (std::isfinite(value)) stats.classes.absMax = std::max(stats.classes.absMax, std::fabs(static_cast<double>(value)));
    }
    stats.magnitudes = histogramOfValues(values);
    return stats;
}

}  // namespace mantissa::test
