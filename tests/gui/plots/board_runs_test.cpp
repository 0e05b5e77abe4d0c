// SPDX-License-Identifier: Apache-2.0
// Runs that come and go, begin later than others, or go back, as the plots show them.
#include <gtest/gtest.h>

#include <QContextMenuEvent>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <limits>

#include "gui/plots/end_labels.h"
#include "gui/plots/ranges.h"
#include "tests/gui/plots/board_fixture.h"

namespace mantissa::gui {
namespace {

TEST_F(PlotBoardTest, StepsWithoutAScalerDoNotStretchTheScaleAxis) {
    appendSteps(m_session, 1, 0, 300, [](StepRecord& r) { r.lossScale = r.step < 100 ? 1 : 65536; });
    m_board.refreshNow();
    EXPECT_GT(y(kScale).lower, 8);
}

TEST_F(PlotBoardTest, RunsMayComeAndGoBetweenFrames) {
    appendSteps(m_session, 0, 0, 300);
    m_board.cursors().setStep(100);
    m_session.handle(Event(RunAdded{makeRun(7, "bf16")}));
    appendSteps(m_session, 7, 0, 300);
    m_session.handle(Event(RunRemoved{0}));
    m_board.refreshNow();
    m_session.handle(Event(RunRemoved{1}));
    m_session.handle(Event(RunRemoved{7}));
    m_board.refreshNow();
    EXPECT_EQ(m_session.runs().size(), 0u);
}

TEST_F(PlotBoardTest, DescribesItsPanelsInWords) {
    appendSteps(m_session, 1, 0, 300, [](StepRecord& r) {
        r.lossScale = 4096;
        if (r.step >= 297) r.flags |= kFlagSkipped;
    });
    EXPECT_TRUE(
        QTest::qWaitFor([&] { return m_board.canvas()->accessibleDescription().contains(QStringLiteral("run fp16: 3 skipped")); }, 3000));
    EXPECT_TRUE(m_board.canvas()->accessibleDescription().contains(QStringLiteral("scale 2\u00B9\u00B2")));
    EXPECT_FALSE(m_board.canvas()->accessibleName().isEmpty());
}

TEST_F(PlotBoardTest, TheTotalOfSkipsIsInWordsAtEverySize) {
    appendSteps(m_session, 1, 0, 300, [](StepRecord& r) {
        if (r.step >= 296) r.flags |= kFlagSkipped;
    });
    for (const bool isCompact : {true, false}) {
        m_board.setCompact(isCompact);
        m_board.refreshNow();
        EXPECT_TRUE(panel(kSkipped).title().unit.startsWith(QStringLiteral("4 so far"))) << isCompact;
    }
    m_session.setHidden(1, true);
    m_board.refreshNow();
    EXPECT_TRUE(panel(kSkipped).title().unit.startsWith(QStringLiteral("0 so far"))) << "an audience may be guessing";
}

TEST_F(PlotBoardTest, NamesWithACommaStayApartInANote) {
    loadRuns(m_session, {makeRun(0, "fp32"), makeRun(1, "fp16", "pytorch"), makeRun(2, "fp16, output in fp32", "pytorch")});
    for (const RunId run : {0, 1, 2}) appendSteps(m_session, run, 0, 10);
    m_board.refreshNow();
    EXPECT_EQ(panel(kScale).title().note, QStringLiteral("fp16 \u00B7 fp16, output in fp32 scale their loss"));
}

TEST_F(PlotBoardTest, AForkGoesOnFromItsParentsLine) {
    appendSteps(m_session, 0, 0, 100);
    RunInfo fork = makeRun(5, "fork");
    fork.parent = 0;
    fork.firstStep = 60;
    m_session.handle(Event(RunAdded{fork}));
    appendSteps(m_session, 5, 60, 100);  // nothing changed
    m_board.refreshNow();
    const RunState& child = *m_session.run(5);
    RunTrace parentTrace, trace;
    parentTrace.run = m_session.run(0);
    trace.run = &child;
    trace.parent = &parentTrace;
    for (RunTrace* each : {&parentTrace, &trace}) {
        each->smooth("loss", {});
        each->follow();
    }
    for (std::int64_t step = 60; step < 100; ++step)
        EXPECT_NEAR(trace.smoothed("loss").value(step), parentTrace.smoothed("loss").value(step), 1e-12) << step;
    EXPECT_EQ(trace.smoothed("loss").valueClass(59), ValueClass::Absent);
}

TEST_F(PlotBoardTest, AForkThatBeginsToScaleHasNoScaleOfBefore) {
    appendSteps(m_session, 0, 0, 100);  // unscaled: a scale of 1 stands for none
    RunInfo fork = makeRun(5, "fork", "pytorch");
    fork.parent = 0;
    fork.firstStep = 60;
    m_session.handle(Event(RunAdded{fork}));
    appendSteps(m_session, 5, 60, 100, [](StepRecord& r) { r.lossScale = 65536; });
    m_board.refreshNow();
    EXPECT_GT(y(kScale).lower, 10);
}

TEST_F(PlotBoardTest, ARewindTakesTheLinesBack) {
    appendSteps(m_session, 0, 0, 500);
    m_board.refreshNow();
    m_board.cursors().setStep(450);
    m_session.handle(Event(RunRewound{0, 200}));
    appendSteps(m_session, 0, 200, 210, [](StepRecord& r) { r.loss = kNaN; });
    m_board.refreshNow();
    EXPECT_EQ(x().upper, 209);
    EXPECT_EQ(m_board.cursors().step(), -1) << "the step that was pointed at is no more";
    EXPECT_EQ(glyphCount(kLoss, Glyph::NaN), 10);
}

TEST_F(PlotBoardTest, ARightClickAsksWhatCanBeDoneThere) {
    appendSteps(m_session, 0, 0, 500);
    m_board.refreshNow();
    QSignalSpy asked(&m_board, &PlotBoard::menuRequested);
    QTest::mouseClick(m_board.canvas(), Qt::RightButton, {}, middleOf(kScale));
    ASSERT_EQ(asked.count(), 1);
    EXPECT_NEAR(static_cast<double>(asked[0][0].toLongLong()), 250, 5);
    EXPECT_EQ(m_board.cursors().step(), asked[0][0].toLongLong()) << "the crosshair holds the step";
    EXPECT_EQ(x().upper, 499) << "and nothing was zoomed";
}

TEST_F(PlotBoardTest, AClickBesideALostStepChoosesIt) {
    appendSteps(m_session, 0, 0, 500);
    appendSteps(m_session, 1, 0, 500, [](StepRecord& r) { r.flags = r.step == 252 ? kFlagSkipped | kFlagFoundInf : 0; });
    m_board.refreshNow();
    const QCPAxis* axis = panel(kScale).rect()->axis(QCPAxis::atBottom);
    const auto clickAt = [&](double step, int pixels) {
        const QPoint place(qRound(axis->coordToPixel(step)) + pixels, middleOf(kScale).y());
        QTest::mouseClick(m_board.canvas(), Qt::LeftButton, {}, place);
        return m_board.cursors().step();
    };
    EXPECT_EQ(clickAt(252, 4), 252);
    EXPECT_EQ(clickAt(300, 0), 300);
    EXPECT_NE(clickAt(252, 12), 252) << "farther away it is the step below the pointer";
}

TEST_F(PlotBoardTest, AClickOnAMarkAsksAboutItsStep) {
    appendSteps(m_session, 0, 0, 500, [](StepRecord& r) { r.loss = r.step == 100 ? kNaN : r.loss; });
    appendSteps(m_session, 1, 0, 500, [](StepRecord& r) { r.flags = r.step == 252 ? kFlagSkipped | kFlagFoundInf : 0; });
    m_board.refreshNow();
    QSignalSpy asked(&m_board, &PlotBoard::menuRequested);
    const auto placeOf = [this](PanelIndex index, Glyph glyph) {
        const GlyphRow& row = panel(index).glyphs();
        const auto& marks = row.marks();
        const auto mark = std::find_if(marks.begin(), marks.end(), [&](const GlyphMark& each) { return each.glyph == glyph; });
        const QPointF place(mark->left, panel(index).rect()->top() - GlyphRow::kHeight / 2);
        EXPECT_EQ(row.markAt(place)->firstStep, mark->firstStep);
        EXPECT_EQ(row.markAt(place + QPointF(40, 0)), nullptr);
        EXPECT_EQ(row.markAt(place + QPointF(0, GlyphRow::kHeight)), nullptr) << "in the plot";
        return place.toPoint();
    };
    QTest::mouseClick(m_board.canvas(), Qt::LeftButton, {}, placeOf(kScale, Glyph::Skipped));
    ASSERT_EQ(asked.count(), 1);
    EXPECT_EQ(asked[0][0].toLongLong(), 252);
    EXPECT_EQ(asked[0][2].toInt(), 1) << "the run of the mark";
    EXPECT_EQ(m_board.cursors().heldStep(), 252) << "the crosshair holds the step";
    const QPoint place = m_board.canvas()->mapTo(&m_board, placeOf(kLoss, Glyph::NaN));
    QContextMenuEvent menu(QContextMenuEvent::Mouse, place, m_board.mapToGlobal(place));
    QApplication::sendEvent(&m_board, &menu);
    ASSERT_EQ(asked.count(), 2) << "the right button does too";
    EXPECT_EQ(asked[1][0].toLongLong(), 100);

    QTest::mouseMove(m_board.canvas(), placeOf(kLoss, Glyph::NaN));
    EXPECT_EQ(m_board.canvas()->cursor().shape(), Qt::PointingHandCursor);
    QTest::mouseMove(m_board.canvas(), middleOf(kLoss));
    EXPECT_EQ(m_board.canvas()->cursor().shape(), Qt::ArrowCursor);
}

TEST_F(PlotBoardTest, AMarkOfManyStepsIsThatOfItsFirstOne) {
    appendSteps(m_session, 0, 0, 400, [](StepRecord& r) { r.loss = r.step == 100 ? kNaN : r.loss; });
    appendSteps(m_session, 1, 0, 400, [](StepRecord& r) { r.loss = r.step >= 100 && r.step < 250 ? kNaN : r.loss; });
    m_board.refreshNow();
    const GlyphRow& row = panel(kLoss).glyphs();
    ASSERT_EQ(row.bars().size(), 1u);
    const double middle = panel(kLoss).rect()->top() - GlyphRow::kHeight / 2;
    for (const GlyphMark& part : row.bars()[0].parts) {
        const GlyphMark* mark = row.markAt({part.drawn + part.width / 2, middle});
        ASSERT_EQ(mark, &part);
        EXPECT_EQ(mark->firstStep, 100);
    }
}

TEST_F(PlotBoardTest, ARunThatIsNaNForLongKeepsItsNameInAPresentation) {
    appendSteps(m_session, 0, 0, 400);
    appendSteps(m_session, 1, 0, 400, [](StepRecord& r) {
        if (r.step > 20) r.loss = std::numeric_limits<double>::quiet_NaN();
    });
    m_board.setPresenting(1.5);
    m_board.refreshNow();
    picture();
    const auto& labels = m_board.endLabels().labels();
    const auto dead = std::find_if(labels.begin(), labels.end(), [](const EndLabels::Label& each) { return each.name == u"fp16"; });
    ASSERT_NE(dead, labels.end());
    EXPECT_EQ(dead->value, QStringLiteral("NaN"));
    EXPECT_EQ(dead->end, panel(kLoss).rect()->top());
    EXPECT_EQ(std::count_if(labels.begin(), labels.end(), [](const EndLabels::Label& each) { return each.identity == 0; }),
              std::count_if(labels.begin(), labels.end(), [](const EndLabels::Label& each) { return each.identity == 1; }) - 1)
        << "a run without a loss scale has no label beside its plot";
}

}  // namespace
}  // namespace mantissa::gui
