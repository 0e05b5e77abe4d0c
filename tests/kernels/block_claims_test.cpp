// SPDX-License-Identifier: Apache-2.0
// The formulas of "Blocks" in resources/guide/numerics.md, in double, against every number of random blocks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "tests/support/blocks.h"

namespace mantissa {
namespace {

namespace claims {

/// A format by its fraction bits, its smallest normal exponent and its largest number.
struct Element {
    const char* format;
    int fractionBits, smallestExponent;
    double largest;
};
constexpr Element kE4m3{"mxfp8_e4m3", 3, -6, 448};
constexpr Element kElements[] = {
    kE4m3, {"mxfp8_e5m2", 2, -14, 57344}, {"mxfp6_e2m3", 3, 0, 7.5}, {"mxfp6_e3m2", 2, -2, 28}, {"mxfp4", 1, 0, 6}};

/// To nearest even, saturating.
double nearest(const Element& element, double x) {
    if (x == 0) return x;
    const double ulp = std::ldexp(1.0, std::max(std::ilogb(x), element.smallestExponent) - element.fractionBits);
    return std::copysign(std::min(std::nearbyint(std::fabs(x) / ulp) * ulp, element.largest), x);
}

/// Normal numbers over many binades; the third block of 32 is zeros, the last one is short.
std::vector<float> wideValues() {
    std::mt19937 random(5);
    std::normal_distribution<float> normal;
    std::vector<float> values(32 * 60 + 7);
    for (float& v : values) v = std::ldexp(normal(random), static_cast<int>(random() % 24) - 12);
    std::fill_n(values.begin() + 64, 32, 0.0f);
    return values;
}

std::vector<float> through(const char* name, const std::vector<float>& values, ScaleRule rule, Nvfp4Dialect dialect = Nvfp4Dialect::Te) {
    BlockFormat format = blockFormatFromName(name).value();
    if (!format.isNvfp4()) format = withRule(format, rule);
    format.dialect = dialect;
    return test::dequantized(format, test::quantized(format, test::rowOf(values), values));
}

double largestOf(const std::vector<float>& values, std::size_t first, std::size_t count) {
    double largest = 0;
    for (std::size_t i = first; i < std::min(first + count, values.size()); ++i)
        largest = std::max(largest, std::fabs(static_cast<double>(values[i])));
    return largest;
}

/// Every number is R(x / 2^e) 2^e with the block's e.
template <typename Exponent>
void expectMx(ScaleRule rule, Exponent exponentOf) {
    const std::vector<float> values = wideValues();
    for (const Element& element : kElements) {
        const std::vector<float> back = through(element.format, values, rule);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double a = largestOf(values, i / 32 * 32, 32);
            const int e = a == 0 ? -127 : exponentOf(element.largest, a);
            ASSERT_EQ(static_cast<double>(back[i]), std::ldexp(nearest(element, std::ldexp(static_cast<double>(values[i]), -e)), e))
                << element.format << ' ' << i;
        }
    }
}

}  // namespace claims

TEST(NumericsClaims, ByFloorTheExponentOfAnMxScaleIsThatOfTheLargestMagnitudeLessThatOfTheLargestElement) {
    claims::expectMx(ScaleRule::Floor, [](double largest, double a) { return std::ilogb(a) - std::ilogb(largest); });
}

TEST(NumericsClaims, ByRoundUpTheExponentOfAnMxScaleIsTheSmallestThatSaturatesNothing) {
    claims::expectMx(ScaleRule::RoundUp, [](double largest, double a) {
        int e = -127;
        while (a > std::ldexp(largest, e)) ++e;
        return e;
    });
}

TEST(NumericsClaims, RceilIsRoundUpForFiniteNumbers) {
    claims::expectMx(ScaleRule::Rceil, [](double largest, double a) {
        int e = -127;
        while (a > std::ldexp(largest, e)) ++e;
        return e;
    });
}

TEST(NumericsClaims, ByCeilTheLargestMagnitudeIsRoundedUpToAPowerOfTwo) {
    claims::expectMx(ScaleRule::Ceil, [](double largest, double a) {
        const int e = std::ilogb(a);
        return (a > std::ldexp(1.0, e) ? e + 1 : e) - std::ilogb(largest);
    });
}

TEST(NumericsClaims, ByEvenTheLargestMagnitudeIsRoundedToTheElementsDigitsFirst) {
    claims::expectMx(ScaleRule::Even, [](double largest, double a) {
        const auto element = std::find_if(std::begin(claims::kElements), std::end(claims::kElements),
                                          [&](const claims::Element& e) { return e.largest == largest; });
        const int e = std::ilogb(a);
        const double ulp = std::ldexp(1.0, e - element->fractionBits);
        return std::ilogb(std::floor(a / ulp + 0.5) * ulp) - std::ilogb(largest);
    });
}

/// With float where the formula says fl.
TEST(NumericsClaims, WithFp32ScalesANumberIsItsElementTimesTheInverseOfTheFactorThatMapsTheLargestMagnitudeToTheLargestElement) {
    const std::vector<float> values = claims::wideValues();
    for (const claims::Element& element :
         {claims::Element{"fp8_block_e4m3", 3, -6, 448}, claims::Element{"fp8_block_e5m2", 2, -14, 57344}}) {
        const std::vector<float> back = claims::through(element.format, values, ScaleRule::Fp32);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto a = static_cast<float>(claims::largestOf(values, i / 128 * 128, 128));
            const float s = a == 0 ? 1 : static_cast<float>(element.largest) / a, inverse = 1 / s, scaled = values[i] * s;
            const auto q = static_cast<float>(claims::nearest(element, static_cast<double>(scaled)));
            ASSERT_EQ(back[i], q * inverse) << element.format << ' ' << i;
        }
    }
}

/// te's order of operations, with float where the formula says fl.
TEST(NumericsClaims, AnNvfp4NumberIsItsElementTimesItsScaleTimesTheInverseOfTheTensorsFactor) {
    const claims::Element kE2m1{"nvfp4", 1, 0, 6};
    const std::vector<float> values = claims::wideValues();
    const std::vector<float> back = claims::through("nvfp4", values, ScaleRule::Floor);
    const float S = 2688.0f / static_cast<float>(claims::largestOf(values, 0, values.size()));
    const float sixth = 1.0f / 6.0f, perBlock = S * sixth, inverse = 1.0f / S;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto a = static_cast<float>(claims::largestOf(values, i / 16 * 16, 16));
        const float wanted = std::min(a * perBlock, 448.0f);
        const auto s = static_cast<float>(claims::nearest(claims::kE4m3, static_cast<double>(wanted)));
        const float factor = std::min(1.0f / (s * inverse), std::numeric_limits<float>::max());
        const float scaled = values[i] * factor;
        const auto q = static_cast<float>(claims::nearest(kE2m1, static_cast<double>(scaled)));
        ASSERT_EQ(back[i], q * s * inverse) << i;
    }
}

TEST(NumericsClaims, AnExactNvfp4NumberIsItsElementTimesItsE4m3ScaleOverTheTensorsFactor) {
    const claims::Element kE2m1{"nvfp4", 1, 0, 6};
    const std::vector<float> values = claims::wideValues();
    const std::vector<float> back = claims::through("nvfp4", values, ScaleRule::Floor, Nvfp4Dialect::Exact);
    const float factor = 448.0f * 6 / static_cast<float>(claims::largestOf(values, 0, values.size()));
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto largest = static_cast<float>(claims::largestOf(values, i / 16 * 16, 16));
        const auto scale = static_cast<float>(claims::nearest(claims::kE4m3, static_cast<double>(largest * factor / 6)));
        const float scaled = scale == 0 ? 0 : values[i] * factor / scale;
        ASSERT_EQ(back[i], static_cast<float>(claims::nearest(kE2m1, static_cast<double>(scaled))) * scale / factor) << i;
    }
}

}  // namespace
}  // namespace mantissa
