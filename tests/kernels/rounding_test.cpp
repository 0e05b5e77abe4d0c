// SPDX-License-Identifier: Apache-2.0
// Rounding, encoding and decoding of single numbers: the codes against the formats' definitions, spot values from their specifications, and
// what each rounding does at its edges. That every input is rounded right is rounding_proof_test.cpp's.
#include "kernels/dtype/rounding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "tests/support/non_finite.h"
#include "tests/support/rounding_inputs.h"

namespace mantissa::test {
namespace {

bool hasNan(const FormatDefinition& f) {
    return f.beyond != Beyond::Largest;
}

TEST(Rounding, EveryCodeDecodesToItsDefinition) {
    for (const FormatDefinition& f : formatDefinitions()) {
        ASSERT_EQ(facts(f.dtype).name, f.name);
        for (std::uint32_t code = 0; code < f.codes(); ++code) {
            const std::uint32_t actual = floatBits(decodeBits(f.dtype, code));
            ASSERT_TRUE(isSameNumber(actual, referenceDecode(f, code))) << f.name << " code " << code << " is " << floatFromBits(actual);
        }
    }
}

TEST(Rounding, EveryCodeComesBack) {
    for (const FormatDefinition& f : formatDefinitions()) {
        const std::uint32_t quiet = f.beyond == Beyond::Inf ? 1u << (f.mantissaBits - 1) : 0;
        for (std::uint32_t code = 0; code < f.codes(); ++code) {
            const float value = decodeBits(f.dtype, code);
            for (const Rounding rounding : kAllRoundings) {
                ASSERT_EQ(encodeBits(f.dtype, value, {.rounding = rounding}), std::isnan(value) ? code | quiet : code)
                    << f.name << " code " << code;
            }
        }
    }
}

// The definition once more, byte by byte, for the two formats that hold tensors in a byte (OCP 8-bit floating point 1.0).
TEST(Rounding, TheBytesOfFp8) {
    int finite = 0;
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        const int sign = (byte & 0x80) != 0 ? -1 : 1, exponent = static_cast<int>(byte >> 3 & 15), mantissa = static_cast<int>(byte & 7);
        const float e4m3 = decodeBits(Dtype::E4M3, byte);
        if ((byte & 0x7F) == 0x7F) {
            EXPECT_TRUE(std::isnan(e4m3));
        } else {
            EXPECT_EQ(e4m3, exponent == 0 ? std::ldexp(sign * mantissa / 8.0, -6) : std::ldexp(sign * (1 + mantissa / 8.0), exponent - 7));
            ++finite;
        }
    }
    EXPECT_EQ(finite, 254);
    finite = 0;
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        const int sign = (byte & 0x80) != 0 ? -1 : 1, exponent = static_cast<int>(byte >> 2 & 31), mantissa = static_cast<int>(byte & 3);
        const float e5m2 = decodeBits(Dtype::E5M2, byte);
        if (exponent == 31) {
            EXPECT_TRUE(mantissa == 0 ? e5m2 == static_cast<float>(sign) * kInf : std::isnan(e5m2));
        } else {
            EXPECT_EQ(e5m2,
                      exponent == 0 ? std::ldexp(sign * mantissa / 4.0, -14) : std::ldexp(sign * (1 + mantissa / 4.0), exponent - 15));
            ++finite;
        }
    }
    EXPECT_EQ(finite, 248);
    EXPECT_EQ(encodeBits(Dtype::E4M3, 448), 0x7Eu);
    EXPECT_EQ(encodeBits(Dtype::E4M3, 0x1p-9f), 0x01u);
    EXPECT_EQ(encodeBits(Dtype::E4M3, -1.0f), 0xB8u);
    EXPECT_EQ(encodeBits(Dtype::E4M3, kInf), 0x7Fu);
    EXPECT_EQ(encodeBits(Dtype::E5M2, 57344), 0x7Bu);
    EXPECT_EQ(encodeBits(Dtype::E5M2, -kInf), 0xFCu);
    EXPECT_EQ(encodeBits(Dtype::E5M2, 1.0f), 0x3Cu);
}

TEST(Rounding, Fp8OverflowsFromItsBoundOn) {
    const RoundingMode saturating{.saturate = true};
    EXPECT_EQ(roundTo(Dtype::E4M3, 464), 448);  // a tie, to the even one
    EXPECT_TRUE(std::isnan(roundTo(Dtype::E4M3, std::nextafter(464.0f, 1e3f))));
    EXPECT_TRUE(std::isnan(roundTo(Dtype::E4M3, -kInf)));
    EXPECT_EQ(roundTo(Dtype::E4M3, 464, {.rounding = Rounding::TowardZero}), 448);
    EXPECT_TRUE(std::isnan(roundTo(Dtype::E4M3, 464, {.rounding = Rounding::NearestAway})));
    EXPECT_EQ(roundTo(Dtype::E4M3, 1e30f, saturating), 448);
    EXPECT_EQ(roundTo(Dtype::E4M3, -kInf, saturating), -448);
    EXPECT_TRUE(std::isnan(roundTo(Dtype::E4M3, std::nanf(""), saturating)));
    EXPECT_EQ(roundTo(Dtype::E5M2, std::nextafter(61440.0f, 0.0f)), 57344);
    EXPECT_EQ(roundTo(Dtype::E5M2, 61440), kInf);
    EXPECT_EQ(roundTo(Dtype::E5M2, 61440, saturating), 57344);
    EXPECT_EQ(roundTo(Dtype::E5M2, -kInf, saturating), -57344);
    EXPECT_TRUE(std::isnan(roundTo(Dtype::E5M2, std::nanf(""), saturating)));
}

// Nearest-even values of fp4 as NVIDIA's cuda_fp4.h converts them; fp6 and fp4 always saturate, and their codes have no NaN.
TEST(Rounding, Fp4AndFp6AlwaysSaturate) {
    const std::map<float, float> fp4{{0.25f, 0.0f}, {0.75f, 1.0f}, {1.25f, 1.0f}, {1.75f, 2.0f}, {2.5f, 2.0f}, {3.5f, 4.0f},
                                     {5.0f, 4.0f},  {5.01f, 6.0f}, {7.0f, 6.0f},  {1e9f, 6.0f},  {kInf, 6.0f}, {-kInf, -6.0f}};
    for (const auto& [x, expected] : fp4) EXPECT_EQ(roundTo(Dtype::E2M1, x), expected) << x;
    EXPECT_EQ(roundTo(Dtype::E2M3, 1e9f), 7.5f);
    EXPECT_EQ(roundTo(Dtype::E3M2, -1e9f), -28.0f);
    for (const Dtype dtype : {Dtype::E2M1, Dtype::E2M3, Dtype::E3M2}) {
        for (const Rounding rounding : kAllRoundings) {
            EXPECT_TRUE(std::isnan(roundTo(dtype, -std::nanf(""), {.rounding = rounding})));
            EXPECT_EQ(decodeBits(dtype, encodeBits(dtype, -std::nanf(""), {.rounding = rounding})),
                      static_cast<float>(facts(dtype).maxFinite));
        }
    }
}

TEST(Rounding, E8m0IsPowersOfTwoWithoutSignOrZero) {
    for (std::uint32_t code = 0; code < 0xFF; ++code) {
        const float power = std::ldexp(1.0f, static_cast<int>(code) - 127);
        EXPECT_EQ(decodeBits(Dtype::E8M0, code), power);
        EXPECT_EQ(encodeBits(Dtype::E8M0, -power), code);
    }
    EXPECT_TRUE(std::isnan(decodeBits(Dtype::E8M0, 0xFF)));
    EXPECT_EQ(encodeBits(Dtype::E8M0, 0), 0u);
    EXPECT_EQ(encodeBits(Dtype::E8M0, 1.0001f, {.rounding = Rounding::TowardZero}), 0x7Fu);
    EXPECT_EQ(encodeBits(Dtype::E8M0, 1.5f), 0x80u);  // a tie: both have one digit, so the larger one
    EXPECT_EQ(encodeBits(Dtype::E8M0, kInf), 0xFFu);
    EXPECT_EQ(encodeBits(Dtype::E8M0, kInf, {.saturate = true}), 0xFEu);
}

#if defined(__FLT16_MAX__)
TEST(Rounding, Fp16IsWhatTheCompilersTypeMakesOfIt) {
    forRoundingInputs([](std::uint32_t bits) {
        const auto half = static_cast<_Float16>(floatFromBits(bits));
        std::uint16_t code = 0;
        std::memcpy(&code, &half, sizeof code);
        ASSERT_EQ(encodeBits(Dtype::F16, floatFromBits(bits)), code) << std::hexfloat << floatFromBits(bits);
    });
}
#endif

TEST(Rounding, BoundariesAreTheFacts) {
    for (const FormatDefinition& d : formatDefinitions()) {
        const DtypeFacts& f = facts(d.dtype);
        const auto overflowFrom = static_cast<float>(f.overflowFrom), flushBelow = static_cast<float>(f.flushBelow),
                   largest = static_cast<float>(f.maxFinite);
        const float beyond = roundTo(d.dtype, overflowFrom);
        EXPECT_TRUE(d.beyond == Beyond::Inf ? beyond == kInf : d.beyond == Beyond::Nan ? std::isnan(beyond) : beyond == largest) << f.name;
        EXPECT_EQ(roundTo(d.dtype, std::nextafter(overflowFrom, 0.0f)), largest) << f.name;
        EXPECT_EQ(roundTo(d.dtype, flushBelow), 0.0f) << f.name;
        EXPECT_EQ(roundTo(d.dtype, std::nextafter(flushBelow, 1.0f)), static_cast<float>(f.minSubnormal)) << f.name;
        EXPECT_EQ(roundTo(d.dtype, static_cast<float>(1 + f.unitRoundoff())), 1.0f) << f.name;
        EXPECT_EQ(roundTo(d.dtype, static_cast<float>(1 + f.epsilon)), static_cast<float>(1 + f.epsilon)) << f.name;
        EXPECT_EQ(floatBits(largest), composeFloat(d.largestSignificand, d.maxExponent - d.mantissaBits)) << f.name;
        EXPECT_EQ(floatBits(static_cast<float>(f.minNormal)), composeFloat(1, d.minExponent())) << f.name;
        EXPECT_EQ(f.codeBits(), 1 + d.exponentBits + d.mantissaBits) << f.name;
    }
    EXPECT_EQ(roundTo(Dtype::F16, 65519.99f), 65504.0f);
    EXPECT_EQ(roundTo(Dtype::F16, 65520.0f), kInf);
    EXPECT_EQ(dtypeFromName("e4m3"), Dtype::E4M3);
    EXPECT_EQ(dtypeFromName("fp8_e5m2"), Dtype::E5M2);
    EXPECT_FALSE(dtypeFromName("fp8").has_value());
}

TEST(Rounding, NanKeepsItsSignAndBecomesQuiet) {
    for (const Dtype dtype : {Dtype::TF32, Dtype::F16, Dtype::BF16, Dtype::E5M2}) {
        const DtypeFacts& f = facts(dtype);
        const std::uint32_t quiet = 1u << (f.mantissaBits - 1), inf = ((1u << f.exponentBits) - 1) << f.mantissaBits;
        const std::uint32_t sign = 1u << (f.exponentBits + f.mantissaBits);
        for (const Rounding rounding : kAllRoundings) {
            const RoundingMode mode{.rounding = rounding, .saturate = rounding == Rounding::TowardZero};
            EXPECT_EQ(encodeBits(dtype, floatFromBits(0x7F800001u), mode), inf | quiet) << f.name;  // its payload does not fit
            EXPECT_EQ(encodeBits(dtype, floatFromBits(0xFFFFFFFFu), mode), sign | inf | (2 * quiet - 1)) << f.name;
            EXPECT_EQ(encodeBits(dtype, floatFromBits(0x7FC00000u), mode), inf | quiet) << f.name;
            EXPECT_EQ(floatBits(roundTo(dtype, floatFromBits(0xFF800001u), mode)), 0xFFC00001u) << f.name;
        }
    }
    EXPECT_EQ(encodeBits(Dtype::E4M3, floatFromBits(0xFF800001u)), 0xFFu);
    EXPECT_EQ(floatBits(roundTo(Dtype::F32, floatFromBits(0x7F800001u))), 0x7F800001u);
}

TEST(Rounding, TowardZeroNeverOverflows) {
    const RoundingMode mode{.rounding = Rounding::TowardZero};
    for (const FormatDefinition& f : formatDefinitions()) {
        const auto largest = static_cast<float>(facts(f.dtype).maxFinite);
        for (const float x : {std::nextafter(largest, kInf), std::numeric_limits<float>::max()}) {
            EXPECT_EQ(roundTo(f.dtype, x, mode), largest) << f.name;
            EXPECT_EQ(roundTo(f.dtype, -x, mode), -largest) << f.name;
        }
        EXPECT_EQ(std::isfinite(roundTo(f.dtype, kInf, mode)), !hasNan(f)) << f.name;
    }
}

// r carries from 2^32 - F on, F the dropped fraction in units of 2^-32: of the 2^32 equally likely r exactly F go up.
TEST(Rounding, StochasticGoesUpWithTheDroppedFraction) {
    const auto expectShare = [](Dtype dtype, float x, float down, float up, std::uint64_t share) {
        const auto with = [&](std::uint64_t random) {
            return withFormat(dtype, [&](auto format) {
                return decltype(format)::template round<Rounding::Stochastic>(x, static_cast<std::uint32_t>(random));
            });
        };
        constexpr std::uint64_t kAll = std::uint64_t{1} << 32;
        EXPECT_EQ(with(0), down) << facts(dtype).name << ' ' << x;
        EXPECT_EQ(with(kAll - share - 1), down) << facts(dtype).name << ' ' << x;
        if (share > 0) {
            EXPECT_EQ(with(kAll - share), up) << facts(dtype).name << ' ' << x;
            EXPECT_EQ(with(kAll - 1), up) << facts(dtype).name << ' ' << x;
        }
    };
    constexpr std::uint64_t kQuarter = std::uint64_t{1} << 30;
    expectShare(Dtype::BF16, 1 + 0x1p-9f, 1, 1 + 0x1p-7f, kQuarter);
    expectShare(Dtype::BF16, -(1 + 0x1p-9f), -1, -(1 + 0x1p-7f), kQuarter);
    expectShare(Dtype::BF16, 0x1p-135f, 0, 0x1p-133f, kQuarter);  // subnormal in both formats
    expectShare(Dtype::F16, 1 + 3 * 0x1p-12f, 1, 1 + 0x1p-10f, 3 * kQuarter);
    expectShare(Dtype::F16, 0x1p-26f, 0, 0x1p-24f, kQuarter);  // of fp16's smallest subnormal
    expectShare(Dtype::F16, 0x1.8p-24f, 0x1p-24f, 0x1p-23f, 2 * kQuarter);
    expectShare(Dtype::E4M3, 1.0f + 0x1p-23f, 1, 1.125f, std::uint64_t{1} << 12);
    expectShare(Dtype::E4M3, 0x1p-9f * 0x1p-32f, 0, 0x1p-9f, 1);
    expectShare(Dtype::E4M3, 0x1p-9f * 0x1.8p-33f, 0, 0x1p-9f, 0);  // below 2^-32 of an ulp
    expectShare(Dtype::E5M2, 57344 + 2048, 57344, kInf, kQuarter);
    expectShare(Dtype::E2M1, 0.125f, 0, 0.5f, kQuarter);
    expectShare(Dtype::E8M0, 5, 4, 8, kQuarter);
}

TEST(Rounding, StochasticIsAFunctionOfSeedStreamAndIndex) {
    const auto drawn = [](const RoundingMode& mode, std::uint64_t from) {
        std::vector<float> values;
        for (std::uint64_t i = from; i < from + 64; ++i) values.push_back(roundTo(Dtype::BF16, 1 + 0x1p-8f, mode, i));
        return values;
    };
    const RoundingMode mode{.rounding = Rounding::Stochastic, .seed = 7};
    EXPECT_EQ(drawn(mode, 0), drawn(mode, 0));
    EXPECT_NE(drawn(mode, 0), drawn(mode, 64));
    EXPECT_NE(drawn(mode, 0), drawn({.rounding = Rounding::Stochastic, .seed = 8}, 0));
    EXPECT_NE(drawn(mode, 0), drawn({.rounding = Rounding::Stochastic, .stream = 1, .seed = 7}, 0));
}

// The mean of n draws has the standard error ulp * sqrt(p (1 - p) / n).
TEST(Rounding, TheMeanOfStochasticRoundingIsTheNumber) {
    constexpr int kDraws = 1 << 16;
    const RoundingMode mode{.rounding = Rounding::Stochastic, .seed = 1};
    for (const Dtype dtype : {Dtype::TF32, Dtype::F16, Dtype::BF16, Dtype::E4M3, Dtype::E5M2, Dtype::E2M3, Dtype::E3M2, Dtype::E2M1}) {
        const DtypeFacts& f = facts(dtype);
        for (const double share : {0.1, 0.5, 0.8}) {
            const double ulp = f.minSubnormal;
            const auto x = static_cast<float>(ulp * (1 + share));
            double sum = 0;
            for (int i = 0; i < kDraws; ++i) sum += static_cast<double>(roundTo(dtype, x, mode, static_cast<std::uint64_t>(i)));
            EXPECT_NEAR(sum / kDraws, static_cast<double>(x), 5 * ulp * std::sqrt(share * (1 - share) / kDraws)) << f.name;
        }
    }
}

}  // namespace
}  // namespace mantissa::test
