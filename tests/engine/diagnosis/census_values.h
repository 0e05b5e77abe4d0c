// SPDX-License-Identifier: Apache-2.0
// A census of numbers that a test has made up, counted one by one.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "engine/diagnosis/tensor_census.h"

namespace mantissa::test {

inline TensorCensus censusOfValues(const std::string& layer, const std::string& tensor, TensorRole role, const std::vector<float>& values,
                                   Dtype storage = Dtype::F32) {
    TensorCensus census{.tensor = tensor, .layer = layer, .role = role, .storage = storage};
    census.isScaled = role == TensorRole::Gradient || role == TensorRole::WeightGradient;
    for (const float value : values) {
        ++(std::isnan(value)   ? census.classes.nan
           : std::isinf(value) ? (value < 0 ? census.classes.negativeInf : census.classes.positiveInf)
           : value == 0        ? census.classes.zero
           : value < 0         ? census.classes.negative
                               : census.classes.positive);
        if (std::isfinite(value)) census.classes.absMax = std::max(census.classes.absMax, std::fabs(static_cast<double>(value)));
    }
    census.magnitudes = histogramOfValues(values);
    return census;
}

}  // namespace mantissa::test
