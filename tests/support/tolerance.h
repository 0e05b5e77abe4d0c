// SPDX-License-Identifier: Apache-2.0
// The one table of tolerances: every limit follows from the format of the output and the length of the sum.
// Notation: u the unit roundoff (DtypeFacts::unitRoundoff), arithmetic and accumulation in fp32.
#pragma once

#include <cstdint>

#include "kernels/dtype/dtype.h"

namespace mantissa::test {

/// One rounding of y to the output: u|y|, and half the smallest subnormal where the result underflows.
double roundingLimit(Dtype out, double y);

/// A sum of `terms` fp32 terms (products count, their own rounding is in the same first-order bound) whose magnitudes add up to
/// `sumOfMagnitudes`, rounded once: terms * u_fp32 * sum|a b| (any order; Higham 2002, section 3.1) plus the rounding.
double sumLimit(Dtype out, std::int64_t terms, double sumOfMagnitudes, double y);

/// A chain of `roundings` fp32 operations whose intermediate values stay within `magnitude`, rounded once.
/// A libm function counts as two roundings: glibc documents at most 2 ulp (1 ulp = 2u) for expf, tanhf, erff on x86-64.
double chainLimit(Dtype out, double roundings, double magnitude, double y);

}  // namespace mantissa::test
