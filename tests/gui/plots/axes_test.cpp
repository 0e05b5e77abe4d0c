// SPDX-License-Identifier: Apache-2.0
// The board's axes: what x counts, scales and ranges of the values, panels with an axis of their own, and the run that stands out.
#include <gtest/gtest.h>

#include <QContextMenuEvent>
#include <QMenu>
#include <QPushButton>
#include <QTest>
#include <limits>

#include "gui/plots/axis_menus.h"
#include "gui/plots/event_lines.h"
#include "tests/gui/plots/board_fixture.h"

namespace mantissa::gui {
namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();

/// Steps of 10 ms with `batch` of 1000 samples each.
void trainSteps(SessionModel& session, RunId run, std::int64_t first, std::int64_t last, std::int64_t batch, double stepSeconds = 0.01) {
    appendSteps(session, run, first, last, [=](StepRecord& r) {
        r.samples = batch * (r.step + 1);
        r.epoch = static_cast<double>(r.samples) / 1000;
        r.stepMs = stepSeconds * 1000;
        r.wallSeconds = 2 * stepSeconds * static_cast<double>(r.step + 1);
    });
}

QAction* actionOf(const QMenu& menu, const QString& text) {
    for (QAction* action : menu.actions())
        if (action->text() == text) return action;
    return nullptr;
}

class AxesTest : public PlotBoardTest {
protected:
    /// The axis coordinate of a run's last point in the loss panel.
    double lastX(RunId run) const {
        double last = kNaN;
        for (const LineLayer::Line& line : panel(kLoss).lines())
            if (line.run == run && !line.points.empty()) last = line.points.back().x;
        return last;
    }
    void choose(XQuantity quantity, bool isLog = false) {
        m_board.axes().setXAxis({quantity, isLog});
        m_board.refreshNow();
    }
    int alphaOf(RunId run) const {
        for (const LineLayer::Line& line : panel(kLoss).lines())
            if (line.run == run) return line.style.color.alpha();
        return -1;
    }
};

TEST_F(AxesTest, RunsOfDifferentBatchesDifferInSamplesAndNotInSteps) {
    trainSteps(m_session, 0, 0, 100, 32);
    trainSteps(m_session, 1, 0, 100, 128);
    m_board.refreshNow();
    EXPECT_EQ(lastX(0), 99);
    EXPECT_EQ(lastX(1), 99);
    choose(XQuantity::Samples);
    EXPECT_NEAR(lastX(0), 3200, 1e-6);
    EXPECT_NEAR(lastX(1), 12800, 1e-6);
    EXPECT_NEAR(x().upper, 12800, 1e-6) << "all of both runs is in view";
    choose(XQuantity::Epoch);
    EXPECT_NEAR(lastX(1), 12.8, 1e-9);
    choose(XQuantity::WallTime);
    EXPECT_NEAR(lastX(0), 2.0, 1e-9);
    choose(XQuantity::TrainingTime);
    EXPECT_NEAR(lastX(0), 1.0, 1e-9);
}

TEST_F(AxesTest, TheCrosshairLandsOnSamplesOfTheChosenRun) {
    trainSteps(m_session, 0, 0, 100, 32);
    trainSteps(m_session, 1, 0, 100, 128);
    m_session.select(1);
    choose(XQuantity::Samples);
    const auto pointAt = [&](double samples) {
        QTest::mouseMove(m_board.canvas(),
                         QPoint(static_cast<int>(std::lround(panel(kLoss).xAxis()->coordToPixel(samples))), middleOf(kNorm).y()));
        return m_board.cursors().step();
    };
    EXPECT_EQ(pointAt(6400), 49);
    EXPECT_DOUBLE_EQ(m_board.axes().xOf(m_board.cursors().step()), 6400);
    QTest::keyClick(m_board.canvas(), Qt::Key_Right);
    EXPECT_EQ(m_board.cursors().step(), 50);
    EXPECT_DOUBLE_EQ(m_board.axes().xOf(50), 6528);
    m_board.cursors().setStep(-1);
    m_session.select(0);
    EXPECT_EQ(pointAt(1600), 49);
    m_board.cursors().setStep(-1);
    EXPECT_EQ(pointAt(6400), 99) << "it has ended by then";
}

TEST_F(AxesTest, TheCrosshairSkipsStepsThatNoRunHas) {
    RunInfo imported = makeRun(7, "theirs");
    imported.kind = RunKind::Recorded;
    loadRuns(m_session, {});
    m_session.handle(Event(RunAdded{imported}));
    m_session.handle(Event(SeriesImported{7, Metric::Loss, {0, 100, 200, 300}, {4, 3, 2, 1}}));
    m_board.refreshNow();
    QTest::mouseMove(m_board.canvas(), QPoint(static_cast<int>(panel(kLoss).xAxis()->coordToPixel(130)), middleOf(kLoss).y()));
    EXPECT_EQ(m_board.cursors().step(), 100);
    QTest::keyClick(m_board.canvas(), Qt::Key_Right);
    EXPECT_EQ(m_board.cursors().step(), 200);
    QTest::keyClick(m_board.canvas(), Qt::Key_Left, Qt::ShiftModifier);
    EXPECT_EQ(m_board.cursors().step(), 0);
}

TEST_F(AxesTest, TheSameStepsStayInViewWhenTheAxisChanges) {
    trainSteps(m_session, 0, 0, 1000, 32);
    m_session.select(0);
    m_board.refreshNow();
    turnWheel(kLoss, 480);
    const auto seen = m_board.axes().stepsInView();
    ASSERT_GT(seen.first, 0);
    for (const XQuantity quantity : {XQuantity::Samples, XQuantity::WallTime, XQuantity::Epoch, XQuantity::TrainingTime, XQuantity::Step}) {
        choose(quantity);
        EXPECT_EQ(m_board.axes().stepsInView(), seen) << static_cast<int>(quantity);
        EXPECT_EQ(m_board.axes().view().mode(), FollowMode::Manual);
    }
    choose(XQuantity::Samples, true);
    EXPECT_EQ(m_board.axes().stepsInView(), seen);
    m_board.axes().previousView();
    EXPECT_EQ(m_board.axes().view().mode(), FollowMode::All);
}

TEST_F(AxesTest, FollowingZoomingAndPanningWorkOnEveryAxis) {
    trainSteps(m_session, 0, 0, 2000, 32);
    for (const XQuantity quantity : kXQuantities)
        for (const bool isLog : {false, true}) {
            choose(quantity, isLog);
            m_board.axes().setFollow(FollowMode::All);
            m_board.refreshNow();
            EXPECT_NEAR(x().upper, m_board.axes().xOf(1999), 1e-9);
            const double all = x().size();
            m_board.axes().setFollow(FollowMode::Window);
            m_board.refreshNow();
            EXPECT_NEAR(x().upper, m_board.axes().xOf(1999), 1e-9);
            EXPECT_NEAR(x().lower, m_board.axes().xOf(1499), 1e-9);
            m_board.axes().setFollow(FollowMode::All);
            m_board.refreshNow();
            turnWheel(kLoss, 240);
            EXPECT_NEAR(x().size(), all * 0.85 * 0.85, 1e-6 * all);
        }
}

TEST_F(AxesTest, EventsAndGlyphsStandWhereTheirStepIs) {
    trainSteps(m_session, 0, 0, 200, 32);
    appendSteps(m_session, 1, 0, 200, [](StepRecord& r) {
        r.samples = 100 * (r.step + 1);
        r.epoch = 1;
        if (r.step == 150) r.loss = kForever;
    });
    applySetting(m_session, 1, 100, "/optimizer/lr", "lr", "0.001", "0.01");
    choose(XQuantity::Samples);
    ASSERT_EQ(m_board.events().lines().places.size(), 1u);
    EXPECT_NEAR(m_board.events().lines().places[0], 10100, 1e-6);
    ASSERT_EQ(m_board.events().flags().places().size(), 1u);
    EXPECT_EQ(glyphCount(kLoss, Glyph::PositiveInf), 1);
    for (const GlyphMark& mark : panel(kLoss).glyphs().marks())
        EXPECT_NEAR(mark.left, panel(kLoss).rect()->left() + (15100 - x().lower) / x().size() * panel(kLoss).rect()->width(), 0.01);
}

TEST_F(AxesTest, ARunOfStepsAloneIsNotOnOtherAxesAndThatIsSaid) {
    RunInfo imported = makeRun(7, "theirs");
    imported.kind = RunKind::Recorded;
    m_session.handle(Event(RunAdded{imported}));
    m_session.handle(Event(SeriesImported{7, Metric::Loss, {0, 100, 200}, {3, 2, 1}}));
    trainSteps(m_session, 0, 0, 100, 32);
    choose(XQuantity::Step);
    EXPECT_FALSE(std::isnan(lastX(7)));
    EXPECT_TRUE(m_board.axes().absentRuns().isEmpty());
    choose(XQuantity::WallTime);
    EXPECT_TRUE(std::isnan(lastX(7)));
    EXPECT_TRUE(m_board.axes().absentRuns().contains(QStringLiteral("theirs")));
}

TEST_F(AxesTest, TheNameOfTheAxisOpensWhatItCouldCount) {
    trainSteps(m_session, 0, 0, 100, 32);
    auto* button = m_board.findChild<QPushButton*>(QStringLiteral("xAxisButton"));
    ASSERT_TRUE(button);
    EXPECT_EQ(button->accessibleName(), QStringLiteral("x axis: step"));
    QTest::mouseClick(button, Qt::LeftButton);
    auto* menu = m_board.findChild<QMenu*>();
    ASSERT_TRUE(menu);
    QAction* time = actionOf(*menu, QStringLiteral("Wall time"));
    ASSERT_TRUE(time);
    time->trigger();
    menu->close();
    m_board.refreshNow();
    EXPECT_EQ(m_board.axes().xAxis().quantity, XQuantity::WallTime);
    EXPECT_EQ(button->accessibleName(), QStringLiteral("x axis: wall time"));
    // A picture shows what is shown.
    PlotBoard copy(&m_session);
    copy.takeView(m_board);
    EXPECT_EQ(copy.axes().xAxis(), m_board.axes().xAxis());
}

TEST_F(AxesTest, ANewExperimentKeepsTheAxis) {
    choose(XQuantity::Epoch);
    loadRuns(m_session, {makeRun(0, "fp32")});
    trainSteps(m_session, 0, 0, 100, 32);
    m_board.refreshNow();
    EXPECT_EQ(m_board.axes().xAxis().quantity, XQuantity::Epoch);
    EXPECT_NEAR(x().upper, 3.2, 1e-9);
}

TEST_F(AxesTest, ALogarithmIsOfAnyPanelWithValues) {
    trainSteps(m_session, 0, 0, 300, 32);
    m_board.refreshNow();
    EXPECT_EQ(panel(kLoss).scale(), AxisScale::Log10);
    EXPECT_TRUE(m_board.axes().toggleLog(-1));
    EXPECT_EQ(panel(kLoss).scale(), AxisScale::Linear);
    EXPECT_TRUE(m_board.axes().toggleLog(kThroughput));
    m_board.refreshNow();
    EXPECT_EQ(panel(kThroughput).scale(), AxisScale::Log10);
    EXPECT_TRUE(y(kThroughput).contains(5)) << "100 thousand a second";
    EXPECT_TRUE(panel(kThroughput).title().unit.contains(QStringLiteral("log")));
    EXPECT_FALSE(m_board.axes().toggleLog(kScale)) << "the loss scale is always in powers of two";
    EXPECT_FALSE(m_board.axes().toggleLog(kSkipped));
}

TEST_F(AxesTest, TheLossScaleIsInPowersOfTwo) {
    appendSteps(m_session, 1, 0, 300, [](StepRecord& r) { r.lossScale = r.step < 150 ? 65536 : 32768; });
    m_board.refreshNow();
    EXPECT_EQ(panel(kScale).cursorY(m_board.traces().of(1), 10), 16);
    EXPECT_EQ(panel(kScale).cursorY(m_board.traces().of(1), 200), 15);
    EXPECT_EQ(panel(kScale).scale(), AxisScale::Log2);
}

TEST_F(AxesTest, NothingPlungesOnALogAxis) {
    trainSteps(m_session, 0, 0, 10, 32);
    appendSteps(m_session, 1, 0, 300, [](StepRecord& r) { r.loss = r.step % 25 == 0 ? -1 : 1; });
    m_board.traces().setSmoothing(0);
    m_board.refreshNow();
    EXPECT_TRUE(panel(kLoss).title().note.contains(QString::fromUtf8("12 values \u2264 0 hidden")))
        << panel(kLoss).title().note.toStdString();
    for (const LineLayer::Line& line : panel(kLoss).lines())
        for (const SeriesPoint& point : line.points) EXPECT_TRUE(std::isnan(point.y) || (point.y > -1 && point.y < 1)) << point.y;
}

TEST_F(AxesTest, SymlogShowsBothSignsAndSaysWhereItIsLinear) {
    appendSteps(m_session, 0, 0, 300,
                [](StepRecord& r) { r.loss = (r.step % 2 ? 1 : -1) * std::pow(10, static_cast<double>(r.step % 5) - 2); });
    m_board.axes().setScale(kLoss, AxisScale::Symlog);
    m_board.refreshNow();
    EXPECT_TRUE(panel(kLoss).title().unit.contains(QString::fromUtf8("symlog, linear within \u00B10.1")) ||
                panel(kLoss).title().unit.contains(QString::fromUtf8("symlog, linear within \u00B10.01")))
        << panel(kLoss).title().unit.toStdString();
    EXPECT_FALSE(panel(kLoss).title().note.contains(QStringLiteral("hidden")));
    EXPECT_LT(y(kLoss).lower, -2);
    EXPECT_GT(y(kLoss).upper, 2);
    EXPECT_LT(y(kLoss).size(), 16) << "decades, not values";
}

TEST_F(AxesTest, OutliersAreClippedCountedAndMarkedUntilAllIsAskedFor) {
    appendSteps(m_session, 0, 0, 500, [](StepRecord& r) {
        r.gradNorm = 1;
        r.loss = r.step >= 200 && r.step < 203 ? 1e6 : 2 + 0.1 * std::sin(static_cast<double>(r.step));
    });
    m_board.axes().setScale(kLoss, AxisScale::Linear);
    m_board.refreshNow();
    EXPECT_LT(y(kLoss).upper, 10);
    EXPECT_TRUE(panel(kLoss).title().note.contains(QStringLiteral("3 points above, clipped"))) << panel(kLoss).title().note.toStdString();
    EXPECT_EQ(glyphCount(kLoss, Glyph::Above), 3);
    m_board.axes().setFitsEverything(kLoss, true);
    m_board.refreshNow();
    EXPECT_GE(y(kLoss).upper, 1e6);
    EXPECT_EQ(glyphCount(kLoss, Glyph::Above), 0);
    EXPECT_FALSE(panel(kLoss).title().note.contains(QStringLiteral("clipped")));
    m_board.axes().setFitsEverything(kLoss, false);
    m_board.refreshNow();
    EXPECT_LT(y(kLoss).upper, 10);
}

TEST_F(AxesTest, TinyAndConstantValuesGetRoomRelativeToThem) {
    for (const double size : {1e-30, 1e-9, 1.0, 1e20}) {
        loadRuns(m_session, {makeRun(0, "fp32")});
        appendSteps(m_session, 0, 0, 300, [=](StepRecord& r) { r.loss = size; });
        m_board.axes().setScale(kLoss, AxisScale::Linear);
        m_board.refreshNow();
        EXPECT_TRUE(y(kLoss).contains(size)) << size;
        EXPECT_LT(y(kLoss).size(), size) << size;
    }
    loadRuns(m_session, {makeRun(0, "fp32")});
    appendSteps(m_session, 0, 0, 300, [](StepRecord& r) { r.loss = 1e-20 * static_cast<double>(1 + r.step % 2); });
    m_board.refreshNow();
    EXPECT_LT(y(kLoss).size(), 1e-19);
}

TEST_F(AxesTest, NeitherSmoothingNorHidingNorChoosingMovesARange) {
    for (const RunId run : {0, 1})
        appendSteps(m_session, run, 0, 3000, [run](StepRecord& r) {
            r.loss = 2 + 1.9 * std::sin(static_cast<double>(r.step * (run + 1))) + (r.step % 997 == 0 ? 30 : 0);
        });
    for (const AxisScale scale : {AxisScale::Linear, AxisScale::Log10, AxisScale::Symlog}) {
        m_board.axes().setScale(kLoss, scale);
        m_board.refreshNow();
        const QCPRange before = y(kLoss);
        const auto expectSame = [&](const char* after) {
            m_board.refreshNow();
            EXPECT_EQ(y(kLoss), before) << after;
        };
        m_board.traces().setSmoothing(0.99);
        expectSame("smoothing");
        m_board.traces().setSmoothing(0);
        expectSame("no smoothing");
        m_session.setHidden(1, true);
        expectSame("hiding");
        m_session.setHidden(1, false);
        m_session.select(1);
        expectSame("choosing");
        m_session.select(0);
        m_board.traces().setSmoothing(0.9);
    }
}

TEST_F(AxesTest, AnUnlinkedPanelZoomsAloneAndComesBack) {
    trainSteps(m_session, 0, 0, 1000, 32);
    m_board.refreshNow();
    m_board.axes().setLinked(kScale, false);
    m_board.refreshNow();
    EXPECT_TRUE(panel(kScale).title().isUnlinked) << "and it says so";
    EXPECT_TRUE(panel(kScale).showsStepLabels()) << "its own numbers";
    EXPECT_TRUE(panel(kThroughput).showsStepLabels());
    const QCPRange others = x();
    turnWheel(kScale, 480);
    EXPECT_EQ(x(), others);
    EXPECT_LT(panel(kScale).xAxis()->range().size(), 0.7 * others.size());
    const QCPRange own = panel(kScale).xAxis()->range();
    turnWheel(kLoss, 240);
    EXPECT_LT(x().size(), others.size());
    EXPECT_EQ(panel(kScale).xAxis()->range(), own);
    // The pointer means the step below it.
    QTest::mouseMove(m_board.canvas(), QPoint(static_cast<int>(panel(kScale).xAxis()->coordToPixel(own.center())), middleOf(kScale).y()));
    EXPECT_NEAR(static_cast<double>(m_board.cursors().step()), own.center(), 2);
    m_board.axes().setLinked(kScale, true);
    m_board.refreshNow();
    EXPECT_EQ(panel(kScale).xAxis()->range(), x());
    EXPECT_FALSE(panel(kScale).showsStepLabels());
    m_board.axes().previousView();
    EXPECT_FALSE(m_board.axes().view().isLinked(kScale)) << "back is back";
}

TEST_F(AxesTest, UnlinkedOrNotThereIsOneReplotAFrame) {
    trainSteps(m_session, 0, 0, 500, 32);
    m_board.axes().setLinked(kNorm, false);
    m_board.refreshNow();
    int replots = 0;
    QObject::connect(m_board.canvas(), &QCustomPlot::afterReplot, &m_board, [&] { ++replots; });
    m_board.refreshNow();
    EXPECT_EQ(replots, 1);
}

TEST_F(AxesTest, PointingAtALineMakesTheOthersFaintInAllPanels) {
    appendSteps(m_session, 0, 0, 300, [](StepRecord& r) { r.loss = 1; });
    appendSteps(m_session, 1, 0, 300, [](StepRecord& r) { r.loss = 10; });
    m_board.refreshNow();
    const QRect place = panel(kLoss).rect()->rect();
    const int plain = alphaOf(0);
    const auto pixelOf = [&](double loss) { return static_cast<int>(panel(kLoss).yAxis()->coordToPixel(std::log10(loss))); };
    QTest::mouseMove(m_board.canvas(), QPoint(place.center().x(), pixelOf(10) + 2));
    m_board.refreshNow();
    EXPECT_EQ(m_board.highlight().run(), 1);
    EXPECT_EQ(alphaOf(1), plain);
    EXPECT_LT(alphaOf(0), plain / 2);
    EXPECT_EQ(panel(kLoss).rect()->rect(), place) << "nothing moves";
    QTest::mouseMove(m_board.canvas(), QPoint(place.center().x(), (pixelOf(1) + pixelOf(10)) / 2));
    m_board.refreshNow();
    EXPECT_EQ(m_board.highlight().run(), -1);
    EXPECT_EQ(alphaOf(0), plain);
    m_board.highlight().setRun(1);
    m_session.handle(Event(RunRemoved{1}));
    m_board.refreshNow();
    EXPECT_EQ(alphaOf(0), plain) << "nobody is left to stand out";
}

TEST_F(AxesTest, ARunLooksTheSameForLifeAndInAPicture) {
    trainSteps(m_session, 0, 0, 100, 32);
    trainSteps(m_session, 1, 0, 100, 32);
    const auto styleOf = [](PlotBoard& board) {
        board.refreshNow();
        for (const LineLayer::Line& line : board.panels().all()[kLoss]->lines())
            if (line.run == 1) return line.style;
        return LineStyle{};
    };
    const LineStyle before = styleOf(m_board);
    ASSERT_FALSE(before.dash.isEmpty());
    m_session.handle(Event(RunRemoved{0}));
    PlotBoard copy(&m_session);
    copy.takeView(m_board);
    for (PlotBoard* board : {&m_board, &copy}) {
        EXPECT_EQ(styleOf(*board).color, before.color);
        EXPECT_EQ(styleOf(*board).dash, before.dash);
    }
}

TEST_F(AxesTest, ARightClickAtTheEdgeOpensThePanelsMenuAndInsideTheTimelines) {
    trainSteps(m_session, 0, 0, 300, 32);
    m_board.refreshNow();
    const auto clickAt = [&](QPoint place) {
        QContextMenuEvent event(QContextMenuEvent::Mouse, m_board.mapFromGlobal(m_board.canvas()->mapToGlobal(place)),
                                m_board.canvas()->mapToGlobal(place));
        QApplication::sendEvent(&m_board, &event);
        return m_board.findChild<QMenu*>();
    };
    EXPECT_EQ(clickAt(middleOf(kLoss)), nullptr);
    QMenu* menu = clickAt(panel(kNorm).header().center().toPoint());
    ASSERT_TRUE(menu);
    ASSERT_TRUE(actionOf(*menu, QStringLiteral("Symlog")));
    actionOf(*menu, QStringLiteral("Symlog"))->trigger();
    EXPECT_EQ(panel(kNorm).scale(), AxisScale::Symlog);
    delete menu;
    menu = clickAt({panel(kScale).rect()->left() - 20, middleOf(kScale).y()});
    ASSERT_TRUE(menu);
    EXPECT_FALSE(actionOf(*menu, QStringLiteral("Symlog")));
    actionOf(*menu, QStringLiteral("Unlink its x axis"))->trigger();
    EXPECT_FALSE(m_board.axes().view().isLinked(kScale));
    delete menu;
}

TEST_F(AxesTest, TheMenuBarsMenusCanBeFilledAgainAndAgain) {
    QMenu menu;
    fillPlotsMenu(&menu, &m_board);
    const auto count = menu.actions().size();
    for (int i = 0; i < 3; ++i) fillPlotsMenu(&menu, &m_board);
    EXPECT_EQ(menu.actions().size(), count);
    EXPECT_EQ(menu.findChildren<QMenu*>(Qt::FindDirectChildrenOnly).size(), 5);
}

}  // namespace
}  // namespace mantissa::gui
