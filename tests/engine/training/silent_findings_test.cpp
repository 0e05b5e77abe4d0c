// SPDX-License-Identifier: Apache-2.0
#include "engine/training/silent_findings.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mantissa {
namespace {

/// What is found in losses whose healthy means were at most `highest`, the first one `first`, and the last ten have the mean `latest`.
std::vector<SilentFinding> foundInLosses(double first, double highest, double latest) {
    std::vector<SilentFinding> found;
    judgeLoss(found, {.highestLoss = highest, .latestMean = latest, .firstLoss = first, .firstMean = first, .steps = 200});
    return found;
}

TEST(SilentFindings, ALossOfZeroHasNotGrown) {
    EXPECT_TRUE(foundInLosses(0, 0, 0).empty()) << "data of one class";
    EXPECT_TRUE(foundInLosses(2.3, 0, 0).empty());
    EXPECT_TRUE(foundInLosses(2.3, 0.1, 0.1).empty());
    const auto grown = foundInLosses(2.3, 0.1, 30);
    ASSERT_EQ(grown.size(), 1u);
    EXPECT_EQ(grown[0].kind, SilentKind::LossHasGrown);
    EXPECT_NEAR(grown[0].value, 300, 1e-9);
}

TEST(SilentFindings, ARunThatHasLearnedItsDataMayLoseGradients) {
    const Trial flushed{.label = {}, .flushedShare = 0.9};
    for (const bool hasLearned : {false, true}) {
        std::vector<SilentFinding> found;
        judgeGradients(found, {}, flushed, hasLearned);
        EXPECT_EQ(found.size(), hasLearned ? 0u : 1u);
    }
}

TEST(SilentFindings, AScheduleThatIsNearZeroByTheMiddleOfTheRunDefeatsIt) {
    TrainingSettings settings;
    settings.steps = 200;
    const auto defeats = [&](std::int64_t step) {
        for (const SilentFinding& each : defeatingSettings(settings, step))
            if (each.tensor == "/optimizer/schedule") return true;
        return false;
    };
    settings.optimizer.schedule.kind = "linear";
    settings.optimizer.schedule.totalSteps = 1;
    for (const std::int64_t step : {100, 150, 199, 200}) EXPECT_TRUE(defeats(step)) << step;
    settings.optimizer.schedule.totalSteps = 200;
    for (const std::int64_t step : {100, 150, 199, 200}) EXPECT_FALSE(defeats(step)) << step << ": it ends near 0, as usual";
    settings.optimizer.schedule = {.kind = "step", .every = 1, .factor = 1.03};
    EXPECT_FALSE(defeats(100));
    EXPECT_TRUE(defeats(199)) << "by then the rate is hundreds of times as high";
}

}  // namespace
}  // namespace mantissa
