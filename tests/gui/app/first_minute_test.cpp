// SPDX-License-Identifier: Apache-2.0
// What meets who opens the window for the first time: the tour. And an experiment that comes and goes as text.
#include <gtest/gtest.h>

#include <QAccessible>
#include <QClipboard>
#include <QPushButton>
#include <QTemporaryDir>

#include "gui/app/tour.h"
#include "gui/gallery/gallery_page.h"
#include "gui/plots/canvas.h"
#include "gui/recordings/session_memory.h"
#include "tests/gui/support/live_window.h"

namespace mantissa::gui {
namespace {

TEST(TourPlace, StandsBesideWhatItSpeaksOf) {
    const QRect room(0, 0, 1280, 720);
    const QSize size(340, 160);
    for (const QRect target : {QRect(0, 100, 300, 28), QRect(1200, 4, 60, 24), QRect(300, 90, 980, 200), QRect(0, 690, 300, 24),
                               QRect(960, 100, 320, 600), QRect(640, 360, 1, 1)}) {
        const BubblePlace place = placeBubble(target, size, room);
        EXPECT_FALSE(place.bubble.intersects(target)) << target.x() << " " << target.y();
        EXPECT_TRUE(room.contains(place.bubble)) << target.x() << " " << target.y();
        EXPECT_GT(place.tip, 0);
    }
    EXPECT_EQ(placeBubble(room, size, room).tip, -1) << "what fills the window has no beside";
    EXPECT_TRUE(room.contains(placeBubble({}, size, room).bubble));
}

Tour* tourOf(const LiveWindow& live) {
    return live.window->findChild<Tour*>();
}

QPushButton* buttonOf(const Tour* tour, const QString& name) {
    for (QPushButton* button : tour->findChildren<QPushButton*>())
        if (button->accessibleName() == name) return button;
    return nullptr;
}

TEST(Tour, GoesFromPartToPartAndCoversNone) {
    for (const QSize size : {QSize(1920, 1080), QSize(1280, 720)}) {
        LiveWindow live;
        ASSERT_TRUE(live.open(size));
        live.window->actionList().tour->trigger();
        Tour* tour = tourOf(live);
        ASSERT_NE(tour, nullptr);
        ASSERT_EQ(tour->stopCount(), 5);
        for (int stop = 0; stop < 5; ++stop) {
            ASSERT_EQ(tour->stop(), stop);
            EXPECT_FALSE(tour->target().isEmpty()) << stop;
            EXPECT_FALSE(tour->geometry().intersects(tour->target())) << stop << " at " << size.width();
            EXPECT_TRUE(live.window->rect().contains(tour->geometry())) << stop;
            EXPECT_FALSE(tour->accessibleDescription().isEmpty());
            // another size of the window, and it is beside its part again
            live.window->resize(size.width() + 60, size.height());
            QCoreApplication::processEvents();
            EXPECT_TRUE(QTest::qWaitFor([&] { return !tour->geometry().intersects(tour->target()); }, kPatienceMs)) << stop;
            live.window->resize(size);
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
            ASSERT_TRUE(QTest::qWaitFor([&] { return stop == 4 || tour->stop() == stop + 1; }, kPatienceMs));
        }
        EXPECT_TRUE(QTest::qWaitFor([&] { return tourOf(live) == nullptr; }, kPatienceMs)) << "the last Enter ends it";
        EXPECT_EQ(QApplication::focusWidget(), live.window->findChild<PlotBoard*>()->canvas()) << "and keys go to the plots";
    }
}

TEST(Tour, EscapeOrSkipEndsItAndTrainingGoesOn) {
    LiveWindow live;
    ASSERT_TRUE(live.open());
    live.engine.send(SetPace{0});
    live.engine.send(Train{});
    live.window->actionList().tour->trigger();
    ASSERT_TRUE(live.reaches(20)) << "beside it";
    live.window->findChild<PlotBoard*>()->canvas()->setFocus();
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
    EXPECT_TRUE(QTest::qWaitFor([&] { return tourOf(live) == nullptr; }, kPatienceMs));
    live.window->actionList().tour->trigger();
    QTest::mouseClick(buttonOf(tourOf(live), QStringLiteral("Skip tour")), Qt::LeftButton);
    EXPECT_TRUE(QTest::qWaitFor([&] { return tourOf(live) == nullptr; }, kPatienceMs));
}

struct FirstStart : LiveWindow {
    ~FirstStart() { window.reset(); }
    /// As the program does, with or without an experiment on its command line, and one step.
    bool starts(const QString& experiment, const QString& folder) {
        make(experiment, folder);
        window->resize(1600, 960);
        window->show();
        window->begin();
        if (!QTest::qWaitFor([this] { return session.state().state == LabState::Paused; }, kPatienceMs)) return false;
        EXPECT_EQ(tourOf(*this), nullptr) << "before there is anything to speak of";
        engine.send(SingleStep{});
        return reaches(1);
    }
};

TEST(Tour, MeetsTheFirstStartAndNoOther) {
    const QTemporaryDir folder;
    // Who names an experiment wants that; who opens the window plainly is greeted, once.
    const std::pair<QString, bool> starts[] = {{QStringLiteral("four-formats"), false}, {{}, true}, {{}, false}};
    for (const auto& [experiment, isGreeted] : starts) {
        FirstStart live;
        ASSERT_TRUE(live.starts(experiment, folder.path()));
        auto* gallery = live.window->findChild<GalleryPage*>();
        EXPECT_EQ(gallery != nullptr, isGreeted) << experiment.toStdString();
        EXPECT_EQ(tourOf(live), nullptr) << "one after the other";
        if (gallery) gallery->reject();
        EXPECT_EQ(tourOf(live) != nullptr, isGreeted) << experiment.toStdString();
        live.window->close();
    }
}

TEST(ExperimentAsText, IsCopiedAsItStandsAndPasted) {
    LiveWindow live;
    ASSERT_TRUE(live.open());
    live.engine.change(live.session.runs()[0]->id, QStringLiteral("/optimizer/lr"), 0.0625, QStringLiteral("0.0625"));
    ASSERT_TRUE(live.settles());
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.experimentText().contains(QStringLiteral("0.0625")); }, kPatienceMs));
    live.window->actionList().copyExperiment->trigger();
    const QString text = QGuiApplication::clipboard()->text();
    EXPECT_TRUE(text.contains(QStringLiteral("0.0625"))) << "with what was changed while it trained";

    live.window->actionList().reset->trigger();
    live.engine.send(RemoveRun{live.session.runs()[1]->id});
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.runs().size() == 1; }, kPatienceMs));
    live.window->findChild<PlotBoard*>()->canvas()->setFocus();
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_V, Qt::ControlModifier);
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.runs().size() == 2; }, kPatienceMs));
    EXPECT_EQ(live.session.experiment().title, "Two formats");
    EXPECT_EQ(live.session.runs()[0]->info.settings.training.optimizer.lr, 0.0625);
}

TEST(ExperimentAsText, WhatIsNoneIsToldWithThePlace) {
    LiveWindow live;
    ASSERT_TRUE(live.open());
    QAction* paste = live.window->actionList().pasteExperiment;
    for (const char* text : {"", "a shopping list", "  \n"}) {
        QGuiApplication::clipboard()->setText(QString::fromLatin1(text));
        paste->trigger();
        EXPECT_EQ(live.shownBanner(), nullptr) << "a word in the lowest line is enough";
    }
    const std::pair<QString, QString> bad[] = {{QStringLiteral("{\"steps\": -3}"), QStringLiteral("/steps")},
                                               {QStringLiteral("{\n  \"steps\": }"), QStringLiteral("line 2")}};
    for (const auto& [text, place] : bad) {
        QGuiApplication::clipboard()->setText(text);
        paste->trigger();
        ASSERT_TRUE(QTest::qWaitFor([&] { return live.shownBanner() != nullptr; }, kPatienceMs));
        EXPECT_EQ(live.shownBanner()->accessibleName(), QStringLiteral("What was pasted was not opened"));
        QString words;
        for (const QLabel* label : live.shownBanner()->findChildren<QLabel*>()) words += label->text();
        EXPECT_TRUE(words.contains(place)) << words.toStdString();
        EXPECT_EQ(live.session.runs().size(), 2u) << "what was there stays";
        live.shownBanner()->hide();
    }
}

}  // namespace
}  // namespace mantissa::gui
