// SPDX-License-Identifier: Apache-2.0
// Rounding, encoding and decoding against two independent references: arithmetic in double from the format's definition, and gcc's
// _Float16.
#include "kernels/dtype/rounding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/rounding_inputs.h"

namespace mantissa::test {
namespace {

constexpr Dtype kNarrow[] = {Dtype::TF32, Dtype::F16, Dtype::BF16};

/// Round to nearest even from the definition: scale to units in the last place, round to an integer, scale back, then look at the range.
/// Every step is exact in double.
double nearestByDefinition(const DtypeFacts& f, double x) {
    if (std::isnan(x) || std::isinf(x) || x == 0) return x;
    const int exponent = std::max(std::ilogb(x), 1 - f.bias);
    const double ulp = std::ldexp(1.0, exponent - f.mantissaBits);
    const double rounded = std::nearbyint(x / ulp) * ulp;  // to nearest even, the processor's default
    if (std::fabs(rounded) > f.maxFinite) return std::copysign(std::numeric_limits<double>::infinity(), x);
    return std::copysign(rounded, x);
}

/// The same number: NaN is NaN, and zeros have a sign.
bool isSame(double a, double b) {
    return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

TEST(Rounding, EveryCodeDecodesToItsDefinition) {
    for (const Dtype dtype : kNarrow) {
        const DtypeFacts& f = facts(dtype);
        const std::uint32_t fractions = 1u << f.mantissaBits, exponents = 1u << f.exponentBits;
        for (std::uint32_t code = 0; code < 2 * exponents * fractions; ++code) {
            const std::uint32_t exponent = code / fractions % exponents, fraction = code % fractions;
            double expected = exponent == 0 ? std::ldexp(fraction, 1 - f.bias - f.mantissaBits)
                                            : std::ldexp(fractions + fraction, static_cast<int>(exponent) - f.bias - f.mantissaBits);
            if (exponent == exponents - 1) expected = fraction == 0 ? std::numeric_limits<double>::infinity() : std::nan("");
            if (code >= exponents * fractions) expected = -expected;
            const float actual = decodeBits(dtype, code);
            ASSERT_TRUE(isSame(static_cast<double>(actual), expected)) << f.name << " code " << code << " is " << actual;
            ASSERT_EQ(std::signbit(actual), code >= exponents * fractions) << f.name << " code " << code;
        }
    }
}

TEST(Rounding, EveryCodeComesBack) {
    for (const Dtype dtype : kNarrow) {
        const DtypeFacts& f = facts(dtype);
        const std::uint32_t codes = 1u << (1 + f.exponentBits + f.mantissaBits);
        const std::uint32_t inf = ((1u << f.exponentBits) - 1) << f.mantissaBits, quiet = 1u << (f.mantissaBits - 1);
        for (std::uint32_t code = 0; code < codes; ++code) {
            const bool isNan = (code & (codes / 2 - 1)) > inf;
            ASSERT_EQ(encodeBits(dtype, decodeBits(dtype, code)), isNan ? code | quiet : code) << f.name << " code " << code;
        }
    }
}

// The middle between two neighbours, and the fp32 values just beside it; the middles past the largest finite value included.
TEST(Rounding, TiesGoToEvenAndTheirNeighboursDoNot) {
    for (const Dtype dtype : kNarrow) {
        const DtypeFacts& f = facts(dtype);
        const std::uint32_t inf = ((1u << f.exponentBits) - 1) << f.mantissaBits;
        for (std::uint32_t code = 0; code < inf; ++code) {
            const double low = static_cast<double>(decodeBits(dtype, code));
            const double high = code + 1 == inf ? std::ldexp(1.0, f.bias + 1) : static_cast<double>(decodeBits(dtype, code + 1));
            const auto tie = static_cast<float>((low + high) / 2);
            ASSERT_EQ(static_cast<double>(tie), (low + high) / 2);
            ASSERT_EQ(encodeBits(dtype, tie), code + (code & 1u)) << f.name << " tie above code " << code;
            ASSERT_EQ(encodeBits(dtype, std::nextafter(tie, 0.0f)), code) << f.name << " below the tie above code " << code;
            const float above = std::nextafter(tie, std::numeric_limits<float>::infinity());
            ASSERT_EQ(encodeBits(dtype, above), code + 1) << f.name << " above the tie above code " << code;
        }
    }
}

TEST(Rounding, SweepAgreesWithTheDefinition) {
    for (const Dtype dtype : kNarrow) {
        const DtypeFacts& f = facts(dtype);
        forRoundingInputs([&](float x) {
            const float actual = roundTo(dtype, x);
            ASSERT_TRUE(isSame(static_cast<double>(actual), nearestByDefinition(f, static_cast<double>(x))))
                << f.name << " of " << std::hexfloat << x << " is " << actual;
            ASSERT_EQ(std::signbit(actual), std::signbit(x));
        });
    }
}

#if defined(__FLT16_MAX__)
TEST(Rounding, Fp16IsWhatTheCompilersTypeMakesOfIt) {
    forRoundingInputs([](float x) {
        const auto half = static_cast<_Float16>(x);
        std::uint16_t code = 0;
        std::memcpy(&code, &half, sizeof code);
        ASSERT_EQ(encodeBits(Dtype::F16, x), code) << std::hexfloat << x;
    });
}
#endif

TEST(Rounding, BoundariesAreTheFacts) {
    for (const Dtype dtype : kNarrow) {
        const DtypeFacts& f = facts(dtype);
        const auto overflowFrom = static_cast<float>(f.overflowFrom), flushBelow = static_cast<float>(f.flushBelow);
        EXPECT_TRUE(std::isinf(roundTo(dtype, overflowFrom))) << f.name;
        EXPECT_EQ(roundTo(dtype, std::nextafter(overflowFrom, 0.0f)), static_cast<float>(f.maxFinite)) << f.name;
        EXPECT_EQ(roundTo(dtype, flushBelow), 0.0f) << f.name;
        EXPECT_EQ(roundTo(dtype, std::nextafter(flushBelow, 1.0f)), static_cast<float>(f.minSubnormal)) << f.name;
        EXPECT_EQ(roundTo(dtype, static_cast<float>(1 + f.unitRoundoff())), 1.0f) << f.name;
        EXPECT_EQ(roundTo(dtype, static_cast<float>(f.minNormal)), static_cast<float>(f.minNormal)) << f.name;
    }
    EXPECT_EQ(roundTo(Dtype::F16, 65519.99f), 65504.0f);
    EXPECT_TRUE(std::isinf(roundTo(Dtype::F16, 65520.0f)));
}

TEST(Rounding, NanKeepsItsSignAndBecomesQuiet) {
    for (const Dtype dtype : kNarrow) {
        const DtypeFacts& f = facts(dtype);
        const std::uint32_t quiet = 1u << (f.mantissaBits - 1), inf = ((1u << f.exponentBits) - 1) << f.mantissaBits;
        const std::uint32_t sign = 1u << (f.exponentBits + f.mantissaBits);
        EXPECT_EQ(encodeBits(dtype, floatFromBits(0x7F800001u)), inf | quiet) << f.name;  // its payload does not fit
        EXPECT_EQ(encodeBits(dtype, floatFromBits(0xFFFFFFFFu)), sign | inf | (2 * quiet - 1)) << f.name;
        EXPECT_EQ(encodeBits(dtype, floatFromBits(0x7FC00000u)), inf | quiet) << f.name;
    }
    EXPECT_EQ(floatBits(roundTo(Dtype::F32, floatFromBits(0x7F800001u))), 0x7F800001u);
}

}  // namespace
}  // namespace mantissa::test
