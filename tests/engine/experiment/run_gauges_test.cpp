// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/run_gauges.h"

#include <gtest/gtest.h>

#include "kernels/operations.h"

namespace mantissa {
namespace {

const Gauge* gaugeAmong(const std::vector<Gauge>& gauges, GaugeKind kind) {
    for (const Gauge& gauge : gauges) {
        if (gauge.kind == kind) return &gauge;
    }
    return nullptr;
}

TEST(RunGauges, AreThoseOfTheRunsSettings) {
    RunInfo info;
    info.policy = "fp32";
    auto gauges = runGauges(info, nullptr, nullptr);
    ASSERT_EQ(gauges.size(), 3u);  // Adam's epsilon, TF32, and Adam's beta2
    for (const Gauge& gauge : gauges) EXPECT_EQ(gauge.severity, Severity::Good) << gauge.sentence.english();

    info.layers = {{"a", "linear", "tf32", 1, 1}, {"a", "linear", "tf32", 1, 1}, {"b", "linear", "fp32", 1, 1}};
    gauges = runGauges(info, nullptr, nullptr);
    EXPECT_EQ(gaugeAmong(gauges, GaugeKind::Tf32ForIeee)->value, 1) << "one layer, however many of its operations";

    info.policy = "pure-fp16";
    gauges = runGauges(info, nullptr, nullptr);
    EXPECT_EQ(gaugeAmong(gauges, GaugeKind::Tf32ForIeee), nullptr);
    EXPECT_EQ(gaugeAmong(gauges, GaugeKind::FlushedEpsilon)->severity, Severity::Note) << "1e-8 in fp16";
    info.policy = "pure-bf16";
    gauges = runGauges(info, nullptr, nullptr);
    EXPECT_EQ(gaugeAmong(gauges, GaugeKind::FlushedEpsilon)->severity, Severity::Good);
    EXPECT_EQ(gaugeAmong(gauges, GaugeKind::LostDecay)->severity, Severity::Note) << "0.999 in bf16";
    info.settings.training.optimizer.beta2 = 0.99;
    gauges = runGauges(info, nullptr, nullptr);
    EXPECT_EQ(gaugeAmong(gauges, GaugeKind::LostDecay)->severity, Severity::Good);
    info.policy = "bf16";
    info.settings.training.optimizer = {.kind = "muon", .stateDtype = "bf16"};
    gauges = runGauges(info, nullptr, nullptr);
    EXPECT_EQ(gaugeAmong(gauges, GaugeKind::LostDecay)->severity, Severity::Note) << "the moments have a format of their own";
    info.policy = "pure-bf16";
    info.settings.training.optimizer.kind = "sgd";
    EXPECT_TRUE(runGauges(info, nullptr, nullptr).empty());
}

TEST(RunGauges, FollowTheSteps) {
    RunInfo info;
    info.settings.training.optimizer.schedule.kind = "linear";
    info.settings.training.clipGradNorm = 0.5;
    info.settings.training.unscale = "after_clip";
    StepRecord last{.step = 99, .lossScale = 4096, .skippedTotal = 7};
    auto gauges = runGauges(info, &last, nullptr);
    EXPECT_EQ(gaugeAmong(gauges, GaugeKind::ScheduleAhead)->value, 7);
    EXPECT_EQ(gaugeAmong(gauges, GaugeKind::ClippedWhileScaled)->value, 0.5 / 4096);
    info.settings.training.optimizer.schedule.onSkip = "hold";
    info.settings.training.unscale = "before_clip";
    gauges = runGauges(info, &last, nullptr);
    EXPECT_EQ(gaugeAmong(gauges, GaugeKind::ScheduleAhead)->severity, Severity::Good);
    EXPECT_EQ(gaugeAmong(gauges, GaugeKind::ClippedWhileScaled)->severity, Severity::Good);
}

TEST(RunGauges, TakeUpdatesAndStatisticsFromTheLook) {
    TensorStats update{.layer = "a", .role = TensorRole::Update, .meant = 10, .lost = 9};
    update.classes.zero = 9, update.classes.positive = 1;
    const StepStats stats{0, 1, {update}};
    RunInfo info;
    EXPECT_EQ(gaugeAmong(runGauges(info, nullptr, &stats), GaugeKind::LostUpdates)->value, 0.9);
    EXPECT_EQ(gaugeAmong(runGauges(info, nullptr, &stats), GaugeKind::LostUpdates)->severity, Severity::Bad);
    info.settings.training.precision.weightUpdate = WeightUpdate::Stochastic;
    EXPECT_EQ(gaugeAmong(runGauges(info, nullptr, &stats), GaugeKind::LostUpdates)->severity, Severity::Note);
    info.policy = "fp32";
    const auto parts = runGauges(info, nullptr, statsGauges(info.settings, stats));
    ASSERT_EQ(parts.size(), runGauges(info, nullptr, &stats).size());
    for (std::size_t i = 1; i < parts.size(); ++i) EXPECT_LT(parts[i - 1].kind, parts[i].kind) << "one list, in the order of the kinds";
}

}  // namespace
}  // namespace mantissa
