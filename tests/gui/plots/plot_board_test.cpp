// SPDX-License-Identifier: Apache-2.0
#include "gui/plots/plot_board.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>
#include <QThread>
#include <QTimer>
#include <algorithm>
#include <limits>

#include "gui/plots/event_lines.h"
#include "gui/plots/ranges.h"
#include "tests/gui/plots/board_fixture.h"

namespace mantissa::gui {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST_F(PlotBoardTest, AllPanelsShareLeftAndRightToThePixel) {
    appendSteps(m_session, 0, 0, 300, [](StepRecord& r) {
        r.loss = 1e6;  // labels of very different widths
        r.gradNorm = 1e-5;
    });
    m_board.refreshNow();
    for (const Panel* other : m_board.panels().shown()) {
        EXPECT_EQ(other->rect()->left(), panel(kLoss).rect()->left());
        EXPECT_EQ(other->rect()->right(), panel(kLoss).rect()->right());
        EXPECT_EQ(other->xAxis()->range(), x());
    }
}

TEST_F(PlotBoardTest, NonFiniteValuesNeverBendAnAxis) {
    appendSteps(m_session, 0, 0, 300);
    m_board.refreshNow();
    const QCPRange loss = y(kLoss), norm = y(kNorm);

    loadRuns(m_session, {makeRun(0, "fp32"), makeRun(1, "fp16", "pytorch")});
    appendSteps(m_session, 0, 0, 300, [](StepRecord& r) {
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
    appendSteps(m_session, 1, 0, 400, [](StepRecord& r) {
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

TEST_F(PlotBoardTest, GlyphsCoverNoCurve) {
    const auto marksOf = [this](const auto& change) {
        for (const RunId run : {0, 1}) appendSteps(m_session, run, 0, 400, change);
        m_board.refreshNow();
        const QImage all = picture();
        const QRect axes = panel(kScale).rect()->rect();
        const QRect row(axes.left(), axes.top() - GlyphRow::kHeight, axes.width(), GlyphRow::kHeight);
        const auto result = std::pair(all.copy(axes), all.copy(row));
        for (const RunId run : {0, 1}) m_session.handle(Event(RunRewound{run, 0}));
        return result;
    };
    const auto [curves, none] = marksOf([](StepRecord&) {});
    const auto [sameCurves, storm] = marksOf([](StepRecord& r) {
        if (r.step >= 100 && (r.step < 300 || r.step == 350)) r.flags |= kFlagSkipped;
    });

    EXPECT_EQ(curves, sameCurves);
    EXPECT_NE(none, storm);
}

TEST_F(PlotBoardTest, GlyphsThatWouldOverlapShareABar) {
    const auto lost = [](std::int64_t first, std::int64_t last) {
        return [first, last](StepRecord& r) {
            if (r.step >= first && r.step < last) r.loss = kNaN;
        };
    };
    appendSteps(m_session, 0, 0, 400, lost(100, 101));
    appendSteps(m_session, 1, 0, 400, lost(100, 250));
    m_board.refreshNow();
    const std::vector<GlyphBar>& bars = panel(kLoss).glyphs().bars();
    ASSERT_EQ(bars.size(), 1u);
    ASSERT_EQ(bars[0].parts.size(), 2u);
    EXPECT_EQ(bars[0].parts[0].count + bars[0].parts[1].count, 151);
    EXPECT_NE(bars[0].parts[0].run, bars[0].parts[1].run);
    EXPECT_GE(bars[0].width, bars[0].right - bars[0].left);
    EXPECT_EQ(bars[0].drawn, bars[0].left) << "there is room to the right";
    for (const RunId run : {0, 1})
        appendSteps(m_session, run, 400, 700, [run](StepRecord& r) {
            if ((r.step + run) % 7 == 0) r.loss = kNaN;
        });
    m_board.refreshNow();
    std::int64_t count = 0;
    for (const GlyphBar& bar : bars)
        for (const GlyphMark& part : bar.parts) count += part.count;
    EXPECT_EQ(count, 151 + 42 + 43);
    for (std::size_t i = 1; i < bars.size(); ++i) EXPECT_GE(bars[i].drawn, bars[i - 1].end());
    EXPECT_LE(bars.back().end(), panel(kLoss).rect()->right() + 5);
}

TEST_F(PlotBoardTest, AHiddenRunKeepsTheRangeAndLosesItsGlyphs) {
    appendSteps(m_session, 0, 0, 300);
    appendSteps(m_session, 1, 0, 300, [](StepRecord& r) {
        r.loss *= 10;
        if (r.step == 7) r.loss = kNaN;
    });
    m_board.refreshNow();
    const QCPRange before = y(kLoss);
    ASSERT_EQ(glyphCount(kLoss, Glyph::NaN), 1);
    m_session.setHidden(1, true);
    m_board.refreshNow();
    EXPECT_EQ(y(kLoss), before);
    EXPECT_EQ(glyphCount(kLoss, Glyph::NaN), 0);
}

TEST_F(PlotBoardTest, OneOutlierDoesNotSquashTheThroughput) {
    appendSteps(m_session, 0, 0, 500, [](StepRecord& r) {
        if (r.step == 250) r.samplesPerSecond = 1e12;
    });
    m_board.refreshNow();
    EXPECT_LT(y(kThroughput).upper, 500e3);
    EXPECT_EQ(y(kThroughput).lower, 0);
    EXPECT_FALSE(panel(kThroughput).title().note.isEmpty());
}

TEST_F(PlotBoardTest, FollowsUntilTheWheelTurns) {
    appendSteps(m_session, 0, 0, 1000);
    m_board.refreshNow();
    EXPECT_EQ(x().upper, 999);
    QSignalSpy followed(&m_board.axes(), &PlotAxes::followChanged);
    turnWheel(kLoss, 240);
    EXPECT_EQ(m_board.axes().view().mode(), FollowMode::Manual);
    EXPECT_EQ(followed.count(), 1);
    const QCPRange zoomed = x();
    EXPECT_LT(zoomed.size(), 800);
    appendSteps(m_session, 0, 1000, 1500);
    m_board.refreshNow();
    EXPECT_EQ(x(), zoomed);

    auto* button = m_board.findChild<QWidget*>(QStringLiteral("followButton"));
    ASSERT_TRUE(button && button->isVisible());
    QTest::mouseClick(button, Qt::LeftButton);
    m_board.refreshNow();
    EXPECT_EQ(m_board.axes().view().mode(), FollowMode::All);
    EXPECT_EQ(x().upper, 1499);
    EXPECT_FALSE(button->isVisible());
}

TEST_F(PlotBoardTest, ShiftAndWheelZoomOnePanelsValues) {
    appendSteps(m_session, 0, 0, 1000);
    m_board.refreshNow();
    const QCPRange loss = y(kLoss), norm = y(kNorm), steps = x();
    turnWheel(kNorm, 240, Qt::ShiftModifier);
    EXPECT_EQ(y(kLoss), loss);
    EXPECT_LT(y(kNorm).size(), norm.size());
    EXPECT_EQ(x(), steps);
    turnWheel(kNorm, 240, Qt::ControlModifier);
    EXPECT_LT(x().size(), steps.size()) << "with Ctrl, both";
    m_board.axes().fitAll();
    m_board.refreshNow();
    EXPECT_EQ(y(kNorm), norm);
    EXPECT_EQ(x(), steps);
}

TEST_F(PlotBoardTest, ADragPansAndViewsGoBackAndForth) {
    appendSteps(m_session, 0, 0, 1000);
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
    const QCPRange panned = x();
    m_board.axes().previousView();
    m_board.refreshNow();
    EXPECT_NEAR(x().lower, zoomed.lower, 1e-9);
    m_board.axes().previousView();
    m_board.refreshNow();
    EXPECT_EQ(m_board.axes().view().mode(), FollowMode::All);
    m_board.axes().nextView();
    m_board.axes().nextView();
    m_board.axes().nextView();  // there is no third one
    m_board.refreshNow();
    EXPECT_NEAR(x().lower, panned.lower, 1e-9);
    EXPECT_EQ(m_board.axes().view().mode(), FollowMode::Manual);
}

TEST_F(PlotBoardTest, ARightDragZoomsToItsBand) {
    appendSteps(m_session, 0, 0, 1000);
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
    appendSteps(m_session, 0, 0, 500);
    m_board.refreshNow();
    m_board.setFrozen(true);
    m_board.refreshNow();
    const QImage before = picture();
    QSignalSpy unseen(&m_board, &PlotBoard::unseenStepsChanged), cursor(&m_board.cursors(), &PlotCursors::cursorMoved);
    appendSteps(m_session, 0, 500, 587, [](StepRecord& r) {
        r.loss = 1e5;
        r.flags |= kFlagSkipped;
    });
    applySetting(m_session, 0, 540, "/optimizer/lr", "lr", "0.001", "0.01");
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

TEST_F(PlotBoardTest, FrozenHoldsStillBesideALongerImportedRun) {
    RunInfo imported = makeRun(7, "theirs");
    imported.kind = RunKind::Recorded;
    m_session.handle(Event(RunAdded{imported}));
    SeriesImported theirs{7, Metric::Loss, {}, {}};
    for (std::int64_t step = 0; step < 1000; ++step) theirs.steps.push_back(step), theirs.values.push_back(1);
    m_session.handle(Event(theirs));
    appendSteps(m_session, 0, 0, 50);
    QSignalSpy unseen(&m_board, &PlotBoard::unseenStepsChanged), cursor(&m_board.cursors(), &PlotCursors::cursorMoved);
    m_board.setFrozen(true);
    EXPECT_EQ(cursor.last().first().toLongLong(), 49) << "the live end, not that of a run beside it";
    const QImage before = picture();
    appendSteps(m_session, 0, 50, 90, [](StepRecord& r) {
        r.loss = 1e5;
        r.flags |= kFlagSkipped;
    });
    applySetting(m_session, 0, 70, "/optimizer/lr", "lr", "0.001", "0.01");
    EXPECT_EQ(picture(), before);
    EXPECT_EQ(unseen.last().first().toLongLong(), 40);
}

TEST_F(PlotBoardTest, TheReadOutIsToldTheFrozenStep) {
    appendSteps(m_session, 0, 0, 500);
    QSignalSpy cursor(&m_board.cursors(), &PlotCursors::cursorMoved);
    m_board.setFrozen(true);
    ASSERT_EQ(cursor.count(), 1);
    EXPECT_EQ(cursor.last().first().toLongLong(), 499);
}

TEST_F(PlotBoardTest, ANewExperimentThaws) {
    appendSteps(m_session, 0, 0, 500);
    m_board.setFrozen(true);
    m_session.handle(Event(ExperimentReset{}));
    EXPECT_FALSE(m_board.steps().isFrozen());
    m_board.refreshNow();
    EXPECT_EQ(x().upper, ViewState::kLeastFollowed);
}

TEST_F(PlotBoardTest, TheCrosshairLandsOnWholeSteps) {
    appendSteps(m_session, 0, 0, 1000);
    m_board.refreshNow();
    QSignalSpy cursor(&m_board.cursors(), &PlotCursors::cursorMoved);
    const QCPAxis* axis = panel(kNorm).xAxis();
    QTest::mouseMove(m_board.canvas(), QPoint(static_cast<int>(axis->coordToPixel(640)), middleOf(kNorm).y()));
    ASSERT_FALSE(cursor.isEmpty());
    EXPECT_NEAR(static_cast<double>(m_board.cursors().step()), 640, 1);
    const std::int64_t at = m_board.cursors().step();
    EXPECT_EQ(cursor.last().first().toLongLong(), at);
    QTest::keyClick(m_board.canvas(), Qt::Key_Right);
    EXPECT_EQ(m_board.cursors().step(), at + 1);
    QTest::keyClick(m_board.canvas(), Qt::Key_Left, Qt::ShiftModifier);
    EXPECT_EQ(m_board.cursors().step(), at - 9);
    QTest::keyClick(m_board.canvas(), Qt::Key_Escape);
    EXPECT_EQ(m_board.cursors().step(), -1);
    EXPECT_EQ(cursor.last().first().toLongLong(), -1);
}

TEST_F(PlotBoardTest, TheCrosshairStaysOnTheData) {
    appendSteps(m_session, 0, 0, 100);
    m_board.refreshNow();
    m_board.cursors().setStep(99);
    QTest::keyClick(m_board.canvas(), Qt::Key_Right);
    EXPECT_EQ(m_board.cursors().step(), 99);
    m_board.cursors().setStep(0);
    QTest::keyClick(m_board.canvas(), Qt::Key_Left);
    EXPECT_EQ(m_board.cursors().step(), 0);
}

TEST_F(PlotBoardTest, OnlyTheValuesModeMovesTheReadOut) {
    appendSteps(m_session, 0, 0, 100);
    m_board.cursors().setMode(CrosshairMode::Crosshair);
    QSignalSpy cursor(&m_board.cursors(), &PlotCursors::cursorMoved);
    m_board.cursors().setStep(50);
    EXPECT_EQ(m_board.cursors().step(), 50);
    EXPECT_TRUE(cursor.isEmpty());
    m_board.cursors().cycleMode();
    EXPECT_EQ(m_board.cursors().mode(), CrosshairMode::Values);
    ASSERT_EQ(cursor.count(), 1);
    EXPECT_EQ(cursor.last().first().toLongLong(), 50);
    m_board.cursors().cycleMode();
    EXPECT_EQ(m_board.cursors().step(), -1);
}

TEST_F(PlotBoardTest, AJumpBringsItsStepIntoView) {
    appendSteps(m_session, 0, 0, 3000);
    m_board.axes().setFollow(FollowMode::Window);
    m_board.cursors().setStep(100);
    m_board.refreshNow();
    EXPECT_TRUE(x().contains(100));
    EXPECT_EQ(m_board.axes().view().mode(), FollowMode::Manual);
    m_board.axes().previousView();
    EXPECT_EQ(m_board.axes().view().mode(), FollowMode::Window);
}

TEST_F(PlotBoardTest, ChangesOfOneRunAtOneStepShareAFlag) {
    appendSteps(m_session, 0, 0, 300);
    applySetting(m_session, 1, 100, "/precision", "precision", "FP32", "FP16");
    applySetting(m_session, 1, 100, "/scaler/preset", "loss scaler", "none", "pytorch");
    applySetting(m_session, 0, 200, "/optimizer/lr", "lr", "0.001", "0.01");
    m_board.refreshNow();
    const auto& places = m_board.events().flags().places();
    ASSERT_EQ(places.size(), 2u);
    const QPointF inside(places[0].left + 4, panel(kLoss).rect()->top() - GlyphRow::kHeight - FlagStrip::kHeight + 8);
    EXPECT_EQ(m_board.events().flags().textAt(inside), QStringLiteral("step 100  fp16: FP32 \u2192 FP16, loss scaler none \u2192 pytorch"));
}

TEST_F(PlotBoardTest, AFoldedFlagNamesTheSettingThatAllItsChangesHave) {
    appendSteps(m_session, 0, 0, 300);
    const auto only = [&] {
        m_board.refreshNow();
        const auto& places = m_board.events().flags().places();
        return places.size() == 1 ? m_board.events().flags().foldedText(places[0]) : QString();
    };
    applySetting(m_session, 0, 100, "/optimizer/lr", "lr", "0.1", "10");
    applySetting(m_session, 1, 100, "/optimizer/lr", "lr", "0.1", "10");
    EXPECT_EQ(only(), QStringLiteral("lr: 2 changes"));
    applySetting(m_session, 1, 101, "/precision", "precision", "FP32", "FP16");
    EXPECT_EQ(only(), QStringLiteral("3 changes"));
}

TEST_F(PlotBoardTest, CompactFoldsTheThroughput) {
    appendSteps(m_session, 0, 0, 300);
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
    appendSteps(m_session, 0, 0, 300, [](StepRecord& r) {
        if (r.step >= 290) r.loss = 0;
    });
    m_board.refreshNow();
    EXPECT_TRUE(panel(kLoss).title().note.contains(QStringLiteral("10 values")));
    m_board.axes().setScale(kLoss, AxisScale::Linear);
    m_board.refreshNow();
    EXPECT_FALSE(panel(kLoss).title().note.contains(QStringLiteral("10 values")));
}

TEST_F(PlotBoardTest, AFrameThatStoodStillDoesNotHoldUpTheNextOnes) {
    m_board.refreshNow();
    const auto stall = QObject::connect(m_board.canvas(), &QCustomPlot::beforeReplot, [] { QThread::msleep(400); });
    m_board.refreshNow();
    QObject::disconnect(stall);
    appendSteps(m_session, 0, 0, 10);
    const auto timers = m_board.findChildren<QTimer*>(Qt::FindDirectChildrenOnly);
    const auto frame =
        std::find_if(timers.begin(), timers.end(), [](const QTimer* timer) { return timer->timerType() == Qt::PreciseTimer; });
    ASSERT_TRUE(frame != timers.end() && (*frame)->isActive());
    EXPECT_LE((*frame)->remainingTime(), 50) << "a fifth of what drawing takes, and not of the stall";
}

TEST_F(PlotBoardTest, WhatIsHiddenIsNotDrawn) {
    const auto timers = m_board.findChildren<QTimer*>(Qt::FindDirectChildrenOnly);
    const auto frame =
        std::find_if(timers.begin(), timers.end(), [](const QTimer* timer) { return timer->timerType() == Qt::PreciseTimer; });
    ASSERT_NE(frame, timers.end());
    m_board.show();
    m_board.refreshNow();
    m_board.hide();
    appendSteps(m_session, 0, 0, 10);
    EXPECT_FALSE((*frame)->isActive());
    m_board.show();
    EXPECT_TRUE((*frame)->isActive());
}

}  // namespace
}  // namespace mantissa::gui
