// SPDX-License-Identifier: Apache-2.0
// The inputs of cases. Pure functions of their arguments: reproducible on every machine.
#pragma once

#include <limits>

#include "kernels/conformance/case.h"

namespace mantissa::conformance {

inline constexpr float kInf = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// The inputs for elementwise operations.
inline constexpr Inputs kElementInputs[] = {Inputs::Normal, Inputs::Subnormal, Inputs::Overflow, Inputs::NonFinite};

/// fp32 values that `dtype` represents exactly.
Floats elements(Inputs inputs, Dtype dtype, std::size_t count, unsigned seed);

/// fp32 values near the rounding boundaries of `dtype`: ties, subnormals, the edge of overflow.
Floats aroundBoundaries(Inputs inputs, Dtype dtype, std::size_t count, unsigned seed);

/// Standard normal numbers.
Floats normals(std::size_t count, unsigned seed, float deviation = 1);

/// Integers from -most to most.
Floats wholes(std::size_t count, unsigned seed, int most = 7);

/// The largest power of two u for which 7 u does not exceed the largest number of `dtype`.
double largestUnit(Dtype dtype);

}  // namespace mantissa::conformance
