// SPDX-License-Identifier: Apache-2.0
// The comparator must fail where it should: NaN on either side, infinities, zeros, vacuous input, an error just past the limit.
#include "tests/support/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/tolerance.h"

namespace mantissa::test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");
using Values = std::vector<double>;

/// One interesting pair beside two good ones, under a generous limit.
bool passes(double actual, double expected, const CompareOptions& options = {}) {
    return compare(Values{1, actual, 2}, Values{1, expected, 2}, Values{1e300}, options).ok;
}

TEST(Compare, ClassComesBeforeError) {
    EXPECT_TRUE(passes(kNan, kNan));
    EXPECT_TRUE(passes(kInf, kInf));
    EXPECT_TRUE(passes(-kInf, -kInf));
    for (const auto& [a, b] : {std::pair{kNan, 1.0}, {kNan, kInf}, {kInf, -kInf}, {kInf, 1e308}, {kNan, 0.0}}) {
        EXPECT_FALSE(passes(a, b)) << a << ' ' << b;
        EXPECT_FALSE(passes(b, a)) << b << ' ' << a;
    }
}

TEST(Compare, SignOfZeroCountsWhereAsked) {
    EXPECT_TRUE(passes(-0.0, 0.0));
    EXPECT_FALSE(passes(-0.0, 0.0, {.signOfZeroCounts = true}));
    EXPECT_TRUE(passes(-0.0, -0.0, {.signOfZeroCounts = true}));
}

TEST(Compare, TheLimitItselfPassesAndNothingBeyond) {
    EXPECT_TRUE(compare(Values{1, 2.5}, Values{1, 2}, Values{0.5}));
    EXPECT_FALSE(compare(Values{1, std::nextafter(2.5, 3.0)}, Values{1, 2}, Values{0.5}));
    EXPECT_TRUE(compare(Values{1, 2.5}, Values{1, 2}, Values{0, 0.5}));
    EXPECT_FALSE(compare(Values{1, 2.5}, Values{1, 2}, Values{0.5, 0}));
    EXPECT_FALSE(compare(Values{1, 2.5}, Values{1, 2}, Values{kNan}));
    EXPECT_FALSE(compare(Values{1, 2.5}, Values{1, 2}, Values{-1}));
}

TEST(Compare, SubnormalsAreNotZero) {
    EXPECT_FALSE(compareExact(Values{1, 0}, Values{1, 0x1p-149}));
    EXPECT_TRUE(compareExact(Values{1, 0x1p-149}, Values{1, 0x1p-149}));
}

TEST(Compare, RefusesToPassOnNothing) {
    EXPECT_FALSE(compare({}, {}, Values{1}));
    EXPECT_FALSE(compare(Values{1, 2}, Values{1}, Values{1}));
    EXPECT_FALSE(compare(Values{1, 2, 3}, Values{1, 2, 3}, Values{1, 1}));
    EXPECT_FALSE(compare(Values{1, 0, 0, 0, 0}, Values{1, 0, 0, 0, 0}, Values{1}));
    EXPECT_FALSE(compare(Values{3, 3}, Values{3, 3}, Values{1}));
    EXPECT_FALSE(compare(Values{kNan, kNan}, Values{kNan, kNan}, Values{1}));
    EXPECT_TRUE(compare(Values{3}, Values{3}, Values{1}, {.mayBeConstant = true}));
    EXPECT_NE(compare({}, {}, Values{1}).report().find("no elements"), std::string::npos);
}

TEST(Compare, ReportsTheDistribution) {
    Values actual(100), expected(100);
    for (std::size_t i = 0; i < 100; ++i) {
        expected[i] = 1000;
        actual[i] = 1000 + static_cast<double>(i + 1);
    }
    const Comparison c = compare(actual, expected, Values{200});
    EXPECT_TRUE(c.ok);
    EXPECT_DOUBLE_EQ(c.mean, 50.5);
    EXPECT_EQ(c.percentile90, 90);
    EXPECT_EQ(c.percentile99, 99);
    EXPECT_EQ(c.max, 100);
    EXPECT_EQ(c.margin, 0.5);
    EXPECT_EQ(c.worst, 99u);
    EXPECT_EQ(c.failures, 0u);
    EXPECT_EQ(compare(actual, expected, Values{95}).failures, 5u);
}

TEST(Compare, AClassFailureIsTheWorst) {
    const Comparison c = compare(Values{1, 50, kNan}, Values{1, 2, 3}, Values{1});
    EXPECT_EQ(c.worst, 2u);
    EXPECT_EQ(c.failures, 2u);
    EXPECT_EQ(c.margin, kInf);
}

TEST(Tolerance, FollowsFormatAndLength) {
    // 4096 terms in fp32: n u; and one more rounding on top.
    EXPECT_NEAR(sumLimit(Dtype::F32, 4096, 1, 0), 2.4e-4, 0.1e-4);
    EXPECT_NEAR(roundingLimit(Dtype::F16, 1), 0x1p-11, 0x1p-20);
    EXPECT_EQ(roundingLimit(Dtype::BF16, 0), facts(Dtype::BF16).minSubnormal / 2);
    EXPECT_GT(chainLimit(Dtype::BF16, 3, 1, 1), roundingLimit(Dtype::BF16, 1));
}

}  // namespace
}  // namespace mantissa::test
