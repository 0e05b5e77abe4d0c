// SPDX-License-Identifier: Apache-2.0
// The running mean against its definition, written out: weights factor^(n - i) of all finite values so far, divided by their sum.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "gui/plots/readout_model.h"
#include "tests/gui/plots/board_fixture.h"

namespace mantissa::gui {
namespace {

std::vector<double> definition(const std::vector<double>& values, double factor) {
    std::vector<double> means;
    for (std::size_t n = 0; n < values.size(); ++n) {
        long double sum = 0, weights = 0, weight = 1;
        for (std::size_t i = n + 1; i-- > 0;) {
            if (!std::isfinite(values[i])) continue;
            sum += weight * static_cast<long double>(values[i]);
            weights += weight;
            weight *= static_cast<long double>(factor);
        }
        means.push_back(std::isfinite(values[n]) ? static_cast<double>(sum / weights) : kNaN);
    }
    return means;
}

std::vector<double> noisyWithGaps() {
    std::mt19937 random(7);
    std::normal_distribution<double> noise(2, 1);
    std::vector<double> values(600);
    for (double& value : values) value = noise(random);
    values[40] = kNaN;
    values[41] = std::numeric_limits<double>::infinity();
    values[300] = -std::numeric_limits<double>::infinity();
    return values;
}

TEST(Smoothing, IsTheDebiasedAverageOfItsDefinition) {
    const std::vector<double> values = noisyWithGaps();
    Series series;
    for (const double value : values) series.append(value);
    for (const double factor : {0.0, 0.5, 0.9, 0.99, 0.999}) {
        Smoother smoother(factor);
        smoother.follow(series);
        const std::vector<double> expected = definition(values, factor);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double own = smoother.series().value(static_cast<std::int64_t>(i));
            if (std::isfinite(values[i]))
                EXPECT_NEAR(own, expected[i], 1e-9) << factor << " at " << i;
            else
                EXPECT_TRUE(std::isnan(own)) << "a NaN is one gap, and nothing else";
        }
    }
}

TEST(Smoothing, LeavesConstantsUntouched) {
    Series series;
    for (int i = 0; i < 2000; ++i) series.append(0.1);
    Smoother smoother(0.999);
    smoother.follow(series);
    for (int i = 0; i < 2000; ++i) EXPECT_EQ(smoother.series().value(i), 0.1) << i;
}

TEST_F(PlotBoardTest, SmoothingEndsAt0999AndLeavesTheExactPanelsAlone) {
    m_board.setSmoothing(1.5);
    EXPECT_EQ(m_board.smoothing(), 0.999);
    m_board.setSmoothing(-1);
    EXPECT_EQ(m_board.smoothing(), 0);
    appendSteps(m_lab, 1, 0, 200, [](StepRecord& r) {
        r.lossScale = r.step < 100 ? 65536 : 1024;
        r.skippedTotal = r.step < 100 ? 0 : 7;
        if (r.step == 100) r.flags |= kFlagSkipped;
    });
    const auto pointsOf = [&](PanelIndex index) {
        m_board.refreshNow();
        std::vector<std::pair<double, double>> points;
        for (const LineLayer::Line& line : panel(index).lines())
            for (const SeriesPoint& point : line.points) points.emplace_back(point.x, point.y);
        return points;
    };
    for (const PanelIndex index : {kScale, kSkipped}) {
        m_board.setSmoothing(0);
        const auto plain = pointsOf(index);
        ASSERT_FALSE(plain.empty());
        m_board.setSmoothing(0.999);
        EXPECT_EQ(pointsOf(index), plain) << index;
    }
    EXPECT_EQ(glyphCount(kScale, Glyph::Skipped), 1);
}

TEST_F(PlotBoardTest, TheRawTraceStaysFaintBehindTheSmoothedLine) {
    appendSteps(m_lab, 0, 0, 300, [](StepRecord& r) { r.loss = r.step % 2 ? 1 : 3; });
    m_board.setScale(kLoss, AxisScale::Linear);
    m_board.setSmoothing(0.99);
    m_board.refreshNow();
    const auto& lines = panel(kLoss).lines();
    ASSERT_GE(lines.size(), 2u);
    const auto raw = std::find_if(lines.begin(), lines.end(), [](const auto& line) { return line.run < 0 && !line.points.empty(); });
    ASSERT_NE(raw, lines.end());
    EXPECT_LT(raw->style.color.alpha(), 128);
    EXPECT_EQ(raw->points.back().y, 1);
    const auto smoothed = std::find_if(lines.begin(), lines.end(), [](const auto& line) { return line.run == 0; });
    ASSERT_NE(smoothed, lines.end());
    EXPECT_NEAR(smoothed->points.back().y, 2, 0.05);
    EXPECT_EQ(smoothed->style.color.alpha(), 255);
}

TEST_F(PlotBoardTest, TheReadOutHasTheSmoothedAndTheRawValue) {
    appendSteps(m_lab, 0, 0, 300, [](StepRecord& r) { r.loss = r.step % 2 ? 1 : 3; });
    ReadoutModel model(&m_lab);
    model.setSmoothing(0.99);
    model.setStep(200);
    EXPECT_EQ(model.headerData(ReadoutModel::Loss, Qt::Vertical, Qt::ToolTipRole).toString(),
              QStringLiteral("smoothed with 0.99; the value itself stands below"));
    EXPECT_NEAR(model.index(ReadoutModel::Loss, 0).data().toString().toDouble(), 2, 0.05);
    EXPECT_EQ(model.index(ReadoutModel::Raw, 0).data().toString().toDouble(), 3);
}

}  // namespace
}  // namespace mantissa::gui
