// SPDX-License-Identifier: Apache-2.0
// Runs that come back, and notes, as the lab knows them.
#include <gtest/gtest.h>

#include <QSignalSpy>

#include "gui/link/session_model.h"
#include "tests/gui/support/session_by_hand.h"

namespace mantissa::gui {
namespace {

TEST(SessionModel, ARemovedRunComesBackWithItsStepsItsColourAndItsMarks) {
    SessionModel session;
    loadThreeRuns(session);
    session.handle(steps(1, 0, 20));
    session.handle(SettingApplied{0, 1, 7, "/optimizer/lr", "lr", "0.001", "0.01"});
    const int identity = session.run(1)->identity;
    session.handle(RunRemoved{1, true});
    EXPECT_EQ(session.run(1), nullptr);
    EXPECT_TRUE(session.markers().empty());
    RunInfo info = runInfo(1, "fp16 2", "fp16", "pytorch");
    QSignalSpy changes(&session, &SessionModel::runsChanged);
    session.handle(RunRestored{info});
    ASSERT_NE(session.run(1), nullptr);
    EXPECT_EQ(changes.count(), 1);
    EXPECT_EQ(session.run(1)->stepCount(), 20);
    EXPECT_EQ(session.run(1)->identity, identity);
    EXPECT_EQ(session.run(1)->name(), QStringLiteral("fp16 2"));
    EXPECT_EQ(session.markers().size(), 1u);
    EXPECT_EQ(session.selected(), 1);
    session.handle(steps(1, 20, 5));
    EXPECT_EQ(session.run(1)->stepCount(), 25) << "and goes on";
    EXPECT_THROW(session.handle(RunRestored{info}), WireError) << "it is there";
}

TEST(SessionModel, KeepsOnlyRunsThatCanComeBack) {
    SessionModel session;
    loadThreeRuns(session);
    session.handle(RunRemoved{1, false});
    EXPECT_THROW(session.handle(RunRestored{runInfo(1, "fp16", "fp16")}), WireError);
    session.handle(RunRemoved{2, true});
    session.handle(ExperimentReset{});
    EXPECT_THROW(session.handle(RunRestored{runInfo(2, "bf16", "bf16")}), WireError) << "what begins anew has no runs of before";
}

TEST(SessionModel, NotesGoWithTheirRunAndWithTheirExperiment) {
    SessionModel session;
    loadThreeRuns(session);
    QSignalSpy changes(&session, &SessionModel::notesChanged);
    session.handle(NoteWritten{0, {0, -1, 5, "all"}});
    session.handle(NoteWritten{0, {1, 1, 6, "fp16"}});
    session.handle(NoteWritten{0, {0, -1, 7, "all, later"}});
    ASSERT_EQ(session.notes().size(), 2u);
    EXPECT_EQ(session.notes().at(0).step, 7);
    session.handle(NoteRemoved{9});
    EXPECT_EQ(changes.count(), 3);
    session.handle(RunRemoved{1, true});
    EXPECT_EQ(session.notes().size(), 1u);
    EXPECT_EQ(changes.count(), 4);
    session.handle(ExperimentReset{});
    EXPECT_EQ(session.notes().size(), 1u) << "a user's words outlive a reset";
    loadThreeRuns(session);
    EXPECT_TRUE(session.notes().empty());
}

}  // namespace
}  // namespace mantissa::gui
