// SPDX-License-Identifier: Apache-2.0
// Orders and styles of runs, as requests and as the engine's answer; checkpoints, as the lab knows them.
#include "gui/link/run_order.h"

#include <gtest/gtest.h>

#include <QSignalSpy>

#include "gui/app/theme.h"
#include "tests/gui/support/lab_by_hand.h"

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
void loadFamily(Lab& lab) {
    loadThreeRuns(lab);
    lab.handle(RunAdded{forkOf(1, 3)});
    lab.handle(RunAdded{forkOf(3, 4, RunKind::WhatIf)});
}

TEST(RunOrder, AFamilyMovesAsAWholeAmongThoseOfItsLevel) {
    Lab lab;
    loadFamily(lab);
    ASSERT_EQ(orderOf(stylesOf(lab)), (std::vector<RunId>{0, 1, 3, 4, 2}));
    EXPECT_EQ(orderOf(stylesMoved(lab, 1, -1)), (std::vector<RunId>{1, 3, 4, 0, 2}));
    EXPECT_EQ(orderOf(stylesMoved(lab, 1, 1)), (std::vector<RunId>{0, 2, 1, 3, 4}));
    EXPECT_EQ(orderOf(stylesMoved(lab, 2, -1)), (std::vector<RunId>{0, 2, 1, 3, 4})) << "past the whole family above";
    EXPECT_EQ(orderOf(stylesMoved(lab, 0, 1)), (std::vector<RunId>{1, 3, 4, 0, 2}));
    EXPECT_TRUE(stylesMoved(lab, 0, -1).empty());
    EXPECT_TRUE(stylesMoved(lab, 2, 1).empty());
    EXPECT_TRUE(stylesMoved(lab, 3, -1).empty()) << "a fork stays below its parent";
    EXPECT_TRUE(stylesMoved(lab, 3, 1).empty()) << "and is not moved into another family";
    EXPECT_TRUE(stylesMoved(lab, 77, 1).empty());
}

TEST(RunOrder, AnotherLookIsSwappedSoThatNoTwoAreAlike) {
    Lab lab;
    loadFamily(lab);
    QSignalSpy changes(&lab, &Lab::runsChanged);
    lab.handle(RunsArranged{stylesRecoloured(lab, 3, 1)});
    EXPECT_EQ(changes.count(), 1);
    EXPECT_EQ(lab.run(3)->identity, 1);
    EXPECT_EQ(lab.run(1)->identity, 3);
    EXPECT_EQ(lab.run(4)->identity, 1 + kWhatIfIdentity) << "a what-if goes with its parent";
    lab.handle(RunsArranged{stylesRecoloured(lab, 3, 5)});
    EXPECT_EQ(lab.run(3)->identity, 5);
    EXPECT_EQ(lab.run(1)->identity, 3) << "nobody wore that one";
    for (int identity = 0; identity < kWhatIfIdentity; ++identity) {
        int wearers = 0;
        for (const auto& run : lab.runs()) wearers += run->identity == identity ? 1 : 0;
        EXPECT_LE(wearers, 1) << identity;
    }
}

TEST(RunOrder, TheAnswerIsTheOrderAndRunsItDoesNotNameKeepTheirPlace) {
    Lab lab;
    loadFamily(lab);
    lab.handle(RunsArranged{{{2, 4}, {77, 0}, {1, 1}, {0, 0}}});
    EXPECT_EQ(orderOf(stylesOf(lab)), (std::vector<RunId>{2, 1, 3, 4, 0})) << "forks stand below their parents";
    EXPECT_EQ(lab.run(2)->identity, 4);
    lab.handle(RunsArranged{{{0, -7}, {1, 99}}});
    EXPECT_EQ(lab.run(0)->identity, 0);
    EXPECT_EQ(lab.run(1)->identity, kWhatIfIdentity - 1);
    lab.handle(RunAdded{runInfo(9, "new", "fp32")});
    EXPECT_EQ(lab.runs().back()->id, 9);
}

TEST(RunOrder, AnEarlierArrangementLeavesLaterRunsALookOfTheirOwn) {
    Lab lab;
    loadFamily(lab);
    const std::vector<RunStyle> before = stylesOf(lab);
    EXPECT_EQ(before[3].identity, -1) << "a what-if has its parent's";
    lab.handle(RunsArranged{stylesRecoloured(lab, 0, 5)});
    lab.handle(RunAdded{runInfo(9, "new", "fp32")});
    ASSERT_EQ(lab.run(9)->identity, 0);
    lab.handle(RunRemoved{2, true});
    RunInfo kept = forkOf(3, 4);
    lab.handle(RunChanged{kept});
    ASSERT_FALSE(lab.run(4)->isWhatIf());
    lab.handle(RunsArranged{stylesWithOtherRuns(lab, before)});
    EXPECT_EQ(lab.run(0)->identity, 0);
    for (int identity = 0; identity < kWhatIfIdentity; ++identity) {
        int wearers = 0;
        for (const auto& run : lab.runs()) wearers += run->identity == identity ? 1 : 0;
        EXPECT_LE(wearers, 1) << identity;
    }
    EXPECT_EQ(lab.runs().size(), 5u);
}

TEST(RunOrder, ARequestGoesOnFromTheOneBefore) {
    Lab lab;
    loadThreeRuns(lab);
    lab.noteArranging(7, stylesMoved(lab, 0, 1));
    EXPECT_EQ(orderOf(stylesMoved(lab, 0, 1)), (std::vector<RunId>{1, 2, 0}));
    lab.noteArranging(8, stylesMoved(lab, 0, 1));
    lab.handle(CommandDone{7, 0});
    EXPECT_TRUE(stylesMoved(lab, 0, 1).empty()) << "the second one is on its way";
    lab.handle(RunAdded{runInfo(9, "new", "fp32")});
    EXPECT_EQ(orderOf(stylesOf(lab)), (std::vector<RunId>{1, 2, 0, 9}));
    lab.handle(RunAdded{forkOf(1, 10)});
    EXPECT_EQ(orderOf(stylesOf(lab)), (std::vector<RunId>{1, 10, 2, 0, 9})) << "a fork stands below its parent";
    lab.handle(RunAdded{forkOf(10, 11)});
    lab.handle(RunAdded{forkOf(1, 12)});
    EXPECT_EQ(orderOf(stylesOf(lab)), (std::vector<RunId>{1, 10, 11, 12, 2, 0, 9})) << "and below those forked earlier";
    for (const RunId fork : {10, 11, 12}) lab.handle(RunRemoved{fork});
    lab.handle(CommandRefused{8, -1, "", "no"});
    EXPECT_EQ(orderOf(stylesOf(lab)), (std::vector<RunId>{0, 1, 2, 9})) << "as they are shown";
    lab.noteArranging(9, stylesRecoloured(lab, 0, 1));
    EXPECT_EQ(stylesRecoloured(lab, 0, 2)[2].identity, 1) << "which it wears by then";
    lab.engineLost();
    EXPECT_TRUE(lab.requestedStyles().empty());
}

TEST(RunOrder, ARunThatComesBackStandsWhereItStood) {
    Lab lab;
    loadFamily(lab);
    const std::vector<RunId> before = orderOf(stylesOf(lab));
    for (const RunId run : {0, 1, 3, 2}) {
        const RunInfo info = lab.run(run)->info;
        lab.handle(RunRemoved{run, true});
        lab.handle(RunRestored{info});
        EXPECT_EQ(orderOf(stylesOf(lab)), before) << run;
    }
    lab.handle(RunRemoved{0, true});
    lab.handle(RunRemoved{1, true});
    lab.handle(RunRestored{runInfo(0, "fp32", "fp32")});
    EXPECT_EQ(lab.runs().front()->id, 0) << "above what is left of those that stood below it";
}

TEST(RunOrder, AnExperimentThatIsLoadedAgainKeepsLooksUnlessItSaysThem) {
    Lab lab;
    loadThreeRuns(lab);
    EXPECT_TRUE(areDefaults(stylesOf(lab)));
    lab.handle(RunsArranged{{{0, 4}, {1, 1}, {2, 2}}});
    EXPECT_TRUE(lab.isArranged());
    loadThreeRuns(lab);
    EXPECT_FALSE(lab.isArranged());
    EXPECT_EQ(lab.run(0)->identity, 4);
    EXPECT_FALSE(areDefaults(stylesOf(lab))) << "so the engine has to be told";
    lab.forgetStyles();
    loadThreeRuns(lab);
    EXPECT_EQ(lab.run(0)->identity, 0);
    lab.handle(RunsArranged{{{1, 0}, {0, 1}, {2, 2}}});
    EXPECT_FALSE(areDefaults(stylesOf(lab)));
}

TEST(RunOrder, ARunThatComesBackGetsAFreeLookWhereItsOwnWasTaken) {
    Lab lab;
    loadThreeRuns(lab);
    lab.handle(RunRemoved{1, true});
    lab.handle(RunsArranged{stylesRecoloured(lab, 2, 1)});
    lab.handle(RunRestored{runInfo(1, "fp16", "fp16")});
    EXPECT_EQ(lab.run(2)->identity, 1);
    EXPECT_EQ(lab.run(1)->identity, 2);
}

TEST(Checkpoints, StandUntilTheRunGoesBackToBeforeThem) {
    Lab lab;
    loadThreeRuns(lab);
    lab.handle(steps(1, 0, 50));
    QSignalSpy markers(&lab, &Lab::markersChanged);
    lab.handle(CheckpointKept{0, 1, 10});
    lab.handle(CheckpointKept{5, 1, 20});
    lab.handle(CheckpointKept{6, 1, 50});
    EXPECT_EQ(markers.count(), 3);
    ASSERT_EQ(lab.run(1)->checkpoints.size(), 3u);
    EXPECT_FALSE(lab.run(1)->checkpoints[0].isByHand);
    lab.handle(CheckpointKept{7, 1, 10});
    ASSERT_EQ(lab.run(1)->checkpoints.size(), 3u) << "one state a step";
    EXPECT_TRUE(lab.run(1)->checkpoints[0].isByHand);
    lab.handle(RunRewound{1, 20});
    ASSERT_EQ(lab.run(1)->checkpoints.size(), 2u) << "that before the step itself stays";
    lab.handle(RunRewound{1, 19});
    EXPECT_EQ(lab.run(1)->checkpoints.size(), 1u);
    lab.handle(ExperimentReset{});
    EXPECT_TRUE(lab.run(1)->checkpoints.empty());
    lab.handle(CheckpointKept{8, 77, 3});  // of a run that is gone
}

}  // namespace
}  // namespace mantissa::gui
