// SPDX-License-Identifier: Apache-2.0
// Operands of products, matrices or convolutions: whole numbers times powers of two that take results to either end of a format, so that
// every sum is exact. A MatmulDesc says the formats and how many terms a sum has.
#pragma once

#include "kernels/conformance/case.h"
#include "kernels/dtype/rounding_mode.h"

namespace mantissa::conformance {

/// The format that limits an operand: its storage, or the compute dtype where that is narrower.
Dtype narrower(Dtype storage, Dtype compute);

/// What the operands of a product are rounded to: nothing further where they are quantised.
Dtype computeOf(Dtype storage, const MatmulDesc& d);

/// What a scaled product's sums are multiplied by: a power of two where results are to be exact.
struct Scales {
    float a = 1, b = 1;  // inverse scales
    double factor() const { return static_cast<double>(a * b); }
};
Scales scalesOf(const MatmulDesc& d, Inputs inputs);

/// Operands are whole numbers times these powers of two.
struct Units {
    double a = 1, b = 1;
    double product() const { return a * b; }
};

/// a's numbers are subnormal, products a quarter of the output's smallest subnormal, where b's format and fp32 sums can do that.
Units subnormalUnits(const MatmulDesc& d);

/// k products of up to 7 x 7 units, 14 on average, add up to the first number that overflows the output or to twice that; as near as the
/// operands' formats allow. Every second row is then halved, to stay below.
Units overflowUnits(const MatmulDesc& d);

double powerOfTwo(double atMost);
void scale(Floats& values, double unit);
/// 1 to 7, and 3.8 on average.
void takeMagnitudes(Floats& values);

/// What the product works on: rounded when stored, and again to the compute dtype.
Values operandValues(const Floats& values, Dtype storage, Dtype compute, Rounding rounding = Rounding::NearestEven);

}  // namespace mantissa::conformance
