// SPDX-License-Identifier: Apache-2.0
// The race against rows written out by hand, and against the same rules in a loop of its own.
#include "engine/diagnosis/race.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace mantissa {
namespace {

/// Steps from 0 on that bear these powers of two, and nothing above them; below -1000: no scale.
std::vector<StepThreshold> bearing(const std::vector<int>& powers) {
    std::vector<StepThreshold> steps;
    for (const int power : powers) {
        StepThreshold step{.step = static_cast<std::int64_t>(steps.size()), .gradientMax = 0.5};
        if (power > -1000) step.highest = std::ldexp(1, power), step.overflowFrom = std::ldexp(1.5, power);
        steps.push_back(step);
    }
    return steps;
}

constexpr int kNoScale = -1001;

std::vector<float> powersOfTwo(const std::vector<int>& powers) {
    std::vector<float> scales;
    for (const int power : powers) scales.push_back(std::ldexp(1.0f, power));
    return scales;
}

TEST(Race, AStepBearsScalesBelowWhereItOverflows) {
    const StepThreshold step{.step = 0, .highest = 8, .overflowFrom = 12};
    for (const double scale : {0.0, 1.0, 8.0, 11.99}) EXPECT_TRUE(step.staysFiniteAt(scale)) << scale;
    for (const double scale : {12.0, 16.0, HUGE_VAL, std::nan("")}) EXPECT_FALSE(step.staysFiniteAt(scale)) << scale;
    EXPECT_FALSE(StepThreshold{.overflowFrom = 1}.staysFiniteAt(0)) << "where there is no scale, 0 is none";
}

TEST(Race, AScalerGoesItsWayStepByStep) {
    const RacedScaler raced =
        mantissa::raced(bearing({16, 16, 3, 16, 3, 3, 16, 16}), {.preset = "pytorch", .initScale = 16.0, .growthInterval = 2});
    // 2^4: clean, clean and grown to 2^5, over 2^3, halved to 2^4: clean, over, over at 2^3? no: 2^3 is borne
    EXPECT_EQ(raced.scales, powersOfTwo({4, 4, 5, 4, 4, 3, 3, 4}));
    EXPECT_EQ(raced.skipped, (std::vector<std::int64_t>{2, 4}));
    EXPECT_EQ(raced.skippedSteps(), 2);
    EXPECT_EQ(raced.longestRow, 1);
    EXPECT_EQ(raced.finalScale, 16);
    EXPECT_FALSE(raced.isOver());
    EXPECT_EQ(raced.meanHeadroom, (12 + 12 + 12 + 0 + 13 + 12) / 6.0);
}

TEST(Race, ANegativeScaleCountsByItsMagnitude) {
    const RacedScaler raced = mantissa::raced(bearing({16, 3, 5, 2, 3}), {.preset = "pytorch", .initScale = 16.0, .backoffFactor = -0.5});
    EXPECT_EQ(raced.scales, (std::vector<float>{16, 16, -8, -8, 4}));
    EXPECT_EQ(raced.skipped, (std::vector<std::int64_t>{1, 3}));
    EXPECT_EQ(raced.meanHeadroom, (12 + 2 + 1) / 3.0);
}

TEST(Race, AFixedScaleIsSkippedWhereItOverflowsAndStays) {
    const RacedScaler raced = mantissa::raced(bearing({5, 3, 3, kNoScale, 5, 3}), {.preset = "static", .initScale = 16.0});
    EXPECT_EQ(raced.scales, powersOfTwo({4, 4, 4, 4, 4, 4}));
    EXPECT_EQ(raced.skipped, (std::vector<std::int64_t>{1, 2, 3, 5}));
    EXPECT_EQ(raced.longestRow, 3);
    EXPECT_EQ(raced.meanHeadroom, 1);
}

TEST(Race, StepsCountFromWhereTheyWereMeasured) {
    std::vector<StepThreshold> steps = bearing({1, 1, 1});
    for (StepThreshold& step : steps) step.step += 700;
    EXPECT_EQ(raced(steps, {.preset = "pytorch", .initScale = 4.0}).skipped, (std::vector<std::int64_t>{700}));
}

TEST(Race, TheFrameworksThatGiveUpEndThere) {
    const std::vector<StepThreshold> hopeless = bearing(std::vector<int>(60, kNoScale));
    const RacedScaler deepspeed = raced(hopeless, {.preset = "deepspeed"});
    EXPECT_EQ(deepspeed.endStep, 17) << "one overflow is let pass, sixteen halve 2^16 to 1, and one more is the end";
    EXPECT_NE(deepspeed.endReason.find("smallest loss scale"), std::string::npos) << deepspeed.endReason;
    EXPECT_EQ(deepspeed.scales.size(), 18u);
    EXPECT_EQ(deepspeed.skippedSteps(), 18) << "the step at which it gives up is lost too";
    EXPECT_EQ(deepspeed.finalScale, 1);
    EXPECT_TRUE(std::isnan(deepspeed.meanHeadroom));
    const RacedScaler fairseq = raced(hopeless, {.preset = "fairseq"});
    EXPECT_EQ(fairseq.endStep, 20) << "2^7 halved 21 times is below 0.0001";
    EXPECT_EQ(fairseq.finalScale, 0x1p-13);
    EXPECT_FALSE(raced(hopeless, {.preset = "pytorch"}).isOver());
    EXPECT_EQ(raced(hopeless, {.preset = "tf-keras"}).finalScale, 1);
}

TEST(Race, WhatNoTestSeesIsTheEnd) {
    const RacedScaler none = raced(bearing({3, 3, -1, 3}), {.preset = "none"});
    EXPECT_EQ(none.endStep, 2);
    EXPECT_EQ(none.skippedSteps(), 0);
    EXPECT_NE(none.endReason.find("nothing skips"), std::string::npos);
    EXPECT_FALSE(raced(bearing({3, 0, 3}), {.preset = "none"}).isOver());
    const RacedScaler keras = raced(bearing(std::vector<int>(300, kNoScale)), {.preset = "keras3"});
    EXPECT_EQ(keras.endStep, 15 + 149 + 1) << "2^-149 is the last number above 0";
    EXPECT_NE(keras.endReason.find("fallen to 0"), std::string::npos);
    EXPECT_EQ(keras.scales.size(), 165u);
}

TEST(Race, GradientsOfNothingButZerosTellNoHeadroom) {
    std::vector<StepThreshold> steps = bearing({127, 6});
    steps[0].overflowFrom = 0x1p128;
    EXPECT_EQ(raced(steps, {.preset = "static", .initScale = 4.0}).meanHeadroom, 4);
}

/// OpenSeq2Seq's rule in double: its scales are no powers of two, and follow the largest gradient.
void expectLogMax(const std::vector<double>& largest, std::size_t leastSkips, bool isPinned) {
    std::vector<StepThreshold> steps;
    for (const double each : largest) {
        const double from = 65520 / each;
        steps.push_back({.step = static_cast<std::int64_t>(steps.size()),
                         .highest = std::exp2(std::floor(std::log2(from))),
                         .overflowFrom = from,
                         .gradientMax = each});
    }
    const RacedScaler raced = mantissa::raced(steps, {.preset = "logmax"});
    double mean = 0, slowMean = 0, square = 0, bias = 1, slowBias = 1, scale = 1;
    std::vector<std::int64_t> skipped;
    for (const StepThreshold& step : steps) {
        ASSERT_NEAR(static_cast<double>(raced.scales[static_cast<std::size_t>(step.step)]) / scale, 1, 0.1)
            << step.step;  // its variance is a small difference in fp32
        const bool over = scale * step.gradientMax >= 65520;
        if (over) skipped.push_back(step.step);
        const double x = over ? 65536 : std::log2(step.gradientMax);
        mean = 0.99 * mean + 0.01 * x, bias *= 0.99;
        slowMean = 0.999 * slowMean + 0.001 * x, square = 0.999 * square + 0.001 * x * x, slowBias *= 0.999;
        const double m = slowMean / (1 - slowBias), variance = std::max(0.0, square / (1 - slowBias) - m * m);
        scale = std::min(0x1p24, std::max(1.0, std::exp2(16 - (std::sqrt(variance) * 3.09 + mean / (1 - bias)))));
    }
    EXPECT_EQ(raced.skipped, skipped);
    EXPECT_GE(skipped.size(), leastSkips);
    EXPECT_NEAR(raced.finalScale / scale, 1, 0.05);
    EXPECT_EQ(scale == 1, isPinned);
}

TEST(Race, LogMaxFollowsTheLargestGradient) {
    std::mt19937 random(5);
    std::lognormal_distribution<double> gradient(0, 1);
    std::vector<double> wild, calm;
    for (int i = 0; i < 400; ++i) {
        wild.push_back(1000 * gradient(random));
        calm.push_back(1000 * std::exp(-0.01 * i));
    }
    expectLogMax(wild, 1, true);
    expectLogMax(calm, 0, false);
}

/// PyTorch's rule, as its documentation has it, over steps at random.
TEST(Race, AgreesWithTheRuleWrittenOut) {
    std::mt19937 random(1);
    std::uniform_int_distribution<int> power(8, 14);
    std::vector<int> powers(1000);
    for (int& each : powers) each = power(random);
    const std::vector<StepThreshold> steps = bearing(powers);
    const RacedScaler raced = mantissa::raced(steps, {.preset = "pytorch", .growthInterval = 3});
    double scale = 65536, headroom = 0;
    int clean = 0, taken = 0;
    std::int64_t row = 0, longest = 0;
    std::vector<std::int64_t> skipped;
    for (std::size_t i = 0; i < powers.size(); ++i) {
        ASSERT_EQ(static_cast<double>(raced.scales[i]), scale) << i;
        if (scale > std::exp2(powers[i])) {
            skipped.push_back(static_cast<std::int64_t>(i));
            longest = std::max(longest, ++row);
            scale /= 2, clean = 0;
            continue;
        }
        headroom += powers[i] - std::log2(scale), ++taken, row = 0;
        if (++clean == 3) scale *= 2, clean = 0;
    }
    EXPECT_GT(skipped.size(), 100u);
    EXPECT_EQ(raced.skipped, skipped);
    EXPECT_EQ(raced.longestRow, longest);
    EXPECT_NEAR(raced.meanHeadroom, headroom / taken, 1e-12);
    EXPECT_EQ(raced.finalScale, scale);
}

TEST(Race, EveryPresetWithAScaleTakesPart) {
    const std::vector<ScalerSettings> all = racingPresets();
    EXPECT_EQ(all.size() + 1, scalerPresets().size());
    for (const ScalerSettings& settings : all) {
        EXPECT_NE(settings.preset, "none");
        EXPECT_EQ(settings, ScalerSettings{.preset = settings.preset}) << "with its own numbers";
    }
    EXPECT_TRUE(raced({}, all.front()).scales.empty());
}

TEST(Race, StepsAtAScaleThatFlushesEveryGradientAreCounted) {
    const std::vector<StepThreshold> steps = bearing({10, 10, 10, 10});  // largest gradient 0.5
    EXPECT_EQ(raced(steps, {.preset = "static", .initScale = 0x1p-24}).flushedSteps, 4);
    EXPECT_EQ(raced(steps, {.preset = "static", .initScale = 0x1p-23}).flushedSteps, 0);
    EXPECT_EQ(raced(steps, {.preset = "static", .initScale = 0x1p11}).flushedSteps, 0) << "these are skipped";
}

}  // namespace
}  // namespace mantissa
