// SPDX-License-Identifier: Apache-2.0
// A tensor core's sums in integer arithmetic: exact, so that a backend with a different order or truncation differs in the last bit.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/dtype/accumulator.h"
#include "kernels/dtype/dtype.h"

namespace mantissa::conformance::reference {

struct TensorCore {
    Accumulator accumulator = Accumulator::Hopper;
    Dtype compute = Dtype::F16;
    std::int64_t promoteEvery = 0;
};

/// The factors of one operand, in `format`.
struct Terms {
    Dtype format = Dtype::F16;
    std::vector<float> values;
};

/// The sum of a[i] * b[i], before scales, bias and rounding. Products and sums are multiples of 2^-60 below 2^60, or are truncated to that.
double tensorCoreSum(const TensorCore& core, const Terms& a, const Terms& b);

}  // namespace mantissa::conformance::reference
