// SPDX-License-Identifier: Apache-2.0
#include "gui/plots/plot_board.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>
#include <limits>

#include "gui/plots/canvas.h"
#include "gui/plots/event_lines.h"
#include "gui/plots/panel.h"
#include "tests/gui/plots/lab_fixture.h"

namespace mantissa::gui {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
enum PanelIndex { kLoss, kScale, kSkipped, kNorm, kThroughput };

class PlotBoardTest : public testing::Test {
protected:
    PlotBoardTest() : m_board(&m_lab) {
        m_board.resize(1200, 900);
        m_board.show();
        loadRuns(m_lab, {makeRun(0, "fp32"), makeRun(1, "fp16", "pytorch")});
    }

    const Panel& panel(PanelIndex index) const { return *m_board.panels()[index]; }
    QCPRange y(PanelIndex index) const { return panel(index).yAxis()->range(); }
    QCPRange x() const { return panel(kLoss).xAxis()->range(); }
    QPoint middleOf(PanelIndex index) const { return panel(index).rect()->rect().center(); }

    void turnWheel(PanelIndex index, int delta, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        const QPointF at = middleOf(index);
        QWheelEvent event(at, m_board.canvas()->mapToGlobal(at), {}, {0, delta}, Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
        QApplication::sendEvent(m_board.canvas(), &event);
        m_board.refreshNow();
    }

    QImage picture() {
        QImage image(m_board.canvas()->size(), QImage::Format_RGB32);
        QCPPainter painter(&image);
        m_board.paint(&painter);
        painter.end();
        return image;
    }

    std::int64_t glyphCount(PanelIndex index, Glyph glyph) const {
        std::int64_t count = 0;
        for (const GlyphMark& mark : panel(index).glyphs().marks())
            if (mark.glyph == glyph) count += mark.count;
        return count;
    }

    Lab m_lab;
    PlotBoard m_board;
};

TEST_F(PlotBoardTest, AllPanelsShareLeftAndRightToThePixel) {
    appendSteps(m_lab, 0, 0, 300, [](StepRecord& r) {
        r.loss = 1e6;  // labels of very different widths
        r.gradNorm = 1e-5;
    });
    m_board.refreshNow();
    for (const auto& other : m_board.panels()) {
        EXPECT_EQ(other->rect()->left(), panel(kLoss).rect()->left());
        EXPECT_EQ(other->rect()->right(), panel(kLoss).rect()->right());
        EXPECT_EQ(other->xAxis()->range(), x());
    }
}

TEST_F(PlotBoardTest, NonFiniteValuesNeverBendAnAxis) {
    appendSteps(m_lab, 0, 0, 300);
    m_board.refreshNow();
    const QCPRange loss = y(kLoss), norm = y(kNorm);

    loadRuns(m_lab, {makeRun(0, "fp32"), makeRun(1, "fp16", "pytorch")});
    appendSteps(m_lab, 0, 0, 300, [](StepRecord& r) {
        if (r.step == 50) r.loss = kInf;
        if (r.step == 60) r.loss = -kInf;
        if (r.step % 70 == 69) r.loss = kNaN;
        if (r.step == 100) r.gradNorm = kNaN;
        if (r.step == 200) r.gradNorm = kInf;
    });
    m_board.refreshNow();
    EXPECT_EQ(y(kLoss), loss);
    EXPECT_EQ(y(kNorm), norm);
}

TEST_F(PlotBoardTest, EveryNonFiniteValueAndEverySkipHasItsGlyph) {
    appendSteps(m_lab, 1, 0, 400, [](StepRecord& r) {
        if (r.step >= 100 && r.step < 120) r.flags |= kFlagSkipped;
        if (r.step % 50 == 0) r.gradNorm = kInf;
        if (r.step == 33) r.gradNorm = -kInf;
        if (r.step >= 300) r.loss = kNaN;
    });
    m_board.refreshNow();
    EXPECT_EQ(glyphCount(kScale, Glyph::Skipped), 20);
    EXPECT_EQ(glyphCount(kNorm, Glyph::PositiveInf), 8);
    EXPECT_EQ(glyphCount(kNorm, Glyph::NegativeInf), 1);
    EXPECT_EQ(glyphCount(kLoss, Glyph::NaN), 100);
    EXPECT_EQ(glyphCount(kLoss, Glyph::PositiveInf), 0);
}

TEST_F(PlotBoardTest, AHiddenRunKeepsTheRangeAndLosesItsGlyphs) {
    appendSteps(m_lab, 0, 0, 300);
    appendSteps(m_lab, 1, 0, 300, [](StepRecord& r) {
        r.loss *= 10;
        if (r.step == 7) r.loss = kNaN;
    });
    m_board.refreshNow();
    const QCPRange before = y(kLoss);
    ASSERT_EQ(glyphCount(kLoss, Glyph::NaN), 1);
    m_lab.setHidden(1, true);
    m_board.refreshNow();
    EXPECT_EQ(y(kLoss), before);
    EXPECT_EQ(glyphCount(kLoss, Glyph::NaN), 0);
}

TEST_F(PlotBoardTest, OneOutlierDoesNotSquashTheThroughput) {
    appendSteps(m_lab, 0, 0, 500, [](StepRecord& r) {
        if (r.step == 250) r.samplesPerSecond = 1e12;
    });
    m_board.refreshNow();
    EXPECT_LT(y(kThroughput).upper, 500);
    EXPECT_EQ(y(kThroughput).lower, 0);
    EXPECT_FALSE(panel(kThroughput).title().note.isEmpty());
}

TEST_F(PlotBoardTest, FollowsUntilTheWheelTurns) {
    appendSteps(m_lab, 0, 0, 1000);
    m_board.refreshNow();
    EXPECT_EQ(x().upper, 999);
    QSignalSpy followed(&m_board, &PlotBoard::followChanged);
    turnWheel(kLoss, 240);
    EXPECT_EQ(m_board.follow(), FollowMode::Manual);
    EXPECT_EQ(followed.count(), 1);
    const QCPRange zoomed = x();
    EXPECT_LT(zoomed.size(), 800);
    appendSteps(m_lab, 0, 1000, 1500);
    m_board.refreshNow();
    EXPECT_EQ(x(), zoomed);

    auto* button = m_board.findChild<QWidget*>(QStringLiteral("followButton"));
    ASSERT_TRUE(button && button->isVisible());
    QTest::mouseClick(button, Qt::LeftButton);
    m_board.refreshNow();
    EXPECT_EQ(m_board.follow(), FollowMode::All);
    EXPECT_EQ(x().upper, 1499);
    EXPECT_FALSE(button->isVisible());
}

TEST_F(PlotBoardTest, ShiftAndWheelZoomOnePanelsValues) {
    appendSteps(m_lab, 0, 0, 1000);
    m_board.refreshNow();
    const QCPRange loss = y(kLoss), norm = y(kNorm), steps = x();
    turnWheel(kNorm, 240, Qt::ShiftModifier);
    EXPECT_EQ(y(kLoss), loss);
    EXPECT_LT(y(kNorm).size(), norm.size());
    EXPECT_EQ(x(), steps);
    QTest::keyClick(m_board.canvas(), Qt::Key_Home);
    m_board.refreshNow();
    EXPECT_EQ(y(kNorm), norm);
}

TEST_F(PlotBoardTest, ADragPansAndBackspaceReturns) {
    appendSteps(m_lab, 0, 0, 1000);
    m_board.refreshNow();
    turnWheel(kLoss, 360);
    const QCPRange zoomed = x();
    const QPoint from = middleOf(kScale);
    QTest::mousePress(m_board.canvas(), Qt::LeftButton, {}, from);
    QTest::mouseMove(m_board.canvas(), from - QPoint(60, 0));
    QTest::mouseMove(m_board.canvas(), from - QPoint(100, 0));
    QTest::mouseRelease(m_board.canvas(), Qt::LeftButton, {}, from - QPoint(100, 0));
    m_board.refreshNow();
    EXPECT_NEAR(x().lower - zoomed.lower, 100 * zoomed.size() / panel(kLoss).rect()->width(), 1e-6);
    QTest::keyClick(m_board.canvas(), Qt::Key_Backspace);
    m_board.refreshNow();
    EXPECT_NEAR(x().lower, zoomed.lower, 1e-9);
    QTest::keyClick(m_board.canvas(), Qt::Key_Backspace);
    m_board.refreshNow();
    EXPECT_EQ(m_board.follow(), FollowMode::All);
}

TEST_F(PlotBoardTest, ARightDragZoomsToItsBand) {
    appendSteps(m_lab, 0, 0, 1000);
    m_board.refreshNow();
    const QCPAxis* axis = panel(kLoss).xAxis();
    const QPoint from(static_cast<int>(axis->coordToPixel(200)), middleOf(kLoss).y()),
        to(static_cast<int>(axis->coordToPixel(400)), from.y() + 3);
    QTest::mousePress(m_board.canvas(), Qt::RightButton, {}, from);
    QTest::mouseMove(m_board.canvas(), (from + to) / 2);
    QTest::mouseMove(m_board.canvas(), to);
    QTest::mouseRelease(m_board.canvas(), Qt::RightButton, {}, to);
    m_board.refreshNow();
    EXPECT_NEAR(x().lower, 200, 2);
    EXPECT_NEAR(x().upper, 400, 2);
}

TEST_F(PlotBoardTest, FrozenHoldsEverythingStill) {
    appendSteps(m_lab, 0, 0, 500);
    m_board.refreshNow();
    m_board.setFrozen(true);
    m_board.refreshNow();
    const QImage before = picture();
    QSignalSpy unseen(&m_board, &PlotBoard::unseenStepsChanged), cursor(&m_board, &PlotBoard::cursorMoved);
    appendSteps(m_lab, 0, 500, 587, [](StepRecord& r) {
        r.loss = 1e5;
        r.flags |= kFlagSkipped;
    });
    applySetting(m_lab, 0, 540, "/optimizer/lr", "lr", "0.001", "0.01");
    m_board.refreshNow();
    EXPECT_EQ(x().upper, 499);
    EXPECT_EQ(picture(), before);
    EXPECT_EQ(unseen.last().first().toLongLong(), 87);
    EXPECT_TRUE(cursor.isEmpty());

    m_board.setFrozen(false);
    m_board.refreshNow();
    EXPECT_EQ(x().upper, 586);
    EXPECT_EQ(cursor.last().first().toLongLong(), -1);
    EXPECT_NE(picture(), before);
}

TEST_F(PlotBoardTest, TheReadOutIsToldTheFrozenStep) {
    appendSteps(m_lab, 0, 0, 500);
    QSignalSpy cursor(&m_board, &PlotBoard::cursorMoved);
    m_board.setFrozen(true);
    ASSERT_EQ(cursor.count(), 1);
    EXPECT_EQ(cursor.last().first().toLongLong(), 499);
}

TEST_F(PlotBoardTest, ANewExperimentThaws) {
    appendSteps(m_lab, 0, 0, 500);
    m_board.setFrozen(true);
    m_lab.handle(Event(ExperimentReset{}));
    EXPECT_FALSE(m_board.isFrozen());
    m_board.refreshNow();
    EXPECT_EQ(x().upper, ViewState::kLeastFollowed);
}

TEST_F(PlotBoardTest, TheCrosshairLandsOnWholeSteps) {
    appendSteps(m_lab, 0, 0, 1000);
    m_board.refreshNow();
    QSignalSpy cursor(&m_board, &PlotBoard::cursorMoved);
    const QCPAxis* axis = panel(kNorm).xAxis();
    QTest::mouseMove(m_board.canvas(), QPoint(static_cast<int>(axis->coordToPixel(640)), middleOf(kNorm).y()));
    ASSERT_FALSE(cursor.isEmpty());
    EXPECT_NEAR(static_cast<double>(m_board.cursor()), 640, 1);
    const std::int64_t at = m_board.cursor();
    EXPECT_EQ(cursor.last().first().toLongLong(), at);
    QTest::keyClick(m_board.canvas(), Qt::Key_Right);
    EXPECT_EQ(m_board.cursor(), at + 1);
    QTest::keyClick(m_board.canvas(), Qt::Key_Left, Qt::ShiftModifier);
    EXPECT_EQ(m_board.cursor(), at - 9);
    QTest::keyClick(m_board.canvas(), Qt::Key_Escape);
    EXPECT_EQ(m_board.cursor(), -1);
    EXPECT_EQ(cursor.last().first().toLongLong(), -1);
}

TEST_F(PlotBoardTest, TheCrosshairStaysOnTheData) {
    appendSteps(m_lab, 0, 0, 100);
    m_board.refreshNow();
    m_board.setCursor(99);
    QTest::keyClick(m_board.canvas(), Qt::Key_Right);
    EXPECT_EQ(m_board.cursor(), 99);
    m_board.setCursor(0);
    QTest::keyClick(m_board.canvas(), Qt::Key_Left);
    EXPECT_EQ(m_board.cursor(), 0);
}

TEST_F(PlotBoardTest, OnlyTheValuesModeMovesTheReadOut) {
    appendSteps(m_lab, 0, 0, 100);
    m_board.setCrosshairMode(CrosshairMode::Crosshair);
    QSignalSpy cursor(&m_board, &PlotBoard::cursorMoved);
    m_board.setCursor(50);
    EXPECT_EQ(m_board.cursor(), 50);
    EXPECT_TRUE(cursor.isEmpty());
    m_board.cycleCrosshair();
    EXPECT_EQ(m_board.crosshairMode(), CrosshairMode::Values);
    ASSERT_EQ(cursor.count(), 1);
    EXPECT_EQ(cursor.last().first().toLongLong(), 50);
    m_board.cycleCrosshair();
    EXPECT_EQ(m_board.cursor(), -1);
}

TEST_F(PlotBoardTest, AJumpBringsItsStepIntoView) {
    appendSteps(m_lab, 0, 0, 3000);
    m_board.setFollow(FollowMode::Window);
    m_board.setCursor(100);
    m_board.refreshNow();
    EXPECT_TRUE(x().contains(100));
    EXPECT_EQ(m_board.follow(), FollowMode::Manual);
    m_board.previousView();
    EXPECT_EQ(m_board.follow(), FollowMode::Window);
}

TEST_F(PlotBoardTest, ChangesOfOneRunAtOneStepShareAFlag) {
    appendSteps(m_lab, 0, 0, 300);
    applySetting(m_lab, 1, 100, "/precision", "precision", "FP32", "FP16");
    applySetting(m_lab, 1, 100, "/scaler/preset", "loss scaler", "none", "pytorch");
    applySetting(m_lab, 0, 200, "/optimizer/lr", "lr", "0.001", "0.01");
    m_board.refreshNow();
    const auto& places = m_board.flags().places();
    ASSERT_EQ(places.size(), 2u);
    const QPointF inside(places[0].left + 4, panel(kLoss).rect()->top() - FlagStrip::kHeight + 8);
    EXPECT_EQ(m_board.flags().textAt(inside), QStringLiteral("step 100  fp16: FP32 \u2192 FP16, loss scaler none \u2192 pytorch"));
}

TEST_F(PlotBoardTest, CompactFoldsTheThroughput) {
    appendSteps(m_lab, 0, 0, 300);
    m_board.setCompact(true);
    m_board.refreshNow();
    EXPECT_FALSE(panel(kThroughput).rect()->visible());
    EXPECT_TRUE(panel(kNorm).xAxis()->tickLabels());
    m_board.setCompact(false);
    m_board.refreshNow();
    EXPECT_TRUE(panel(kThroughput).rect()->visible());
    EXPECT_FALSE(panel(kNorm).xAxis()->tickLabels());
}

TEST_F(PlotBoardTest, ValuesOfZeroAreCountedOnALogAxis) {
    appendSteps(m_lab, 0, 0, 300, [](StepRecord& r) {
        if (r.step >= 290) r.loss = 0;
    });
    m_board.refreshNow();
    EXPECT_TRUE(panel(kLoss).title().note.contains(QStringLiteral("10 values")));
    m_board.setLogLoss(false);
    m_board.refreshNow();
    EXPECT_FALSE(panel(kLoss).title().note.contains(QStringLiteral("10 values")));
}

TEST_F(PlotBoardTest, StepsWithoutAScalerDoNotStretchTheScaleAxis) {
    appendSteps(m_lab, 1, 0, 300, [](StepRecord& r) { r.lossScale = r.step < 100 ? 1 : 65536; });
    m_board.refreshNow();
    EXPECT_GT(y(kScale).lower, 8);
}

TEST_F(PlotBoardTest, RunsMayComeAndGoBetweenFrames) {
    appendSteps(m_lab, 0, 0, 300);
    m_board.setCursor(100);
    m_lab.handle(Event(RunAdded{makeRun(7, "bf16")}));
    appendSteps(m_lab, 7, 0, 300);
    m_lab.handle(Event(RunRemoved{0}));
    m_board.refreshNow();
    m_lab.handle(Event(RunRemoved{1}));
    m_lab.handle(Event(RunRemoved{7}));
    m_board.refreshNow();
    EXPECT_EQ(m_lab.runs().size(), 0u);
}

TEST_F(PlotBoardTest, DescribesItsPanelsInWords) {
    appendSteps(m_lab, 1, 0, 300, [](StepRecord& r) {
        r.lossScale = 4096;
        if (r.step >= 297) r.flags |= kFlagSkipped;
    });
    EXPECT_TRUE(
        QTest::qWaitFor([&] { return m_board.canvas()->accessibleDescription().contains(QStringLiteral("run fp16: 3 skipped")); }, 3000));
    EXPECT_TRUE(m_board.canvas()->accessibleDescription().contains(QStringLiteral("scale 2\u00B9\u00B2")));
    EXPECT_FALSE(m_board.canvas()->accessibleName().isEmpty());
}

TEST_F(PlotBoardTest, AForkGoesOnFromItsParentsLine) {
    appendSteps(m_lab, 0, 0, 100);
    RunInfo fork = makeRun(5, "fork");
    fork.parent = 0;
    fork.firstStep = 60;
    m_lab.handle(Event(RunAdded{fork}));
    appendSteps(m_lab, 5, 60, 100);  // nothing changed
    m_board.refreshNow();
    const RunState& child = *m_lab.run(5);
    RunTrace parentTrace, trace;
    parentTrace.run = m_lab.run(0);
    trace.run = &child;
    trace.parent = &parentTrace;
    parentTrace.follow();
    trace.follow();
    for (std::int64_t step = 60; step < 100; ++step)
        EXPECT_NEAR(trace.loss.series().value(step), parentTrace.loss.series().value(step), 1e-12) << step;
    EXPECT_EQ(trace.loss.series().valueClass(59), ValueClass::Absent);
}

TEST_F(PlotBoardTest, ARewindTakesTheLinesBack) {
    appendSteps(m_lab, 0, 0, 500);
    m_board.refreshNow();
    m_board.setCursor(450);
    m_lab.handle(Event(RunRewound{0, 200, -1}));
    appendSteps(m_lab, 0, 200, 210, [](StepRecord& r) { r.loss = kNaN; });
    m_board.refreshNow();
    EXPECT_EQ(x().upper, 209);
    EXPECT_EQ(m_board.cursor(), -1) << "the step that was pointed at is no more";
    EXPECT_EQ(glyphCount(kLoss, Glyph::NaN), 10);
}

TEST_F(PlotBoardTest, ARightClickAsksWhatCanBeDoneThere) {
    appendSteps(m_lab, 0, 0, 500);
    m_board.refreshNow();
    QSignalSpy asked(&m_board, &PlotBoard::menuWished);
    QTest::mouseClick(m_board.canvas(), Qt::RightButton, {}, middleOf(kScale));
    ASSERT_EQ(asked.count(), 1);
    EXPECT_NEAR(static_cast<double>(asked[0][0].toLongLong()), 250, 5);
    EXPECT_EQ(m_board.cursor(), asked[0][0].toLongLong()) << "the crosshair holds the step";
    EXPECT_EQ(x().upper, 499) << "and nothing was zoomed";
}

}  // namespace
}  // namespace mantissa::gui
