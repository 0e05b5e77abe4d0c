// SPDX-License-Identifier: Apache-2.0
// The plain reference of what convolution_operations.h describes, in double, from the formulas. Gradients are proved by central
// differences.
#pragma once

#include <span>

#include "kernels/conformance/reference.h"

namespace mantissa::conformance::reference {

/// Sums over windows, without a bias: y. Of a description only shapes and window count.
Sums convolution(const Convolution2dDesc& d, std::span<const double> x, std::span<const double> weight);
Sums convolutionInputGrad(const Convolution2dDesc& d, std::span<const double> gradOutput, std::span<const double> weight);
Sums convolutionWeightGrad(const Convolution2dDesc& d, std::span<const double> gradOutput, std::span<const double> x);

struct Pooled {
    Values values, magnitudes;          // magnitudes: of an average, the mean of the elements' magnitudes
    std::vector<std::int32_t> indices;  // of a maximum
};
Pooled pool(const PoolDesc& d, std::span<const double> x);
Sums poolGrad(const PoolDesc& d, std::span<const double> gradOutput, std::span<const std::int32_t> indices);

}  // namespace mantissa::conformance::reference
