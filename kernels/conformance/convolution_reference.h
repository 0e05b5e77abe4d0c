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

}  // namespace mantissa::conformance::reference
