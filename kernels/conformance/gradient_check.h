// SPDX-License-Identifier: Apache-2.0
// Verifies the reference's gradients by central differences: kernels' gradients are compared with them, so they are checked only against
// the forward formulas. All in double.
#pragma once

#include <string>
#include <vector>

namespace mantissa::conformance {

struct GradientCheck {
    std::string gradient;  // "gelu", "matmul A' B, of its right operand"
    std::size_t count = 0;
    double worst = 0;  // largest difference, relative if the gradient is above 1
    double limit = 0;
    bool holds() const { return worst <= limit; }
};

/// Checks every gradient of the reference. Takes milliseconds.
std::vector<GradientCheck> checkReferenceGradients();

}  // namespace mantissa::conformance
