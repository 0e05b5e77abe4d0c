// SPDX-License-Identifier: Apache-2.0
// Central differences of the reference: its gradients are what kernels' gradients are judged by, so they are proved against nothing but
// its forward formulas. All in double.
#pragma once

#include <string>
#include <vector>

namespace mantissa::conformance {

struct GradientCheck {
    std::string gradient;  // "gelu", "matmul A' B, of its right operand"
    std::size_t count = 0;
    double worst = 0;  // largest difference, relative where the gradient is above 1
    double limit = 0;
    bool holds() const { return worst <= limit; }
};

/// Every gradient that the reference has. Milliseconds.
std::vector<GradientCheck> checkReferenceGradients();

}  // namespace mantissa::conformance
