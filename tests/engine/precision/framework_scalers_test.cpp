// SPDX-License-Identifier: Apache-2.0
// Every preset against its framework's rule, to the bit, on long patterns; and the step numbers at which each first grows.
#include "framework_scalers.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <random>

#include "engine/precision/scaler.h"

namespace mantissa {
namespace {

struct Twin {
    const char* preset;
    std::function<std::unique_ptr<framework::Scaler>(int interval)> make;
    int interval;  // the framework's own
};

template <class T>
Twin twin(const char* preset, int interval) {
    return {preset, [](int n) { return std::make_unique<T>(n); }, interval};
}

const std::vector<Twin>& twins() {
    static const std::vector<Twin> kTwins{
        twin<framework::PyTorch>("pytorch", 2000),
        twin<framework::Keras3>("keras3", 2000),
        twin<framework::TfKeras>("tf-keras", 2000),
        twin<framework::Apex>("apex", 2000),
        twin<framework::Megatron>("megatron", 1000),
        {"deepspeed", [](int n) { return std::make_unique<framework::DeepSpeed>(false, n); }, 1000},
        {"deepspeed-consecutive", [](int n) { return std::make_unique<framework::DeepSpeed>(true, n); }, 1000},
        twin<framework::Fairseq>("fairseq", 16384),
        twin<framework::Jmp>("jmp", 2000),
        twin<framework::Flax>("flax", 2000),
    };
    return kTwins;
}

struct Pattern {
    std::string name;
    int steps;
    std::function<bool(int step)> isBad;
};

std::vector<Pattern> patterns() {
    std::vector<Pattern> all;
    for (const int rate : {2, 3, 10, 50, 300, 2500}) {  // one in so many
        all.push_back(
            {"random, 1 in " + std::to_string(rate), 5000, [random = std::mt19937(static_cast<unsigned>(rate)), rate](int) mutable {
                 return random() % static_cast<unsigned>(rate) == 0;
             }});
    }
    all.push_back({"bursts of 12", 5000, [](int step) { return step % 500 < 12; }});
    all.push_back({"a burst, then calm", 9000, [](int step) { return step < 14; }});
    all.push_back({"all good", 5000, [](int) { return false; }});
    all.push_back({"all bad", 400, [](int) { return true; }});
    all.push_back({"one in 501", 5000, [](int step) { return step % 501 == 500; }});
    return all;
}

/// The trace of scales over a pattern, and whether the preset ended it.
void expectTheSame(const Twin& twin, int interval, const Pattern& pattern) {
    LossScaler scaler({.preset = twin.preset, .growthInterval = interval});
    const auto reference = twin.make(interval);
    auto isBad = pattern.isBad;
    for (int step = 0; step < pattern.steps; ++step) {
        const bool foundInf = isBad(step);
        scaler.update({.foundInf = foundInf});
        reference->update(foundInf);
        const float ours = scaler.scale(), theirs = reference->scale();
        ASSERT_EQ(std::memcmp(&ours, &theirs, sizeof ours), 0)
            << twin.preset << ", interval " << interval << ", " << pattern.name << ", step " << step << ": " << ours << ", not " << theirs;
        ASSERT_EQ(scaler.stopReason().has_value(), reference->hasRaised) << twin.preset << ", " << pattern.name << ", step " << step;
        if (reference->hasRaised) return;
    }
}

class FrameworkScaler : public testing::TestWithParam<Twin> {};

TEST_P(FrameworkScaler, FollowsItsFrameworkOnEveryPattern) {
    for (const Pattern& pattern : patterns()) expectTheSame(GetParam(), GetParam().interval, pattern);
}

TEST_P(FrameworkScaler, FollowsItsFrameworkAtOtherIntervals) {
    for (const int interval : {1, 2, 7, 60, 500}) {
        for (Pattern pattern : patterns()) {
            // up to 2^127 and beyond
            if (pattern.name == "all good") pattern.steps = 200 * interval;
            if (pattern.name == "a burst, then calm") pattern.steps = 14 + 200 * interval;
            expectTheSame(GetParam(), interval, pattern);
        }
    }
}

std::string nameOf(const testing::TestParamInfo<Twin>& info) {
    std::string name = info.param.preset;
    std::erase(name, '-');
    return name;
}
INSTANTIATE_TEST_SUITE_P(Presets, FrameworkScaler, testing::ValuesIn(twins()), nameOf);

/// The numbers of the clean steps, from 1, after which the scale was seen to grow.
std::vector<int> growthsOf(const ScalerSettings& settings, int steps, bool afterAnOverflow) {
    LossScaler scaler(settings);
    if (afterAnOverflow) scaler.update({.foundInf = true});
    std::vector<int> grown;
    for (int step = 1; step <= steps; ++step) {
        if (scaler.update({}) == ScaleChange::Grown) grown.push_back(step);
    }
    return grown;
}

TEST(FirstGrowth, ComesAtTheStepOfEachFramework) {
    for (const bool afterAnOverflow : {false, true}) {
        for (const char* preset : {"pytorch", "keras3", "tf-keras", "apex", "jmp"})
            EXPECT_EQ(growthsOf({.preset = preset}, 4100, afterAnOverflow), (std::vector<int>{2000, 4000})) << preset;
        EXPECT_EQ(growthsOf({.preset = "fairseq", .growthInterval = 2000}, 4100, afterAnOverflow), (std::vector<int>{2000, 4000}));
        EXPECT_EQ(growthsOf({.preset = "fairseq"}, 33000, afterAnOverflow), (std::vector<int>{16384, 32768}));
        EXPECT_EQ(growthsOf({.preset = "flax"}, 4100, afterAnOverflow), (std::vector<int>{2001, 4002}));
        EXPECT_EQ(growthsOf({.preset = "megatron"}, 3100, afterAnOverflow), (std::vector<int>{1000, 2000, 3000}));
        for (const char* preset : {"deepspeed", "deepspeed-consecutive"})
            EXPECT_EQ(growthsOf({.preset = preset}, 3100, afterAnOverflow), (std::vector<int>{1001, 2001, 3001})) << preset;
    }
}

TEST(FirstGrowth, IsWhenTheShownCountReachesTheInterval) {
    for (const Twin& twin : twins()) {
        LossScaler scaler({.preset = twin.preset, .growthInterval = 9});
        std::int64_t shown = 0;
        for (int step = 0; step < 200; ++step) {
            const ScaleChange change = scaler.update({.foundInf = step % 70 == 50});
            EXPECT_TRUE(change != ScaleChange::Grown || shown == 8) << twin.preset << ", step " << step;
            shown = scaler.cleanSteps();
            EXPECT_LT(shown, 9) << twin.preset;
        }
    }
}

/// log2 of the scale against its beginning, after each overflow of a pattern with one overflow in 501 steps.
std::vector<int> dropsOf(const char* preset) {
    LossScaler scaler({.preset = preset});
    const float first = scaler.scale();
    std::vector<int> drops;
    for (int step = 1; step <= 4 * 501; ++step) {
        const bool isBad = step % 501 == 0;
        scaler.update({.foundInf = isBad});
        if (isBad) drops.push_back(std::ilogb(scaler.scale()) - std::ilogb(first));
    }
    return drops;
}

TEST(Hysteresis, IsolatedOverflowsAreCountedUntilTheNextGrowth) {
    EXPECT_EQ(dropsOf("megatron"), (std::vector<int>{0, -1, -2, -3}));
    EXPECT_EQ(dropsOf("deepspeed"), (std::vector<int>{0, -1, -2, -3}));
    EXPECT_EQ(dropsOf("deepspeed-consecutive"), (std::vector<int>{0, 0, 0, 0}));
    EXPECT_EQ(dropsOf("pytorch"), (std::vector<int>{-1, -2, -3, -4}));
}

TEST(LogMaxScaler, FollowsTheFormulasOfItsSource) {
    std::mt19937 random(11);
    std::normal_distribution<double> normal(4, 2);
    LossScaler scaler({.preset = "logmax", .minScale = 1e-30, .maxScale = 1e30});
    framework::LogMax reference;
    for (int step = 0; step < 5000; ++step) {
        const auto absMax = static_cast<float>(std::exp2(normal(random)));
        scaler.update({.absMax = absMax});
        const double expected = reference.log2OfProposal(false, static_cast<double>(absMax));
        // x^2 is about 20; its running mean over 1000 steps carries at most 1000 roundings of 2^-24, and a deviation of 2 halves twice
        // what the difference of squares is off by. The first step's deviation is the root of that alone.
        const double limit = step == 0 ? 3.09 * std::sqrt(20 * 4 * 0x1p-24) : 3.09 * 20 * 1000 * 0x1p-24 / 2;
        ASSERT_NEAR(std::log2(static_cast<double>(scaler.scale())), expected, limit) << step;
    }
}

TEST(LogMaxScaler, StaysWithinItsBoundsAndOneOverflowPinsIt) {
    LossScaler scaler({.preset = "logmax"});
    EXPECT_EQ(scaler.scale(), 1.0f);
    scaler.update({.absMax = 0x1p-20f});
    EXPECT_EQ(scaler.scale(), 0x1p24f);  // 2^36 proposed
    scaler.update({.absMax = 0x1p30f});
    scaler.update({.foundInf = true, .absMax = std::nanf("")});
    for (int step = 0; step < 300; ++step) {
        scaler.update({.absMax = 1});
        ASSERT_EQ(scaler.scale(), 1.0f) << "x was 2^16 where 16 must have been meant";
    }
}

TEST(LogMaxScaler, AStepWithoutAnyGradientEndsInNan) {
    LossScaler scaler({.preset = "logmax"});
    scaler.update({.absMax = 0});
    EXPECT_TRUE(std::isnan(scaler.scale()));
    scaler.update({.absMax = 1});
    EXPECT_TRUE(std::isnan(scaler.scale()));
}

}  // namespace
}  // namespace mantissa
