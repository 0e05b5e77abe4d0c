// SPDX-License-Identifier: Apache-2.0
// A lesson's places reached with a real engine: forwards, backwards, and after somebody has touched the runs.
#include "gui/lessons/lesson_player.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <bit>

#include "tests/gui/lessons/sample_lesson.h"
#include "tests/gui/support/live_session.h"

namespace mantissa::gui {
namespace {

struct LessonPlayerTest : testing::Test {
    LiveSession live;
    LessonPlayer player{&live.session, &live.engine};

    bool settles() {
        return QTest::qWaitFor([this] { return !player.isBusy(); }, kPatienceMs) && player.problem().isEmpty();
    }
    bool begins() {
        player.begin(sampleLesson());
        return settles();
    }
    bool goesTo(int places) {
        for (int i = 0; i < places; ++i) {
            player.next();
            if (!settles()) return false;
        }
        return true;
    }
    std::int64_t stepsOf(const char* name) const {
        for (const auto& run : live.session.runs())
            if (run->info.settings.name == name) return run->stepCount();
        return -1;
    }
    RunState& run(std::size_t index) { return *live.session.runs()[index]; }
    /// Of all runs, bit by bit, with what they are set to.
    std::vector<std::uint64_t> bits() const {
        std::vector<std::uint64_t> all;
        for (const auto& run : live.session.runs()) {
            for (std::int64_t step = 0; step < run->stepCount(); ++step)
                for (const Series* series : {&run->loss, &run->gradNorm, &run->lossScale, &run->lr})
                    all.push_back(std::bit_cast<std::uint64_t>(series->exact(step)));
            all.push_back(std::hash<std::string>()(run->info.policy));
            all.push_back(std::bit_cast<std::uint64_t>(run->nextScale));
        }
        return all;
    }
};

TEST_F(LessonPlayerTest, EachPlaceHasItsStepsItsRunsAndItsPlots) {
    QSignalSpy loading(&player, &LessonPlayer::loading);
    ASSERT_TRUE(begins());
    EXPECT_EQ(loading.count(), 1);
    EXPECT_EQ(stepsOf("wide"), 20);
    EXPECT_EQ(stepsOf("narrow"), 20) << "a hidden run is trained like the others";
    ASSERT_EQ(hiddenRuns(player, live.session).size(), 1u);
    EXPECT_TRUE(run(1).isHidden);
    EXPECT_EQ(run(1).name(), QStringLiteral("run 2, hidden")) << "its name would tell";
    EXPECT_EQ(requestedPanels(player), (std::vector<std::string>{"loss", "loss scale"}));
    EXPECT_FALSE(canGoBack(player));

    player.choose(1);
    EXPECT_EQ(player.choice(), 1);
    ASSERT_TRUE(goesTo(1));
    EXPECT_TRUE(player.place().isRevealed);
    EXPECT_EQ(stepsOf("wide"), 40);
    EXPECT_FALSE(run(1).isHidden);
    EXPECT_EQ(run(1).name(), QStringLiteral("narrow"));
    player.choose(0);
    EXPECT_EQ(player.choice(), 1) << "after the reveal it is too late";
    const auto claims = player.claims();
    ASSERT_EQ(claims.size(), 2u);
    EXPECT_TRUE(claims[0].result.holds) << claims[0].result.problem;
    EXPECT_FALSE(claims[1].result.holds);
    EXPECT_FALSE(claims[1].result.measured.empty());

    ASSERT_TRUE(goesTo(1));
    EXPECT_EQ(stepsOf("narrow"), 60);
    EXPECT_EQ(run(1).info.policy, "bf16");
    ASSERT_TRUE(goesTo(1));
    EXPECT_TRUE(isAtEnd(player));
    EXPECT_EQ(stepsOf("narrow"), 10);
    EXPECT_EQ(run(1).info.policy, "fp16") << "a reset takes changes back";
    EXPECT_FALSE(run(0).isHidden);
    player.next();
    EXPECT_TRUE(isAtEnd(player));
    player.leave();
    EXPECT_EQ(live.session.runs().size(), 2u) << "the experiment stays";
}

TEST_F(LessonPlayerTest, BackRestoresTheEarlierStateToTheLastBit) {
    ASSERT_TRUE(begins());
    std::vector<std::vector<std::uint64_t>> there{bits()};
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(goesTo(1));
        there.push_back(bits());
    }
    for (int place = 2; place >= 0; --place) {
        player.back();
        ASSERT_TRUE(settles());
        EXPECT_EQ(bits(), there[static_cast<std::size_t>(place)]) << "place " << place;
    }
    for (std::size_t place = 1; place < there.size(); ++place) {
        ASSERT_TRUE(goesTo(1));
        EXPECT_EQ(bits(), there[place]) << "forwards again, place " << place;
    }
}

TEST_F(LessonPlayerTest, GoingBackRewindsInsteadOfLoading) {
    ASSERT_TRUE(begins() && goesTo(2));
    QSignalSpy loaded(&live.session, &SessionModel::experimentLoaded);
    player.back();
    ASSERT_TRUE(settles());
    player.back();
    ASSERT_TRUE(settles());
    EXPECT_EQ(loaded.count(), 0);
    EXPECT_EQ(stepsOf("wide"), 20);
    ASSERT_TRUE(goesTo(3));
    EXPECT_EQ(loaded.count(), 1) << "but for a reset of the lesson itself";
}

TEST_F(LessonPlayerTest, WhateverWasTouchedNextBringsTheLessonsState) {
    ASSERT_TRUE(begins() && goesTo(1));
    const auto atReveal = bits();
    ASSERT_TRUE(goesTo(1));
    const auto after = bits();
    player.back();
    ASSERT_TRUE(settles());
    const auto touches = std::vector<std::function<void()>>{
        [this] { live.engine.send(SingleStep{}); },  // trained on
        [this] {                                     // changed, and trained on
            live.engine.change(run(0).id, QStringLiteral("/optimizer/lr"), 0.5, QStringLiteral("0.5"));
            live.engine.send(SingleStep{});
        },
        [this] { live.engine.change(run(0).id, QStringLiteral("/optimizer/lr"), 0.5, QStringLiteral("0.5")); },  // only changed
        [this] { live.engine.send(ResetExperiment{}); },
        [this] {
            live.engine.send(RewindRuns{run(0).id, 5});
        },
        [this] { live.engine.send(RemoveRun{run(1).id}); },
        [this] {
            live.engine.send(LoadExperiment{"other", smallExperiment().toStdString()});
        },
    };
    for (std::size_t i = 0; i < touches.size(); ++i) {
        ASSERT_EQ(bits(), atReveal) << "before touch " << i;
        EXPECT_FALSE(player.isTouched());
        touches[i]();
        ASSERT_TRUE(QTest::qWaitFor([&] { return player.isTouched() && run(0).pending.empty(); }, kPatienceMs)) << "touch " << i;
        QTest::qWait(0);
        ASSERT_TRUE(goesTo(1)) << "touch " << i << ": " << player.problem().toStdString();
        EXPECT_EQ(bits(), after) << "touch " << i;
        player.back();
        ASSERT_TRUE(settles());
    }
}

TEST_F(LessonPlayerTest, ResetBringsTheStepBackAndForgetsItsAnswer) {
    ASSERT_TRUE(begins());
    const auto before = bits();
    player.choose(0);
    ASSERT_TRUE(goesTo(1));
    player.reset();
    ASSERT_TRUE(settles());
    EXPECT_FALSE(player.place().isRevealed);
    EXPECT_EQ(player.choice(), std::nullopt);
    EXPECT_EQ(bits(), before);
    EXPECT_TRUE(run(1).isHidden);
}

TEST_F(LessonPlayerTest, TwoPressesInARowLeadToTheSameStateAsTwoInTurn) {
    ASSERT_TRUE(begins() && goesTo(2));
    const auto there = bits();
    player.begin(sampleLesson());
    player.next();
    player.next();
    EXPECT_EQ(player.place(), (LessonPlace{1, false}));
    ASSERT_TRUE(settles());
    EXPECT_EQ(bits(), there);
    player.next();
    player.back();  // on the way
    ASSERT_TRUE(settles());
    EXPECT_EQ(bits(), there);
}

TEST_F(LessonPlayerTest, SomebodyPausesOnTheWay) {
    std::string text = kSampleLesson;
    text.replace(text.find("\"steps\": 400"), 12, "\"steps\": 9000000");
    text.replace(text.find("train to 20"), 11, "train to 7000000");
    text.replace(text.find("train to 40"), 11, "train to 7000001");
    text.replace(text.find("train to 60"), 11, "train to 7000002");
    player.begin(std::make_shared<const Lesson>(readLesson(text, "long.md")));
    ASSERT_TRUE(QTest::qWaitFor([&] { return player.progress() && player.progress()->done > 0; }, kPatienceMs));
    EXPECT_EQ(player.progress()->until, 7000000);
    EXPECT_TRUE(player.claims().empty()) << "nothing is claimed of a state that is not there";
    live.engine.send(Pause{});
    ASSERT_TRUE(QTest::qWaitFor([&] { return player.progress() && player.progress()->isPaused; }, kPatienceMs));
    const std::int64_t done = player.progress()->done;
    player.goOn();
    ASSERT_TRUE(QTest::qWaitFor([&] { return player.progress() && player.progress()->done > done; }, kPatienceMs));
    EXPECT_FALSE(player.progress()->isPaused);
    live.engine.send(ResetExperiment{});
    ASSERT_TRUE(QTest::qWaitFor([&] { return !player.isBusy(); }, kPatienceMs));
    EXPECT_TRUE(player.problem().contains(QStringLiteral("Reset restores this step"))) << player.problem().toStdString();
    player.leave();
    EXPECT_FALSE(player.isPlaying());
}

TEST_F(LessonPlayerTest, ThePaceOfBeforeHoldsAgainAfterTraining) {
    ASSERT_TRUE(begins());
    live.engine.send(SetPace{20});
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.state().pace == 20; }, kPatienceMs));
    ASSERT_TRUE(goesTo(1));
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.state().pace == 20; }, kPatienceMs));
}

TEST_F(LessonPlayerTest, ALostEngineIsToldAndTheLessonGoesOnAfterARestart) {
    ASSERT_TRUE(begins());
    emit live.engine.lost(QStringLiteral("ended by signal 9"), {});
    EXPECT_FALSE(player.problem().isEmpty());
    player.reset();
    ASSERT_TRUE(settles());
    EXPECT_EQ(stepsOf("wide"), 20);
}

}  // namespace
}  // namespace mantissa::gui
