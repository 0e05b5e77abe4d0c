// SPDX-License-Identifier: Apache-2.0
// Numbers as texts and as bits, and the line that they stand on, against lists of all numbers of a format.
#include "engine/diagnosis/given_number.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "engine/diagnosis/number_line.h"
#include "engine/telemetry/number_format.h"

namespace mantissa {
namespace {

/// What a code of a format of at most 16 bits means, by the definition of binary formats and not by the code under test.
double meaningOf(const DtypeFacts& f, std::uint32_t code) {
    const std::uint32_t mantissa = code & ((1u << f.mantissaBits) - 1u);
    const std::uint32_t exponent = code >> f.mantissaBits & ((1u << f.exponentBits) - 1u);
    const double sign = f.isSigned && code >> (f.exponentBits + f.mantissaBits) != 0 ? -1 : 1;
    const std::uint32_t full = (1u << f.exponentBits) - 1u, ones = (1u << f.mantissaBits) - 1u;
    if (f.dtype == Dtype::E8M0) return exponent == full ? std::nan("") : std::ldexp(1.0, static_cast<int>(exponent) - f.bias);
    if (f.specials == Specials::InfAndNan && exponent == full) return mantissa == 0 ? sign * INFINITY : std::nan("");
    if (f.specials == Specials::NanOnly && exponent == full && mantissa == ones) return std::nan("");
    const int power = (exponent == 0 ? 1 : static_cast<int>(exponent)) - f.bias - f.mantissaBits;
    return sign * std::ldexp(static_cast<double>(mantissa) + (exponent == 0 ? 0.0 : std::ldexp(1.0, f.mantissaBits)), power);
}

TEST(GivenNumber, AnyFlipOfAnyCodeIsTheNumberOfItsBits) {
    for (const Dtype dtype : kAllDtypes) {
        const DtypeFacts& f = facts(dtype);
        if (f.codeBits() > 8) continue;
        for (std::uint32_t code = 0; code < 1u << f.codeBits(); ++code) {
            for (int bit = 0; bit < f.codeBits(); ++bit) {
                const GivenNumber flipped = withFlippedBit(numberBits(givenBits(dtype, code), dtype), bit);
                ASSERT_EQ(flipped.heldBits, code ^ (1u << bit)) << f.name;
                const double meaning = meaningOf(f, flipped.heldBits);
                if (std::isnan(meaning)) {
                    ASSERT_TRUE(std::isnan(flipped.value)) << f.name << " code " << flipped.heldBits;
                } else {
                    ASSERT_EQ(static_cast<double>(flipped.value), meaning) << f.name << " code " << flipped.heldBits;
                }
                const NumberBits held = numberBits(flipped, dtype, {.saturate = true});
                EXPECT_EQ(held.bits, flipped.heldBits) << "a held code is shown as it is";
                EXPECT_FALSE(held.isSaturated) << f.name << " code " << flipped.heldBits;
                EXPECT_EQ(withFlippedBit(numberBits(flipped, dtype), bit).heldBits, code) << "twice is once too often";
            }
        }
    }
}

TEST(GivenNumber, EveryCodeOfSixteenBitsComesBackFromItsTexts) {
    for (const Dtype dtype : {Dtype::F16, Dtype::BF16}) {
        const DtypeFacts& f = facts(dtype);
        for (std::uint32_t code = 0; code < 0x10000u; ++code) {
            const std::string grouped = bitText(f, code);
            const auto fromGroups = readNumber(grouped, dtype);
            ASSERT_TRUE(fromGroups) << grouped;
            ASSERT_EQ(bitText(f, numberBits(fromGroups->number, dtype).bits), grouped);
            char hex[16];
            std::snprintf(hex, sizeof hex, "0x%04x", code);
            ASSERT_EQ(readNumber(hex, dtype)->number.heldBits, code) << hex;
            ASSERT_EQ(fromGroups->number.heldBits, code) << grouped;
            const float value = fromGroups->number.value;
            const auto fromValue = readNumber(shortest(value), dtype);
            ASSERT_TRUE(fromValue) << shortest(value);
            ASSERT_FALSE(readNumber(shortest(static_cast<double>(value)), dtype)->isRounded()) << value;
            const std::uint32_t back = numberBits(fromValue->number, dtype).bits;
            if (std::isnan(value)) {
                ASSERT_TRUE(std::isnan(fromValue->number.value));
            } else {
                ASSERT_EQ(back, code) << shortest(value);
            }
        }
    }
}

TEST(GivenNumber, ReadsWhatPeopleType) {
    const auto value = [](const char* text) { return readNumber(text, Dtype::F16)->number.value; };
    EXPECT_EQ(value(" -0.5 "), -0.5f);
    EXPECT_EQ(value("+3e2"), 300);
    EXPECT_EQ(value("2^-24"), 0x1p-24f);
    EXPECT_EQ(value("-1/3"), -1 / 3.f);
    EXPECT_EQ(value("Pi"), 3.14159265f);
    EXPECT_EQ(value("0x1.8p-3"), 0x1.8p-3f);
    EXPECT_EQ(value("-0x.8p1"), -1);
    EXPECT_EQ(value("0x3c00"), 1) << "bits of FP16";
    EXPECT_EQ(value("0b0100000000000000"), 2);
    EXPECT_EQ(value("-Inf"), -INFINITY);
    EXPECT_TRUE(std::isnan(value("NaN")));
    EXPECT_TRUE(std::signbit(value("-0")));
    EXPECT_EQ(readNumber("0x7c01", Dtype::F16)->number.heldBits, 0x7c01u) << "a signalling NaN stays what was typed";
    EXPECT_TRUE(readNumber("11.09", Dtype::F16)->isRounded());
    EXPECT_FALSE(readNumber("65520", Dtype::F16)->isRounded());
    for (const char* text : {"", "-", "--1", "1,5", "0x", "0x10000", "0b2", "0 01111 000", "1e999", "one", "1/x", "2^", "0x1.8q"})
        EXPECT_FALSE(readNumber(text, Dtype::F16)) << text;
}

TEST(NumberLine, StandsOnTheNeighboursOfTheListOfNumbers) {
    for (const Dtype dtype : kAllDtypes) {
        const DtypeFacts& f = facts(dtype);
        if (f.codeBits() > 16) continue;
        std::vector<double> numbers;
        for (std::uint32_t code = 0; code < 1u << f.codeBits(); ++code) {
            const double number = meaningOf(f, code);
            if (std::isfinite(number)) numbers.push_back(number == 0 ? 0 : number);
        }
        std::sort(numbers.begin(), numbers.end());
        numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
        const std::size_t stride = std::max<std::size_t>(1, numbers.size() / 900);
        for (std::size_t i = 0; i + 1 < numbers.size(); i += stride) {
            for (const double share : {0.0, 0.25, 0.5, 0.75}) {
                const double exact = numbers[i] + share * (numbers[i + 1] - numbers[i]);
                const auto value = static_cast<float>(exact);
                if (static_cast<double>(value) != exact) continue;  // below fp32's own numbers
                const NumberLine line = numberLine(dtype, value);
                ASSERT_GE(line.lower, 0) << f.name << " of " << value;
                ASSERT_EQ(line.ticks[static_cast<std::size_t>(line.lower)].value, numbers[i]) << f.name << " of " << value;
                ASSERT_EQ(line.ticks[static_cast<std::size_t>(line.upper)].value, numbers[share == 0 ? i : i + 1])
                    << f.name << " of " << value;
                EXPECT_EQ(line.isTie, share == 0.5) << f.name << " of " << value;
                EXPECT_EQ(line.share(), share);
                EXPECT_FALSE(line.isOffLine);
                for (std::size_t tick = 0; tick < line.ticks.size(); ++tick) {
                    if (line.ticks[tick].isBeyond) continue;
                    const auto at = static_cast<std::ptrdiff_t>(i + tick) - line.lower;
                    ASSERT_EQ(line.ticks[tick].value, numbers[static_cast<std::size_t>(at)]) << f.name << " of " << value;
                }
            }
        }
    }
}

TEST(NumberLine, EndsWithTheNumberThatTheFormatDoesNotHave) {
    const NumberLine tie = numberLine(Dtype::F16, 65520);
    ASSERT_FALSE(tie.ticks.empty());
    EXPECT_TRUE(tie.isTie);
    EXPECT_TRUE(tie.ticks.back().isBeyond);
    EXPECT_EQ(tie.ticks.back().value, 65536);
    EXPECT_EQ(tie.rounded, INFINITY);
    EXPECT_EQ(numberLine(Dtype::F16, -65520).ticks.front().value, -65536);
    EXPECT_TRUE(numberLine(Dtype::F16, 70000).isOffLine);
    EXPECT_EQ(numberLine(Dtype::E2M1, 6.5f).ticks.back().value, 8);
    EXPECT_EQ(numberLine(Dtype::E8M0, -3).value, 3);
    const NumberLine least = numberLine(Dtype::E8M0, 0);
    EXPECT_EQ(least.lower, -1);
    EXPECT_EQ(least.ticks.front().value, 0x1p-127);
    EXPECT_TRUE(numberLine(Dtype::F16, INFINITY).ticks.empty());
}

}  // namespace
}  // namespace mantissa
