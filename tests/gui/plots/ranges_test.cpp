// SPDX-License-Identifier: Apache-2.0
#include "gui/plots/ranges.h"
#include "gui/plots/x_axis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace mantissa::gui {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

std::vector<double> ramp(int count) {
    std::vector<double> values;
    for (int i = 0; i < count; ++i) values.push_back(1.0 + static_cast<double>(i) / count);
    return values;
}

TEST(Ranges, AxisCoordinatesOfNonFiniteValuesAreGaps) {
    for (const AxisScale scale : {AxisScale::Linear, AxisScale::Log10, AxisScale::Log2})
        for (const double value : {kEndless, -kEndless, kNaN}) EXPECT_TRUE(std::isnan(toAxis(scale, value)));
    EXPECT_TRUE(std::isnan(toAxis(AxisScale::Log10, 0)));
    EXPECT_TRUE(std::isnan(toAxis(AxisScale::Log10, -3)));
    EXPECT_EQ(toAxis(AxisScale::Linear, -3), -3);
    EXPECT_EQ(toAxis(AxisScale::Log2, 65536), 16);
    EXPECT_DOUBLE_EQ(fromAxis(AxisScale::Log10, toAxis(AxisScale::Log10, 0.003)), 0.003);
}

TEST(Ranges, CoordinatesOfManyAreThoseOfEach) {
    std::vector<double> values{1, 2, 10, 1000, 1e-300, 1e300, std::numeric_limits<double>::min(), 0, -3, kNaN, kEndless, -kEndless, std::sqrt(0.5), std::sqrt(2.0)};
    for (int i = 0; i < 5000; ++i) values.push_back(std::exp(0.0173 * i - 40));
    for (const AxisScale scale : {AxisScale::Linear, AxisScale::Log2, AxisScale::Log10}) {
        std::vector<SeriesPoint> points;
        for (const double value : values) points.push_back({0, value});
        toAxis(scale, 1000, 1, points);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double expected = toAxis(scale, values[i] / 1000);
            if (std::isnan(expected) || std::abs(values[i]) < 1e-304)
                EXPECT_FALSE(std::isfinite(points[i].y) && scale != AxisScale::Linear) << values[i];
            else
                EXPECT_NEAR(points[i].y, expected, 1e-12 * std::max(1.0, std::abs(expected))) << values[i];
        }
    }
}

TEST(Ranges, NonFiniteValuesDoNotBendIt) {
    std::vector<double> values = ramp(200);
    std::vector<double> plain = values;
    values.insert(values.begin() + 40, {kEndless, kNaN, -kEndless});
    EXPECT_EQ(robustRange(values, AxisScale::Linear).span, robustRange(plain, AxisScale::Linear).span);
}

TEST(Ranges, OneOutlierIsClippedAndSaid) {
    std::vector<double> values = ramp(500);
    values[100] = 1e6;
    const RobustRange range = robustRange(values, AxisScale::Linear);
    EXPECT_TRUE(range.clipsAbove);
    EXPECT_FALSE(range.clipsBelow);
    EXPECT_LT(range.span.last, 3);
    EXPECT_EQ(range.span.first, 1);
}

TEST(Ranges, ATailWithinReachIsKept) {
    std::vector<double> values = ramp(500);
    values[100] = 2.5;
    const RobustRange range = robustRange(values, AxisScale::Linear);
    EXPECT_FALSE(range.clipsAbove);
    EXPECT_EQ(range.span.last, 2.5);
}

TEST(Ranges, AConstantWithAnOutlierIsNotSquashed) {
    std::vector<double> values(300, 100.0);
    values[7] = 1e9;
    const RobustRange range = robustRange(values, AxisScale::Linear);
    EXPECT_TRUE(range.clipsAbove);
    EXPECT_LT(range.span.last, 110);
}

TEST(Ranges, FewValuesAreNeverClipped) {
    std::vector<double> values{1, 1, 1, 1, 1000};
    EXPECT_FALSE(robustRange(values, AxisScale::Linear).clipsAbove);
}

TEST(Ranges, NothingIsEmpty) {
    std::vector<double> values{kNaN, kEndless};
    EXPECT_TRUE(robustRange(values, AxisScale::Linear).isEmpty);
}

TEST(Ranges, BoundsAreCalmAndHoldTheSpan) {
    for (const AxisScale scale : {AxisScale::Linear, AxisScale::Log10, AxisScale::Log2})
        for (const Span span : {Span{0.13, 0.97}, Span{-3.2, 4.1}, Span{5, 5}, Span{0, 0}, Span{1e-9, 2e-9}}) {
            const Span bounds = calmBounds(span, scale);
            EXPECT_LE(bounds.first, span.first);
            EXPECT_GE(bounds.last, span.last);
            EXPECT_GT(bounds.length(), 0);
            EXPECT_TRUE(std::isfinite(bounds.length()));
        }
    // A step's change does not move the axis.
    EXPECT_EQ(calmBounds({-2.31, 0.46}, AxisScale::Log10), calmBounds({-2.33, 0.46}, AxisScale::Log10));
}

TEST(Ranges, CountsWhatALogAxisCannotShow) {
    Series series;
    for (const double value : {1.0, 0.0, -2.0, kNaN, 3.0, -kEndless}) series.append(value);
    EXPECT_EQ(countNotPositive(series, {0, 10}, 6), 2);
    EXPECT_EQ(countNotPositive(series, {0, 10}, 2), 1);   // frozen before the second one
}

TEST(Ranges, SymlogIsLinearInTheMiddleAndGoesOnWithoutALeap) {
    for (const double value : {-1000.0, -0.5, -0.1, 0.0, 0.03, 0.1, 7.0, 1e6})
        EXPECT_NEAR(fromAxis(AxisScale::Symlog, toAxis(AxisScale::Symlog, value, 0.1), 0.1), value, 1e-9 * std::abs(value));
    EXPECT_EQ(toAxis(AxisScale::Symlog, 0.05, 0.1), 0.5);
    EXPECT_EQ(toAxis(AxisScale::Symlog, -0.1, 0.1), -1);
    EXPECT_DOUBLE_EQ(toAxis(AxisScale::Symlog, 100, 0.1), 4);
    std::vector<double> values{kNaN, 0, -3, 2, 5, 4, kEndless, 1e9};
    EXPECT_DOUBLE_EQ(symlogThreshold(values), 0.1) << "an outlier does not decide";
}

TEST(Ranges, FindsWhatLiesBeyondAndStopsWhereItIsEnough) {
    Series series;
    for (int i = 0; i < 100'000; ++i) series.append(i % 1000 == 7 ? 50 : i == 4321 ? -9 : i == 5 ? kNaN : 1);
    const StepsBeyond few = stepsBeyond(series, {0, 3500}, 100'000, {0, 2}, 100);
    EXPECT_EQ(few.above, (std::vector<std::int64_t>{7, 1007, 2007, 3007}));
    EXPECT_TRUE(few.below.empty());
    const StepsBeyond many = stepsBeyond(series, {0, 99'999}, 100'000, {0, 2}, 10);
    EXPECT_EQ(many.above.size(), 10u);
    EXPECT_EQ(many.below, (std::vector<std::int64_t>{4321}));
    EXPECT_EQ(stepsBeyond(series, {0, 3500}, 1000, {0, 2}, 100).above.size(), 1u) << "frozen at step 1000";
}

TEST(Ranges, FrozenStepsAreNotDrawn) {
    Series series;
    for (int i = 0; i < 100; ++i) series.append(i);
    const std::vector<SeriesPoint> points = visiblePoints(series, {0, 99}, 400, 60);
    ASSERT_EQ(points.size(), 60u);
    EXPECT_EQ(points.back().x, 59);
}

TEST(LinePoints, ColumnsKeepTheirWidthWhileASeriesLeavesTheView) {
    Series series;
    for (int i = 0; i < 100'000; ++i) series.append(i % 17);
    Series::ColumnMemory memory;
    const auto count = [&](const Span& span) { return static_cast<double>(linePoints(series, {}, span, 25, 100'000, memory).size()); };
    EXPECT_NEAR(count({50'000, 150'000}), count({0, 100'000}) / 2, 8);
    EXPECT_LE(count({200'000, 300'000}), 1) << "where the line left the view";
}

TEST(VisiblePoints, AShortRunIsSampledLikeALongOne) {
    Series series;
    for (int i = 0; i < 500; ++i) series.append(i % 17);
    EXPECT_EQ(visiblePoints(series, {0, 100'000}, 200, 500).size(), 500u) << "its share of the view is one column, its say in the range is not";
}

}  // namespace
}  // namespace mantissa::gui
