// SPDX-License-Identifier: Apache-2.0
// One number in one format, against a list of all numbers that the format has.
#include "engine/diagnosis/number_bits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace mantissa {
namespace {

/// All finite numbers of a format of at most 16 bits, ascending; 0 once.
std::vector<double> numbersOf(const DtypeFacts& f) {
    std::vector<double> numbers;
    for (std::uint32_t code = 0; code < 1u << f.codeBits(); ++code) {
        const double number = static_cast<double>(decodeBits(f.dtype, code));
        if (std::isfinite(number)) numbers.push_back(number == 0 ? 0 : number);
    }
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
}

TEST(NumberBits, NeighboursErrorAndUlpAreThoseOfTheListOfNumbers) {
    const float values[] = {0,     1,       -1,  0.1f, -0.3f, 3.14159f,      1.0625f,  0.0625f, 5.5f, -5.9f, 0.0149f, 1e-4f,     -2e-5f,
                            3e-6f, 6.1e-5f, 447, -449, 28.5f, 2.9802322e-8f, 0x1p-14f, 1000,    -240, 65504, 50000.f, -0.015625f};
    for (const Dtype dtype : {Dtype::F16, Dtype::BF16, Dtype::E4M3, Dtype::E5M2, Dtype::E2M3, Dtype::E3M2, Dtype::E2M1}) {
        const DtypeFacts& f = facts(dtype);
        const std::vector<double> numbers = numbersOf(f);
        for (const float value : values) {
            const auto exact = static_cast<double>(value);
            if (std::abs(exact) > f.maxFinite) continue;
            const NumberBits found = numberBits(dtype, value);
            const auto at = std::find(numbers.begin(), numbers.end(), static_cast<double>(found.rounded));
            ASSERT_NE(at, numbers.end()) << f.name << " of " << value;
            for (const double other : numbers) EXPECT_LE(std::abs(found.error), std::abs(other - exact)) << f.name << " of " << value;
            EXPECT_EQ(found.error, static_cast<double>(found.rounded) - exact);
            if (at != numbers.begin() && at + 1 != numbers.end()) {
                EXPECT_EQ(static_cast<double>(found.below), *(at - 1)) << f.name << " of " << value;
                EXPECT_EQ(static_cast<double>(found.above), *(at + 1)) << f.name << " of " << value;
            }
            // the gap of the format that the value lies in, or begins
            const auto next = std::upper_bound(numbers.begin(), numbers.end(), std::abs(exact));
            if (next == numbers.end() || found.error == 0) continue;
            EXPECT_DOUBLE_EQ(found.ulps, found.error / (*next - *(next - 1))) << f.name << " of " << value;
            EXPECT_LE(std::abs(found.ulps), 0.5);
        }
    }
}

TEST(NumberBits, KnowsWhatKindOfNumberItIs) {
    const DtypeFacts& fp16 = facts(Dtype::F16);
    EXPECT_EQ(bitText(fp16, 0x2e66), "0 01011 1001100110");
    EXPECT_EQ(bitText(facts(Dtype::E8M0), 0x7c), "01111100");
    EXPECT_EQ(numberClass(fp16, 0x1p-24f), "subnormal");
    EXPECT_EQ(numberClass(fp16, 0x1p-14f), "normal");
    EXPECT_EQ(numberClass(fp16, 0), "zero");
    EXPECT_EQ(numberClass(fp16, -INFINITY), "Inf");
    EXPECT_EQ(numberClass(fp16, std::nanf("")), "NaN");
    const NumberBits beyond = numberBits(Dtype::F16, 70000);
    EXPECT_EQ(beyond.rounded, INFINITY);
    EXPECT_TRUE(std::isnan(beyond.ulps));
    EXPECT_TRUE(std::isnan(beyond.below));
    EXPECT_EQ(numberBits(Dtype::F16, 65504).above, INFINITY);
    EXPECT_TRUE(std::isnan(numberBits(Dtype::E2M1, 6).above)) << "it has nothing beyond its largest number";
    EXPECT_EQ(numberBits(Dtype::F16, -0.1f).relativeError(-0.1f), numberBits(Dtype::F16, -0.1f).error / static_cast<double>(0.1f));
}

TEST(NumberBits, AnOverflowThatBecomesTheLargestNumberIsSaturated) {
    const auto classOf = [](Dtype dtype, float value, const RoundingMode& mode = {}) {
        return numberClass(numberBits(dtype, value, mode));
    };
    EXPECT_EQ(classOf(Dtype::E2M3, 11.09f), "saturated");
    EXPECT_EQ(classOf(Dtype::E2M1, -11.09f), "saturated");
    for (const Dtype dtype : {Dtype::E2M3, Dtype::E3M2, Dtype::E2M1}) EXPECT_EQ(classOf(dtype, INFINITY), "saturated") << facts(dtype).name;
    EXPECT_EQ(classOf(Dtype::E3M2, 11.09f), "normal") << "28 is its largest";
    EXPECT_EQ(classOf(Dtype::E2M1, 6), "normal") << "the largest number itself";
    EXPECT_EQ(classOf(Dtype::E2M1, 6.5f), "normal") << "rounded, not cut off: nearer to 6 than to 8";
    EXPECT_EQ(classOf(Dtype::F16, 70000), "Inf");
    EXPECT_EQ(classOf(Dtype::F16, 70000, {.saturate = true}), "saturated");
    EXPECT_EQ(classOf(Dtype::F16, 1e9f, {.rounding = Rounding::TowardZero}), "saturated");
    EXPECT_EQ(classOf(Dtype::F16, 65504, {.saturate = true}), "normal");
    EXPECT_EQ(classOf(Dtype::F16, 1e-8f), "zero");
    EXPECT_EQ(classOf(Dtype::F16, std::nanf(""), {.saturate = true}), "NaN");
}

}  // namespace
}  // namespace mantissa
