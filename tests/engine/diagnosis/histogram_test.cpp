// SPDX-License-Identifier: Apache-2.0
// What a histogram says that a format makes of a tensor, against the conversion of each of its numbers.
#include "engine/diagnosis/histogram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "kernels/cpu/round_array.h"
#include "tests/engine/diagnosis/histogram_values.h"

namespace mantissa {
namespace {

using test::histogramOfValues;

constexpr Dtype kWindowed[] = {Dtype::F32, Dtype::TF32, Dtype::F16, Dtype::BF16, Dtype::E4M3, Dtype::E5M2};

/// value * 2^shift as an fp32 number that rounds to any narrower format as the exact product does: where fp32 has no such number, the odd
/// one of its two neighbours. For fp32 itself, rounded to nearest even.
float shifted(float value, int shift, Dtype dtype) {
    const double exact = std::ldexp(static_cast<double>(value), shift);
    const auto nearest = static_cast<float>(exact);
    if (dtype == Dtype::F32 || std::isinf(nearest) || static_cast<double>(nearest) == exact) return nearest;
    const bool isFurther = std::fabs(static_cast<double>(nearest)) > std::fabs(exact);
    const std::uint32_t towardZero = floatBits(nearest) - (isFurther ? 1 : 0);
    return floatFromBits(towardZero | 1);
}

/// One conversion for each number.
StoredCounts bruteForce(Dtype dtype, const std::vector<float>& values, int shift) {
    std::vector<float> scaled(values.size()), stored(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) scaled[i] = shifted(values[i], shift, dtype);
    roundArray(dtype, scaled.data(), stored.data(), stored.size());
    StoredCounts counts;
    const auto minNormal = static_cast<float>(facts(dtype).minNormal);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i]) || values[i] == 0) continue;
        const float magnitude = std::fabs(stored[i]);
        ++(!std::isfinite(magnitude) ? counts.overflowed
           : magnitude == 0          ? counts.flushed
           : magnitude < minNormal   ? counts.subnormal
                                     : counts.normal);
    }
    return counts;
}

void expectEqualAtEveryShift(const std::vector<float>& values, int step = 1) {
    const Histogram histogram = histogramOfValues(values);
    for (const Dtype dtype : kWindowed) {
        for (int shift = -40; shift <= 40; shift += step) {
            const StoredCounts expected = bruteForce(dtype, values, shift), found = storedIn(dtype, histogram, shift);
            ASSERT_EQ(found, expected) << facts(dtype).name << " times 2^" << shift << ": flushed " << found.flushed << " and not "
                                       << expected.flushed << ", subnormal " << found.subnormal << " and not " << expected.subnormal
                                       << ", overflowed " << found.overflowed << " and not " << expected.overflowed;
        }
    }
}

std::vector<float> everyCodeOf(Dtype dtype) {
    std::vector<std::uint16_t> codes(1 << 16);
    for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::uint16_t>(i);
    std::vector<float> values(codes.size());
    decodeArray(dtype, codes.data(), values.data(), values.size());
    return values;
}

TEST(Histogram, EveryFp16NumberAtEveryShift) {
    expectEqualAtEveryShift(everyCodeOf(Dtype::F16));
}

TEST(Histogram, EveryBf16NumberAtEveryShift) {
    expectEqualAtEveryShift(everyCodeOf(Dtype::BF16));
}

/// Each fp32 number about a bound is in the range of what the conversion makes of it, and in no other.
TEST(Histogram, RangesHoldTheNumbersThatAreStoredSo) {
    for (const Dtype dtype : kWindowed) {
        const DtypeFacts& f = facts(dtype);
        for (const double bound :
             {f.flushBelow, f.minSubnormal, f.minNormal - f.minSubnormal / 2, f.minNormal, f.maxFinite, f.overflowFrom}) {
            const std::uint32_t bits = floatBits(static_cast<float>(std::min(bound, static_cast<double>(facts(Dtype::F32).maxFinite))));
            for (std::uint32_t near = bits > 3 ? bits - 3 : 1; near <= bits + 3; ++near) {
                const float value = floatFromBits(near);
                if (!std::isfinite(value)) continue;
                const StoredCounts counts = bruteForce(dtype, {value}, 0);
                const auto holds = [&](StoredAs stored) {
                    const MagnitudeRange range = storedRange(dtype, stored);
                    return static_cast<double>(value) >= range.from && static_cast<double>(value) < range.below ? 1 : 0;
                };
                EXPECT_EQ(holds(StoredAs::Flushed), counts.flushed) << f.name << " of " << value;
                EXPECT_EQ(holds(StoredAs::Subnormal), counts.subnormal) << f.name << " of " << value;
                EXPECT_EQ(holds(StoredAs::Normal), counts.normal) << f.name << " of " << value;
                EXPECT_EQ(holds(StoredAs::Overflowed), counts.overflowed) << f.name << " of " << value;
            }
        }
    }
    EXPECT_THROW(storedRange(Dtype::E2M1, StoredAs::Normal), std::invalid_argument);
}

/// Each bound of each format times each power of two, the fp32 numbers on either side of it, and random ones close by: at shift k some of
/// them lie at the bound.
TEST(Histogram, Fp32NumbersAboutEveryBound) {
    std::mt19937 random(7);
    std::vector<float> values;
    for (const Dtype dtype : kWindowed) {
        const DtypeFacts& f = facts(dtype);
        for (const double bound :
             {f.flushBelow, f.minSubnormal, f.minNormal - f.minSubnormal / 2, f.minNormal, f.maxFinite, f.overflowFrom}) {
            for (int power = -40; power <= 40; power += 4) {
                const auto value = static_cast<float>(std::ldexp(bound, power));
                if (!std::isfinite(value)) continue;
                for (int apart = -3; apart <= 3; ++apart)
                    values.push_back(floatFromBits(floatBits(value) + static_cast<std::uint32_t>(apart)));
                for (int i = 0; i < 4; ++i) values.push_back(value * (1 + std::ldexp(static_cast<float>(random() % 4096) - 2048, -16)));
            }
        }
    }
    for (std::size_t i = 0; i < values.size(); i += 2) values[i] = -values[i];
    expectEqualAtEveryShift(values);
}

TEST(Histogram, RandomBitPatterns) {
    std::mt19937 random(8);
    std::vector<float> values(20000);
    for (float& value : values) value = floatFromBits(static_cast<std::uint32_t>(random()));  // subnormals, NaN and infinities too
    expectEqualAtEveryShift(values, 3);
}

TEST(Histogram, BarsHaveNoGapsAndAddUp) {
    const std::vector<float> values{1.0f, -1.5f, 0.25f, 0.0f, INFINITY, NAN, 0x1p-149f};
    const Histogram histogram = histogramOfValues(std::span(values).first(6));
    EXPECT_EQ(histogram.total(), 3);
    EXPECT_EQ(binsOf(histogram), (std::vector<ExponentBin>{{-2, 1}, {-1, 0}, {0, 2}}));
    EXPECT_EQ(binsOf(histogramOfValues(values)).front(), (ExponentBin{-149, 1}));
    EXPECT_TRUE(binsOf({}).empty());
}

TEST(Histogram, SharesAndHeadroom) {
    EXPECT_EQ(StoredCounts{}.share(0), 0);
    const StoredCounts counts{.flushed = 1, .subnormal = 0, .normal = 3, .overflowed = 0};
    EXPECT_EQ(counts.share(counts.flushed), 0.25);
    EXPECT_EQ(headroom(Dtype::E4M3, 112), 2);
    EXPECT_TRUE(std::isinf(headroom(Dtype::F16, 0)));
    EXPECT_THROW(storedIn(Dtype::E2M1, {}), std::invalid_argument);
}

/// The largest number of the block decides its scale; what the window flushes is what that block flushes.
TEST(BlockWindow, IsThatOfTheBlockWithTheLargestNumber) {
    const BlockWindow mx = blockWindow(*blockFormatFromName("mxfp4"), 6);
    EXPECT_EQ(mx.flushBelow, 0.25);
    EXPECT_EQ(mx.normalFrom, 1);
    EXPECT_EQ(mx.largest, 6);
    EXPECT_EQ(blockWindow(*blockFormatFromName("mxfp4"), 6.5).flushBelow, 0.5) << "the scale is rounded up to 2";
    EXPECT_DOUBLE_EQ(blockWindow(*blockFormatFromName("nvfp4"), 3).flushBelow, 0.125);
    EXPECT_DOUBLE_EQ(blockWindow(*blockFormatFromName("nvfp4"), 3).largest, 3);
    const std::vector<float> values{6, -0.25f, 0.2f, 0.26f, 1e-30f, 3};
    EXPECT_EQ(atMostFlushed(mx, histogramOfValues(values)), 3);
    EXPECT_EQ(atMostFlushed(mx, {}), 0);
}

}  // namespace
}  // namespace mantissa
