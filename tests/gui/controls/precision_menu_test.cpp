// SPDX-License-Identifier: Apache-2.0
// The menu of a run's precision, answered by a real engine.
#include "gui/controls/precision_menu.h"

#include <gtest/gtest.h>

#include <QMenu>

#include "tests/gui/support/live_session.h"

namespace mantissa::gui {
namespace {

QAction* entry(const QMenu& menu, const QString& text) {
    for (QAction* action : menu.actions()) {
        if (action->text() == text) return action;
        if (QAction* inside = action->menu() ? entry(*action->menu(), text) : nullptr) return inside;
    }
    return nullptr;
}

struct LiveMenu : LiveSession {
    std::string detail() { return precisionDetail(run().info.settings.training.precision); }
    RunState& run() { return *session.run(session.runs()[0]->id); }
    /// Opens the menu anew and takes an entry; false when it has none of that name or the engine refuses.
    bool take(const QString& text) {
        QMenu menu;
        fillPrecisionMenu(&menu, &session, &engine, run().id);
        QAction* action = entry(menu, text);
        if (!action) return false;
        action->trigger();
        if (!settles()) return false;
        engine.send(SingleStep{});
        return reaches(++steps);
    }
    bool isTicked(const QString& text) {
        QMenu menu;
        fillPrecisionMenu(&menu, &session, &engine, run().id);
        const QAction* action = entry(menu, text);
        return action && action->isChecked();
    }
    std::int64_t steps = 0;
};

TEST(PrecisionMenu, WhatASubmenuChangesLeavesTheRestAsItIs) {
    LiveMenu live;
    ASSERT_TRUE(live.begin());
    ASSERT_TRUE(live.take(QStringLiteral("FP8")));
    EXPECT_EQ(live.run().info.policy, "fp8");
    EXPECT_EQ(live.detail(), "delayed scaling");
    EXPECT_TRUE(live.isTicked(QStringLiteral("Past steps (delayed)")));
    ASSERT_TRUE(live.take(QStringLiteral("The tensor itself (current)")));
    ASSERT_TRUE(live.take(QStringLiteral("Hopper's tensor cores, promoted each 128")));
    const PrecisionSettings& precision = live.run().info.settings.training.precision;
    EXPECT_EQ(precision.fp8.scaling, "current");
    EXPECT_EQ(precision.products.accumulator, Accumulator::Hopper);
    EXPECT_EQ(precision.products.promoteEvery, 128);
    EXPECT_EQ(live.session.markers().back().to, QString::fromStdString(settingText(live.run().info.settings, "/precision")));
}

TEST(PrecisionMenu, OffersWhatAPolicyHas) {
    LiveMenu live;
    ASSERT_TRUE(live.begin());
    QMenu fp32;
    fillPrecisionMenu(&fp32, &live.session, &live.engine, live.run().id);
    EXPECT_EQ(entry(fp32, QStringLiteral("With Kahan's summation")), nullptr);
    EXPECT_EQ(entry(fp32, QStringLiteral("To nearest even (cuBLAS)")), nullptr);
    ASSERT_TRUE(live.take(QStringLiteral("TF32")));
    ASSERT_TRUE(live.take(QStringLiteral("Toward zero (raw tensor core)")));
    EXPECT_EQ(live.detail(), "inputs truncated");
    ASSERT_TRUE(live.take(QStringLiteral("pure BF16")));
    EXPECT_EQ(live.detail(), "") << "tf32's rounding is none of bf16's";
    ASSERT_TRUE(live.take(QStringLiteral("With Kahan's summation")));
    EXPECT_EQ(live.run().info.settings.training.precision.weightUpdate, WeightUpdate::Kahan);
    EXPECT_TRUE(live.isTicked(QStringLiteral("With Kahan's summation")));
    EXPECT_FALSE(live.isTicked(QStringLiteral("Rounded to nearest even")));
}

TEST(PrecisionMenu, ABlockPolicysIngredientsAreSwitches) {
    LiveMenu live;
    ASSERT_TRUE(live.begin());
    ASSERT_TRUE(live.take(QStringLiteral("NVFP4")));
    EXPECT_EQ(live.run().info.policy, "nvfp4");
    EXPECT_EQ(live.detail(), "");
    const QString rotation = QStringLiteral("Random Hadamard transform for weight gradients");
    EXPECT_TRUE(live.isTicked(rotation));
    ASSERT_TRUE(live.take(rotation));
    EXPECT_EQ(live.detail(), "no Hadamard transform");
    EXPECT_FALSE(live.isTicked(rotation));
    ASSERT_TRUE(live.take(rotation));
    EXPECT_EQ(live.detail(), "") << "the policy's own value is no setting";
    ASSERT_TRUE(live.take(QStringLiteral("Forward products in BF16")));
    EXPECT_EQ(live.detail(), "linear forward BF16");
    ASSERT_TRUE(live.take(QStringLiteral("Forward products in BF16")));
    ASSERT_TRUE(live.take(QStringLiteral("MXFP8")));
    EXPECT_TRUE(live.isTicked(QStringLiteral("E4M3")));
    ASSERT_TRUE(live.take(QStringLiteral("E5M2")));
    ASSERT_TRUE(live.take(QStringLiteral("Rounded down (OCP)")));
    EXPECT_EQ(live.detail(), "scales floor, gradients e5m2");
    ASSERT_TRUE(live.take(QStringLiteral("block FP8")));
    EXPECT_EQ(live.detail(), "") << "a recipe's switches are those of its policy";
    EXPECT_TRUE(live.isTicked(QStringLiteral("Powers of two (Transformer Engine)")));
    ASSERT_TRUE(live.take(QStringLiteral("FP32 numbers")));
    EXPECT_EQ(live.detail(), "scales fp32");
    const QString requantisation = QStringLiteral("Input of weight gradients requantised from its rows");
    ASSERT_TRUE(live.take(requantisation));
    EXPECT_EQ(live.detail(), "scales fp32, requantised input");
    ASSERT_TRUE(live.take(QStringLiteral("Powers of two (Transformer Engine)")));
    ASSERT_TRUE(live.take(requantisation));
    EXPECT_EQ(live.detail(), "");
    ASSERT_TRUE(live.take(QStringLiteral("NVFP4")));
    EXPECT_FALSE(live.take(requantisation)) << "its rows have a factor of the whole tensor";
}

}  // namespace
}  // namespace mantissa::gui
