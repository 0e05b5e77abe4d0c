// SPDX-License-Identifier: Apache-2.0
// The measures of a mismatch on values that are known in closed form, and the task's rewards and advantages.
#include "engine/rl/mismatch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "engine/rl/digit_task.h"

namespace mantissa {
namespace {

LogProbabilities logsOf(const std::vector<double>& probabilities, std::int64_t vocabulary) {
    LogProbabilities logs{vocabulary};
    for (const double p : probabilities) logs.values.push_back(std::log(p));
    return logs;
}

TEST(Mismatch, IsTheDivergenceInClosedForm) {
    const LogProbabilities sampler = logsOf({0.5, 0.5, 0.5, 0.5}, 2), trainer = logsOf({0.25, 0.75, 0.5, 0.5}, 2);
    const std::vector<std::int32_t> symbols{0, 1};
    const PolicyMismatch found = mismatchOf(sampler, trainer, symbols);
    const double ofFirst = 0.5 * std::log(0.5 / 0.25) + 0.5 * std::log(0.5 / 0.75);
    EXPECT_NEAR(found.kl, ofFirst / 2, 1e-15) << "the second position agrees";
    EXPECT_NEAR(found.sampledKl, (0.5 - 1 - std::log(0.5)) / 2, 1e-15);
    EXPECT_NEAR(found.meanAbsLogRatio, std::log(2) / 2, 1e-15);
    EXPECT_NEAR(found.maxAbsLogRatio, std::log(2), 1e-15);
    EXPECT_EQ(found.tokens, 2);
    EXPECT_EQ(found.nonFinite, 0);
}

TEST(Mismatch, IsExactlyZeroForEqualPolicies) {
    const LogProbabilities policy = logsOf({0.1, 0.2, 0.7}, 3);
    const PolicyMismatch found = mismatchOf(policy, policy, std::vector<std::int32_t>{2});
    EXPECT_EQ(found.kl, 0);
    EXPECT_EQ(found.sampledKl, 0);
    EXPECT_EQ(found.maxAbsLogRatio, 0);
    EXPECT_EQ(found.histogram[kRatioBins / 2], 1);
}

TEST(Mismatch, CountsWhatIsNotFiniteAndLeavesItOut) {
    LogProbabilities sampler = logsOf({0.5, 0.5, 0.5, 0.5}, 2), trainer = sampler;
    logSoftmax(std::vector<float>{std::numeric_limits<float>::infinity(), 0}, std::span(trainer.values).first(2));
    const PolicyMismatch found = mismatchOf(sampler, trainer, std::vector<std::int32_t>{1, 1});
    EXPECT_EQ(found.nonFinite, 1);
    EXPECT_EQ(found.nonFiniteShare(), 0.5);
    EXPECT_EQ(found.kl, 0);
    EXPECT_EQ(std::accumulate(found.histogram.begin(), found.histogram.end(), std::int64_t{0}), 1);
    sampler.values = trainer.values = std::vector<double>(2, std::nan(""));
    const PolicyMismatch nothing = mismatchOf(sampler, trainer, std::vector<std::int32_t>{1});
    EXPECT_EQ(nothing.nonFiniteShare(), 1);
    for (const double figure : {nothing.kl, nothing.sampledKl, nothing.meanAbsLogRatio, nothing.maxAbsLogRatio})
        EXPECT_TRUE(std::isnan(figure)) << "0 would say that the policies agree";
}

TEST(Mismatch, HasABinForEachRatio) {
    const auto binOf = [](double logRatio) {
        const LogProbabilities sampler{1, {0.0}}, trainer{1, {logRatio}};
        const PolicyMismatch found = mismatchOf(sampler, trainer, std::vector<std::int32_t>{0});
        return std::find(found.histogram.begin(), found.histogram.end(), 1) - found.histogram.begin();
    };
    EXPECT_EQ(binOf(0), 8);
    EXPECT_EQ(binOf(1e-9), 9);
    EXPECT_EQ(binOf(-1e-9), 7);
    EXPECT_EQ(binOf(1e-6), 9) << "the far end belongs to the bin";
    EXPECT_EQ(binOf(1.1e-6), 10);
    EXPECT_EQ(binOf(-5), 0);
    EXPECT_EQ(binOf(5), 16);
    for (std::size_t i = 0; i + 1 < kRatioBins; ++i) EXPECT_EQ(ratioBins()[i].to, ratioBins()[i + 1].from);
}

TEST(Mismatch, ImportanceWeightsAreTruncatedAtTwo) {
    EXPECT_EQ(importanceWeight(0), 1);
    EXPECT_DOUBLE_EQ(importanceWeight(std::log(0.25)), 0.25);
    EXPECT_EQ(importanceWeight(5), 2);
    EXPECT_TRUE(std::isnan(importanceWeight(std::nan(""))));
}

TEST(DigitTask, RewardsTheShareOfSortedDigits) {
    const DigitTask task{.digits = 4};
    Episodes episodes = task.draw(3, 0, 5, 2);
    ASSERT_EQ(episodes.sequences, 10);
    EXPECT_TRUE(std::equal(episodes.tokens.begin(), episodes.tokens.begin() + 5, episodes.tokens.begin() + 8)) << "answers share a prompt";
    task.answerCorrectly(episodes);
    for (const double reward : task.rewards(episodes)) EXPECT_EQ(reward, 1);
    for (std::int64_t at = 0; at < 4; ++at) {
        task.setAnswer(episodes, 0, at, DigitTask::kEquals);
        EXPECT_EQ(task.rewards(episodes)[0], 1 - 0.25 * static_cast<double>(at + 1));
    }
    EXPECT_EQ(task.rewards(episodes)[1], 1);
}

TEST(DigitTask, AdvantagesLeaveTheAnswerItselfOut) {
    const std::vector<double> rewards{1, 0, 0.5, 0.5, 0.5, 0.5};
    const std::vector<double> found = advantages(rewards, 3);
    EXPECT_DOUBLE_EQ(found[0], 1 - 0.25);
    EXPECT_DOUBLE_EQ(found[1], 0 - 0.75);
    EXPECT_DOUBLE_EQ(found[2], 0);
    for (std::size_t i = 3; i < 6; ++i) EXPECT_EQ(found[i], 0) << "equal rewards teach nothing";
    EXPECT_EQ(advantages(rewards, 1), rewards);
}

}  // namespace
}  // namespace mantissa
