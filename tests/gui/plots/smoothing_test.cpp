// SPDX-License-Identifier: Apache-2.0
// Smoothed lines, and the numbers that the read-out has of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gui/plots/readout_model.h"
#include "tests/gui/plots/board_fixture.h"

namespace mantissa::gui {
namespace {

TEST(Smoothing, IsDebiasedAndLeavesConstantsAlone) {
    Series constant;
    for (int i = 0; i < 50; ++i) constant.append(3.25);
    Smoother smoother;
    smoother.follow(constant);
    for (int i = 0; i < 50; ++i) EXPECT_NEAR(smoother.series().value(i), 3.25, 1e-14);
}

TEST(Smoothing, ANaNIsLeftOutAndNotSpread) {
    Series with, without;
    for (int i = 0; i < 30; ++i) {
        if (i == 10) with.append(kNaN);
        with.append(i);
        without.append(i);
    }
    Smoother a, b;
    a.follow(with);
    b.follow(without);
    EXPECT_EQ(a.series().valueClass(10), ValueClass::NaN);
    EXPECT_EQ(a.series().value(30), b.series().value(29));
}

TEST(Smoothing, GrowsWithItsSourceAndBeginsAgain) {
    Series source;
    const Smoothing half{.factor = 0.5};
    Smoother smoother(half);
    for (int i = 0; i < 20; ++i) {
        source.append(i * i);
        smoother.follow(source);
    }
    EXPECT_NEAR(smoother.series().value(19), smoothedAt(half, source, 19), 1e-9);
    source.clear();
    source.append(7);
    smoother.restart();
    smoother.follow(source);
    EXPECT_EQ(smoother.series().end(), 1);
    EXPECT_DOUBLE_EQ(smoother.series().value(0), 7);
}

TEST(Smoothing, IsOfWhatIsDrawn) {
    Series series;
    for (int i = 0; i < 300; ++i) series.append(i == 150 ? 1e6 : i == 200 ? 0 : i == 220 ? kNaN : 1 + i % 2);
    for (const Smoothing& how :
         {Smoothing{0.9, AxisScale::Linear}, {0.9, AxisScale::Log10}, {0.9, AxisScale::Symlog, 0.5}, {0, AxisScale::Log10}}) {
        Smoother smoother(how);
        smoother.follow(series);
        RunningMean mean(how.factor);
        for (int i = 0; i < 300; ++i) {
            const double drawn = toAxis(how.scale, series.value(i), how.threshold);
            mean.add(drawn);
            const double own = smoother.series().value(i);
            if (!std::isfinite(drawn)) {
                EXPECT_TRUE(std::isnan(own)) << "a value without a place is one gap, and nothing else";
                continue;
            }
            EXPECT_DOUBLE_EQ(own, fromAxis(how.scale, mean.value(), how.threshold)) << i;
            EXPECT_NEAR(smoothedAt(how, series, i), own, 1e-9 * own) << i;
        }
    }
    Smoother smoother({0.9, AxisScale::Log10});
    smoother.follow(series);
    EXPECT_LT(smoother.series().value(150), 6) << "one outlier";
    smoother.setSmoothing({0.9, AxisScale::Linear});
    smoother.follow(series);
    EXPECT_GT(smoother.series().value(150), 1e4);
}

TEST_F(PlotBoardTest, SmoothingEndsAt0999AndLeavesTheExactPanelsAlone) {
    m_board.traces().setSmoothing(1.5);
    EXPECT_EQ(m_board.traces().smoothing(), 0.999);
    m_board.traces().setSmoothing(-1);
    EXPECT_EQ(m_board.traces().smoothing(), 0);
    appendSteps(m_session, 1, 0, 200, [](StepRecord& r) {
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
        m_board.traces().setSmoothing(0);
        const auto plain = pointsOf(index);
        ASSERT_FALSE(plain.empty());
        m_board.traces().setSmoothing(0.999);
        EXPECT_EQ(pointsOf(index), plain) << index;
    }
    EXPECT_EQ(glyphCount(kScale, Glyph::Skipped), 1);
}

TEST_F(PlotBoardTest, TheRawTraceStaysFaintBehindTheSmoothedLine) {
    appendSteps(m_session, 0, 0, 300, [](StepRecord& r) { r.loss = r.step % 2 ? 1 : 3; });
    m_board.axes().setScale(kLoss, AxisScale::Linear);
    m_board.traces().setSmoothing(0.99);
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

TEST_F(PlotBoardTest, ALossOfAMillionDoesNotLiftALogarithmicLine) {
    appendSteps(m_session, 0, 0, 300, [](StepRecord& r) { r.loss = r.gradNorm = r.step == 250 ? 1e6 : 1; });
    ReadoutModel model(&m_session);
    const auto follow = [&] {
        model.setSmoothing(m_board.traces().smoothingOf(keyOf(Metric::Loss)),
                           m_board.traces().smoothingOf(keyOf(Metric::SamplesPerSecond)));
    };
    QObject::connect(&m_board.traces(), &PlotTraces::linesSmoothed, &m_board, follow);
    follow();
    const auto lineAt260 = [&](PanelIndex index) {
        m_board.refreshNow();
        const auto line =
            std::find_if(panel(index).lines().begin(), panel(index).lines().end(), [](const auto& each) { return each.run == 0; });
        const auto point = std::find_if(line->points.begin(), line->points.end(), [](const SeriesPoint& each) { return each.x == 260; });
        return point == line->points.end() ? kNaN : fromAxis(panel(index).scale(), point->y);
    };
    const auto readOut = [&] { return model.valueAt(ReadoutModel::Loss, *m_session.run(0), 260).value; };
    m_board.traces().setSmoothing(0.9);
    EXPECT_LT(lineAt260(kLoss), 2);
    EXPECT_LT(lineAt260(kNorm), 2);
    EXPECT_NEAR(readOut(), lineAt260(kLoss), 0.01);
    EXPECT_NE(panel(kLoss).title().note.indexOf(QStringLiteral("of the logarithm")), -1);
    EXPECT_NE(panel(kNorm).title().note.indexOf(QStringLiteral("of the logarithm")), -1);
    m_board.axes().setScale(kLoss, AxisScale::Linear);
    EXPECT_GT(lineAt260(kLoss), 1e4) << "an average of values, as is drawn";
    EXPECT_NEAR(readOut(), lineAt260(kLoss), 100);
    EXPECT_EQ(panel(kLoss).title().note.indexOf(QStringLiteral("of the logarithm")), -1);
    m_board.axes().setScale(kLoss, AxisScale::Symlog);
    m_board.refreshNow();  // which finds the threshold
    m_board.refreshNow();
    const Smoothing settled = m_board.traces().smoothingOf(keyOf(Metric::Loss));
    m_board.refreshNow();
    EXPECT_EQ(m_board.traces().smoothingOf(keyOf(Metric::Loss)), settled) << "no picture asks for another one";
    EXPECT_LT(model.valueAt(ReadoutModel::Loss, *m_session.run(0), 260).value, 3);
    EXPECT_NE(panel(kLoss).title().note.indexOf(QStringLiteral("of the symlog value")), -1);
}

TEST_F(PlotBoardTest, TheReadOutHasTheSmoothedAndTheRawValue) {
    appendSteps(m_session, 0, 0, 300, [](StepRecord& r) { r.loss = r.step % 2 ? 1 : 3; });
    ReadoutModel model(&m_session);
    model.setSmoothing({0.99}, {0.99});
    model.setStep(200);
    EXPECT_EQ(model.headerData(ReadoutModel::Loss, Qt::Vertical, Qt::ToolTipRole).toString(),
              QStringLiteral("exponential average, factor 0.99; the value itself is in the row below"));
    EXPECT_NEAR(model.index(ReadoutModel::Loss, 0).data().toString().toDouble(), 2, 0.05);
    EXPECT_EQ(model.index(ReadoutModel::Raw, 0).data().toString().toDouble(), 3);
}

}  // namespace
}  // namespace mantissa::gui
