// SPDX-License-Identifier: Apache-2.0
// Orders and styles of runs, as requests and as the engine's answer; checkpoints, as the lab knows them.
#include "gui/link/run_order.h"

#include <gtest/gtest.h>

#include <QSignalSpy>

#include "gui/app/theme.h"
#include "tests/gui/support/session_by_hand.h"

namespace mantissa::gui {
namespace {

std::vector<RunId> orderOf(const std::vector<RunStyle>& styles) {
    std::vector<RunId> ids;
    for (const RunStyle& style : styles) ids.push_back(style.run);
    return ids;
}

RunInfo forkOf(RunId parent, RunId id, RunKind kind = RunKind::Live) {
    RunInfo info = runInfo(id, "fork " + std::to_string(id), "fp32");
    info.parent = parent;
    info.kind = kind;
    return info;
}

/// Runs 0, 1 with its fork 3 and that one's what-if 4, 2.
void loadFamily(SessionModel& session) {
    loadThreeRuns(session);
    session.handle(RunAdded{forkOf(1, 3)});
    session.handle(RunAdded{forkOf(3, 4, RunKind::WhatIf)});
}

TEST(RunOrder, AFamilyMovesAsAWholeAmongThoseOfItsLevel) {
    SessionModel session;
    loadFamily(session);
    ASSERT_EQ(orderOf(stylesOf(session)), (std::vector<RunId>{0, 1, 3, 4, 2}));
    EXPECT_EQ(orderOf(stylesMoved(session, 1, -1)), (std::vector<RunId>{1, 3, 4, 0, 2}));
    EXPECT_EQ(orderOf(stylesMoved(session, 1, 1)), (std::vector<RunId>{0, 2, 1, 3, 4}));
    EXPECT_EQ(orderOf(stylesMoved(session, 2, -1)), (std::vector<RunId>{0, 2, 1, 3, 4})) << "past the whole family above";
    EXPECT_EQ(orderOf(stylesMoved(session, 0, 1)), (std::vector<RunId>{1, 3, 4, 0, 2}));
    EXPECT_TRUE(stylesMoved(session, 0, -1).empty());
    EXPECT_TRUE(stylesMoved(session, 2, 1).empty());
    EXPECT_TRUE(stylesMoved(session, 3, -1).empty()) << "a fork stays below its parent";
    EXPECT_TRUE(stylesMoved(session, 3, 1).empty()) << "and is not moved into another family";
    EXPECT_TRUE(stylesMoved(session, 77, 1).empty());
}

TEST(RunOrder, AnotherLookIsSwappedSoThatNoTwoAreAlike) {
    SessionModel session;
    loadFamily(session);
    QSignalSpy changes(&session, &SessionModel::runsChanged);
    session.handle(RunsArranged{stylesRecoloured(session, 3, 1)});
    EXPECT_EQ(changes.count(), 1);
    EXPECT_EQ(session.run(3)->identity, 1);
    EXPECT_EQ(session.run(1)->identity, 3);
    EXPECT_EQ(session.run(4)->identity, 1 + kWhatIfIdentity) << "a what-if goes with its parent";
    session.handle(RunsArranged{stylesRecoloured(session, 3, 5)});
    EXPECT_EQ(session.run(3)->identity, 5);
    EXPECT_EQ(session.run(1)->identity, 3) << "nobody wore that one";
    for (int identity = 0; identity < kWhatIfIdentity; ++identity) {
        int wearers = 0;
        for (const auto& run : session.runs()) wearers += run->identity == identity ? 1 : 0;
        EXPECT_LE(wearers, 1) << identity;
    }
}

TEST(RunOrder, TheAnswerIsTheOrderAndRunsItDoesNotNameKeepTheirPlace) {
    SessionModel session;
    loadFamily(session);
    session.handle(RunsArranged{{{2, 4}, {77, 0}, {1, 1}, {0, 0}}});
    EXPECT_EQ(orderOf(stylesOf(session)), (std::vector<RunId>{2, 1, 3, 4, 0})) << "forks stand below their parents";
    EXPECT_EQ(session.run(2)->identity, 4);
    session.handle(RunsArranged{{{0, -7}, {1, 99}}});
    EXPECT_EQ(session.run(0)->identity, 0);
    EXPECT_EQ(session.run(1)->identity, kWhatIfIdentity - 1);
    session.handle(RunAdded{runInfo(9, "new", "fp32")});
    EXPECT_EQ(session.runs().back()->id, 9);
}

TEST(RunOrder, AnEarlierArrangementLeavesLaterRunsALookOfTheirOwn) {
    SessionModel session;
    loadFamily(session);
    const std::vector<RunStyle> before = stylesOf(session);
    EXPECT_EQ(before[3].identity, -1) << "a what-if has its parent's";
    session.handle(RunsArranged{stylesRecoloured(session, 0, 5)});
    session.handle(RunAdded{runInfo(9, "new", "fp32")});
    ASSERT_EQ(session.run(9)->identity, 0);
    session.handle(RunRemoved{2, true});
    RunInfo kept = forkOf(3, 4);
    session.handle(RunChanged{kept});
    ASSERT_FALSE(session.run(4)->isWhatIf());
    session.handle(RunsArranged{stylesWithOtherRuns(session, before)});
    EXPECT_EQ(session.run(0)->identity, 0);
    for (int identity = 0; identity < kWhatIfIdentity; ++identity) {
        int wearers = 0;
        for (const auto& run : session.runs()) wearers += run->identity == identity ? 1 : 0;
        EXPECT_LE(wearers, 1) << identity;
    }
    EXPECT_EQ(session.runs().size(), 5u);
}

TEST(RunOrder, ARequestGoesOnFromTheOneBefore) {
    SessionModel session;
    loadThreeRuns(session);
    session.noteArranging(7, stylesMoved(session, 0, 1));
    EXPECT_EQ(orderOf(stylesMoved(session, 0, 1)), (std::vector<RunId>{1, 2, 0}));
    session.noteArranging(8, stylesMoved(session, 0, 1));
    session.handle(CommandDone{7, 0});
    EXPECT_TRUE(stylesMoved(session, 0, 1).empty()) << "the second one is on its way";
    session.handle(RunAdded{runInfo(9, "new", "fp32")});
    EXPECT_EQ(orderOf(stylesOf(session)), (std::vector<RunId>{1, 2, 0, 9}));
    session.handle(RunAdded{forkOf(1, 10)});
    EXPECT_EQ(orderOf(stylesOf(session)), (std::vector<RunId>{1, 10, 2, 0, 9})) << "a fork stands below its parent";
    session.handle(RunAdded{forkOf(10, 11)});
    session.handle(RunAdded{forkOf(1, 12)});
    EXPECT_EQ(orderOf(stylesOf(session)), (std::vector<RunId>{1, 10, 11, 12, 2, 0, 9})) << "and below those forked earlier";
    for (const RunId fork : {10, 11, 12}) session.handle(RunRemoved{fork});
    session.handle(CommandRefused{8, -1, "", "no"});
    EXPECT_EQ(orderOf(stylesOf(session)), (std::vector<RunId>{0, 1, 2, 9})) << "as they are shown";
    session.noteArranging(9, stylesRecoloured(session, 0, 1));
    EXPECT_EQ(stylesRecoloured(session, 0, 2)[2].identity, 1) << "which it wears by then";
    session.engineLost();
    EXPECT_TRUE(session.requestedStyles().empty());
}

TEST(RunOrder, ARunThatComesBackStandsWhereItStood) {
    SessionModel session;
    loadFamily(session);
    const std::vector<RunId> before = orderOf(stylesOf(session));
    for (const RunId run : {0, 1, 3, 2}) {
        const RunInfo info = session.run(run)->info;
        session.handle(RunRemoved{run, true});
        session.handle(RunRestored{info});
        EXPECT_EQ(orderOf(stylesOf(session)), before) << run;
    }
    session.handle(RunRemoved{0, true});
    session.handle(RunRemoved{1, true});
    session.handle(RunRestored{runInfo(0, "fp32", "fp32")});
    EXPECT_EQ(session.runs().front()->id, 0) << "above what is left of those that stood below it";
}

TEST(RunOrder, AnExperimentThatIsLoadedAgainKeepsLooksUnlessItSaysThem) {
    SessionModel session;
    loadThreeRuns(session);
    EXPECT_TRUE(areDefaults(stylesOf(session)));
    session.handle(RunsArranged{{{0, 4}, {1, 1}, {2, 2}}});
    EXPECT_TRUE(session.isArranged());
    loadThreeRuns(session);
    EXPECT_FALSE(session.isArranged());
    EXPECT_EQ(session.run(0)->identity, 4);
    EXPECT_FALSE(areDefaults(stylesOf(session))) << "so the engine has to be told";
    session.forgetStyles();
    loadThreeRuns(session);
    EXPECT_EQ(session.run(0)->identity, 0);
    session.handle(RunsArranged{{{1, 0}, {0, 1}, {2, 2}}});
    EXPECT_FALSE(areDefaults(stylesOf(session)));
}

TEST(RunOrder, ARunThatComesBackGetsAFreeLookWhereItsOwnWasTaken) {
    SessionModel session;
    loadThreeRuns(session);
    session.handle(RunRemoved{1, true});
    session.handle(RunsArranged{stylesRecoloured(session, 2, 1)});
    session.handle(RunRestored{runInfo(1, "fp16", "fp16")});
    EXPECT_EQ(session.run(2)->identity, 1);
    EXPECT_EQ(session.run(1)->identity, 2);
}

TEST(Checkpoints, StandUntilTheRunGoesBackToBeforeThem) {
    SessionModel session;
    loadThreeRuns(session);
    session.handle(steps(1, 0, 50));
    QSignalSpy markers(&session, &SessionModel::markersChanged);
    session.handle(CheckpointKept{0, 1, 10});
    session.handle(CheckpointKept{5, 1, 20});
    session.handle(CheckpointKept{6, 1, 50});
    EXPECT_EQ(markers.count(), 3);
    ASSERT_EQ(session.run(1)->checkpoints.size(), 3u);
    EXPECT_FALSE(session.run(1)->checkpoints[0].isByHand);
    session.handle(CheckpointKept{7, 1, 10});
    ASSERT_EQ(session.run(1)->checkpoints.size(), 3u) << "one state a step";
    EXPECT_TRUE(session.run(1)->checkpoints[0].isByHand);
    session.handle(RunRewound{1, 20});
    ASSERT_EQ(session.run(1)->checkpoints.size(), 2u) << "that before the step itself stays";
    session.handle(RunRewound{1, 19});
    EXPECT_EQ(session.run(1)->checkpoints.size(), 1u);
    session.handle(ExperimentReset{});
    EXPECT_TRUE(session.run(1)->checkpoints.empty());
    session.handle(CheckpointKept{8, 77, 3});  // of a run that is gone
}

}  // namespace
}  // namespace mantissa::gui
