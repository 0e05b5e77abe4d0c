// SPDX-License-Identifier: Apache-2.0
// Block formats: spot values, and what holds for every block.
#include "kernels/dtype/block_quant.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "kernels/dtype/rounding.h"
#include "tests/support/non_finite.h"

namespace mantissa::test {
namespace {

constexpr ScaleRule kRules[] = {ScaleRule::Floor, ScaleRule::RoundUp};

std::vector<float> through(std::string_view name, const std::vector<float>& values, ScaleRule rule = ScaleRule::Floor) {
    const BlockFormat format = blockFormatFromName(name).value();
    return dequantizeBlocks(format, quantizeBlocks(format, values, rule));
}

/// Blocks of very different magnitudes, as gradients have them.
std::vector<float> anyValues(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = std::ldexp(normal(random), static_cast<int>(i / 32 * 7 % 200) - 100);
    return values;
}

float amaxOf(std::span<const float> values) {
    float amax = 0;
    for (const float x : values) amax = std::max(amax, std::fabs(x));
    return amax;
}

TEST(BlockQuant, TheFormats) {
    EXPECT_EQ(blockFormats().size(), 6u);
    EXPECT_EQ(blockFormatFromName("mxfp4")->bitsPerNumber(), 4.25);
    EXPECT_EQ(blockFormatFromName("nvfp4")->bitsPerNumber(), 4.5);
    EXPECT_FALSE(blockFormatFromName("mxfp5").has_value());
}

// e4m3's largest number is 1.75 * 2^8: floor saturates an amax whose significand is above 1.75, round-up takes the next power for it.
TEST(BlockQuant, ScalesOfMx) {
    const auto scale = [](Dtype element, float amax, ScaleRule rule) { return decodeBits(Dtype::E8M0, mxScale(element, amax, rule)); };
    EXPECT_EQ(scale(Dtype::E4M3, 448, ScaleRule::Floor), 1);
    EXPECT_EQ(scale(Dtype::E4M3, 448, ScaleRule::RoundUp), 1);
    EXPECT_EQ(scale(Dtype::E4M3, std::nextafter(448.0f, kInf), ScaleRule::Floor), 1);
    EXPECT_EQ(scale(Dtype::E4M3, std::nextafter(448.0f, kInf), ScaleRule::RoundUp), 2);
    EXPECT_EQ(scale(Dtype::E4M3, 256, ScaleRule::RoundUp), 1);
    EXPECT_EQ(scale(Dtype::E4M3, std::nextafter(256.0f, 0.0f), ScaleRule::Floor), 0.5f);
    EXPECT_EQ(scale(Dtype::E5M2, 57344, ScaleRule::RoundUp), 1);
    EXPECT_EQ(scale(Dtype::E2M3, 7.5f, ScaleRule::RoundUp), 1);
    EXPECT_EQ(scale(Dtype::E3M2, 28, ScaleRule::RoundUp), 1);
    EXPECT_EQ(scale(Dtype::E2M1, 6.5f, ScaleRule::Floor), 1);
    EXPECT_EQ(scale(Dtype::E2M1, 6.5f, ScaleRule::RoundUp), 2);
    // at fp32's ends
    EXPECT_EQ(mxScale(Dtype::E4M3, 0x1p-149f, ScaleRule::RoundUp), 0u);
    EXPECT_EQ(mxScale(Dtype::E4M3, 448 * 0x1p-127f, ScaleRule::RoundUp), 0u);
    EXPECT_EQ(mxScale(Dtype::E4M3, 449 * 0x1p-127f, ScaleRule::RoundUp), 1u);
    EXPECT_EQ(mxScale(Dtype::E4M3, std::numeric_limits<float>::max(), ScaleRule::Floor), 127u + 119);
    EXPECT_EQ(mxScale(Dtype::E4M3, std::numeric_limits<float>::max(), ScaleRule::RoundUp), 127u + 120);
    for (const ScaleRule rule : kRules) {
        EXPECT_EQ(mxScale(Dtype::E2M1, 0, rule), 0u);
        EXPECT_EQ(mxScale(Dtype::E2M1, kNan, rule), 0xFFu);
    }
    EXPECT_EQ(mxScale(Dtype::E2M1, kInf, ScaleRule::Floor), 0xFFu);
    EXPECT_EQ(mxScale(Dtype::E2M1, kInf, ScaleRule::RoundUp), 0xFEu);
}

// By round-up every element is rounded by no more than the format rounds, and the largest one is never cut off. By floor it is, exactly
// when its significand is beyond where the largest number begins to round up.
TEST(BlockQuant, RoundUpNeverSaturatesAndFloorDoes) {
    for (const BlockFormat& format : blockFormats()) {
        if (format.hasTensorScale) continue;
        const DtypeFacts& f = facts(format.element);
        int cutByFloor = 0;
        for (unsigned seed = 0; seed < 20; ++seed) {
            const std::vector<float> values = anyValues(32 * 100 + 5, seed);
            for (const ScaleRule rule : kRules) {
                const QuantizedBlocks q = quantizeBlocks(format, values, rule);
                ASSERT_EQ(q.scales.size(), 101u);
                ASSERT_EQ(q.elements.size(), values.size());
                const std::vector<float> back = dequantizeBlocks(format, q);
                for (std::size_t i = 0; i < values.size(); ++i) {
                    const float scale = decodeBits(Dtype::E8M0, q.scales[i / 32]);
                    const double x = static_cast<double>(values[i]) / static_cast<double>(scale);
                    const double error = std::fabs(static_cast<double>(back[i]) / static_cast<double>(scale) - x);
                    const int exponent = std::max(x == 0 ? 1 - f.bias : std::ilogb(x), 1 - f.bias);
                    const double limit = std::ldexp(1.0, exponent - f.mantissaBits) / 2;  // half an ulp
                    if (rule == ScaleRule::RoundUp) {
                        ASSERT_LE(std::fabs(x), f.maxFinite) << format.name;
                        ASSERT_LE(error, limit) << format.name << ' ' << values[i];
                    } else if (error > limit) {
                        ASSERT_EQ(std::fabs(static_cast<double>(back[i])), f.maxFinite * static_cast<double>(scale)) << format.name;
                        ASSERT_GE(std::fabs(x), f.overflowFrom) << format.name;
                        ++cutByFloor;
                    }
                    ASSERT_EQ(std::signbit(back[i]), std::signbit(values[i]));
                }
            }
        }
        EXPECT_GT(cutByFloor, 0) << format.name;
    }
}

// A block is its own: what stands beside it does not matter, and every number of it that the element holds exactly comes back.
TEST(BlockQuant, ExactNumbersComeBack) {
    for (const BlockFormat& format : blockFormats()) {
        if (format.hasTensorScale) continue;
        std::vector<float> values;
        for (std::uint32_t code = 0; code < 1u << facts(format.element).codeBits(); ++code) {
            const float x = decodeBits(format.element, code);
            if (std::isfinite(x)) values.insert(values.end(), {x * 0x1p20f, static_cast<float>(facts(format.element).maxFinite) * 0x1p20f});
        }
        for (const ScaleRule rule : kRules) EXPECT_EQ(through(format.name, values, rule), values) << format.name;
    }
}

TEST(BlockQuant, ZeroNanAndInf) {
    for (const BlockFormat& format : blockFormats()) {
        std::vector<float> values(3 * format.blockSize, 1.0f);
        for (std::size_t i = 0; i < format.blockSize; ++i) values[i] = i % 2 == 0 ? 0.0f : -0.0f;
        values[format.blockSize + 1] = kNan;
        for (const ScaleRule rule : kRules) {
            const std::vector<float> back = through(format.name, values, rule);
            for (std::size_t i = 0; i < format.blockSize; ++i) {
                EXPECT_EQ(floatBits(back[i]), floatBits(values[i])) << format.name;
                EXPECT_TRUE(std::isnan(back[format.blockSize + i])) << format.name;
                EXPECT_EQ(back[2 * format.blockSize + i], 1) << format.name;
            }
        }
    }
    const std::vector<float> withInf{1, -kInf, 2};
    for (const float x : through("mxfp8_e4m3", withInf, ScaleRule::Floor)) EXPECT_TRUE(std::isnan(x));
    EXPECT_EQ(through("mxfp8_e4m3", withInf, ScaleRule::RoundUp), (std::vector<float>{0, -kInf, 0}));  // 448 * 2^127 is beyond fp32
    EXPECT_EQ(through("nvfp4", withInf), (std::vector<float>{0, -448 * 6, 0}));                        // the tensor's factor is 1 then
    EXPECT_TRUE(through("mxfp4", {}).empty());
}

TEST(BlockQuant, Nvfp4ScalesTwice) {
    const BlockFormat format = blockFormatFromName("nvfp4").value();
    std::vector<float> values(32, 0.75f);
    values[0] = 12;    // the tensor's largest: S = 448 * 6 / 12 = 224
    values[16] = 1.5;  // the second block's: scale 1.5 * 224 / 6 = 56
    const QuantizedBlocks q = quantizeBlocks(format, values, ScaleRule::Floor);
    EXPECT_EQ(q.tensorScale, 224);
    EXPECT_EQ(decodeBits(Dtype::E4M3, q.scales[0]), 448);
    EXPECT_EQ(decodeBits(Dtype::E4M3, q.scales[1]), 56);
    const std::vector<float> back = dequantizeBlocks(format, q);
    EXPECT_EQ(back[0], 12);
    EXPECT_EQ(back[1], 1);  // 0.75 * 224 / 448 = 0.375, nearest 0.5
    EXPECT_EQ(back[16], 1.5f);
    EXPECT_EQ(back[17], 0.75f);
    // The largest of a tensor comes back within the two roundings, e4m3's and e2m1's.
    for (unsigned seed = 0; seed < 50; ++seed) {
        std::vector<float> some = anyValues(64, seed);
        const float amax = amaxOf(some);
        EXPECT_NEAR(amaxOf(dequantizeBlocks(format, quantizeBlocks(format, some, ScaleRule::Floor))), amax, amax / 16) << seed;
    }
    // So small that the factor is held to fp32's largest, and the block's scale to 0.
    EXPECT_EQ(quantizeBlocks(format, std::vector<float>{0x1p-149f}, ScaleRule::Floor).tensorScale, std::numeric_limits<float>::max());
    std::vector<float> uneven(32, 1e-6f);
    uneven[0] = 1e6f;
    EXPECT_EQ(dequantizeBlocks(format, quantizeBlocks(format, uneven, ScaleRule::Floor))[20], 0);
}

TEST(BlockQuant, StochasticElementsAverageToTheNumber) {
    const BlockFormat format = blockFormatFromName("mxfp4").value();
    std::vector<float> values(32 * 1000, 2.25f);
    for (std::size_t i = 0; i < values.size(); i += 32) values[i] = 6;
    const std::vector<float> back =
        dequantizeBlocks(format, quantizeBlocks(format, values, ScaleRule::Floor, {.rounding = Rounding::Stochastic, .seed = 4}));
    double sum = 0;
    for (std::size_t i = 0; i < back.size(); ++i) sum += i % 32 == 0 ? 0 : static_cast<double>(back[i]);
    EXPECT_NEAR(sum / 31000, 2.25, 5 * std::sqrt(0.25 * 0.75 / 31000));  // between 2 and 3
}

}  // namespace
}  // namespace mantissa::test
