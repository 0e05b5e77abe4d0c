// SPDX-License-Identifier: Apache-2.0
#include "engine/session/past_steps.h"

#include <gtest/gtest.h>

namespace mantissa {
namespace {

TEST(PastSteps, OfALongRunTheLatestAreThere) {
    constexpr std::int64_t kSteps = 5 * PastSteps::kKept + 100;
    PastSteps steps;
    for (std::int64_t k = 0; k < kSteps; ++k) {
        const double loss = k == 1000 ? NAN : static_cast<double>(k) + 0.5;
        steps.add({loss, 1});
        ASSERT_LT(steps.end() - steps.keptFrom(), 2 * PastSteps::kKept);
    }
    EXPECT_EQ(steps.end(), kSteps);
    EXPECT_FALSE(steps.has(-1));
    EXPECT_FALSE(steps.has(0));
    EXPECT_FALSE(steps.has(kSteps));
    for (std::int64_t k = kSteps - PastSteps::kKept; k < kSteps; ++k) {
        ASSERT_TRUE(steps.has(k));
        ASSERT_EQ(steps.at(k).loss, static_cast<double>(k) + 0.5);
    }
    EXPECT_EQ(steps.firstLoss(), 0.5);
    EXPECT_EQ(steps.firstNonFinite(), 1000);
}

TEST(PastSteps, GoesBackToBeforeWhatItHas) {
    PastSteps steps(10);
    EXPECT_TRUE(steps.isEmpty());
    EXPECT_TRUE(std::isnan(steps.firstLoss()));
    for (std::int64_t k = 10; k < 10 + 3 * PastSteps::kKept; ++k) steps.add({k == 500 ? INFINITY : 1.0, 1});
    steps.truncate(600);
    EXPECT_EQ(steps.end(), 600);
    EXPECT_FALSE(steps.has(599));
    EXPECT_EQ(steps.firstNonFinite(), 500);
    steps.add({2, 1});
    EXPECT_EQ(steps.at(600).loss, 2);
    steps.truncate(500);
    EXPECT_FALSE(steps.firstNonFinite().has_value());
    steps.truncate(1000);
    EXPECT_EQ(steps.end(), 500);
    EXPECT_EQ(steps.firstLoss(), 1);
    steps.truncate(10);
    EXPECT_TRUE(steps.isEmpty());
    steps.add({3, 1});
    EXPECT_EQ(steps.firstLoss(), 3);
    EXPECT_TRUE(steps.has(10));
}

}  // namespace
}  // namespace mantissa
