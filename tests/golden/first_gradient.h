// SPDX-License-Identifier: Apache-2.0
// Gradients of a trainer, which keeps them to itself: read off plain SGD steps.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/models/model.h"
#include "engine/training/settings.h"

namespace mantissa::test {

/// A rate of 2^10 is exact, and makes the weights' own rounding small beside the gradient.
inline const OptimizerSettings kReadingSgd{.kind = "sgd", .lr = 1024, .weightDecay = 0};

/// A parameter's unclipped gradient, from its values before and after one step of kReadingSgd.
inline std::vector<double> gradientBetween(const NamedTensor& before, const NamedTensor& after) {
    std::vector<double> gradient;
    for (std::size_t i = 0; i < before.values.size(); ++i)
        gradient.push_back((static_cast<double>(before.values[i]) - static_cast<double>(after.values[i])) / kReadingSgd.lr);
    return gradient;
}

inline double largestMagnitude(const std::vector<float>& values) {
    double largest = 0;
    for (const float v : values) largest = std::max(largest, std::abs(static_cast<double>(v)));
    return largest;
}

}  // namespace mantissa::test
