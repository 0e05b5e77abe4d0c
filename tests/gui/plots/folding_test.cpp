// SPDX-License-Identifier: Apache-2.0
#include "gui/plots/folding.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace mantissa::gui {
namespace {

constexpr StepToPixel kOnePixelAStep{{0, 1000}, 0, 1000};

std::int64_t total(const std::vector<MarkGroup>& groups) {
    return std::accumulate(groups.begin(), groups.end(), std::int64_t{0},
                           [](std::int64_t sum, const MarkGroup& g) { return sum + g.count; });
}

TEST(FoldMarks, MarksThatTouchShareAGroup) {
    const std::vector<std::int64_t> steps{100, 105, 109, 300};
    const auto groups = foldMarks(steps, kOnePixelAStep, 13);
    ASSERT_EQ(groups.size(), 2u);
    EXPECT_EQ(groups[0].count, 3);
    EXPECT_EQ(groups[0].firstStep, 100);
    EXPECT_EQ(groups[0].lastStep, 109);
    EXPECT_EQ(groups[1].count, 1);
}

TEST(FoldMarks, AStormIsOneGroupOfItsFullWidth) {
    std::vector<std::int64_t> steps(53);
    std::iota(steps.begin(), steps.end(), 500);
    const auto groups = foldMarks(steps, kOnePixelAStep, 13);
    ASSERT_EQ(groups.size(), 1u);
    EXPECT_EQ(groups[0].count, 53);
    EXPECT_EQ(groups[0].right - groups[0].left, 52);
}

TEST(FoldMarks, CountsOnlyWhatIsInView) {
    const std::vector<std::int64_t> steps{10, 400, 600, 5000};
    EXPECT_EQ(total(foldMarks(steps, {{300, 700}, 0, 400}, 13)), 2);
}

TEST(FoldMarks, NothingLiesOnAGroupsCount) {
    const std::vector<std::int64_t> steps{100, 104, 125};
    EXPECT_EQ(foldMarks(steps, kOnePixelAStep, 13, 40).size(), 1u);
    EXPECT_EQ(foldMarks(steps, kOnePixelAStep, 13, 20).size(), 2u);
}

/// As it says: mark by mark.
std::vector<MarkGroup> foldedOneByOne(const std::vector<std::int64_t>& steps, const StepToPixel& toPixel, double touch, double tag) {
    std::vector<MarkGroup> groups;
    for (const std::int64_t step : steps) {
        if (static_cast<double>(step) < toPixel.steps().first || static_cast<double>(step) > toPixel.steps().last) continue;
        const double x = toPixel(static_cast<double>(step));
        if (groups.empty() || (x - groups.back().right >= touch && (groups.back().count == 1 || x - groups.back().left >= tag)))
            groups.push_back({x, x, step, step, 0});
        groups.back().right = x;
        groups.back().lastStep = step;
        ++groups.back().count;
    }
    return groups;
}

TEST(FoldMarks, WhatIsTakenAtOnceIsWhatWouldBeTakenOneByOne) {
    std::mt19937 random(3);
    for (const int spread : {1, 3, 30, 300, 3000}) {
        std::vector<std::int64_t> steps{0};
        while (steps.back() < 100'000)
            steps.push_back(steps.back() + 1 + static_cast<std::int64_t>(random() % static_cast<unsigned>(spread)));
        const StepToPixel toPixel{{20'000, 80'000}, 7, 1000};
        const auto expected = foldedOneByOne(steps, toPixel, 13, 40), groups = foldMarks(steps, toPixel, 13, 40);
        ASSERT_EQ(groups.size(), expected.size()) << spread;
        for (std::size_t i = 0; i < groups.size(); ++i) {
            EXPECT_EQ(groups[i].firstStep, expected[i].firstStep);
            EXPECT_EQ(groups[i].lastStep, expected[i].lastStep);
            EXPECT_EQ(groups[i].count, expected[i].count);
            EXPECT_EQ(groups[i].left, expected[i].left);
            EXPECT_EQ(groups[i].right, expected[i].right);
        }
    }
}

void expectNoOverlap(const std::vector<FlagPlace>& places, double left, double right) {
    for (std::size_t i = 0; i < places.size(); ++i) {
        EXPECT_LE(places[i].left + places[i].width, right);
        const double freeFrom = i > 0 ? places[i - 1].left + places[i - 1].width : left;
        EXPECT_GE(places[i].left, freeFrom);
    }
}

TEST(PlaceFlags, FullWhereThereIsRoom) {
    const std::vector<FlagSize> flags{{100, 120, 80, 20}, {400, 120, 80, 20}};
    const auto places = placeFlags(flags, 0, 1000, 6, 90);
    ASSERT_EQ(places.size(), 2u);
    for (const FlagPlace& place : places) {
        EXPECT_EQ(place.form, FlagForm::Full);
        EXPECT_FALSE(place.isFlipped);
    }
    expectNoOverlap(places, 0, 1000);
}

TEST(PlaceFlags, FlipsAtTheRightEdge) {
    const std::vector<FlagSize> flags{{950, 120, 80, 20}};
    const auto places = placeFlags(flags, 0, 1000, 6, 90);
    EXPECT_TRUE(places[0].isFlipped);
    EXPECT_EQ(places[0].form, FlagForm::Full);
    EXPECT_EQ(places[0].left, 830);
}

TEST(PlaceFlags, ANeighbourFlipsBeforeTextIsLost) {
    // The right one must hang to the left, so the middle one does as well.
    const std::vector<FlagSize> flags{{300, 120, 80, 20}, {800, 120, 80, 20}, {990, 120, 80, 20}};
    const auto places = placeFlags(flags, 0, 1000, 6, 90);
    for (const FlagPlace& place : places) EXPECT_EQ(place.form, FlagForm::Full);
    EXPECT_TRUE(places[1].isFlipped);
    EXPECT_TRUE(places[2].isFlipped);
    expectNoOverlap(places, 0, 1000);
}

TEST(PlaceFlags, ShortensBeforeItDropsText) {
    const std::vector<FlagSize> flags{{0, 120, 80, 20}, {90, 120, 80, 20}, {180, 120, 80, 20}};
    const auto places = placeFlags(flags, 0, 400, 6, 90);
    ASSERT_EQ(places.size(), 3u);
    EXPECT_EQ(places[0].form, FlagForm::Brief);
    EXPECT_EQ(places[1].form, FlagForm::Brief);
    EXPECT_EQ(places[2].form, FlagForm::Full);
    expectNoOverlap(places, 0, 400);
}

TEST(PlaceFlags, FoldsWhatWouldTouchEvenAsMarkers) {
    std::vector<FlagSize> flags;
    for (int i = 0; i < 40; ++i) flags.push_back({100.0 + i, 120, 80, 20});
    const auto places = placeFlags(flags, 0, 1000, 6, 90);
    std::size_t stoodFor = 0;
    for (const FlagPlace& place : places) stoodFor += place.count;
    EXPECT_EQ(stoodFor, 40u);
    EXPECT_LT(places.size(), 4u);
    expectNoOverlap(places, 0, 1000);
}

TEST(PlaceFlags, AnyCrowdIsPlaced) {
    std::vector<FlagSize> flags;
    for (int i = 0; i < 60; ++i) flags.push_back({i * 17.0, 120, 80, 20});
    EXPECT_FALSE(placeFlags(flags, 0, 1000, 6, 90).empty());
    EXPECT_TRUE(placeFlags({}, 0, 1000, 6, 90).empty());
}

}  // namespace
}  // namespace mantissa::gui
