// SPDX-License-Identifier: Apache-2.0
// The reference implementation of convolution_operations.h, in double, from the formulas. Gradients are verified by central differences.
#pragma once

#include <span>

#include "kernels/conformance/reference.h"

namespace mantissa::conformance::reference {

/// Sizes of a convolution's three arrays, in elements.
std::size_t sizeOfX(const Convolution2dDesc& d);
std::size_t sizeOfY(const Convolution2dDesc& d);
std::size_t sizeOfWeight(const Convolution2dDesc& d);

/// Sums over windows, without a bias: y. Only shapes and window of the description matter.
Sums convolution(const Convolution2dDesc& d, std::span<const double> x, std::span<const double> weight);
Sums convolutionInputGrad(const Convolution2dDesc& d, std::span<const double> gradOutput, std::span<const double> weight);
Sums convolutionWeightGrad(const Convolution2dDesc& d, std::span<const double> gradOutput, std::span<const double> x);

struct Pooled {
    Values values, magnitudes;          // magnitudes: for an average, the mean of the elements' magnitudes
    std::vector<std::int32_t> indices;  // for a maximum
};
Pooled pool(const PoolDesc& d, std::span<const double> x);
Sums poolGrad(const PoolDesc& d, std::span<const double> gradOutput, std::span<const std::int32_t> indices);

}  // namespace mantissa::conformance::reference
