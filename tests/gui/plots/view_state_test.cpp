// SPDX-License-Identifier: Apache-2.0
#include "gui/plots/view_state.h"

#include <gtest/gtest.h>

namespace mantissa::gui {
namespace {

TEST(ViewState, FollowsAllSteps) {
    ViewState view;
    EXPECT_EQ(view.x(1000), (Span{0, 999}));
    EXPECT_EQ(view.x(1500), (Span{0, 1499}));
}

TEST(ViewState, HasRoomBeforeTheFirstSteps) {
    EXPECT_EQ(ViewState().x(0), (Span{0, ViewState::kLeastFollowed}));
    EXPECT_EQ(ViewState().x(7), (Span{0, ViewState::kLeastFollowed}));
}

TEST(ViewState, WindowMovesWithTheLiveEnd) {
    ViewState view;
    view.follow(FollowMode::Window, 2000);
    EXPECT_EQ(view.x(2000), (Span{1499, 1999}));
    EXPECT_EQ(view.x(2100), (Span{1599, 2099}));
    EXPECT_EQ(view.x(100), (Span{0, 500}));
}

TEST(ViewState, AHandMakesItManualAndTheViewStays) {
    ViewState view;
    view.showX({100, 200}, 1000);
    EXPECT_EQ(view.mode(), FollowMode::Manual);
    EXPECT_EQ(view.x(1000), (Span{100, 200}));
    EXPECT_EQ(view.x(5000), (Span{100, 200}));
}

TEST(ViewState, ZoomingOnePanelAlsoStopsFollowing) {
    ViewState view;
    view.showY(2, {0, 1}, 1000);
    EXPECT_EQ(view.mode(), FollowMode::Manual);
    EXPECT_EQ(view.x(3000), (Span{0, 999}));
    EXPECT_EQ(view.y(2), (Span{0, 1}));
    EXPECT_FALSE(view.y(1));
}

TEST(ViewState, FollowingGivesTheAxesBackToTheData) {
    ViewState view;
    view.showY(2, {0, 1}, 1000);
    view.follow(FollowMode::All, 1000);
    EXPECT_FALSE(view.y(2));
}

TEST(ViewState, NoGestureLosesTheData) {
    ViewState view;
    view.showX({5000, 5100}, 1000);
    EXPECT_LE(view.x(1000).first, 999);
    view.showX({10, 10.5}, 1000);
    EXPECT_EQ(view.x(1000).length(), ViewState::kLeastSpan);
    view.showX({-1e9, 1e9}, 1000);
    EXPECT_LE(view.x(1000).length(), 1.5 * 999);
}

TEST(ViewState, GoesBackGestureByGesture) {
    ViewState view;
    view.remember(1000);
    view.showX({100, 300}, 1000);
    view.showX({110, 310}, 1000);      // the same drag
    view.remember(1000);
    view.showX({150, 200}, 1000);
    ASSERT_TRUE(view.back());
    EXPECT_EQ(view.x(1000), (Span{110, 310}));
    ASSERT_TRUE(view.back());
    EXPECT_EQ(view.mode(), FollowMode::All);
    EXPECT_EQ(view.x(1200), (Span{0, 1199}));   // and it follows again
    EXPECT_FALSE(view.back());
}

TEST(ViewState, ANewGestureEndsTheWayForward) {
    ViewState view;
    view.remember(1000);
    view.showX({100, 200}, 1000);
    ASSERT_TRUE(view.back());
    EXPECT_EQ(view.mode(), FollowMode::All);
    ASSERT_TRUE(view.forward());
    EXPECT_EQ(view.x(1000), (Span{100, 200}));
    EXPECT_FALSE(view.forward());
    ASSERT_TRUE(view.back());
    view.remember(1000);
    view.showX({300, 400}, 1000);
    EXPECT_FALSE(view.forward()) << "what was undone is gone";
    ASSERT_TRUE(view.back());
    EXPECT_FALSE(view.back());
}

TEST(ViewState, AnUnlinkedPanelKeepsWhatItShowsAndMovesAlone) {
    ViewState view;
    view.showX({100, 300}, 1000);
    view.unlink(2, 1000);
    view.showX({400, 500}, 1000);
    EXPECT_EQ(view.xOf(2, 1000), (Span{100, 300}));
    EXPECT_EQ(view.xOf(0, 1000), (Span{400, 500}));
    view.showOwnX(2, {10, 20}, 1000);
    view.showY(2, {0, 1}, 1000);
    EXPECT_EQ(view.xOf(0, 1000), (Span{400, 500}));
    view.fit(2);
    EXPECT_EQ(view.xOf(2, 1000), (Span{0, 999}));
    EXPECT_EQ(view.xOf(2, 2000), (Span{0, 1999})) << "it follows again";
    EXPECT_FALSE(view.y(2));
    view.link(2);
    EXPECT_EQ(view.xOf(2, 1000), (Span{400, 500}));
}

TEST(ViewState, AnotherAxisMovesEveryPlaceAndItsHistory) {
    ViewState view;
    view.remember(1000);
    view.showX({100, 300}, 1000);
    view.unlink(1, 1000);
    view.remember(1000);
    view.showX({200, 250}, 1000);
    view.recast([](double step) { return 2 * step; });
    EXPECT_EQ(view.x(1000), (Span{400, 500}));
    EXPECT_EQ(view.xOf(1, 1000), (Span{200, 600}));
    ASSERT_TRUE(view.back());
    EXPECT_EQ(view.x(1000), (Span{200, 600}));
}

TEST(ViewState, ZoomKeepsThePivot) {
    const Span out = zoomed({0, 100}, 25, 0.5);
    EXPECT_EQ(out, (Span{12.5, 62.5}));
    EXPECT_DOUBLE_EQ((25 - out.first) / out.length(), 0.25);
}

}  // namespace
}  // namespace mantissa::gui
