// SPDX-License-Identifier: Apache-2.0
// Promises of the window that hold over several of its parts (tests/gui/README.md has the table).
#include <gtest/gtest.h>
#include <signal.h>

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QScreen>
#include <QToolButton>
#include <map>

#include "gui/app/message_overlay.h"
#include "gui/app/panel_host.h"
#include "gui/controls/number_text.h"
#include "gui/diagnosis/gauge_list.h"
#include "gui/plots/canvas.h"
#include "gui/plots/panel.h"
#include "gui/plots/readout_panel.h"
#include "tests/gui/plots/session_fixture.h"
#include "tests/gui/support/live_window.h"
#include "tests/gui/support/restless.h"

namespace mantissa::gui {
namespace {

TEST(Interaction, AtItsEndTrainingIsMadeLonger) {
    LiveWindow live;
    ASSERT_TRUE(live.open());
    // A model of this size takes seconds for 2000 steps, so a pause always comes before their end.
    live.engine.load(
        QStringLiteral("short"),
        QStringLiteral(R"({"title": "Short", "data": {"name": "digits", "batch_size": 64}, "model": {"hidden": [512, 512]}, "steps": 3,
        "runs": [{"name": "wide"}, {"name": "narrow", "precision": "fp16"}]})"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.experiment().title == "Short"; }, kPatienceMs));
    live.engine.send(Train{});
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.state().state == LabState::Finished; }, kPatienceMs));
    QAction* train = live.window->actionList().train;
    EXPECT_EQ(train->text(), QStringLiteral("Train %1 more steps").arg(groupedText(2000)));
    QPushButton* button = live.child<QPushButton>(train->text());
    ASSERT_NE(button, nullptr);
    EXPECT_EQ(button->text(), QStringLiteral("Train more"));
    const QRect before = button->geometry();
    button->click();
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.stepCount() > 10; }, kPatienceMs));
    EXPECT_EQ(live.session.experiment().steps, 2003);
    for (const auto& run : live.session.runs()) EXPECT_EQ(run->info.settings.training.steps, 2003);
    EXPECT_EQ(button->geometry(), before);
    live.engine.send(Pause{});
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.state().state == LabState::Paused; }, kPatienceMs));
    EXPECT_EQ(train->text(), QStringLiteral("Train"));
    // Taken back by undo, it can be made longer again.
    const std::int64_t done = live.session.stepCount();
    const auto isShortAgain = [&] {
        const auto& runs = live.session.runs();
        return std::all_of(runs.begin(), runs.end(), [](const auto& run) { return run->info.settings.training.steps == 3; });
    };
    while (live.window->actionList().undo->isEnabled()) {
        live.window->actionList().undo->trigger();
        ASSERT_TRUE(live.settles());
    }
    ASSERT_TRUE(QTest::qWaitFor(isShortAgain, kPatienceMs));
    train->trigger();
    EXPECT_TRUE(QTest::qWaitFor([&] { return live.session.state().state == LabState::Finished; }, kPatienceMs))
        << "nothing is left to train";
    EXPECT_EQ(live.session.stepCount(), done);
    train->trigger();
    EXPECT_TRUE(QTest::qWaitFor([&] { return live.session.stepCount() > done; }, kPatienceMs));
    EXPECT_EQ(live.shownBanner(), nullptr);
}

TEST(Interaction, AMessageMovesNothing) {
    LiveWindow live;
    ASSERT_TRUE(live.open());
    const auto places = [&] {
        std::map<const QWidget*, QRect> all;
        for (const QWidget* widget : live.window->findChildren<QWidget*>()) {
            bool isMessage = false;
            for (const QWidget* each = widget; each; each = each->parentWidget())
                isMessage |= qobject_cast<const MessageOverlay*>(each) != nullptr;
            const bool isControl = qobject_cast<const QAbstractButton*>(widget) || qobject_cast<const QComboBox*>(widget) ||
                                   qobject_cast<const QAbstractSpinBox*>(widget) || qobject_cast<const QAbstractItemView*>(widget) ||
                                   qobject_cast<const Canvas*>(widget);
            if (widget->isVisible() && isControl && !isMessage)
                all[widget] = QRect(widget->mapTo(live.window.get(), QPoint()), widget->size());
        }
        return all;
    };
    const Actions& actions = live.window->actionList();
    for (QAction* layout : {actions.layoutExplore, actions.layoutDiagnose, actions.layoutPresent}) {
        layout->trigger();
        std::map<const QWidget*, QRect> before;
        ASSERT_TRUE(QTest::qWaitFor(
            [&] {
                QTest::qWait(100);
                return std::exchange(before, places()) == places();
            },
            kPatienceMs));
        live.window->openExperiment(QStringLiteral("/no/such/file.json"));
        ASSERT_TRUE(QTest::qWaitFor([&] { return live.shownBanner() != nullptr; }, kPatienceMs)) << layout->text().toStdString();
        QTest::qWait(50);
        Banner* banner = live.shownBanner();
        EXPECT_GT(banner->height(), 30) << "it can be read";
        EXPECT_EQ(places(), before) << layout->text().toStdString();
        banner->hide();
    }
    actions.leavePresent->trigger();
}

TEST(Interaction, AFirstSkipMovesNoPanelOfTheRightDock) {
    for (const QSize size : {QSize(1600, 960), QSize(1920, 1080)}) {
        LiveWindow live;
        live.make();
        live.window->resize(size);
        live.window->show();
        loadRuns(live.session, {makeRun(0, "fp32"), makeRun(1, "fp16", "pytorch")});
        for (const RunId run : {0, 1}) appendSteps(live.session, run, 0, 50);
        const auto places = [&] {
            std::map<std::string, QRect> all;
            for (const char* id : {"readoutPanel", "verdictPanel", "memoryPanel"}) {
                const auto* panel = live.window->findChild<PanelDock*>(QString::fromLatin1(id));
                if (panel->isVisible()) all[id] = QRect(panel->mapTo(live.window.get(), QPoint()), panel->size());
            }
            return all;
        };
        std::map<std::string, QRect> before;
        ASSERT_TRUE(QTest::qWaitFor(
            [&] {
                QTest::qWait(200);
                return std::exchange(before, places()) == places();
            },
            kPatienceMs));
        ASSERT_TRUE(before.contains("verdictPanel") && before.contains("memoryPanel"));
        ASSERT_EQ(live.child<QPushButton>(QStringLiteral("Open in Diagnose")), nullptr);
        appendSteps(live.session, 1, 50, 51, [](StepRecord& record) {
            record.flags |= kFlagSkipped | kFlagFoundInf;
            record.skippedTotal = 1;
        });
        ASSERT_TRUE(QTest::qWaitFor([&] { return live.child<QPushButton>(QStringLiteral("Open in Diagnose")) != nullptr; }, kPatienceMs));
        QTest::qWait(500);
        for (const auto& [id, place] : places())
            EXPECT_EQ(place, before[id]) << id << " at " << size.width() << ": y " << place.y() << " instead of " << before[id].y();
    }
}

TEST(Interaction, StepsMoveNothingNotEvenForAMoment) {
    for (const QSize size : {QSize(1280, 720), QSize(1920, 1080)}) {
        LiveWindow live;
        ASSERT_TRUE(live.open(size));
        live.engine.load(QStringLiteral("long"), QStringLiteral(R"({"title": "Long", "data": {"name": "digits", "batch_size": 64},
            "model": {"hidden": [256]}, "steps": 1000000, "runs": [{"name": "wide"}, {"name": "narrow", "precision": "fp16",
            "scaler": {"preset": "pytorch", "init_scale": 16777216, "growth_interval": 20}}]})"));
        ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.experiment().title == "Long"; }, kPatienceMs));
        const Actions& actions = live.window->actionList();
        for (QAction* layout : {actions.layoutExplore, actions.layoutDiagnose}) {
            layout->trigger();
            live.engine.send(Train{});
            const std::int64_t begun = live.session.runs()[0]->stepCount();
            ASSERT_TRUE(live.reaches(begun + 120));  // the first skips are behind it, and their buttons are shown
            QTest::qWait(500);
            const Restless restless(*live.window);
            QTest::qWait(2000);
            for (const auto& [widget, times] : restless.counts())
                if (times > 3)  // what comes once and stays, such as a sentence's second line, is not restless
                    ADD_FAILURE() << layout->text().toStdString() << ' ' << size.width() << ": " << widget << ", " << times << " times";
            live.engine.send(Pause{});
            ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.state().state == LabState::Paused; }, kPatienceMs));
        }
    }
}

TEST(Interaction, AHeldStepIsReleasedInTheReadOut) {
    LiveWindow live;
    ASSERT_TRUE(live.open());
    live.engine.send(Train{20});
    ASSERT_TRUE(live.reaches(20));
    auto* board = live.window->findChild<PlotBoard*>();
    auto* readout = live.window->findChild<ReadoutPanel*>();
    const auto* shown = readout->findChild<QLabel*>(QStringLiteral("shownStep"));
    QToolButton* release = nullptr;
    for (QToolButton* button : readout->findChildren<QToolButton*>())
        if (button->accessibleName().startsWith(QStringLiteral("Release"))) release = button;
    ASSERT_NE(release, nullptr);
    EXPECT_FALSE(release->isVisible());
    board->refreshNow();
    const QRect before = shown->geometry();
    QTest::mouseClick(board->canvas(), Qt::LeftButton, {}, board->panels().all().front()->rect()->rect().center());
    EXPECT_GE(board->cursors().heldStep(), 0);
    EXPECT_TRUE(release->isVisible());
    EXPECT_EQ(shown->geometry().right(), before.right()) << "it moves nothing";
    release->click();
    EXPECT_EQ(board->cursors().heldStep(), -1);
    EXPECT_FALSE(release->isVisible());
}

TEST(Interaction, TensorsAreMeasuredAsWasLastChosen) {
    LiveWindow live;
    ASSERT_TRUE(live.open());
    const auto comesTo = [&](Instrumentation level) {
        return QTest::qWaitFor([&] { return live.session.state().instrumentation == level; }, kPatienceMs);
    };
    ASSERT_TRUE(comesTo(Instrumentation::Sampled)) << "from the start: silent failures are told without being asked for";
    auto* gauges = live.window->findChild<GaugeList*>();
    emit gauges->levelRequested(Instrumentation::Off);
    ASSERT_TRUE(comesTo(Instrumentation::Off));
    ASSERT_EQ(kill(static_cast<pid_t>(live.engine.processId()), SIGKILL), 0);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !live.engine.isRunning(); }, kPatienceMs));
    ASSERT_TRUE(live.begin());
    live.engine.send(Train{});
    ASSERT_TRUE(live.reaches(100));
    EXPECT_EQ(live.session.state().instrumentation, Instrumentation::Off) << "an engine that starts anew keeps it";
    EXPECT_FALSE(live.session.runs().front()->series("lost_updates"));
}

TEST(Interaction, FreezeAndPauseAreTwoVerbs) {
    LiveWindow live;
    ASSERT_TRUE(live.open());
    auto* board = live.window->findChild<PlotBoard*>();
    const Actions& actions = live.window->actionList();
    live.engine.send(SetPace{200});
    actions.train->trigger();
    ASSERT_TRUE(live.reaches(5));
    actions.freeze->setChecked(true);
    const std::int64_t frozenAt = live.session.stepCount();
    ASSERT_TRUE(live.reaches(frozenAt + 5)) << "training goes on behind a frozen view";
    EXPECT_EQ(live.session.state().state, LabState::Training);
    EXPECT_TRUE(board->steps().isFrozen());

    actions.train->trigger();
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.state().state == LabState::Paused; }, kPatienceMs));
    EXPECT_TRUE(board->steps().isFrozen()) << "a pause thaws nothing";
    actions.freeze->setChecked(false);
    EXPECT_EQ(live.session.state().state, LabState::Paused) << "and a thaw trains nothing";
    EXPECT_FALSE(board->steps().isFrozen());
}

TEST(Interaction, AKeyLeadsToTheFirstNonFiniteStep) {
    LiveWindow live;
    ASSERT_TRUE(live.open());
    live.engine.send(SingleStep{});
    live.engine.send(SingleStep{});
    ASSERT_TRUE(live.reaches(2));
    live.session.select(live.session.runs()[1]->id);
    live.window->actionList().inject->trigger();
    ASSERT_TRUE(live.settles());
    for (int i = 0; i < 3; ++i) live.engine.send(SingleStep{});
    ASSERT_TRUE(live.reaches(5));
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.runs()[1]->firstNonFiniteStep().has_value(); }, kPatienceMs));
    auto* board = live.window->findChild<PlotBoard*>();
    QTest::keyClick(board->canvas(), Qt::Key_N, Qt::ShiftModifier);
    EXPECT_EQ(board->cursors().step(), 2);
}

TEST(Interaction, NothingOfTheirCurvesStaysBesidePlotsThatShrink) {
    LiveWindow live;
    live.make();
    live.window->resize(1280, 720);
    live.window->show();
    loadRuns(live.session, {makeRun(0, "fp32"), makeRun(1, "fp16", "pytorch")});
    for (const RunId run : {0, 1})
        appendSteps(live.session, run, 0, 300, [](StepRecord& record) {
            record.loss = 2 + std::sin(static_cast<double>(record.step));
            if (record.step % 40 == 0) record.flags |= kFlagSkipped;
        });
    auto* board = live.window->findChild<PlotBoard*>();
    auto* canvas = board->canvas();
    const auto isClean = [&] {
        const QImage seen = live.window->screen()->grabWindow(live.window->winId()).toImage();
        if (seen.isNull()) return false;  // nothing is painted yet
        const QRect within(board->mapTo(live.window.get(), QPoint()), board->size());
        const QRgb ground = Theme::current().surface.rgb();
        int others = 0;
        for (int x = within.left(); x <= within.right(); ++x)
            for (int below = 0; below < 3; ++below) others += seen.pixel(x, within.bottom() - below) == ground ? 0 : 1;
        for (int y = within.top(); y <= within.bottom(); ++y)
            for (int beside = 0; beside < 3; ++beside) others += seen.pixel(within.right() - beside, y) == ground ? 0 : 1;
        return others == 0;
    };
    ASSERT_TRUE(QTest::qWaitFor(isClean, kPatienceMs));
    const int height = canvas->height(), width = canvas->width();
    auto* events = live.window->findChild<EventBar*>();
    for (int round = 0; round < 3; ++round) {  // what covers what is known once it was painted
        events->setExpanded(true);
        ASSERT_TRUE(QTest::qWaitFor([&] { return canvas->height() < height; }, kPatienceMs));
        ASSERT_TRUE(QTest::qWaitFor(isClean, 2000)) << "below";
        events->setExpanded(false);
        ASSERT_TRUE(QTest::qWaitFor([&] { return canvas->height() == height && isClean(); }, kPatienceMs));
    }
    live.window->actionList().lessonList->trigger();
    ASSERT_TRUE(QTest::qWaitFor([&] { return canvas->width() < width; }, kPatienceMs));
    EXPECT_TRUE(QTest::qWaitFor(isClean, 2000)) << "at the right";
}

}  // namespace
}  // namespace mantissa::gui
