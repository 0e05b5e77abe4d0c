// SPDX-License-Identifier: Apache-2.0
#include "gui/plots/plots_meter.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace mantissa::gui {
namespace {

TEST(PlotsMeter, SaysWhatFramesAndMemoryCost) {
    const auto figures = nlohmann::json::parse(measurePlots(20'000, 1).toStdString());
    EXPECT_EQ(figures["series"], 16);
    EXPECT_EQ(figures["points"], 20'000);
    EXPECT_GT(figures["frame_ms"]["median"], 0);
    ASSERT_EQ(figures["views"].size(), 4u);
    EXPECT_EQ(figures["views"][0]["steps"], 20'000);
    EXPECT_EQ(figures["views"][3]["steps"], 20);
    for (const auto& view : figures["views"]) {
        EXPECT_GT(view["ratio"], 0);
        EXPECT_GE(view["rival_ms"]["p99"], view["rival_ms"]["median"]);
    }
    // Twenty times below what it is: that alone is noticed, but no machine is too busy for it.
    EXPECT_GT(figures["views"][0]["ratio"], 0.5) << "the loops over pixels are not optimized";
    EXPECT_GT(figures["bytes_per_scalar"], 16) << "a value and its smoothed one";
    EXPECT_LT(figures["bytes_per_scalar"], 24);
}

}  // namespace
}  // namespace mantissa::gui
