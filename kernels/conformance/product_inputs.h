// SPDX-License-Identifier: Apache-2.0
// Operands of products, matrices or convolutions: integers times powers of two that take results to either end of a format with exact sums.
// A MatmulDesc gives the formats and the number of terms of a sum.
#pragma once

#include "kernels/conformance/case.h"
#include "kernels/dtype/rounding_mode.h"

namespace mantissa::conformance {

/// The format to which a product's operands are rounded: their storage if they are quantised.
Dtype computeOf(Dtype storage, const MatmulDesc& d);

/// The format that limits an operand: its storage, or the format to which it is rounded if that is narrower.
Dtype operandFormat(Dtype storage, const MatmulDesc& d);

/// The scales of a scaled product: powers of two if results must be exact.
struct Scales {
    float a = 1, b = 1;  // inverse scales
    double factor() const { return static_cast<double>(a * b); }
};
Scales scalesOf(const MatmulDesc& d, Inputs inputs);

/// Operands are integers times these powers of two.
struct Units {
    double a = 1, b = 1;
    double product() const { return a * b; }
};

/// a's numbers are subnormal, and products a quarter of the output's smallest subnormal, if b's format and fp32 sums allow it.
Units subnormalUnits(const MatmulDesc& d);

/// Units with which k products of up to 7 x 7, 14 on average, sum to the first number that overflows the output, up to twice that, as near
/// as the operands' formats allow. Every second row is then halved, to stay below.
Units overflowUnits(const MatmulDesc& d);

double powerOfTwo(double atMost);
void scale(Floats& values, double unit);
/// Replaces values by magnitudes from 1 to 7, 3.8 on average.
void takeMagnitudes(Floats& values);

struct Factors {
    Floats a, b, bias;
};
struct FactorSizes {
    std::size_t a, b, bias;
};
/// Normal numbers, or integers times the units. isHalved(i): whether element i of `a` is halved, so that its results do not overflow.
Factors drawFactors(const MatmulDesc& d, Inputs inputs, const FactorSizes& sizes, unsigned seed,
                    const std::function<bool(std::size_t)>& isHalved);

/// The operand that the product uses: rounded to the storage format, then to the compute dtype.
Values operandValues(const Floats& values, Dtype storage, Dtype compute, Rounding rounding = Rounding::NearestEven);

}  // namespace mantissa::conformance
