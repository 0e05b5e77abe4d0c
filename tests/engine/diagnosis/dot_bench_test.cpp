// SPDX-License-Identifier: Apache-2.0
// Dot products: the exact one against integers, each way of summing against a loop that is written out here.
#include "engine/diagnosis/dot_bench.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/dtype/tensor_core.h"

namespace mantissa {
namespace {

__extension__ using WideInteger = __int128;

/// The exact sum of products of FP16 numbers, in units of 2^-48.
WideInteger unitsOf(const DotInput& input, int length) {
    WideInteger sum = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(length); ++i) {
        const auto a = static_cast<std::int64_t>(static_cast<double>(input.a[i]) * 0x1p24);
        const auto b = static_cast<std::int64_t>(static_cast<double>(input.b[i]) * 0x1p24);
        sum += static_cast<WideInteger>(a) * b;
    }
    return sum;
}

TEST(DotBench, TheExactSumIsThatOfIntegers) {
    for (const DotValues values : kAllDotValues) {
        const DotInput input = dotInput(values, Dtype::F16, 3000, 7);
        const std::vector<int> lengths{1, 2, 17, 1000, 2999, 3000};
        const std::vector<double> exact = exactDots(input, lengths);
        for (std::size_t i = 0; i < lengths.size(); ++i) {
            const double expected = static_cast<double>(unitsOf(input, lengths[i])) * 0x1p-48;  // one rounding, to double
            EXPECT_NEAR(exact[i], expected, std::abs(expected) * 0x1p-52) << lengths[i];
        }
    }
    // What a plain sum in double loses.
    const DotInput hard{Dtype::F32, {0x1p60f, 1, -0x1p60f, 0x1p-60f}, {1, 1, 1, 1}};
    EXPECT_EQ(exactDots(hard, {3, 4}), (std::vector<double>{1, 1 + 0x1p-60}));
}

float rounded(Dtype format, float value) {
    return roundTo(format, value);
}

TEST(DotBench, EachOrderIsItsOwnLoop) {
    for (const Dtype format : {Dtype::F32, Dtype::F16, Dtype::BF16, Dtype::E5M2}) {
        for (const DotValues values : kAllDotValues) {
            constexpr int kLength = 333, kChunk = 32;
            const DotInput input = dotInput(values, Dtype::F16, kLength, 3);
            std::vector<float> products;
            for (std::size_t i = 0; i < kLength; ++i) products.push_back(input.a[i] * input.b[i]);

            float inOrder = 0, chunked = 0, part = 0, kahan = 0, lost = 0;
            for (std::size_t i = 0; i < kLength; ++i) {
                inOrder = rounded(format, inOrder + products[i]);
                part = rounded(format, part + products[i]);
                if ((i + 1) % kChunk == 0 || i + 1 == kLength) {
                    chunked = rounded(format, chunked + part);
                    part = 0;
                }
                const float y = rounded(format, products[i] - lost), t = rounded(format, kahan + y);
                lost = rounded(format, rounded(format, t - kahan) - y);
                kahan = t;
            }
            // Pairwise from below: a power of two has the same halves.
            std::vector<float> level;
            for (std::size_t i = 0; i < 256; ++i) level.push_back(rounded(format, products[i]));
            while (level.size() > 1) {
                for (std::size_t i = 0; i < level.size() / 2; ++i) level[i] = rounded(format, level[2 * i] + level[2 * i + 1]);
                level.resize(level.size() / 2);
            }
            const auto way = [&](SumOrder order) { return SumWay{.order = order, .format = format, .chunk = kChunk}; };
            EXPECT_EQ(dotOf(input, kLength, way(SumOrder::InOrder)), inOrder);
            EXPECT_EQ(dotOf(input, kLength, way(SumOrder::Chunked)), chunked);
            EXPECT_EQ(dotOf(input, kLength, way(SumOrder::Kahan)), kahan);
            EXPECT_EQ(dotOf(input, 256, way(SumOrder::Pairwise)), level[0]);
        }
    }
}

TEST(DotBench, ATensorCoresSumIsAChainOfItsOperations) {
    const DotInput input = dotInput(DotValues::Normal, Dtype::E4M3, 300, 5);
    const FusedDot model = *fusedDot(Accumulator::Hopper, Dtype::E4M3);
    ASSERT_EQ(model.terms, 32);
    float chain = 0, part = 0, promoted = 0;
    for (std::size_t i = 0; i < 300; i += 32) {
        const std::int64_t count = std::min<std::int64_t>(32, 300 - static_cast<std::int64_t>(i));
        chain = fusedDotAdd(model, &input.a[i], 1, -6, &input.b[i], 1, -6, count, chain);
        part = fusedDotAdd(model, &input.a[i], 1, -6, &input.b[i], 1, -6, count, part);
        if ((i + 32) % 128 == 0 || i + 32 >= 300) promoted += std::exchange(part, 0.f);
    }
    EXPECT_EQ(dotOf(input, 300, {.order = SumOrder::TensorCore}), chain);
    EXPECT_EQ(dotOf(input, 300, {.order = SumOrder::Promoted}), promoted);
    EXPECT_NE(chain, promoted);
    EXPECT_EQ(whyNoSum({.order = SumOrder::Promoted}, Dtype::E4M3), "");
    EXPECT_FALSE(whyNoSum({.order = SumOrder::Promoted, .chunk = 48}, Dtype::E4M3).empty());
    EXPECT_FALSE(whyNoSum({.order = SumOrder::TensorCore}, Dtype::F32).empty());
    EXPECT_FALSE(whyNoSum({.order = SumOrder::TensorCore, .core = Accumulator::Volta}, Dtype::BF16).empty());
    EXPECT_EQ(whyNoSum({.order = SumOrder::Kahan}, Dtype::E2M1), "");
}

TEST(DotBench, ShowsWhatEachWayIsFor) {
    const DotInput input = dotInput(DotValues::OneLarge, Dtype::F16, 4096, 1);
    const auto error = [&](SumWay way) { return std::abs(dotErrors(input, {4096}, way).front().error); };
    SumWay way{.format = Dtype::F16};
    EXPECT_EQ(dotOf(input, 4096, way), 256) << "each small term is lost";
    const double inOrder = error(way);
    EXPECT_GT(inOrder, 100);
    for (const SumOrder order : {SumOrder::Chunked, SumOrder::Pairwise, SumOrder::Kahan, SumOrder::TensorCore}) {
        way.order = order;
        EXPECT_LT(error(way), inOrder / 20) << static_cast<int>(order);
    }
    way = {.format = Dtype::F16, .rounding = {.rounding = Rounding::Stochastic, .seed = 1}};
    EXPECT_LT(error(way), inOrder / 10) << "right on average";
    EXPECT_LT(error({}), 1e-2) << "FP32";
}

TEST(DotBench, ErrorsAreMeasuredInTheSumsOwnUnits) {
    const DotError found = dotError(5, 258, 257, Dtype::BF16);
    EXPECT_EQ(found.error, 1);
    EXPECT_EQ(found.ulps, 0.5) << "between 256 and 512 the gap of BF16 is 2";
    EXPECT_DOUBLE_EQ(found.relative, 1 / 257.0);
    EXPECT_EQ(dotError(1, 0, 0, Dtype::F16).relative, 0);
    EXPECT_TRUE(std::isnan(dotError(1, 1, 0, Dtype::F16).relative));
    EXPECT_TRUE(std::isnan(dotError(1, INFINITY, 1, Dtype::F16).ulps));
    const std::vector<int> lengths = dotLengths(100);
    EXPECT_EQ(lengths.front(), 1);
    EXPECT_EQ(lengths.back(), 100);
    EXPECT_TRUE(std::is_sorted(lengths.begin(), lengths.end()));
    EXPECT_EQ(dotLengths(1), std::vector<int>{1});
}

TEST(DotBench, AnElementIsTheSameWhateverTheLengthAndANumberOfTheFormat) {
    for (const DotValues values : kAllDotValues) {
        for (const Dtype format : kAllDtypes) {
            if (format == Dtype::E8M0) continue;
            const DotInput shorter = dotInput(values, format, 10, 9), longer = dotInput(values, format, 200, 9);
            EXPECT_TRUE(std::equal(shorter.a.begin(), shorter.a.end(), longer.a.begin()));
            for (const float each : longer.a) {
                EXPECT_TRUE(std::isfinite(each));
                EXPECT_EQ(roundTo(format, each), each);
            }
        }
    }
    EXPECT_NE(dotInput(DotValues::Normal, Dtype::F32, 5, 1).a, dotInput(DotValues::Normal, Dtype::F32, 5, 2).a);
}

}  // namespace
}  // namespace mantissa
