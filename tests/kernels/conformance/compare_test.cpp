// SPDX-License-Identifier: Apache-2.0
// The comparator must be able to fail: each way for a wrong result to look right is tried on it.
#include "kernels/conformance/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/conformance/tolerance.h"

namespace mantissa::conformance {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
using Values = std::vector<double>;

TEST(Comparator, ClassComesBeforeArithmetic) {
    const Values wide{kInf};  // a limit that lets any finite error pass
    for (const double bad : {kNan, -kNan, kInf, -kInf}) {
        EXPECT_FALSE(compare(Values{1, bad}, Values{1, 2}, wide)) << bad;
        EXPECT_FALSE(compare(Values{1, 2}, Values{1, bad}, wide)) << bad;
        EXPECT_TRUE(compareExact(Values{1, bad}, Values{1, bad})) << bad;
    }
    EXPECT_FALSE(compare(Values{1, kInf}, Values{1, -kInf}, wide));
    EXPECT_FALSE(compare(Values{1, kInf}, Values{1, kNan}, wide));
    EXPECT_TRUE(compareExact(Values{1, kNan}, Values{1, -kNan}));  // NaNs are one class
}

TEST(Comparator, AnErrorAtTheLimitPassesAndOneBeyondFails) {
    EXPECT_TRUE(compare(Values{1, 2.25}, Values{1, 2}, Values{0.25}));
    EXPECT_EQ(compare(Values{1, 2.25}, Values{1, 2}, Values{0.25}).margin, 1);
    EXPECT_FALSE(compare(Values{1, 2.25}, Values{1, 2}, Values{std::nextafter(0.25, 0)}));
    EXPECT_TRUE(compare(Values{1.5, 2.25}, Values{1, 2}, Values{0.5, 0.25}));
    EXPECT_FALSE(compare(Values{1.5, 2.25}, Values{1, 2}, Values{0.25, 0.5}));
    EXPECT_FALSE(compareExact(Values{1, std::nextafter(2.0, 3)}, Values{1, 2}));
}

TEST(Comparator, ALimitOfNanOrBelowZeroNeverPasses) {
    EXPECT_FALSE(compare(Values{1, 2}, Values{1, 2}, Values{kNan}));
    EXPECT_FALSE(compare(Values{1, 2}, Values{1, 2}, Values{-1}));
}

TEST(Comparator, SubnormalsAreNotZero) {
    const double smallest = std::numeric_limits<double>::denorm_min();
    EXPECT_FALSE(compareExact(Values{1, 0}, Values{1, smallest}));
    EXPECT_TRUE(compare(Values{1, 0}, Values{1, smallest}, Values{smallest}));
    EXPECT_FALSE(compareExact(Values{1, -0x1p-149}, Values{1, 0x1p-149}));
}

TEST(Comparator, SignOfZeroCountsWhereAsked) {
    EXPECT_TRUE(compareExact(Values{1, -0.0}, Values{1, 0.0}));
    EXPECT_FALSE(compareExact(Values{1, -0.0}, Values{1, 0.0}, {.signOfZeroCounts = true}));
    EXPECT_TRUE(compareExact(Values{1, -0.0}, Values{1, -0.0}, {.signOfZeroCounts = true}));
}

TEST(Comparator, RefusesToPassOnNothing) {
    for (const Comparison& c :
         {compareExact(Values{}, Values{}), compareExact(Values{1, 2}, Values{1, 2, 3}),
          compare(Values{1, 2, 3}, Values{1, 2, 3}, Values{0, 0}), compareExact(Values{2, 2, 2}, Values{2, 2, 2}),
          compareExact(Values{kNan, kNan}, Values{kNan, kNan}), compareExact(Values{0, 0, 0, 0, 1}, Values{0, 0, 0, 0, 1})}) {
        EXPECT_FALSE(c.ok);
        EXPECT_FALSE(c.refusal.empty());
        EXPECT_NE(c.report().find(c.refusal), std::string::npos);
    }
    EXPECT_TRUE(compareExact(Values{2, 2}, Values{2, 2}, {.mayBeConstant = true}));
    EXPECT_TRUE(compareExact(Values{0, 0, 0, 0, 1}, Values{0, 0, 0, 0, 1}, {.maxZeroShare = 0.8}));
}

TEST(Comparator, ReportsTheDistributionAndTheWorstElement) {
    Values actual, expected, limits;
    for (int i = 1; i <= 100; ++i) {
        expected.push_back(i);
        actual.push_back(i + i / 64.0);  // errors of 1/64 to 100/64
        limits.push_back(i == 30 ? 0.5 : 2);
    }
    const Comparison c = compare(actual, expected, limits);
    EXPECT_TRUE(c);
    EXPECT_EQ(c.count, 100u);
    EXPECT_DOUBLE_EQ(c.mean, 50.5 / 64);
    EXPECT_EQ(c.percentile50, 50 / 64.0);
    EXPECT_EQ(c.percentile90, 90 / 64.0);
    EXPECT_EQ(c.percentile99, 99 / 64.0);
    EXPECT_EQ(c.max, 100 / 64.0);
    EXPECT_DOUBLE_EQ(c.normalisedMse, 1.0 / (64 * 64));
    EXPECT_EQ(c.worst, 29u);  // nearest to its own limit, not of the largest error
    EXPECT_EQ(c.margin, 30 / 64.0 / 0.5);
    EXPECT_EQ(c.worstExpected, 30);
    EXPECT_EQ(c.margins[0], 1 / 64.0 / 2);
}

TEST(Comparator, NamesTheFirstElementOfAWrongClass) {
    const Comparison c = compare(Values{1, 2, 3, kNan}, Values{1, kNan, kNan, 4}, Values{1});
    EXPECT_EQ(c.failures, 3u);
    EXPECT_EQ(c.worst, 1u);
    EXPECT_EQ(c.margin, kInf);
}

TEST(Tolerance, FollowsTheFormat) {
    EXPECT_EQ(roundingLimit(Dtype::F32, 1), 0x1p-24 + 0x1p-150);
    EXPECT_EQ(roundingLimit(Dtype::BF16, -2), 0x1p-7 + 0x1p-134);
    EXPECT_EQ(roundingLimit(Dtype::F16, 0), 0x1p-25);  // half the smallest subnormal
    // 4096 products in fp32: 2^12 * 2^-24 of the sum of magnitudes, about 2.4e-4.
    EXPECT_NEAR(sumLimit(Dtype::F32, 4096, 1, 0), 2.4e-4, 0.1e-4);
    EXPECT_GT(sumLimit(Dtype::F16, 4, 1, 1), roundingLimit(Dtype::F16, 1));
}

}  // namespace
}  // namespace mantissa::conformance
