// SPDX-License-Identifier: Apache-2.0
// The cuts between cells against the facts of the formats, and the cell of a number against its logarithm.
#include "kernels/dtype/magnitude_cells.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace mantissa {
namespace {

/// The fraction field of a magnitude's significand; 2^23 where it is not below 2 as fp32 has them.
std::uint32_t fractionOf(double magnitude) {
    const double significand = std::ldexp(magnitude, -std::ilogb(magnitude));
    return static_cast<std::uint32_t>(std::ceil(std::ldexp(significand - 1, kFloatMantissaBits)));
}

TEST(MagnitudeCells, CutsAreThoseOfTheFormats) {
    std::set<std::uint32_t> cuts{1};
    for (const Dtype dtype : {Dtype::F32, Dtype::TF32, Dtype::F16, Dtype::BF16, Dtype::E4M3, Dtype::E5M2}) {
        const DtypeFacts& f = facts(dtype);
        EXPECT_EQ(fractionOf(f.flushBelow), 0u) << f.name;  // half the smallest subnormal: a power of two, and the tie goes to 0
        cuts.insert(fractionOf(f.minNormal - f.minSubnormal / 2));
        if (fractionOf(f.overflowFrom) < kFloatImplicitBit) cuts.insert(fractionOf(f.overflowFrom));  // no fp32 number rounds beyond fp32
    }
    EXPECT_EQ(std::set<std::uint32_t>(kPartStarts.begin(), kPartStarts.end()), cuts);
    EXPECT_TRUE(std::is_sorted(kPartStarts.begin(), kPartStarts.end()));
}

TEST(MagnitudeCells, CellOfEveryExponent) {
    for (int exponent = kLeastExponent; exponent <= kMostExponent; ++exponent) {
        const float power = std::ldexp(1.0f, exponent);
        EXPECT_EQ(cellOf(power), cellIndex(exponent, 0));
        EXPECT_EQ(cellOf(-power), cellIndex(exponent, 0));
        if (exponent < -126) continue;
        EXPECT_EQ(cellOf(power * 1.5f), cellIndex(exponent, 1));
        EXPECT_EQ(cellOf(power * 1.8125f), cellIndex(exponent, 2));
        EXPECT_EQ(cellOf(std::nextafter(power * 1.8125f, INFINITY)), cellIndex(exponent, 3));
        EXPECT_EQ(cellOf(power * (2 - 0x1p-23f)), cellIndex(exponent, kPartCount - 1));
    }
    EXPECT_EQ(cellOf(0x1.8p-148f), cellIndex(-148, 1));
    EXPECT_EQ(cellOf(0x0.FFFFFEp-126f), cellIndex(-127, 8));  // 2 - 2^-22
}

}  // namespace
}  // namespace mantissa
