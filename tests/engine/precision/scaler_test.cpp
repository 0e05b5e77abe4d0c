// SPDX-License-Identifier: Apache-2.0
#include "engine/precision/scaler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <random>

namespace mantissa {
namespace {

LossScaler pytorch(double initScale = 65536, std::int64_t interval = 2000) {
    return LossScaler({.preset = "pytorch", .initScale = initScale, .growthInterval = interval});
}

/// GradScaler's update rule written a second time, on a pair of values as the kernel has them.
struct PyTorchReference {
    float scale = 65536.0f;
    int tracker = 0;
    int interval = 2000;
    double growth = 2.0, backoff = 0.5;
    void update(bool foundInf) {
        if (foundInf) {
            scale = static_cast<float>(static_cast<double>(scale) * backoff);
            tracker = 0;
        } else if (tracker + 1 == interval) {
            const auto grown = static_cast<float>(static_cast<double>(scale) * growth);
            if (std::isfinite(grown)) scale = grown;
            tracker = 0;
        } else {
            ++tracker;
        }
    }
};

TEST(PyTorchScaler, FollowsTheReferenceOnEveryPattern) {
    std::mt19937 random(3);
    const std::vector<std::function<bool(int)>> patterns{
        [&](int) { return random() % 50 == 0; },
        [&](int) { return random() % 3 == 0; },
        [](int step) { return step % 500 < 12; },  // bursts
        [](int) { return false; },
        [](int step) { return step < 400; },
    };
    for (const int interval : {1, 7, 200, 2000}) {
        for (const auto& foundInf : patterns) {
            LossScaler scaler = pytorch(65536, interval);
            PyTorchReference reference{.interval = interval};
            for (int step = 0; step < 5000; ++step) {
                const bool bad = foundInf(step);
                scaler.update(bad);
                reference.update(bad);
                const float scale = scaler.scale();
                ASSERT_EQ(std::memcmp(&scale, &reference.scale, sizeof scale), 0) << "interval " << interval << ", step " << step;
            }
        }
    }
}

TEST(PyTorchScaler, FactorsThatAreNoPowersOfTwoAreRoundedToFp32EachTime) {
    LossScaler scaler({.preset = "pytorch", .initScale = 1000.1, .growthFactor = 1.7, .backoffFactor = 0.3, .growthInterval = 3});
    PyTorchReference reference{.scale = 1000.1f, .interval = 3, .growth = 1.7, .backoff = 0.3};
    for (int step = 0; step < 5000; ++step) {
        scaler.update(step % 11 == 0);
        reference.update(step % 11 == 0);
        const float scale = scaler.scale();
        ASSERT_EQ(std::memcmp(&scale, &reference.scale, sizeof scale), 0) << step;
    }
}

TEST(PyTorchScaler, GrowsAfterExactlyTheIntervalOfCleanSteps) {
    LossScaler scaler = pytorch();
    for (int step = 1; step <= 1999; ++step) EXPECT_EQ(scaler.update(false), ScaleChange::Kept);
    EXPECT_EQ(scaler.update(false), ScaleChange::Grown);
    EXPECT_EQ(scaler.scale(), 131072.0f);
    EXPECT_EQ(scaler.update(true), ScaleChange::BackedOff);
    EXPECT_EQ(scaler.cleanSteps(), 0);
    for (int step = 1; step <= 1999; ++step) EXPECT_EQ(scaler.update(false), ScaleChange::Kept);
    EXPECT_EQ(scaler.update(false), ScaleChange::Grown);
}

TEST(PyTorchScaler, HasNoFloorAndZeroIsAbsorbing) {
    LossScaler scaler = pytorch();
    for (int i = 0; i < 165; ++i) scaler.update(true);
    EXPECT_EQ(scaler.scale(), std::ldexp(1.0f, -149));
    scaler.update(true);
    EXPECT_EQ(scaler.scale(), 0.0f);
    for (int i = 0; i < 2000; ++i) scaler.update(false);
    EXPECT_EQ(scaler.scale(), 0.0f);
}

TEST(PyTorchScaler, GrowthStopsBelowInfinityAndResetsTheTracker) {
    LossScaler scaler = pytorch(std::ldexp(1.0, 127), 10);
    for (int i = 0; i < 9; ++i) scaler.update(false);
    EXPECT_EQ(scaler.update(false), ScaleChange::Kept);
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
    for (int i = 0; i < 50; ++i) scaler.update(false);
    scaler.reconfigure({.preset = "pytorch", .initScale = 1, .growthInterval = 20});
    for (int i = 0; i < 500; ++i) EXPECT_NE(scaler.update(false), ScaleChange::Grown);
    scaler.update(true);
    for (int i = 0; i < 19; ++i) scaler.update(false);
    EXPECT_EQ(scaler.update(false), ScaleChange::Grown);
}

TEST(Scaler, AScaleSetByHandKeepsTheTrackerAndIsFp32) {
    LossScaler scaler = pytorch();
    for (int i = 0; i < 7; ++i) scaler.update(false);
    scaler.setScale(std::ldexp(1.0, 24) + 1);
    EXPECT_EQ(scaler.scale(), std::ldexp(1.0f, 24));
    EXPECT_EQ(scaler.cleanSteps(), 7);
    scaler.setScale(1e300);
    EXPECT_TRUE(std::isinf(scaler.scale()));
}

TEST(Scaler, StaticNeverMovesAndSkips) {
    LossScaler scaler({.preset = "static", .initScale = 1024});
    EXPECT_TRUE(scaler.skipsOnFoundInf());
    for (int i = 0; i < 5000; ++i) scaler.update(i % 2 == 0);
    EXPECT_EQ(scaler.scale(), 1024.0f);
}

TEST(Scaler, NoneNeverSkips) {
    LossScaler scaler({.preset = "none"});
    EXPECT_FALSE(scaler.skipsOnFoundInf());
    scaler.update(true);
    EXPECT_EQ(scaler.scale(), 1.0f);
    EXPECT_EQ(scaler.inverseScale(), 1.0f);
}

TEST(Scaler, AnotherPresetStartsFromItsOwnScale) {
    LossScaler scaler = pytorch(1024);
    scaler.update(true);
    scaler.reconfigure({.preset = "static", .initScale = 8});
    EXPECT_EQ(scaler.scale(), 8.0f);
    scaler.reconfigure({.preset = "pytorch"});
    EXPECT_EQ(scaler.scale(), 65536.0f);
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
    EXPECT_EQ(keyOf({.preset = "pytorch", .backoffFactor = 0}), "backoff_factor");
    EXPECT_EQ(keyOf({.preset = "pytorch", .growthInterval = 0}), "growth_interval");
    EXPECT_EQ(keyOf({.preset = "static", .growthInterval = 5}), "growth_interval");
    EXPECT_EQ(keyOf({.preset = "none", .initScale = 5}), "init_scale");
    EXPECT_EQ(keyOf({.preset = "pytorch", .initScale = 1, .growthFactor = 1.5, .backoffFactor = 0.25, .growthInterval = 1}), "");
}

}  // namespace
}  // namespace mantissa
