// SPDX-License-Identifier: Apache-2.0
// Runs that come back, and notes, as the lab knows them.
#include <gtest/gtest.h>

#include <QSignalSpy>

#include "gui/link/lab.h"
#include "tests/gui/support/lab_by_hand.h"

namespace mantissa::gui {
namespace {

TEST(Lab, ARemovedRunComesBackWithItsStepsItsColourAndItsMarks) {
    Lab lab;
    loadThreeRuns(lab);
    lab.handle(steps(1, 0, 20));
    lab.handle(SettingApplied{0, 1, 7, "/optimizer/lr", "lr", "0.001", "0.01"});
    const int identity = lab.run(1)->identity;
    lab.handle(RunRemoved{1, true});
    EXPECT_EQ(lab.run(1), nullptr);
    EXPECT_TRUE(lab.markers().empty());
    RunInfo info = runInfo(1, "fp16 2", "fp16", "pytorch");
    QSignalSpy changes(&lab, &Lab::runsChanged);
    lab.handle(RunRestored{info});
    ASSERT_NE(lab.run(1), nullptr);
    EXPECT_EQ(changes.count(), 1);
    EXPECT_EQ(lab.run(1)->stepCount(), 20);
    EXPECT_EQ(lab.run(1)->identity, identity);
    EXPECT_EQ(lab.run(1)->name(), QStringLiteral("fp16 2"));
    EXPECT_EQ(lab.markers().size(), 1u);
    EXPECT_EQ(lab.selected(), 1);
    lab.handle(steps(1, 20, 5));
    EXPECT_EQ(lab.run(1)->stepCount(), 25) << "and goes on";
    EXPECT_THROW(lab.handle(RunRestored{info}), WireError) << "it is there";
}

TEST(Lab, KeepsOnlyRunsThatCanComeBack) {
    Lab lab;
    loadThreeRuns(lab);
    lab.handle(RunRemoved{1, false});
    EXPECT_THROW(lab.handle(RunRestored{runInfo(1, "fp16", "fp16")}), WireError);
    lab.handle(RunRemoved{2, true});
    lab.handle(ExperimentReset{});
    EXPECT_THROW(lab.handle(RunRestored{runInfo(2, "bf16", "bf16")}), WireError) << "what begins anew has no runs of before";
}

TEST(Lab, NotesGoWithTheirRunAndWithTheirExperiment) {
    Lab lab;
    loadThreeRuns(lab);
    QSignalSpy changes(&lab, &Lab::notesChanged);
    lab.handle(NoteWritten{0, {0, -1, 5, "all"}});
    lab.handle(NoteWritten{0, {1, 1, 6, "fp16"}});
    lab.handle(NoteWritten{0, {0, -1, 7, "all, later"}});
    ASSERT_EQ(lab.notes().size(), 2u);
    EXPECT_EQ(lab.notes().at(0).step, 7);
    lab.handle(NoteRemoved{9});
    EXPECT_EQ(changes.count(), 3);
    lab.handle(RunRemoved{1, true});
    EXPECT_EQ(lab.notes().size(), 1u);
    EXPECT_EQ(changes.count(), 4);
    lab.handle(ExperimentReset{});
    EXPECT_EQ(lab.notes().size(), 1u) << "a user's words outlive a reset";
    loadThreeRuns(lab);
    EXPECT_TRUE(lab.notes().empty());
}

}  // namespace
}  // namespace mantissa::gui
