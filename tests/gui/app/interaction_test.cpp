// SPDX-License-Identifier: Apache-2.0
// Promises of the window that hold over several of its parts (tests/gui/README.md has the table).
#include <gtest/gtest.h>

#include <QDialog>

#include "gui/plots/canvas.h"
#include "tests/gui/support/live_window.h"

namespace mantissa::gui {
namespace {

TEST(Interaction, FreezeAndPauseAreTwoVerbs) {
    LiveWindow live;
    ASSERT_TRUE(live.open());
    auto* board = live.window->findChild<PlotBoard*>();
    const Actions& actions = live.window->actionList();
    live.engine.send(SetPace{200});
    actions.train->trigger();
    ASSERT_TRUE(live.reaches(5));
    actions.freeze->setChecked(true);
    const std::int64_t frozenAt = live.lab.stepCount();
    ASSERT_TRUE(live.reaches(frozenAt + 5)) << "training goes on behind a frozen view";
    EXPECT_EQ(live.lab.state().state, LabState::Training);
    EXPECT_TRUE(board->isFrozen());

    actions.train->trigger();
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.lab.state().state == LabState::Paused; }, kPatienceMs));
    EXPECT_TRUE(board->isFrozen()) << "a pause thaws nothing";
    actions.freeze->setChecked(false);
    EXPECT_EQ(live.lab.state().state, LabState::Paused) << "and a thaw trains nothing";
    EXPECT_FALSE(board->isFrozen());
}

TEST(Interaction, AKeyLeadsToTheFirstNonFiniteStep) {
    LiveWindow live;
    ASSERT_TRUE(live.open());
    live.engine.send(SingleStep{});
    live.engine.send(SingleStep{});
    ASSERT_TRUE(live.reaches(2));
    live.lab.select(live.lab.runs()[1]->id);
    live.window->actionList().inject->trigger();
    ASSERT_TRUE(live.settles());
    for (int i = 0; i < 3; ++i) live.engine.send(SingleStep{});
    ASSERT_TRUE(live.reaches(5));
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.lab.runs()[1]->firstNonFiniteStep().has_value(); }, kPatienceMs));
    auto* board = live.window->findChild<PlotBoard*>();
    QTest::keyClick(board->canvas(), Qt::Key_N, Qt::ShiftModifier);
    EXPECT_EQ(board->cursor(), 2);
}

}  // namespace
}  // namespace mantissa::gui
