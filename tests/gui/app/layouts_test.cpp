// SPDX-License-Identifier: Apache-2.0
// Panels and named layouts: how they stand, what is kept of them, and what happens to a record that cannot be read.
#include "gui/app/layouts.h"

#include <gtest/gtest.h>

#include <QGuiApplication>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>
#include <QSettings>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>

#include "gui/plots/canvas.h"
#include "gui/plots/panel.h"
#include "tests/gui/plots/session_fixture.h"
#include "tests/gui/support/live_window.h"

namespace mantissa::gui {
namespace {

/// A host with three panels: one at the left, two at the right.
struct Panels {
    PanelHost host{nullptr};
    std::vector<PanelDock*> docks;
    Panels() {
        host.setCentralWidget(new QWidget);
        docks.push_back(host.addPanel(QStringLiteral("a"), QStringLiteral("A"), new QLabel(QStringLiteral("a")),
                                      {Qt::LeftDockWidgetArea, 200, 150, PanelPlace::InExplore | PanelPlace::InSlimExplore}));
        docks.push_back(host.addPanel(QStringLiteral("b"), QStringLiteral("B"), new QLabel(QStringLiteral("b")), {}));
        docks.push_back(host.addPanel(QStringLiteral("c"), QStringLiteral("C"), new QLabel(QStringLiteral("c")), {}));
        host.resize(1000, 700);
        host.arrange(WindowLayout::Explore, false);
        host.show();
    }
    bool standsByDefault() {
        QCoreApplication::processEvents();  // places are given when the event loop comes to it
        return host.areStackedRight({docks[1], docks[2]}) && std::min(docks[1]->height(), docks[2]->height()) > 300 &&
               host.dockWidgetArea(docks[0]) == Qt::LeftDockWidgetArea && !docks[0]->isHidden();
    }
};

TEST(PanelHost, TheDefaultFollowsLayoutAndForm) {
    Panels panels;
    EXPECT_TRUE(panels.standsByDefault());
    panels.host.arrange(WindowLayout::Explore, true);
    EXPECT_FALSE(panels.docks[0]->isHidden());
    EXPECT_TRUE(panels.docks[1]->isHidden() && panels.docks[2]->isHidden());
    panels.host.arrange(WindowLayout::Diagnose, false);
    EXPECT_TRUE(panels.docks[0]->isHidden());
}

TEST(PanelHost, AnArrangementComesBackAsItWas) {
    Panels panels;
    panels.host.addDockWidget(Qt::BottomDockWidgetArea, panels.docks[1]);
    panels.docks[0]->hide();
    panels.docks[2]->setFloating(true);
    const QByteArray kept = panels.host.arrangement();
    panels.host.arrange(WindowLayout::Explore, false);
    ASSERT_TRUE(panels.standsByDefault());
    ASSERT_TRUE(panels.host.restore(kept, WindowLayout::Explore, false));
    EXPECT_EQ(panels.host.dockWidgetArea(panels.docks[1]), Qt::BottomDockWidgetArea);
    EXPECT_TRUE(panels.docks[0]->isHidden());
    EXPECT_TRUE(panels.docks[2]->isFloating());
    EXPECT_TRUE(QRect(panels.docks[2]->geometry()).intersects(QGuiApplication::primaryScreen()->geometry()));
}

TEST(PanelHost, WhatCannotBeReadGivesTheDefault) {
    Panels panels;
    panels.docks[1]->setFloating(true);
    const QByteArray ofAnotherVersion = panels.host.saveState(77);
    for (const QByteArray& record : {QByteArrayLiteral("no record"), ofAnotherVersion, panels.host.arrangement().left(20)}) {
        panels.docks[0]->hide();
        EXPECT_FALSE(panels.host.restore(record, WindowLayout::Explore, false)) << record.size();
        EXPECT_TRUE(panels.standsByDefault());
    }
}

TEST(PanelHost, OnlyAPanelThatCanBeMovedHasAHeader) {
    Panels panels;
    PanelDock* panel = panels.docks[1];
    const auto buttons = [panel] {
        int count = 0;
        for (const QToolButton* button : panel->titleBarWidget()->findChildren<QToolButton*>()) {
            EXPECT_FALSE(button->accessibleName().isEmpty());
            ++count;
        }
        return count;
    };
    EXPECT_EQ(buttons(), 0);
    EXPECT_EQ(panel->features(), QDockWidget::NoDockWidgetFeatures);
    panels.host.setLocked(false);
    EXPECT_EQ(buttons(), 2);
    panel->titleBarWidget()->findChildren<QToolButton*>().front()->click();
    EXPECT_TRUE(panel->isFloating());
    panels.host.setLocked(true);
    EXPECT_EQ(buttons(), 2) << "a floating one must find its way back";
    panel->titleBarWidget()->findChildren<QToolButton*>().back()->click();
    EXPECT_TRUE(panel->isHidden());
}

TEST(LayoutMemory, OwnLayoutsAreKeptByName) {
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("window.ini"));
    const Arrangement arrangement{QByteArrayLiteral("\x01\x00\xff"), false};
    {
        QSettings notes(path, QSettings::IniFormat);
        LayoutMemory memory(&notes);
        const QString id = memory.add(QStringLiteral("a/b: Größe"), WindowLayout::Diagnose);
        memory.note(id, false, arrangement);
        memory.noteCurrent(id);
        EXPECT_NE(memory.add(QStringLiteral("second"), WindowLayout::Explore), id);
    }
    QSettings notes(path, QSettings::IniFormat);
    LayoutMemory memory(&notes);
    const QString id = memory.idOfName(QStringLiteral("a/b: Größe"));
    EXPECT_EQ(memory.current(), id);
    EXPECT_EQ(memory.baseOf(id), WindowLayout::Diagnose);
    EXPECT_EQ(memory.arrangement(id, false).panels, arrangement.panels);
    EXPECT_FALSE(memory.arrangement(id, false).isLevel);
    EXPECT_TRUE(memory.arrangement(id, true).panels.isEmpty()) << "the slim form has its own";
    memory.rename(id, QStringLiteral("third"));
    EXPECT_EQ(memory.idOfName(QStringLiteral("third")), id);
    memory.remove(id);
    EXPECT_EQ(memory.ownIds().size(), 1);
    EXPECT_EQ(memory.current(), LayoutMemory::idOf(WindowLayout::Explore)) << "what is not there any more cannot be in force";
    EXPECT_TRUE(memory.arrangement(id, false).panels.isEmpty());
}

PanelDock* panelOf(const LiveWindow& live, const char* id) {
    return live.window->findChild<PanelDock*>(QString::fromLatin1(id));
}

Qt::DockWidgetArea areaOf(const LiveWindow& live, const char* id) {
    return live.window->findChild<PanelHost*>()->dockWidgetArea(panelOf(live, id));
}

bool statusSays(const LiveWindow& live, const QString& words) {
    for (const QLabel* label : live.window->findChild<StatusLine*>()->findChildren<QLabel*>())
        if (label->text().contains(words)) return true;
    return false;
}

TEST(Layouts, EveryPanelHasAnIdANameAndAMenuEntry) {
    LiveWindow live;
    live.make();
    const auto panels = live.window->findChildren<PanelDock*>();
    EXPECT_EQ(panels.size(), 6);
    for (const PanelDock* panel : panels) {
        EXPECT_FALSE(panel->objectName().isEmpty());
        EXPECT_FALSE(panel->accessibleName().isEmpty());
        EXPECT_TRUE(live.window->actionList().panels->actions().contains(panel->toggleViewAction()));
    }
}

TEST(Layouts, TheRightPanelsAreLevelWithTheirPlots) {
    LiveWindow live;
    ASSERT_TRUE(live.open({1920, 1080}));
    auto* board = live.window->findChild<PlotBoard*>();
    const auto distance = [&](const char* id, std::size_t panel) {
        const QPoint plot = board->canvas()->mapToGlobal(board->panels().all()[panel]->rect()->outerRect().topLeft());
        return std::abs(panelOf(live, id)->mapToGlobal(QPoint()).y() - plot.y());
    };
    EXPECT_TRUE(QTest::qWaitFor([&] { return distance("verdictPanel", 1) <= 1 && distance("memoryPanel", 2) <= 1; }, kPatienceMs))
        << distance("verdictPanel", 1) << " " << distance("memoryPanel", 2);
    EXPECT_EQ(panelOf(live, "runsPanel")->width(), RunsDock::kWidth);
    EXPECT_EQ(panelOf(live, "readoutPanel")->width(), 403) << "wide windows have wide panels";
}

/// A window with so many runs of 50 steps, whose names differ at their ends, the last one a fork that has just been changed; no engine.
void showRuns(LiveWindow& live, QSize size, int count) {
    live.make();
    live.window->resize(size);
    live.window->show();
    std::vector<RunInfo> runs;
    for (RunId id = 0; id < count; ++id) runs.push_back(makeRun(id, "fp16 at 2^" + std::to_string(10 + id), "pytorch"));
    runs.back().parent = count - 2;
    loadRuns(live.session, runs);
    for (RunId id = 0; id < count; ++id)
        appendSteps(live.session, id, 0, 50, [](StepRecord& record) { record.loss = record.gradNorm = 0.0081; });
    live.session.select(count - 1);
    applySetting(live.session, count - 1, 49, "/scaler/init_scale", "loss scale", "2^24", "2^10");
}

TEST(Layouts, FiveRunsFitTheSmallestScreen) {
    LiveWindow live;
    showRuns(live, {1280, 720}, 5);
    const auto* table = live.window->findChild<QTableView*>(QStringLiteral("readoutTable"));
    const QScrollArea* area = nullptr;
    for (QWidget* each = table->parentWidget(); each && !area; each = each->parentWidget()) area = qobject_cast<QScrollArea*>(each);
    ASSERT_TRUE(area);
    const auto isLaidOut = [&] {
        return table->isVisible() && table->model()->columnCount() == 5 && table->columnWidth(4) > 0 && table->height() > 100;
    };
    ASSERT_TRUE(QTest::qWaitFor(isLaidOut, kPatienceMs));
    EXPECT_TRUE(QTest::qWaitFor([&] { return table->horizontalScrollBar()->maximum() == 0 && area->verticalScrollBar()->maximum() == 0; },
                                kPatienceMs))
        << table->horizontalScrollBar()->maximum() << " px to the side, " << area->verticalScrollBar()->maximum() << " down";
}

TEST(Layouts, EightRunsFitTheReadOutOfAWideWindow) {
    LiveWindow live;
    showRuns(live, {1920, 1080}, 8);
    const auto* table = live.window->findChild<QTableView*>(QStringLiteral("readoutTable"));
    EXPECT_TRUE(
        QTest::qWaitFor([&] { return table->model()->columnCount() == 8 && table->horizontalScrollBar()->maximum() == 0; }, kPatienceMs))
        << table->horizontalScrollBar()->maximum();
    showRuns(live, {1920, 1080}, 12);
    table = live.window->findChild<QTableView*>(QStringLiteral("readoutTable"));
    EXPECT_TRUE(QTest::qWaitFor([&] { return table->horizontalScrollBar()->maximum() > 0; }, kPatienceMs)) << "no column is too narrow";
}

TEST(Layouts, EachLayoutKeepsItsPanelsFromStartToStart) {
    QTemporaryDir folder;
    const auto show = [](LiveWindow& live, const QString& path) {
        live.make(kDefaultExperiment, path);
        live.window->resize(1920, 1080);
        live.window->show();
    };
    {
        LiveWindow live;
        show(live, folder.path());
        auto* host = live.window->findChild<PanelHost*>();
        host->addDockWidget(Qt::LeftDockWidgetArea, panelOf(live, "verdictPanel"));
        live.window->layouts()->saveAs(QStringLiteral("mine"));
        panelOf(live, "memoryPanel")->hide();
        live.window->actionList().layoutExplore->trigger();
        EXPECT_EQ(areaOf(live, "verdictPanel"), Qt::LeftDockWidgetArea) << "Explore was left so";
        live.window->actionList().resetLayout->trigger();
        EXPECT_EQ(areaOf(live, "verdictPanel"), Qt::RightDockWidgetArea);
        live.window->actionList().layoutDiagnose->trigger();
        EXPECT_TRUE(panelOf(live, "verdictPanel")->isHidden());
        EXPECT_TRUE(panelOf(live, "capturedPanel")->isVisible());
        live.window->layouts()->show(live.window->layouts()->memory().idOfName(QStringLiteral("mine")));
        live.window->close();
    }
    LiveWindow next;
    show(next, folder.path());
    const LayoutMemory& memory = next.window->layouts()->memory();
    EXPECT_EQ(memory.nameOf(next.window->layouts()->current()), QStringLiteral("mine"));
    EXPECT_EQ(areaOf(next, "verdictPanel"), Qt::LeftDockWidgetArea);
    EXPECT_TRUE(panelOf(next, "memoryPanel")->isHidden());
    next.window->actionList().resetLayout->trigger();
    EXPECT_TRUE(panelOf(next, "memoryPanel")->isVisible()) << "an own layout goes back to what was saved";
    EXPECT_EQ(areaOf(next, "verdictPanel"), Qt::LeftDockWidgetArea);
    // through the slim form and back
    next.window->resize(1280, 720);
    EXPECT_TRUE(panelOf(next, "verdictPanel")->isHidden());
    next.window->resize(1920, 1080);
    EXPECT_EQ(areaOf(next, "verdictPanel"), Qt::LeftDockWidgetArea);
    EXPECT_TRUE(panelOf(next, "memoryPanel")->isVisible());
    next.window->actionList().deleteLayout->trigger();
    EXPECT_TRUE(next.window->layouts()->memory().ownIds().isEmpty());
    EXPECT_TRUE(next.window->actionList().layoutExplore->isChecked());
}

TEST(Layouts, ARecordThatCannotBeReadIsToldAndTheDefaultStands) {
    QTemporaryDir folder;
    {
        QSettings notes(folder.filePath(QStringLiteral("window.ini")), QSettings::IniFormat);
        LayoutMemory(&notes).note(LayoutMemory::idOf(WindowLayout::Explore), false, {QByteArrayLiteral("garbage"), true});
        notes.setValue(QStringLiteral("window/place"), QByteArrayLiteral("garbage"));
        notes.setValue(QStringLiteral("window/theme"), 99);
    }
    LiveWindow live;
    live.make(kDefaultExperiment, folder.path());
    live.window->resize(1920, 1080);
    live.window->show();
    EXPECT_EQ(areaOf(live, "verdictPanel"), Qt::RightDockWidgetArea);
    EXPECT_TRUE(panelOf(live, "verdictPanel")->isVisible());
    EXPECT_TRUE(statusSays(live, QStringLiteral("the default layout is used")));
}

TEST(Layouts, NewDataLeavesThePanelsWhereTheyAre) {
    LiveWindow live;
    ASSERT_TRUE(live.open());
    live.window->findChild<PanelHost*>()->addDockWidget(Qt::LeftDockWidgetArea, panelOf(live, "verdictPanel"));
    panelOf(live, "memoryPanel")->hide();
    QSignalSpy loaded(&live.session, &SessionModel::experimentLoaded);
    live.window->openExperiment(kDefaultExperiment);
    ASSERT_TRUE(loaded.wait(kPatienceMs));
    EXPECT_EQ(areaOf(live, "verdictPanel"), Qt::LeftDockWidgetArea);
    EXPECT_TRUE(panelOf(live, "memoryPanel")->isHidden());
}

TEST(Layouts, ScalesAndSmoothingAreKeptUntilTheLayoutIsReset) {
    QTemporaryDir folder;
    AxisChoices usual, chosen;
    {
        LiveWindow live;
        live.make(kDefaultExperiment, folder.path());
        auto* board = live.window->findChild<PlotBoard*>();
        usual = board->axisChoices();
        board->axes().setXAxis({XQuantity::Epoch, true});
        board->traces().setSmoothing(0);
        board->axes().setScale(0, usual.scales.at("loss") == AxisScale::Symlog ? AxisScale::Linear : AxisScale::Symlog);
        board->choice().choose("samples_per_s", false);
        board->choice().choose("lr", true);
        board->choice().move("lr", -1);
        chosen = board->axisChoices();
        EXPECT_NE(chosen, usual);
    }
    {
        LiveWindow next;
        next.make(kDefaultExperiment, folder.path());
        auto* board = next.window->findChild<PlotBoard*>();
        EXPECT_EQ(board->axisChoices(), chosen);
        EXPECT_FALSE(next.window->actionList().smoothing->isChecked());
        next.window->actionList().smoothing->trigger();
        EXPECT_EQ(board->traces().smoothing(), usual.smoothing) << "the key goes back to what is usual";
        board->traces().setSmoothing(0);
        next.window->layouts()->show(QStringLiteral("diagnose"));
        next.window->actionList().resetLayout->trigger();
        EXPECT_EQ(board->axisChoices(), chosen) << "no plot of these is there";
        next.window->layouts()->show(QStringLiteral("explore"));
        next.window->actionList().resetLayout->trigger();
        EXPECT_EQ(board->axisChoices(), usual);
    }
    {
        QSettings notes(folder.filePath(QStringLiteral("window.ini")), QSettings::IniFormat);
        notes.setValue(QStringLiteral("window/xAxis"), QVariantList{77, true});
        notes.setValue(QStringLiteral("window/scales"),
                       QVariantList{QStringLiteral("x"), static_cast<int>(AxisScale::Linear), 1, 1, 1, 1, 1, 1});
        notes.setValue(QStringLiteral("window/smoothing"), 7);
        notes.setValue(QStringLiteral("window/plots"),
                       QVariantList{1, QStringLiteral("lr"), QStringLiteral("lr"), 99, QStringLiteral("of a file")});
        notes.setValue(QStringLiteral("window/plotShares"), QVariantList{QStringLiteral("x"), 1e30, 7});
    }
    LiveWindow last;
    last.make(kDefaultExperiment, folder.path());
    AxisChoices read = last.window->findChild<PlotBoard*>()->axisChoices();
    EXPECT_EQ(read.x, usual.x);
    EXPECT_EQ(read.smoothing, usual.smoothing);
    EXPECT_EQ(read.scales.at("loss"), usual.scales.at("loss"));
    EXPECT_EQ(read.scales.at("loss_scale"), usual.scales.at("loss_scale")) << "the loss scale is in powers of two";
    EXPECT_EQ(read.plots, (std::vector<PlotPlace>{{"loss_scale"}, {"lr"}, {"of a file", 7}})) << "places stand for the usual plots";
    const auto& shown = last.window->findChild<PlotBoard*>()->panels().shown();
    ASSERT_EQ(shown.size(), 2u) << "no run has the third";
    EXPECT_EQ(shown[1]->key(), "lr");
}

TEST(Layouts, LeavingThePresentationIsRemembered) {
    QTemporaryDir folder;
    {
        LiveWindow live;
        live.make(kDefaultExperiment, folder.path());
        live.window->show();
        live.window->actionList().layoutPresent->trigger();
        live.window->close();
    }
    {
        LiveWindow next;
        next.make(kDefaultExperiment, folder.path());
        next.window->show();
        EXPECT_EQ(next.window->layouts()->base(), WindowLayout::Present);
        next.window->actionList().leavePresent->trigger();
        EXPECT_EQ(next.window->layouts()->base(), WindowLayout::Explore);
        next.window->close();
    }
    LiveWindow last;
    last.make(kDefaultExperiment, folder.path());
    last.window->show();
    EXPECT_EQ(last.window->layouts()->base(), WindowLayout::Explore);
    EXPECT_FALSE(last.window->isFullScreen());
}

TEST(Layouts, TheThemeIsKept) {
    QTemporaryDir folder;
    {
        LiveWindow live;
        live.make(kDefaultExperiment, folder.path());
        live.window->actionList().themeDark->trigger();
    }
    LiveWindow next;
    next.make(kDefaultExperiment, folder.path());
    EXPECT_EQ(Theme::current().kind, ThemeKind::Dark);
    EXPECT_TRUE(next.window->actionList().themeDark->isChecked());
    next.window->actionList().themeLight->trigger();
}

}  // namespace
}  // namespace mantissa::gui
