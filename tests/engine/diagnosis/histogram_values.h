// SPDX-License-Identifier: Apache-2.0
// The histogram of numbers, counted one by one.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "engine/diagnosis/histogram.h"

namespace mantissa::test {

/// Without 0, infinities and NaN.
inline Histogram histogramOfValues(std::span<const float> values) {
    std::vector<std::uint32_t> counts(kCellCount);
    for (const float value : values) {
        if (std::isfinite(value) && value != 0) ++counts[static_cast<std::size_t>(cellOf(value))];
    }
    return histogramOf(counts);
}

}  // namespace mantissa::test
