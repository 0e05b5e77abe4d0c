// SPDX-License-Identifier: Apache-2.0
// The cursors A and B: placed, dragged, locked, removed; what stands between them.
#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include "gui/plots/cursor_model.h"
#include "gui/plots/cursor_panel.h"
#include "tests/gui/plots/board_fixture.h"

namespace mantissa::gui {
namespace {

class Cursors : public PlotBoardTest {
protected:
    QPoint placeOf(std::int64_t step, PanelIndex index = kNorm) const {
        return {static_cast<int>(std::lround(panel(index).xAxis()->coordToPixel(static_cast<double>(step)))), middleOf(index).y()};
    }
    void drag(QPoint from, QPoint to) {
        QTest::mousePress(m_board.canvas(), Qt::LeftButton, {}, from);
        QTest::mouseMove(m_board.canvas(), (from + to) / 2);
        QTest::mouseMove(m_board.canvas(), to);
        QTest::mouseRelease(m_board.canvas(), Qt::LeftButton, {}, to);
    }
    std::int64_t a() const { return m_board.cursors().pair().at(CursorName::A); }
    std::int64_t b() const { return m_board.cursors().pair().at(CursorName::B); }
};

TEST_F(Cursors, StandWhereTheCrosshairIsAndFollowTheHand) {
    EXPECT_FALSE(m_board.cursors().place(CursorName::A)) << "there is no step yet";
    appendSteps(m_session, 0, 0, 1000);
    m_board.refreshNow();
    QSignalSpy changes(&m_board.cursors(), &PlotCursors::pairChanged);
    m_board.cursors().setStep(200);
    EXPECT_TRUE(m_board.cursors().place(CursorName::A));
    m_board.cursors().setStep(-1);
    EXPECT_TRUE(m_board.cursors().place(CursorName::B)) << "without a crosshair, at the last step in view";
    EXPECT_EQ(a(), 200);
    EXPECT_EQ(b(), 999);
    EXPECT_EQ(changes.count(), 2);

    drag(placeOf(200), placeOf(400));
    EXPECT_NEAR(static_cast<double>(a()), 400, 1);
    EXPECT_EQ(m_board.axes().view().mode(), FollowMode::All) << "a cursor was dragged, not the plots";
    drag(placeOf(a()), placeOf(990) + QPoint(2000, 0));
    EXPECT_EQ(a(), 999) << "it stays on the steps that there are";
    appendSteps(m_session, 0, 1000, 1500);
    m_board.refreshNow();
    EXPECT_EQ(b(), 999) << "it stands on a step, not on a pixel";
}

TEST_F(Cursors, ATabBelowThePlotsCanBeTaken) {
    appendSteps(m_session, 0, 0, 1000);
    m_board.setCompact(true);
    m_board.refreshNow();
    m_board.cursors().place(CursorName::A, 300);
    const QPoint tab(placeOf(300).x(), panel(kNorm).rect()->bottom() + 14);
    drag(tab, tab + QPoint(placeOf(500).x() - placeOf(300).x(), 0));
    EXPECT_NEAR(static_cast<double>(a()), 500, 1);
}

TEST_F(Cursors, LockedOnesStayUntilTheyAreRemoved) {
    appendSteps(m_session, 0, 0, 1000);
    m_board.refreshNow();
    m_board.cursors().place(CursorName::A, 200);
    m_board.cursors().place(CursorName::B, 600);
    m_board.cursors().lockPair(true);
    drag(placeOf(200), placeOf(400));
    EXPECT_EQ(a(), 200);
    EXPECT_EQ(m_board.axes().view().mode(), FollowMode::Manual) << "then the drag pans";
    m_board.cursors().setStep(50);
    EXPECT_FALSE(m_board.cursors().place(CursorName::B));
    EXPECT_EQ(b(), 600);
    for (int i = 0; i < 2; ++i) QTest::keyClick(m_board.canvas(), Qt::Key_Escape);
    EXPECT_EQ(a(), 200);
    m_board.cursors().lockPair(false);
    m_board.cursors().setStep(50);
    QTest::keyClick(m_board.canvas(), Qt::Key_Escape);
    EXPECT_EQ(m_board.cursors().step(), -1) << "what was put there last goes first";
    EXPECT_EQ(a(), 200);
    QTest::keyClick(m_board.canvas(), Qt::Key_Escape);
    EXPECT_TRUE(m_board.cursors().pair().isEmpty());
}

TEST_F(Cursors, OutliveAResetAndNotAnotherExperiment) {
    appendSteps(m_session, 0, 0, 100);
    m_board.cursors().place(CursorName::A, 50);
    m_session.handle(Event(ExperimentReset{}));
    EXPECT_EQ(a(), 50);
    loadRuns(m_session, {makeRun(0, "fp32")});
    EXPECT_TRUE(m_board.cursors().pair().isEmpty());
}

TEST_F(Cursors, AreInPicturesWithTheirLettersSideBySide) {
    appendSteps(m_session, 0, 0, 1000);
    m_board.refreshNow();
    const QImage without = picture();
    m_board.cursors().place(CursorName::A, 500);
    m_board.cursors().place(CursorName::B, 502);
    const QImage with = picture();
    CursorLines lines(m_board.canvas());
    lines.pair = m_board.cursors().pair();
    lines.placeOf = [](std::int64_t step) { return static_cast<double>(step); };
    for (const Panel* each : m_board.panels().shown()) lines.rects.push_back(each->rect());
    const auto tabs = lines.tabs();
    EXPECT_FALSE(tabs[0].intersects(tabs[1]));
    for (const QRectF& tab : tabs) EXPECT_NE(with.copy(tab.toRect()), without.copy(tab.toRect()));
    EXPECT_NE(with.copy(tabs[0].toRect()), with.copy(tabs[1].toRect())) << "A is filled, B an outline";
    const QRect line(placeOf(500, kLoss) - QPoint(1, 3), QSize(3, 6));
    EXPECT_NE(with.copy(line), without.copy(line)) << "through every panel";
}

TEST_F(Cursors, ATabCutsNoTicksLabel) {
    appendSteps(m_session, 0, 0, 1000);
    m_board.refreshNow();
    const QImage without = picture();
    const QCPAxisRect* last = nullptr;
    for (const auto& each : m_board.panels().all())
        if (each->rect()->visible()) last = each->rect();
    const QCPAxis* axis = last->axis(QCPAxis::atBottom);
    const QFontMetrics metrics(axis->tickLabelFont());
    // From the middle of a label to where both stand apart.
    for (const int offset : {0, 8, 16, 24, 32, 40, 48, 64}) {
        const int tick = static_cast<int>(axis->tickVector().size()) / 2;
        const int middle = static_cast<int>(std::lround(axis->coordToPixel(axis->tickVector()[tick])));
        const int half = metrics.horizontalAdvance(axis->tickVectorLabels()[tick]) / 2 + 1;
        m_board.cursors().place(CursorName::A, std::lround(axis->pixelToCoord(middle + offset)));
        const QImage with = picture();
        const QRect label(middle - half, last->bottom() + 5, 2 * half, 18);
        CursorLines lines(m_board.canvas());
        lines.pair = m_board.cursors().pair();
        lines.placeOf = [](std::int64_t step) { return static_cast<double>(step); };
        lines.rects = {const_cast<QCPAxisRect*>(last)};
        const QRect tab = lines.tabs()[0].toAlignedRect();
        int inked = 0, kept = 0;  // pixels of the label beside the tab
        for (int x = label.left(); x <= label.right(); ++x) {
            for (int y = label.top(); y <= label.bottom(); ++y) {
                if (tab.contains(x, y) || without.pixelColor(x, y) == Theme::current().surface) continue;
                ++inked;
                kept += with.pixelColor(x, y) == without.pixelColor(x, y) ? 1 : 0;
            }
        }
        EXPECT_TRUE(kept == 0 || kept == inked) << "at " << offset << " px " << kept << " of " << inked << " pixels are left";
        EXPECT_TRUE(offset < 64 || kept > 0) << "what it does not touch stays";
    }
}

TEST(CursorModel, SaysWhatLiesBetweenThem) {
    SessionModel session;
    loadRuns(session, {makeRun(0, "fp32"), makeRun(1, "fp16", "pytorch")});
    for (const RunId run : {0, 1})
        appendSteps(session, run, 0, 101, [run](StepRecord& r) {
            r.loss = r.step < 60 ? 0.0291 : 0.0081;
            r.lossScale = run == 0 ? 1 : r.step < 60 ? 65536 : 4096;
            r.wallSeconds = 0.05 * static_cast<double>(r.step + 1);
            if (run == 1 && r.step == 100) r.loss = std::nan("");
        });
    ReadoutModel values(&session);
    values.setSmoothing({0}, {0});
    CursorModel model(&session, &values);
    QAbstractItemModelTester tester(&model);
    EXPECT_EQ(model.rowCount(), 0);
    CursorPair pair;
    pair.steps = {40, -1};
    model.setPair(pair);
    const auto text = [&](int row, int column) { return model.index(row, column).data().toString(); };
    EXPECT_EQ(model.distanceText(), QStringLiteral("A 40"));
    EXPECT_EQ(text(0, CursorModel::AtA), QStringLiteral("0.0291"));
    EXPECT_EQ(text(0, CursorModel::Difference), QStringLiteral("\u2013"));

    pair.steps = {40, 80};
    model.setPair(pair);
    ASSERT_EQ(model.rowCount(), 2);
    EXPECT_EQ(model.headerData(1, Qt::Vertical, Qt::DisplayRole).toString(), QStringLiteral("fp16"));
    EXPECT_EQ(text(0, CursorModel::AtB), QStringLiteral("0.00810"));
    EXPECT_EQ(text(0, CursorModel::Difference), QStringLiteral("\u22120.02100"));
    EXPECT_EQ(text(0, CursorModel::Ratio), QStringLiteral("0.28"));
    EXPECT_EQ(model.distanceText(), QStringLiteral("A 40 \u2192 B 80: 40 steps, 2 s of fp32"));
    pair.steps = {80, 79};
    model.setPair(pair);
    EXPECT_TRUE(model.distanceText().startsWith(QStringLiteral("A 80 \u2192 B 79: \u22121 step,"))) << model.distanceText().toStdString();

    pair.steps = {40, 100};
    model.setPair(pair);
    EXPECT_EQ(text(1, CursorModel::AtB), QStringLiteral("NaN"));
    EXPECT_TRUE(model.index(1, CursorModel::AtB).data(ReadoutModel::IsNonFiniteRole).toBool());
    EXPECT_EQ(text(1, CursorModel::Difference), QStringLiteral("\u2013")) << "a NaN has no difference";

    model.setQuantity(ReadoutModel::LossScale);
    EXPECT_EQ(text(1, CursorModel::AtA), QStringLiteral("2\u00B9\u2076"));
    EXPECT_EQ(text(1, CursorModel::Ratio), QStringLiteral("2\u207B\u2074"));
    session.setHidden(0, true);
    model.refresh();
    EXPECT_EQ(model.rowCount(), 1);
    model.setQuantity(std::nullopt);
    EXPECT_EQ(model.rowCount(), ReadoutModel::RowCount) << "all of the chosen run, hidden or not";
    EXPECT_TRUE(model.waits() == false);
    pair.steps = {40, 101};
    model.setPair(pair);
    EXPECT_TRUE(model.waits());
}

TEST(CursorPanel, IsThereWhileThereAreCursors) {
    SessionModel session;
    loadRuns(session, {makeRun(0, "fp32")});
    appendSteps(session, 0, 0, 10);
    ReadoutModel values(&session);
    QWidget window;
    CursorPanel panel(&session, &values, &window);
    window.show();
    EXPECT_FALSE(panel.isVisible());
    CursorPair pair;
    pair.steps = {1, 5};
    pair.isLocked = true;
    panel.setPair(pair);
    EXPECT_TRUE(panel.isVisible());
    EXPECT_EQ(panel.model()->rowCount(), 1);
    QSignalSpy locks(&panel, &CursorPanel::lockRequested);
    auto* lock = panel.findChild<QAbstractButton*>();
    for (auto* button : panel.findChildren<QAbstractButton*>())
        if (button->isCheckable()) lock = button;
    EXPECT_TRUE(lock->isChecked());
    lock->click();
    ASSERT_EQ(locks.count(), 1);
    EXPECT_FALSE(locks[0][0].toBool());
    panel.setPair({});
    EXPECT_FALSE(panel.isVisible());
}

}  // namespace
}  // namespace mantissa::gui
