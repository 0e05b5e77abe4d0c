// SPDX-License-Identifier: Apache-2.0
// Block formats: spot values, and what holds for every block.
#include "kernels/cpu/block_array.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "kernels/dtype/block_scaling.h"
#include "tests/support/blocks.h"
#include "tests/support/non_finite.h"

namespace mantissa::test {
namespace {

constexpr ScaleRule kRules[] = {ScaleRule::Floor, ScaleRule::RoundUp};

std::uint32_t mxScale(Dtype element, float amax, ScaleRule rule) {
    return withScaleRule(rule, [&](auto tag) { return mxScaleCode<decltype(tag)::kValue>(mxElementOf(element), floatBits(amax)); });
}

BlockFormat formatNamed(std::string_view name, ScaleRule rule = ScaleRule::Floor) {
    const BlockFormat format = blockFormatFromName(name).value();
    return format.isNvfp4() ? format : withRule(format, rule);
}

BlockFormat nvfp4(Nvfp4Dialect dialect = Nvfp4Dialect::Te) {
    BlockFormat format = formatNamed("nvfp4");
    format.dialect = dialect;
    return format;
}

std::vector<float> through(const BlockFormat& format, const std::vector<float>& values) {
    return dequantized(format, quantized(format, rowOf(values), values));
}
std::vector<float> through(std::string_view name, const std::vector<float>& values, ScaleRule rule = ScaleRule::Floor) {
    return through(formatNamed(name, rule), values);
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
    EXPECT_EQ(blockFormats().size(), 8u);
    EXPECT_EQ(blockFormatFromName("mxfp4")->bitsPerNumber(), 4.25);
    EXPECT_EQ(blockFormatFromName("nvfp4")->bitsPerNumber(), 4.5);
    EXPECT_FALSE(blockFormatFromName("mxfp5").has_value());
    for (const ScaleRule rule : kAllScaleRules) EXPECT_EQ(scaleRuleFromName(scaleRuleName(rule)), rule);
    for (const Nvfp4Dialect dialect : kAllNvfp4Dialects) EXPECT_EQ(nvfp4DialectFromName(nvfp4DialectName(dialect)), dialect);
    EXPECT_FALSE(scaleRuleFromName("te").has_value());
    EXPECT_TRUE(scaleRules(*blockFormatFromName("nvfp4")).empty());
    EXPECT_EQ(scaleRules(*blockFormatFromName("mxfp8_e4m3")).size(), 6u) << "fp32 scales are block FP8's";
    EXPECT_EQ(scaleRules(*blockFormatFromName("fp8_block_e5m2")).back(), ScaleRule::Fp32);
}

// What a memory ledger reads: 3 rows of 40 numbers have 2 blocks a row, 1 row of 40 columns, or 2 squares.
TEST(BlockFormats, SayWhatATensorTakes) {
    const MatrixShape shape{3, 40};
    BlockFormat format = formatNamed("mxfp6_e2m3");
    EXPECT_EQ(format.scales(shape), (MatrixShape{3, 2}));
    EXPECT_EQ(format.storageBytes(shape), 3 * 40 * 6 / 8 + 6);
    EXPECT_EQ(blockShapeName(blockShapes(format)[1]), "32x1");
    format.block = {32, 1};
    EXPECT_EQ(format.scales(shape), (MatrixShape{1, 40}));
    format.block = {32, 32};
    EXPECT_EQ(format.scales(shape), (MatrixShape{1, 2}));
    EXPECT_EQ(format.bitsPerNumber(), 6 + 8.0 / 1024);
    BlockFormat fourBits = nvfp4();
    EXPECT_EQ(fourBits.storageBytes(shape), 60 + 9 + 4);
    fourBits.dialect = Nvfp4Dialect::LlamaCpp;
    EXPECT_EQ(fourBits.storageBytes(shape), 60 + 9);
    EXPECT_EQ(refusalOf(fourBits, Rounding::NearestEven), "");
    EXPECT_NE(refusalOf(fourBits, Rounding::Stochastic), "");
    const BlockFormat wide = formatNamed("fp8_block_e4m3", ScaleRule::Fp32);
    EXPECT_EQ(wide.scale, Dtype::F32);
    EXPECT_EQ(wide.numbers(), Dtype::F32);
    EXPECT_EQ(wide.bitsPerNumber(), 8 + 32.0 / 128);
    EXPECT_EQ(wide.storageBytes({3, 130}), 3 * 130 + 6 * 4);
    EXPECT_EQ(withRule(wide, ScaleRule::PowerOfTwo).storageBytes({3, 130}), 3 * 130 + 6);
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

// The other rules, where they part. 1.9375 * 2^8 is e4m3's first digit beyond the tie below 2^9; ceil goes up from any power of two on.
TEST(BlockQuant, ScalesOfTheOtherRules) {
    const auto exponent = [](Dtype element, float amax, ScaleRule rule) { return static_cast<int>(mxScale(element, amax, rule)) - 127; };
    EXPECT_EQ(exponent(Dtype::E4M3, 256, ScaleRule::Ceil), 0);
    EXPECT_EQ(exponent(Dtype::E4M3, std::nextafter(256.0f, kInf), ScaleRule::Ceil), 1);
    EXPECT_EQ(exponent(Dtype::E4M3, std::nextafter(496.0f, 0.0f), ScaleRule::Even), 0);
    EXPECT_EQ(exponent(Dtype::E4M3, 496, ScaleRule::Even), 1);
    EXPECT_EQ(exponent(Dtype::E2M1, 7, ScaleRule::Even), 1);
    EXPECT_EQ(exponent(Dtype::E2M1, 6.9f, ScaleRule::Even), 0);
    EXPECT_EQ(exponent(Dtype::E2M1, std::numeric_limits<float>::max(), ScaleRule::Even), 128 - 2);
    EXPECT_EQ(exponent(Dtype::E4M3, 449, ScaleRule::Rceil), 1);
    for (const ScaleRule rule : {ScaleRule::Rceil, ScaleRule::Ceil, ScaleRule::Even}) EXPECT_EQ(mxScale(Dtype::E2M1, kInf, rule), 0xFFu);
    // Of a subnormal ratio the product decides: fl(448 (1 + 2^-23 / 1.75) 2^-127 / 448) is 2^-127.
    EXPECT_EQ(mxScale(Dtype::E4M3, std::nextafter(448 * 0x1p-127f, kInf), ScaleRule::RoundUp), 0u);
}

// By round-up every element is rounded by no more than the format rounds, and the largest one is never cut off. By floor it is, exactly
// when its significand is beyond where the largest number begins to round up.
TEST(BlockQuant, RoundUpNeverSaturatesAndFloorDoes) {
    for (const BlockFormat& format : blockFormats()) {
        if (!format.isMx()) continue;
        const DtypeFacts& f = facts(format.element);
        int cutByFloor = 0;
        for (unsigned seed = 0; seed < 20; ++seed) {
            const std::vector<float> values = anyValues(32 * 100 + 5, seed);
            for (const ScaleRule rule : kRules) {
                const BlockFormat byRule = formatNamed(format.name, rule);
                const QuantizedMatrix q = quantized(byRule, rowOf(values), values);
                const auto width = static_cast<std::size_t>(byRule.block.cols);
                ASSERT_EQ(q.scales.size(), (values.size() + width - 1) / width);
                ASSERT_EQ(q.elements.size(), values.size());
                const std::vector<float> back = dequantized(byRule, q);
                for (std::size_t i = 0; i < values.size(); ++i) {
                    const float scale = decodeBits(Dtype::E8M0, q.scales[i / width]);
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
        if (!format.isMx()) continue;
        std::vector<float> values;
        for (std::uint32_t code = 0; code < 1u << facts(format.element).codeBits(); ++code) {
            const float x = decodeBits(format.element, code);
            if (std::isfinite(x)) values.insert(values.end(), {x * 0x1p20f, static_cast<float>(facts(format.element).maxFinite) * 0x1p20f});
        }
        for (const ScaleRule rule : kRules) EXPECT_EQ(through(format.name, values, rule), values) << format.name;
    }
}

float fp32ScaleOf(const QuantizedMatrix& q, std::size_t block = 0) {
    float scale = 0;
    std::memcpy(&scale, q.scales.data() + block * sizeof scale, sizeof scale);
    return scale;
}

// a = 3: s = fl(448 / 3) = 149.33, in which 1 is the element 144. Powers of two would take 128, and 1 would come back.
TEST(BlockQuant, AnFp32ScaleMapsTheLargestMagnitudeToTheLargestElement) {
    const BlockFormat format = formatNamed("fp8_block_e4m3", ScaleRule::Fp32);
    const std::vector<float> values{1, -3, 0.5f};
    const QuantizedMatrix q = quantized(format, rowOf(values), values);
    const float s = 448.0f / 3;
    EXPECT_EQ(fp32ScaleOf(q), 1 / s);
    EXPECT_EQ(dequantized(format, q), (std::vector<float>{144 * (1 / s), -448 * (1 / s), 72 * (1 / s)}));
    EXPECT_EQ(through("fp8_block_e4m3", values, ScaleRule::PowerOfTwo), (std::vector<float>{1, -3, 0.5f}));
    int otherThanTheQuotient = 0, otherElements = 0;
    for (int i = 1; i < 2000; ++i) {
        const float a = static_cast<float>(i), factor = 448 / a, x = a / 3;
        const QuantizedMatrix one = quantized(format, {1, 2}, {a, x});
        ASSERT_EQ(fp32ScaleOf(one), 1 / factor) << i;
        ASSERT_EQ(one.elements[0], encodeBits(Dtype::E4M3, 448));
        ASSERT_EQ(one.elements[1], encodeBits(Dtype::E4M3, x * factor));
        otherThanTheQuotient += 1 / factor != a / 448 ? 1 : 0;
        otherElements += one.elements[1] != quantized(withRule(format, ScaleRule::PowerOfTwo), {1, 2}, {a, x}).elements[1] ? 1 : 0;
    }
    EXPECT_GT(otherThanTheQuotient, 100) << "fl(1 / fl(448 / a)) is not fl(a / 448)";
    EXPECT_GT(otherElements, 1000);
}

TEST(BlockQuant, Fp32ScalesAtTheEndsOfFp32) {
    const auto scaleOf = [](float a) { return fp32ScaleOf(quantized(formatNamed("fp8_block_e5m2", ScaleRule::Fp32), {1, 1}, {a})); };
    const float largestBf16 = floatFromBits(0x7F7F0000);
    EXPECT_EQ(scaleOf(0), 1);
    EXPECT_EQ(scaleOf(0x1p-149f), 1 / largestBf16) << "57344 / a is beyond fp32";
    EXPECT_EQ(scaleOf(57344 * 0x1p-128f), 1 / largestBf16);
    EXPECT_EQ(scaleOf(57344 * 0x1p-127f), 0x1p-127f);
    EXPECT_EQ(scaleOf(std::numeric_limits<float>::max()), 1 / (57344 / std::numeric_limits<float>::max()));
    EXPECT_EQ(floatBits(scaleOf(kInf)), floatBits(kNan));
    EXPECT_EQ(floatBits(scaleOf(-kNan)), floatBits(kNan));
    for (const float x : through("fp8_block_e4m3", {1, -kInf, 2}, ScaleRule::Fp32)) EXPECT_TRUE(std::isnan(x));
}

TEST(BlockQuant, ZeroNanAndInf) {
    for (const BlockFormat& format : blockFormats()) {
        const auto size = static_cast<std::size_t>(format.blockSize());
        std::vector<float> values(3 * size, 1.0f);
        for (std::size_t i = 0; i < size; ++i) values[i] = i % 2 == 0 ? 0.0f : -0.0f;
        values[size + 1] = kNan;
        for (const ScaleRule rule : kAllScaleRules) {
            const std::vector<float> back = through(format.name, values, rule);
            for (std::size_t i = 0; i < size; ++i) {
                EXPECT_EQ(floatBits(back[i]), floatBits(values[i])) << format.name;
                EXPECT_TRUE(std::isnan(back[size + i])) << format.name;
                EXPECT_EQ(back[2 * size + i], 1) << format.name;
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
    for (const Nvfp4Dialect dialect : {Nvfp4Dialect::Te, Nvfp4Dialect::Exact}) {
        const BlockFormat format = nvfp4(dialect);
        std::vector<float> values(32, 0.75f);
        values[0] = 12;    // the tensor's largest: S = 448 * 6 / 12 = 224
        values[16] = 1.5;  // the second block's: scale 1.5 * 224 / 6 = 56
        const QuantizedMatrix q = quantized(format, rowOf(values), values);
        EXPECT_EQ(q.tensorScale, 224);
        EXPECT_EQ(decodeBits(Dtype::E4M3, q.scales[0]), 448);
        EXPECT_EQ(decodeBits(Dtype::E4M3, q.scales[1]), 56);
        const std::vector<float> back = dequantized(format, q);
        // te multiplies by 1 / S, which is rounded for 224.
        const auto number = [&](float scaled) { return dialect == Nvfp4Dialect::Exact ? scaled / 224 : scaled * (1.0f / 224); };
        EXPECT_EQ(back[0], number(12 * 224));
        EXPECT_EQ(back[1], number(224));  // 0.75 * 224 / 448 = 0.375, nearest 0.5
        EXPECT_EQ(back[16], number(1.5f * 224));
        EXPECT_EQ(back[17], number(0.75f * 224));
        // The largest of a tensor comes back within the two roundings, e4m3's and e2m1's.
        for (unsigned seed = 0; seed < 50; ++seed) {
            std::vector<float> some = anyValues(64, seed);
            const float amax = amaxOf(some);
            EXPECT_NEAR(amaxOf(through(format, some)), amax, amax / 16) << seed;
        }
        // So small that the factor is held to fp32's largest, and the block's scale to 0.
        EXPECT_EQ(tensorScaleOf(format, 0x1p-149f), std::numeric_limits<float>::max());
        EXPECT_EQ(tensorScaleOf(format, 0), 1);
        EXPECT_EQ(tensorScaleOf(format, kInf), 1);
        std::vector<float> uneven(32, 1e-6f);
        uneven[0] = 1e6f;
        EXPECT_EQ(through(format, uneven)[20], 0);
    }
}

// Where orders part. te: a scale that underflows is 0, and its factor fp32's largest, so that codes are saturated; their numbers are 0.
// exact: the codes are 0. torchao-inference: a scale is 2^-6 at least. llama.cpp: no factor of the tensor.
TEST(BlockQuant, DialectsDifferWhereABlockIsSmallBesideItsTensor) {
    std::vector<float> values(32, 1e-6f);
    values[0] = 1e6f;
    const auto second = [&](Nvfp4Dialect dialect) {
        const QuantizedMatrix q = quantized(nvfp4(dialect), rowOf(values), values);
        return std::pair{int{q.scales[1]}, int{q.elements[20]}};
    };
    EXPECT_EQ(second(Nvfp4Dialect::Te), (std::pair{0, 7}));
    EXPECT_EQ(second(Nvfp4Dialect::Exact), (std::pair{0, 0}));
    EXPECT_EQ(second(Nvfp4Dialect::TorchaoInference), (std::pair{0x08, 0}));
    values[0] = 6;
    EXPECT_EQ(quantized(nvfp4(Nvfp4Dialect::LlamaCpp), rowOf(values), values).scales[0], 0x38);  // 1
    EXPECT_EQ(tensorScaleOf(nvfp4(Nvfp4Dialect::LlamaCpp), 6), 1);
}

// Each number is a tie between two elements: x * 6 / a is one. The orders round it to one side or the other on their way, or leave it, and
// so take different elements, next to each other.
TEST(BlockQuant, TiesOfTheDialects) {
    int different = 0;
    for (int j = 1; j < 256; j += 2) {
        std::vector<float> values{3.0f * static_cast<float>(j)};
        for (const float tie : {0.25f, 0.75f, 1.25f, 1.75f, 2.5f, 3.5f, 5.0f}) values.push_back(static_cast<float>(j) * tie / 2);
        const QuantizedMatrix te = quantized(nvfp4(), rowOf(values), values);
        const QuantizedMatrix exact = quantized(nvfp4(Nvfp4Dialect::Exact), rowOf(values), values);
        EXPECT_EQ(te.scales, exact.scales);
        EXPECT_EQ(te.elements[0], 7);
        for (std::size_t i = 1; i < values.size(); ++i) {
            different += te.elements[i] != exact.elements[i] ? 1 : 0;
            ASSERT_LE(std::abs(te.elements[i] - exact.elements[i]), 1);
        }
        // As the formulas of te have it.
        const float S = 2688.0f / values[0], factor = 1.0f / (448.0f * (1.0f / S));
        for (std::size_t i = 1; i < values.size(); ++i) ASSERT_EQ(te.elements[i], encodeBits(Dtype::E2M1, values[i] * factor)) << j;
    }
    EXPECT_GT(different, 10);
    // llama.cpp: ties go to the smaller magnitude, and -0 has no sign. The scale's own ties go up, and from 256 on it is 448.
    std::vector<float> ties{6, 0.25f, 0.75f, 1.25f, 1.75f, 2.5f, 3.5f, 5, -5, -0.0f, kNan, kInf};
    ties[11] = 0;
    EXPECT_EQ(through(nvfp4(Nvfp4Dialect::LlamaCpp), ties), (std::vector<float>{6, 0, 0.5f, 1, 1.5f, 2, 3, 4, -4, 0, 0, 0}));
    const auto scale = [](float amax) { return decodeBits(Dtype::E4M3, Nvfp4<Nvfp4Dialect::LlamaCpp>::scaleCode(floatBits(amax), 1)); };
    EXPECT_EQ(scale(6 * 1.0625f), 1.125f);
    EXPECT_EQ(scale(6 * 256), 448);
    EXPECT_EQ(scale(6 * 240), 240);
    EXPECT_EQ(scale(6 * 248), 448);  // rounds to 256, and what that code would be is 448
    EXPECT_EQ(scale(6 * 7.9f * 0x1p-9f), 7 * 0x1p-9f);
    EXPECT_EQ(scale(kInf), 448);
}

// Two spots where another order of the same operations gives another code. A scale of te, 3.5 * 2^-9 before it is rounded: S / 6 first. An
// element of torchao-inference, 0.75 of its scale: it divides by S and by s one after the other.
TEST(BlockQuant, TheOrderOfOperationsDecidesScalesToo) {
    std::vector<float> values(32, 5 * 0x1p-16f);
    values[0] = 5;
    EXPECT_EQ(quantized(nvfp4(), rowOf(values), values).scales[1], 4);
    EXPECT_EQ(encodeBits(Dtype::E4M3, values[16] / 6 * (2688.0f / 5)), 3u);
    const std::vector<float> sevenths{7, 0.875f};
    EXPECT_EQ(quantized(nvfp4(Nvfp4Dialect::TorchaoInference), rowOf(sevenths), sevenths).elements[1], 2);
    EXPECT_EQ(encodeBits(Dtype::E2M1, 0.875f * (1 / (7.0f / 2688 * 448))), 1u);
}

// What Transformer Engine has no bits for: a NaN is a NaN of its whole block in these dialects, whatever it lies beside.
TEST(BlockQuant, NanIsNotLostInAnyShape) {
    for (const BlockFormat& given : blockFormats()) {
        for (const MatrixShape block : blockShapes(given)) {
            BlockFormat format = given;
            format.block = block;
            const MatrixShape shape{70, 75};
            std::vector<float> values(70 * 75, 1.0f);
            values[40 * 75 + 50] = kNan;
            const std::vector<float> back = dequantized(format, quantized(format, shape, values));
            for (std::int64_t r = 0; r < shape.rows; ++r) {
                for (std::int64_t c = 0; c < shape.cols; ++c) {
                    const bool isItsBlock = r / block.rows == 40 / block.rows && c / block.cols == 50 / block.cols;
                    ASSERT_EQ(std::isnan(back[static_cast<std::size_t>(r * shape.cols + c)]), isItsBlock)
                        << format.name << ' ' << r << ' ' << c;
                }
            }
        }
    }
}

// 2.25 is a quarter of the way from 2 to 3: only these two come, and their mean is within four standard errors, for every position alike.
TEST(BlockQuant, StochasticElementsAverageToTheNumber) {
    for (const MatrixShape block : {MatrixShape{1, 32}, MatrixShape{32, 1}, MatrixShape{32, 32}}) {
        BlockFormat format = formatNamed("mxfp4");
        format.block = block;
        const MatrixShape shape{1024, 32};
        std::vector<float> values(1024 * 32, 2.25f);
        for (std::int64_t i = 0; i < shape.count(); ++i)
            if (i % 32 == i / 32 % 32) values[static_cast<std::size_t>(i)] = 6;  // one in each row and each column of a square
        const std::vector<float> back =
            dequantized(format, quantized(format, shape, values, {.rounding = Rounding::Stochastic, .seed = 4}));
        double sum = 0;
        for (std::size_t i = 0; i < back.size(); ++i) {
            if (values[i] == 6) {
                ASSERT_EQ(back[i], 6);
                continue;
            }
            ASSERT_TRUE(back[i] == 2 || back[i] == 3);
            sum += static_cast<double>(back[i]);
        }
        const double count = 1024 * 31;
        EXPECT_NEAR(sum / count, 2.25, 4 * std::sqrt(0.25 * 0.75 / count)) << blockShapeName(block);
    }
}

// The same of NVFP4, number by number: x f lies between two elements, which alone may come, each as often as the distance says.
TEST(BlockQuant, StochasticNvfp4HasTheMeanAndTheSupportOfEachNumber) {
    const BlockFormat format = nvfp4();
    std::vector<float> values(16);
    for (std::size_t i = 0; i < 16; ++i) values[i] = (i % 2 == 0 ? 1.0f : -1.0f) * static_cast<float>(i) * 0.37f;
    const QuantizedMatrix nearest = quantized(format, rowOf(values), values);
    const float factor = Nvfp4<Nvfp4Dialect::Te>::blockFactor(decodeBits(Dtype::E4M3, nearest.scales[0]), nearest.tensorScale);
    constexpr int kDraws = 20000;
    std::vector<double> sums(16);
    const std::vector<float> many = [&] {
        std::vector<float> all;
        for (int i = 0; i < kDraws; ++i) all.insert(all.end(), values.begin(), values.end());
        return all;
    }();
    const QuantizedMatrix drawn = quantized(format, {kDraws, 16}, many, {.rounding = Rounding::Stochastic, .seed = 9});
    const auto below = [](float x) { return decodeBits(Dtype::E2M1, encodeBits(Dtype::E2M1, x, {.rounding = Rounding::TowardZero})); };
    for (std::size_t i = 0; i < drawn.elements.size(); ++i) {
        const double x = static_cast<double>(values[i % 16] * factor), q = static_cast<double>(decodeBits(Dtype::E2M1, drawn.elements[i]));
        const double low = static_cast<double>(below(static_cast<float>(x)));
        const double ulp = std::fabs(low) < 2 ? 0.5 : std::fabs(low) < 4 ? 1 : 2;
        ASSERT_TRUE(q == low || (q == low + std::copysign(ulp, x) && x != low)) << x << ' ' << q;
        sums[i % 16] += q;
    }
    for (std::size_t i = 0; i < 16; ++i) {
        const double x = static_cast<double>(values[i] * factor), low = static_cast<double>(below(static_cast<float>(x)));
        const double ulp = std::fabs(low) < 2 ? 0.5 : std::fabs(low) < 4 ? 1 : 2, share = std::fabs(x - low) / ulp;
        EXPECT_NEAR(sums[i] / kDraws, x, 4 * ulp * std::sqrt(share * (1 - share) / kDraws) + 1e-12) << i;
    }
}

}  // namespace
}  // namespace mantissa::test
