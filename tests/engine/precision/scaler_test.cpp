// SPDX-License-Identifier: Apache-2.0
#include "engine/precision/scaler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "kernels/backend.h"

namespace mantissa {
namespace {

LossScaler pytorch(double initScale = 65536, std::int64_t interval = 2000) {
    return LossScaler({.preset = "pytorch", .initScale = initScale, .growthInterval = interval});
}

TEST(PyTorchScaler, FactorsThatAreNoPowersOfTwoAreRoundedToFp32EachTime) {
    LossScaler scaler({.preset = "pytorch", .initScale = 1000.1, .growthFactor = 1.7, .backoffFactor = 0.2, .growthInterval = 3});
    float expected = 1000.1f;
    for (int step = 0; step < 5000; ++step) {
        const int place = step % 11;  // one overflow, then ten clean steps with three growths
        scaler.update({.foundInf = place == 0});
        const double factor = place == 0 ? 0.2 : place % 3 == 0 ? 1.7 : 1;
        expected = static_cast<float>(static_cast<double>(expected) * factor);
        ASSERT_EQ(scaler.scale(), expected) << step;
    }
}

TEST(PyTorchScaler, GrowsAfterExactlyTheIntervalOfCleanSteps) {
    LossScaler scaler = pytorch();
    for (int step = 1; step <= 1999; ++step) EXPECT_EQ(scaler.update({}), ScaleChange::Kept);
    EXPECT_EQ(scaler.update({}), ScaleChange::Grown);
    EXPECT_EQ(scaler.scale(), 131072.0f);
    EXPECT_EQ(scaler.update({.foundInf = true}), ScaleChange::BackedOff);
    EXPECT_EQ(scaler.cleanSteps(), 0);
    for (int step = 1; step <= 1999; ++step) EXPECT_EQ(scaler.update({}), ScaleChange::Kept);
    EXPECT_EQ(scaler.update({}), ScaleChange::Grown);
}

TEST(PyTorchScaler, HasNoFloorAndZeroIsAbsorbing) {
    LossScaler scaler = pytorch();
    for (int i = 0; i < 165; ++i) scaler.update({.foundInf = true});
    EXPECT_EQ(scaler.scale(), std::ldexp(1.0f, -149));
    scaler.update({.foundInf = true});
    EXPECT_EQ(scaler.scale(), 0.0f);
    for (int i = 0; i < 2000; ++i) scaler.update({});
    EXPECT_EQ(scaler.scale(), 0.0f);
}

TEST(PyTorchScaler, GrowthStopsBelowInfinityAndResetsTheTracker) {
    LossScaler scaler = pytorch(std::ldexp(1.0, 127), 10);
    for (int i = 0; i < 9; ++i) scaler.update({});
    EXPECT_EQ(scaler.update({}), ScaleChange::Kept);
    EXPECT_EQ(scaler.scale(), std::ldexp(1.0f, 127));
    EXPECT_EQ(scaler.cleanSteps(), 0);
}

TEST(PyTorchScaler, TheReciprocalOverflowsFrom2ToTheMinus128Down) {
    EXPECT_TRUE(std::isfinite(pytorch(std::ldexp(1.0, -127)).inverseScale()));
    EXPECT_TRUE(std::isinf(pytorch(std::ldexp(1.0, -128)).inverseScale()));
    EXPECT_EQ(pytorch(3).inverseScale(), static_cast<float>(1.0 / 3.0));
}

TEST(PyTorchScaler, ATrackerPastALoweredIntervalNeverGrows) {
    LossScaler scaler = pytorch(1, 100);
    for (int i = 0; i < 50; ++i) scaler.update({});
    scaler.reconfigure({.preset = "pytorch", .initScale = 1, .growthInterval = 20});
    for (int i = 0; i < 500; ++i) EXPECT_NE(scaler.update({}), ScaleChange::Grown);
    scaler.update({.foundInf = true});
    for (int i = 0; i < 19; ++i) scaler.update({});
    EXPECT_EQ(scaler.update({}), ScaleChange::Grown);
}

TEST(Scaler, ACountPastALoweredIntervalIsEachFrameworksOwnAffair) {
    /// Clean steps to the next growth when the interval falls from 100 to 20 after 50 of them; -1: none in 500.
    const auto stepsToGrow = [](const std::string& preset) {
        LossScaler scaler({.preset = preset, .initScale = 1, .growthInterval = 100});
        for (int i = 0; i < 50; ++i) scaler.update({});
        scaler.reconfigure({.preset = preset, .initScale = 1, .growthInterval = 20});
        for (int step = 1; step <= 500; ++step) {
            if (scaler.update({}) == ScaleChange::Grown) return step;
        }
        return -1;
    };
    for (const char* preset : {"pytorch", "keras3", "apex", "megatron", "flax"}) EXPECT_EQ(stepsToGrow(preset), -1) << preset;
    EXPECT_EQ(stepsToGrow("tf-keras"), 1);
    EXPECT_EQ(stepsToGrow("jmp"), 10);        // its count goes on as 51 mod 20
    EXPECT_EQ(stepsToGrow("fairseq"), 10);    // at 60
    EXPECT_EQ(stepsToGrow("deepspeed"), 11);  // at 61
}

TEST(Scaler, AScaleSetByHandKeepsTheTrackerAndIsFp32) {
    LossScaler scaler = pytorch();
    for (int i = 0; i < 7; ++i) scaler.update({});
    scaler.setScale(std::ldexp(1.0, 24) + 1);
    EXPECT_EQ(scaler.scale(), std::ldexp(1.0f, 24));
    EXPECT_EQ(scaler.cleanSteps(), 7);
    scaler.setScale(1e300);
    EXPECT_TRUE(std::isinf(scaler.scale()));
}

TEST(Scaler, AScaleSetByHandIsAPythonFloatWhereTheFrameworkHasOne) {
    LossScaler scaler({.preset = "deepspeed"});
    scaler.setScale(1e300);
    EXPECT_TRUE(std::isinf(scaler.scale()));
    EXPECT_EQ(scaler.rulesState().scale, 1e300);
}

TEST(Scaler, APythonFloatGoesOnBeyondFp32AndComesBack) {
    for (const char* preset : {"apex", "deepspeed", "deepspeed-consecutive", "fairseq"}) {
        LossScaler scaler({.preset = preset, .initScale = 0x1p127, .growthInterval = 1, .maxScale = 1e300});
        for (int i = 0; i < 4; ++i) scaler.update({});
        EXPECT_TRUE(std::isinf(scaler.scale())) << preset;
        EXPECT_GT(scaler.inverseScale(), 0) << preset;
        LossScaler other({.preset = preset, .maxScale = 1e300});
        other.restore(scaler.state());
        for (int i = 0; i < 6; ++i) other.update({.foundInf = true});
        EXPECT_TRUE(std::isfinite(other.scale())) << preset;
    }
    LossScaler megatron({.preset = "megatron", .initScale = 0x1p127, .growthInterval = 1});
    megatron.update({});
    for (int i = 0; i < 10; ++i) megatron.update({.foundInf = true});
    EXPECT_TRUE(std::isinf(megatron.scale()));
}

TEST(Scaler, ADivisorIsTheGrowthFactorWhereTheBackoffFactorIsItsReciprocal) {
    const auto divisorOf = [](const char* preset, double growth, double backoff) {
        return resolvedScaler({.preset = preset, .growthFactor = growth, .backoffFactor = backoff}).backoffDivisor();
    };
    ASSERT_NE(1 / (1 / 49.0), 49.0);
    for (const char* preset : {"tf-keras", "apex", "deepspeed", "deepspeed-consecutive", "fairseq", "jmp"}) {
        EXPECT_EQ(divisorOf(preset, 49, 1 / 49.0), 49) << preset;
        EXPECT_EQ(divisorOf(preset, 2, 0.3), 1 / 0.3) << preset;
    }
    for (const char* preset : {"pytorch", "keras3", "megatron", "flax"}) EXPECT_EQ(divisorOf(preset, 2, 0.5), 0) << preset;
}

TEST(PyTorchScaler, TakesABackoffFactorOfZeroOrLess) {
    LossScaler zero({.preset = "pytorch", .backoffFactor = 0, .growthInterval = 1});
    EXPECT_EQ(zero.update({.foundInf = true}), ScaleChange::BackedOff);
    EXPECT_EQ(zero.scale(), 0.0f);
    EXPECT_TRUE(std::isinf(zero.inverseScale()));
    EXPECT_EQ(zero.update({}), ScaleChange::Kept);

    LossScaler negative({.preset = "pytorch", .backoffFactor = -0.5, .growthInterval = 1});
    EXPECT_EQ(negative.update({.foundInf = true}), ScaleChange::BackedOff);
    EXPECT_EQ(negative.scale(), -32768.0f);
    EXPECT_EQ(negative.inverseScale(), -0x1p-15f);
    EXPECT_EQ(negative.update({}), ScaleChange::Grown);
    EXPECT_EQ(negative.scale(), -65536.0f);
    for (int i = 0; i < 200; ++i) negative.update({});
    EXPECT_EQ(negative.scale(), -0x1p127f);
}

TEST(Scaler, StaticNeverMovesAndSkips) {
    LossScaler scaler({.preset = "static", .initScale = 1024});
    EXPECT_TRUE(scaler.skipsOnFoundInf());
    for (int i = 0; i < 5000; ++i) scaler.update({.foundInf = i % 2 == 0});
    EXPECT_EQ(scaler.scale(), 1024.0f);
}

TEST(Scaler, NoneNeverSkips) {
    LossScaler scaler({.preset = "none"});
    EXPECT_FALSE(scaler.skipsOnFoundInf());
    scaler.update({.foundInf = true});
    EXPECT_EQ(scaler.scale(), 1.0f);
    EXPECT_EQ(scaler.inverseScale(), 1.0f);
}

TEST(Scaler, AnotherPresetStartsFromItsOwnScale) {
    LossScaler scaler = pytorch(1024);
    scaler.update({.foundInf = true});
    scaler.reconfigure({.preset = "static", .initScale = 8});
    EXPECT_EQ(scaler.scale(), 8.0f);
    scaler.reconfigure({.preset = "pytorch"});
    EXPECT_EQ(scaler.scale(), 65536.0f);
}

TEST(Scaler, AFixedScaleFollowsItsInitialScaleADynamicOneDoesNot) {
    LossScaler fixed({.preset = "static", .initScale = 8});
    fixed.reconfigure({.preset = "static", .initScale = 16});
    EXPECT_EQ(fixed.scale(), 16.0f);
    fixed.setScale(4);
    fixed.reconfigure({.preset = "static", .initScale = 16});
    EXPECT_EQ(fixed.scale(), 4.0f) << "nothing was said about it";
    fixed.reconfigure({.preset = "static"});
    EXPECT_EQ(fixed.scale(), 65536.0f);

    LossScaler dynamic = pytorch(1024, 10);
    for (int i = 0; i < 9; ++i) dynamic.update({});
    dynamic.reconfigure({.preset = "pytorch", .initScale = 4, .backoffFactor = 0.25, .growthInterval = 10});
    EXPECT_EQ(dynamic.scale(), 1024.0f);
    EXPECT_EQ(dynamic.update({}), ScaleChange::Grown) << "the count went on";
    dynamic.update({.foundInf = true});
    EXPECT_EQ(dynamic.scale(), 512.0f);
}

TEST(Scaler, AnotherPresetBeginsAgain) {
    LossScaler scaler({.preset = "deepspeed", .initScale = 1, .hysteresis = 1});
    scaler.update({.foundInf = true});
    EXPECT_TRUE(scaler.stopReason());
    scaler.reconfigure({.preset = "megatron", .initScale = 4, .growthInterval = 2});
    EXPECT_FALSE(scaler.stopReason());
    scaler.update({.foundInf = true});
    EXPECT_EQ(scaler.scale(), 4.0f) << "the first overflow is let pass";
    scaler.update({.foundInf = true});
    EXPECT_EQ(scaler.scale(), 2.0f);
}

TEST(Floor, IsWhereEachFrameworkHasIt) {
    const auto lowest = [](ScalerSettings settings) {
        settings.initScale = 8;
        LossScaler scaler(settings);
        for (int i = 0; i < 400 && !scaler.stopReason(); ++i) scaler.update({.foundInf = true});
        return scaler.scale();
    };
    for (const char* preset : {"tf-keras", "jmp", "megatron", "deepspeed", "deepspeed-consecutive"})
        EXPECT_EQ(lowest({.preset = preset}), 1) << preset;
    for (const char* preset : {"pytorch", "keras3", "apex"}) EXPECT_EQ(lowest({.preset = preset}), 0) << preset;
    EXPECT_EQ(lowest({.preset = "flax"}), 0x1p-126f);
    EXPECT_EQ(lowest({.preset = "fairseq"}), 0x1p-13f) << "the scale before the one of 0.0001 or less";
    EXPECT_EQ(lowest({.preset = "pytorch", .minScale = 3}), 3);
    EXPECT_EQ(lowest({.preset = "flax", .minScale = 0.5}), 0.5f);
}

TEST(Floor, DeepSpeedAndFairseqEndTheRun) {
    const auto stepsToTheEnd = [](const ScalerSettings& settings) {
        LossScaler scaler(settings);
        for (int step = 1; step <= 400; ++step) {
            scaler.update({.foundInf = true});
            if (scaler.stopReason()) return step;
        }
        return -1;
    };
    EXPECT_EQ(stepsToTheEnd({.preset = "deepspeed"}), 18);  // one let pass, 16 halvings, and one more at 1
    EXPECT_EQ(stepsToTheEnd({.preset = "deepspeed", .hysteresis = 1}), 17);
    EXPECT_EQ(stepsToTheEnd({.preset = "deepspeed-consecutive"}), 18);
    EXPECT_EQ(stepsToTheEnd({.preset = "deepspeed", .minScale = 0.25}), 20);
    EXPECT_EQ(stepsToTheEnd({.preset = "fairseq"}), 21);                    // 20 halvings from 2^7 to 2^-13
    EXPECT_EQ(stepsToTheEnd({.preset = "fairseq", .minScale = 0.01}), -1);  // a threshold above 0.0001 keeps it going
    for (const char* preset : {"pytorch", "keras3", "tf-keras", "apex", "megatron", "jmp", "flax", "logmax", "static", "none"})
        EXPECT_EQ(stepsToTheEnd({.preset = preset}), -1) << preset;
    LossScaler scaler({.preset = "deepspeed", .initScale = 1, .hysteresis = 1});
    scaler.update({.foundInf = true});
    EXPECT_EQ(scaler.stopReason(), "a step overflowed at the smallest loss scale, 1, where deepspeed stops");
}

TEST(Ceiling, IsWhereEachFrameworkHasIt) {
    const auto highest = [](ScalerSettings settings) {
        settings.growthInterval = 1;
        LossScaler scaler(settings);
        for (int i = 0; i < 300; ++i) scaler.update({});
        return scaler.scale();
    };
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    for (const char* preset : {"pytorch", "tf-keras", "jmp"}) EXPECT_EQ(highest({.preset = preset}), 0x1p127f) << preset;
    for (const char* preset : {"keras3", "megatron", "deepspeed", "fairseq"}) EXPECT_EQ(highest({.preset = preset}), kInfinity) << preset;
    EXPECT_EQ(highest({.preset = "apex"}), 0x1p24f);
    EXPECT_EQ(highest({.preset = "flax"}), std::numeric_limits<float>::max());
    EXPECT_EQ(highest({.preset = "pytorch", .maxScale = 1e6}), 1e6f);
    EXPECT_EQ(LossScaler({.preset = "apex", .initScale = 0x1p30}).scale(), 0x1p24f) << "the first scale, too";
}

TEST(Scaler, EachPresetTakesTheKeysThatItHas) {
    const std::set<std::string_view> withHysteresis{"megatron", "deepspeed", "deepspeed-consecutive"};
    for (const ScalerPreset& preset : scalerPresets()) {
        const bool backsOff = preset.kind == ScalerKind::Backoff;
        EXPECT_EQ(preset.takes("init_scale"), preset.name != "none") << preset.name;
        for (const char* key : {"growth_factor", "backoff_factor", "growth_interval"})
            EXPECT_EQ(preset.takes(key), backsOff) << preset.name;
        for (const char* key : {"min_scale", "max_scale"}) EXPECT_EQ(preset.takes(key), preset.isDynamic()) << preset.name;
        EXPECT_EQ(preset.takes("hysteresis"), withHysteresis.contains(preset.name)) << preset.name;
        EXPECT_FALSE(checkScaler({.preset = std::string(preset.name)})) << preset.name;
        EXPECT_TRUE(preset.summary.ends_with(".")) << preset.name;
    }
    EXPECT_EQ(scalerPresets().size(), 13u);
}

TEST(Scaler, UnsoundSettingsAreNamedByKey) {
    const auto keyOf = [](ScalerSettings settings) {
        const auto problem = checkScaler(settings);
        return problem ? problem->key : std::string();
    };
    EXPECT_EQ(keyOf({.preset = "pytorhc"}), "preset");
    EXPECT_EQ(keyOf({.preset = "pytorch", .initScale = 0}), "init_scale");
    EXPECT_EQ(keyOf({.preset = "pytorch", .initScale = -1}), "init_scale");
    EXPECT_EQ(keyOf({.preset = "pytorch", .initScale = std::nan("")}), "init_scale");
    EXPECT_EQ(keyOf({.preset = "pytorch", .initScale = HUGE_VAL}), "init_scale");
    EXPECT_EQ(keyOf({.preset = "pytorch", .growthFactor = 1}), "growth_factor");
    EXPECT_EQ(keyOf({.preset = "pytorch", .growthFactor = std::nan("")}), "growth_factor");
    EXPECT_EQ(keyOf({.preset = "pytorch", .backoffFactor = std::nan("")}), "backoff_factor");
    EXPECT_EQ(keyOf({.preset = "pytorch", .backoffFactor = 1}), "backoff_factor");
    EXPECT_EQ(keyOf({.preset = "pytorch", .backoffFactor = -HUGE_VAL}), "backoff_factor");
    for (const ScalerPreset& preset : scalerPresets()) {
        if (!preset.takes("backoff_factor")) continue;
        const bool takesAny = preset.name == "pytorch" || preset.name == "flax";
        for (const double factor : {0.0, -0.5})
            EXPECT_EQ(keyOf({.preset = std::string(preset.name), .backoffFactor = factor}), takesAny ? "" : "backoff_factor")
                << preset.name;
    }
    EXPECT_EQ(keyOf({.preset = "pytorch", .growthInterval = 0}), "growth_interval");
    EXPECT_EQ(keyOf({.preset = "static", .growthInterval = 5}), "growth_interval");
    EXPECT_EQ(keyOf({.preset = "none", .initScale = 5}), "init_scale");
    EXPECT_EQ(keyOf({.preset = "logmax", .growthFactor = 2}), "growth_factor");
    EXPECT_EQ(keyOf({.preset = "pytorch", .hysteresis = 2}), "hysteresis");
    EXPECT_EQ(keyOf({.preset = "megatron", .hysteresis = 0}), "hysteresis");
    EXPECT_EQ(keyOf({.preset = "megatron", .minScale = 0}), "min_scale");
    EXPECT_EQ(keyOf({.preset = "megatron", .maxScale = HUGE_VAL}), "max_scale");
    EXPECT_EQ(keyOf({.preset = "megatron", .minScale = 4, .maxScale = 2}), "min_scale");
    EXPECT_EQ(keyOf({.preset = "megatron", .maxScale = 0.5}), "max_scale");
    EXPECT_EQ(keyOf({.preset = "megatron", .minScale = 2, .maxScale = 2, .hysteresis = 3}), "");
    EXPECT_EQ(keyOf({.preset = "pytorch", .initScale = 1, .growthFactor = 1.5, .backoffFactor = 0.25, .growthInterval = 1}), "");
}

TEST(OverflowTests, AreThoseOfTheFrameworks) {
    for (const ScalerPreset& preset : scalerPresets()) {
        const std::string_view name = preset.name;
        const OverflowTest expected = name.starts_with("deepspeed")                           ? OverflowTest::Sums
                                      : name == "fairseq"                                     ? OverflowTest::Norm
                                      : name == "tf-keras" || name == "flax" || name == "jmp" ? OverflowTest::UnscaledElements
                                                                                              : OverflowTest::Elements;
        EXPECT_EQ(preset.overflowTest, expected) << name;
    }
}

}  // namespace
}  // namespace mantissa
