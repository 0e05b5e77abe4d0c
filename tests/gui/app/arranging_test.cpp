// SPDX-License-Identifier: Apache-2.0
// Orders and looks of runs, checkpoints, and layouts on the undo stack, in the whole window with a real engine behind it.
#include <gtest/gtest.h>
#include <signal.h>

#include <QMenu>
#include <QTableView>
#include <QUndoStack>
#include <utility>

#include "gui/app/run_chips.h"
#include "gui/diagnosis/diagnose_page.h"
#include "gui/link/run_order.h"
#include "gui/plots/canvas.h"
#include "gui/plots/event_model.h"
#include "gui/plots/readout_model.h"
#include "tests/gui/support/live_window.h"

namespace mantissa::gui {
namespace {

struct ArrangedWindow : LiveWindow {
    bool openAt(std::int64_t steps) {
        if (!open()) return false;
        for (std::int64_t i = 0; i < steps; ++i) engine.send(SingleStep{});
        return reaches(steps);
    }
    bool waitFor(const std::function<bool()>& isTrue) { return QTest::qWaitFor(isTrue, kPatienceMs); }
    QAction* undo() const { return window->actionList().undo; }
    QAction* redo() const { return window->actionList().redo; }
    QStringList names() const {
        QStringList all;
        for (const auto& run : session.runs()) all << run->name();
        return all;
    }
    QStringList cards() const {
        auto all = window->findChildren<RunCard*>();
        std::sort(all.begin(), all.end(),
                  [](RunCard* a, RunCard* b) { return a->mapToGlobal(QPoint()).y() < b->mapToGlobal(QPoint()).y(); });
        QStringList named;
        for (const RunCard* card : all)
            if (card->isVisible()) named << session.run(card->run())->name();
        return named;
    }
    /// As the read-out and the data's legend have them.
    QStringList columns() const {
        QStringList all;
        const ReadoutModel model(&session);
        for (int column = 0; column < model.columnCount(); ++column)
            all << model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        return all;
    }
    PanelDock* panel(const char* id) const { return window->findChild<PanelDock*>(QString::fromLatin1(id)); }
    Canvas* canvas() const { return window->findChild<Canvas*>(); }
    PanelHost* host() const { return window->findChild<PanelHost*>(); }
    QUndoStack* stack() const { return window->undoStack(); }
    QString layout() const { return window->layouts()->current(); }
    /// Takes hold of the edge below a panel and lets it go `by` px lower.
    void dragEdgeBelow(const char* id, int by) {
        const QPoint edge(panel(id)->geometry().center().x(), panel(id)->geometry().bottom() + 1);
        QTest::mousePress(host(), Qt::LeftButton, {}, edge);
        QTest::mouseMove(host(), edge + QPoint(0, by));
        QTest::qWait(20);  // edges follow the pointer with the next events
        QTest::mouseRelease(host(), Qt::LeftButton, {}, edge + QPoint(0, by));
        QCoreApplication::processEvents();
    }
};

TEST(Arranging, AKeyMovesARunInAllViewsAndUndoMovesItBack) {
    ArrangedWindow live;
    ASSERT_TRUE(live.openAt(2));
    const QStringList before = live.names();
    ASSERT_GE(before.size(), 2);
    QStringList moved = before;
    moved.swapItemsAt(0, 1);
    live.session.select(live.session.runs()[0]->id);
    EXPECT_FALSE(live.window->actionList().moveRunUp->isEnabled()) << "it is the first";
    QTest::keyClick(live.canvas(), Qt::Key_Down, Qt::ControlModifier | Qt::ShiftModifier);
    ASSERT_TRUE(live.waitFor([&] { return live.names() == moved; }));
    EXPECT_TRUE(live.waitFor([&] { return live.cards() == moved; }));
    EXPECT_EQ(live.columns().mid(live.columns().size() - moved.size()), moved);
    EXPECT_EQ(live.session.run(live.session.selected())->name(), before[0]) << "it stays chosen";
    ASSERT_TRUE(live.waitFor([&] { return live.undo()->text() == QStringLiteral("Undo new order of runs"); }));
    EXPECT_LT(live.session.experimentText().indexOf(moved[0]), live.session.experimentText().indexOf(moved[1])) << "as it would be saved";
    live.undo()->trigger();
    ASSERT_TRUE(live.waitFor([&] { return live.names() == before; }));
    live.redo()->trigger();
    ASSERT_TRUE(live.waitFor([&] { return live.names() == moved; }));
    ASSERT_TRUE(live.waitFor([&] { return live.stack()->count() == 1 && live.undo()->isEnabled(); }));
}

TEST(Arranging, TheColourMenuSwapsTwoRunsLooks) {
    ArrangedWindow live;
    ASSERT_TRUE(live.openAt(1));
    const RunId first = live.session.runs()[0]->id, second = live.session.runs()[1]->id;
    live.session.select(first);
    QMenu* menu = live.window->actionList().runStyle;
    emit menu->aboutToShow();
    ASSERT_EQ(menu->actions().size(), 6);
    EXPECT_EQ(menu->actions()[0]->text(), QStringLiteral("Blue, disc, as now"));
    EXPECT_FALSE(menu->actions()[0]->isEnabled());
    EXPECT_EQ(menu->actions()[1]->text(), QStringLiteral("Vermilion, square, swapped with %1").arg(live.session.run(second)->name()));
    EXPECT_EQ(menu->actions()[5]->text(), QStringLiteral("Sky blue, star")) << "nobody's";
    menu->actions()[1]->trigger();
    ASSERT_TRUE(live.waitFor([&] { return live.session.run(first)->identity == 1; }));
    EXPECT_EQ(live.session.run(second)->identity, 0);
    ASSERT_TRUE(live.waitFor([&] { return live.undo()->text() == QStringLiteral("Undo new colours of runs"); }));
    live.undo()->trigger();
    ASSERT_TRUE(live.waitFor([&] { return live.session.run(first)->identity == 0 && live.session.run(second)->identity == 1; }));
}

TEST(Arranging, ACheckpointIsAnEventAndAForkBeginsThere) {
    ArrangedWindow live;
    ASSERT_TRUE(live.openAt(3));
    const RunId run = live.session.runs()[0]->id;
    live.session.select(run);
    QTest::keyClick(live.canvas(), Qt::Key_K, Qt::ControlModifier);
    ASSERT_TRUE(live.waitFor([&] { return !live.session.run(run)->checkpoints.empty(); }));
    EXPECT_EQ(live.session.run(run)->checkpoints[0].step, 3);
    auto* bar = live.window->findChild<EventBar*>();
    ASSERT_TRUE(live.waitFor([&] { return bar->model()->countOf(LabEvent::Kind::Checkpoint) == 1; }));
    ASSERT_NE(live.engine.send(SingleStep{}), 0u);
    ASSERT_TRUE(live.reaches(4));
    const std::size_t runs = live.session.runs().size();
    ASSERT_NE(live.engine.send(ForkRun{run, 3, {}, "fork", 0}), 0u);
    ASSERT_TRUE(live.waitFor([&] { return live.session.runs().size() == runs + 1; }));
    EXPECT_EQ(live.session.runs()[1]->info.firstStep, 3);
}

// ---- Layouts ----

TEST(LayoutUndo, APanelThatIsClosedComesBack) {
    ArrangedWindow live;
    ASSERT_TRUE(live.open());
    QCoreApplication::processEvents();
    EXPECT_FALSE(live.undo()->isEnabled()) << "what the window did at its start is no user action";
    live.panel("memoryPanel")->toggleViewAction()->trigger();
    QCoreApplication::processEvents();
    EXPECT_TRUE(live.panel("memoryPanel")->isHidden());
    ASSERT_EQ(live.stack()->count(), 1);
    EXPECT_EQ(live.undo()->text(), QStringLiteral("Undo layout change"));
    live.window->resize(1700, 1000);
    QCoreApplication::processEvents();
    EXPECT_EQ(live.stack()->count(), 1) << "nor is another size of the window";
    live.undo()->trigger();
    EXPECT_TRUE(live.panel("memoryPanel")->isVisible());
    live.redo()->trigger();
    EXPECT_TRUE(live.panel("memoryPanel")->isHidden());
    live.undo()->trigger();
    live.window->actionList().movePanels->trigger();
    for (QToolButton* button : live.panel("verdictPanel")->titleBarWidget()->findChildren<QToolButton*>()) {
        if (!button->accessibleName().contains(QStringLiteral("Float"))) continue;
        QTest::mouseClick(button, Qt::LeftButton);
    }
    QCoreApplication::processEvents();
    ASSERT_TRUE(live.panel("verdictPanel")->isFloating());
    live.undo()->trigger();
    EXPECT_FALSE(live.panel("verdictPanel")->isFloating());
    EXPECT_EQ(live.host()->dockWidgetArea(live.panel("verdictPanel")), Qt::RightDockWidgetArea);
}

TEST(LayoutUndo, DragsOfEdgesAreOneEntryThatBringsTheLevelBack) {
    ArrangedWindow live;
    ASSERT_TRUE(live.open());
    ASSERT_TRUE(live.waitFor([&] { return live.panel("readoutPanel")->height() > 100; }));
    int before = -1;
    ASSERT_TRUE(live.waitFor([&] {  // until the panels are level with their plots
        QTest::qWait(20);
        return std::exchange(before, live.panel("readoutPanel")->height()) == live.panel("readoutPanel")->height();
    }));
    ASSERT_TRUE(live.window->layouts()->isLevel());
    live.dragEdgeBelow("readoutPanel", 40);
    live.dragEdgeBelow("readoutPanel", 20);
    ASSERT_NE(live.panel("readoutPanel")->height(), before);
    EXPECT_FALSE(live.window->layouts()->isLevel());
    EXPECT_EQ(live.stack()->count(), 1);
    live.undo()->trigger();
    EXPECT_TRUE(live.window->layouts()->isLevel());
    EXPECT_TRUE(live.waitFor([&] { return live.panel("readoutPanel")->height() == before; })) << live.panel("readoutPanel")->height();
    // taken hold of, and let go where it was
    const QPoint edge(live.panel("readoutPanel")->geometry().center().x(), live.panel("readoutPanel")->geometry().bottom() + 1);
    QTest::mouseClick(live.panel("readoutPanel"), Qt::LeftButton);
    QTest::mouseClick(live.host(), Qt::LeftButton, {}, edge);
    QCoreApplication::processEvents();
    EXPECT_EQ(live.stack()->index(), 0);
    EXPECT_TRUE(live.redo()->isEnabled());
    EXPECT_TRUE(live.window->layouts()->isLevel());
}

TEST(LayoutUndo, WaitsWhileTheRoomOfPanelsIsLent) {
    ArrangedWindow live;
    ASSERT_TRUE(live.open());
    live.panel("memoryPanel")->toggleViewAction()->trigger();
    QCoreApplication::processEvents();
    ASSERT_EQ(live.stack()->index(), 1);
    live.window->layouts()->setLent(true);
    live.undo()->trigger();
    EXPECT_EQ(live.stack()->index(), 1);
    EXPECT_TRUE(live.panel("memoryPanel")->isHidden());
    live.window->layouts()->setLent(false);
    live.undo()->trigger();
    EXPECT_EQ(live.stack()->index(), 0);
    EXPECT_TRUE(live.panel("memoryPanel")->isVisible());
}

TEST(LateDiagnosePage, IsMadeForAStepThatIsChosenBesideThePlots) {
    ArrangedWindow live;
    ASSERT_TRUE(live.openAt(3));
    ASSERT_EQ(live.window->findChild<DiagnosePage*>(), nullptr);
    auto* list = live.window->findChild<CapturedList*>();
    const RunId other = live.session.runs().back()->id;
    ASSERT_NE(live.session.selected(), other);
    emit list->chosen(other, 2);
    EXPECT_EQ(live.session.selected(), other);
    auto* page = live.window->findChild<DiagnosePage*>();
    ASSERT_NE(page, nullptr);
    EXPECT_FALSE(page->isVisible()) << "the plots stay";
}

TEST(LateDiagnosePage, TabComesToItBeforeItComesToWhatStandsBesideIt) {
    ArrangedWindow live;
    ASSERT_TRUE(live.open());
    live.window->actionList().layoutDiagnose->trigger();
    auto* page = live.window->findChild<DiagnosePage*>();
    auto* dock = live.window->findChild<DiagnoseDock*>();
    auto* board = live.window->findChild<PlotBoard*>();
    QWidget* next = board;
    while (!page->isAncestorOf(next) && !dock->isAncestorOf(next)) next = next->nextInFocusChain();
    EXPECT_TRUE(page->isAncestorOf(next));
    int places = 0;
    for (QWidget* each = next; page->isAncestorOf(each); each = each->nextInFocusChain())
        places += each->focusPolicy() & Qt::TabFocus ? 1 : 0;
    EXPECT_GT(places, 3);
    QWidget* all = board->nextInFocusChain();
    while (all != board && all) all = all->nextInFocusChain();
    EXPECT_EQ(all, board) << "the chain is whole";
}

TEST(LayoutUndo, AResetGivesTheAxesBackAndNothingElseTakesThem) {
    ArrangedWindow live;
    ASSERT_TRUE(live.open());
    auto* board = live.window->findChild<PlotBoard*>();
    const AxisChoices usual = board->axisChoices();
    board->traces().setSmoothing(0.5);
    board->axes().setXAxis({XQuantity::Epoch, false});
    const AxisChoices chosen = board->axisChoices();
    live.window->actionList().resetLayout->trigger();
    EXPECT_EQ(board->axisChoices(), usual);
    live.undo()->trigger();
    EXPECT_EQ(board->axisChoices(), chosen);
    live.redo()->trigger();
    EXPECT_EQ(board->axisChoices(), usual);
    live.window->actionList().layoutDiagnose->trigger();
    board->traces().setSmoothing(0.25);
    live.undo()->trigger();
    EXPECT_EQ(board->traces().smoothing(), 0.25) << "chosen since, and no part of the layout";
}

TEST(LayoutUndo, ALayoutThatWasChosenAndAResetGoBack) {
    ArrangedWindow live;
    ASSERT_TRUE(live.open());
    const Actions& actions = live.window->actionList();
    live.host()->addDockWidget(Qt::LeftDockWidgetArea, live.panel("verdictPanel"));
    actions.resetLayout->trigger();
    EXPECT_EQ(live.host()->dockWidgetArea(live.panel("verdictPanel")), Qt::RightDockWidgetArea);
    ASSERT_EQ(live.stack()->count(), 1);
    actions.layoutDiagnose->trigger();
    actions.layoutPresent->trigger();
    ASSERT_EQ(live.stack()->count(), 2) << "choices that follow one another are one";
    EXPECT_EQ(live.layout(), QStringLiteral("present"));
    live.undo()->trigger();
    EXPECT_EQ(live.layout(), QStringLiteral("explore"));
    EXPECT_TRUE(actions.layoutExplore->isChecked());
    EXPECT_TRUE(live.panel("verdictPanel")->isVisible());
    live.redo()->trigger();
    EXPECT_EQ(live.layout(), QStringLiteral("present"));
    actions.layoutExplore->trigger();
    EXPECT_EQ(live.stack()->count(), 1) << "there and back again is nothing";
    live.undo()->trigger();
    EXPECT_EQ(live.host()->dockWidgetArea(live.panel("verdictPanel")), Qt::LeftDockWidgetArea) << "as before the reset";
    // by the program itself
    live.window->layouts()->show(QStringLiteral("diagnose"));
    QCoreApplication::processEvents();
    EXPECT_EQ(live.stack()->index(), 0);
}

TEST(LayoutUndo, NeedsNoEngineAndLosesALayoutThatIsGone) {
    ArrangedWindow live;
    ASSERT_TRUE(live.open());
    const Actions& actions = live.window->actionList();
    live.window->layouts()->saveAs(QStringLiteral("mine"));
    actions.layoutDiagnose->trigger();
    ASSERT_EQ(live.stack()->count(), 1);
    live.window->layouts()->choose(live.window->layouts()->memory().idOfName(QStringLiteral("mine")));
    EXPECT_EQ(live.stack()->count(), 0);
    actions.layoutDiagnose->trigger();
    live.window->layouts()->memory().remove(live.window->layouts()->memory().idOfName(QStringLiteral("mine")));
    live.undo()->trigger();
    EXPECT_EQ(live.stack()->count(), 0) << "there is nothing to go back to";
    EXPECT_EQ(live.layout(), QStringLiteral("diagnose"));
    actions.layoutExplore->trigger();
    ASSERT_EQ(kill(static_cast<pid_t>(live.engine.processId()), SIGKILL), 0);
    ASSERT_TRUE(live.waitFor([&] { return !live.engine.isRunning(); }));
    EXPECT_TRUE(live.undo()->isEnabled());
    live.undo()->trigger();
    EXPECT_EQ(live.layout(), QStringLiteral("diagnose"));
}

}  // namespace
}  // namespace mantissa::gui
