// SPDX-License-Identifier: Apache-2.0
#include "engine/diagnosis/gauges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/dtype/rounding.h"
#include "kernels/operations.h"
#include "tests/engine/diagnosis/stats_values.h"

namespace mantissa {
namespace {

using test::statsOfValues;

TensorStats updateOf(const std::string& layer, const std::vector<float>& moved, std::int64_t meant, std::int64_t lost) {
    TensorStats stats = statsOfValues(layer, layer + ".weight", TensorRole::Update, moved);
    stats.meant = meant;
    stats.lost = lost;
    return stats;
}

const Gauge& gaugeOf(const std::vector<Gauge>& gauges, GaugeKind kind) {
    for (const Gauge& gauge : gauges) {
        if (gauge.kind == kind) return gauge;
    }
    throw std::runtime_error("no gauge of " + std::string(gaugeName(kind)));
}

TEST(Gauges, OnlyThoseThatApply) {
    EXPECT_TRUE(gaugesOf({}).empty());
    const StepStats stats{};
    EXPECT_TRUE(gaugesOf({.stats = &stats}).empty());
}

TEST(Gauges, LostUpdatesOfTheWorstLayer) {
    const StepStats stats{0, 1, {updateOf("a", {0, 1, 0, 1}, 4, 2), updateOf("b", {1, 1}, 2, 0), updateOf("a", {0, 0, 0, 0}, 4, 4)}};
    EXPECT_EQ(lostUpdateShares(stats)[0].share(), 0.75);
    const auto gauges = gaugesOf({.stats = &stats});
    const Gauge& gauge = gaugeOf(gauges, GaugeKind::LostUpdates);
    EXPECT_EQ(gauge.value, 0.75);
    EXPECT_EQ(gauge.severity, Severity::Note) << "runs that train well lose as much";
    EXPECT_EQ(gauge.sentence.english(),
              "In a, 75 % of the updates are smaller than half the spacing (ulp) of the weights' format and change nothing.");
    EXPECT_EQ(gaugeOf(gauges, GaugeKind::UnchangedWeights).sentence.english(), "The step left all weights of a.weight as they were.");
    EXPECT_NEAR(gaugeOf(gauges, GaugeKind::UnchangedWeights).value, 1.0 / 3, 1e-12);
    const StepStats worse{0, 1, {updateOf("a", {0, 1}, 100, 85)}};
    EXPECT_EQ(gaugeOf(gaugesOf({.stats = &worse}), GaugeKind::LostUpdates).severity, Severity::Bad);
}

TEST(Gauges, WhereAllGradientsAreZeroTheFormatLosesNothing) {
    const TensorStats none = statsOfValues("a", "a.weight.grad", TensorRole::WeightGradient, {0, 0});
    StepStats stats{0, 1, {updateOf("a", {0, 0}, 2, 2), none}};
    const auto gauges = gaugesOf({.stats = &stats});
    EXPECT_EQ(gaugeOf(gauges, GaugeKind::LostUpdates).severity, Severity::Good) << "momentum's rest is not what the run should learn from";
    EXPECT_EQ(gaugeOf(gauges, GaugeKind::LostUpdates).sentence.english(), "All gradients are exactly 0: there is no update to lose.");
    EXPECT_EQ(gaugeOf(gauges, GaugeKind::UnchangedWeights).sentence.english(),
              "All gradients of a.weight are exactly 0, so these weights do not move.");
    stats.tensors.push_back(statsOfValues("a", "a.bias.grad", TensorRole::WeightGradient, {0, 1}));
    EXPECT_EQ(gaugeOf(gaugesOf({.stats = &stats}), GaugeKind::LostUpdates).severity, Severity::Bad);
}

TEST(Gauges, UpdatesThatAreNotFiniteAreNotLost) {
    StepStats stats{0, 1, {updateOf("a", {NAN, NAN}, 2, 2)}};
    const auto broken = gaugesOf({.stats = &stats});
    EXPECT_EQ(gaugeOf(broken, GaugeKind::LostUpdates).severity, Severity::Good);
    EXPECT_EQ(gaugeOf(broken, GaugeKind::LostUpdates).sentence.english(), "No update is finite.");
    stats.tensors.push_back(updateOf("b", {0, 1}, 100, 85));
    EXPECT_EQ(gaugeOf(gaugesOf({.stats = &stats}), GaugeKind::LostUpdates).value, 0.85) << "of the layer that is finite";
}

TEST(Gauges, UpdatesThatAreKeptElsewhereAreNoFailure) {
    const StepStats stats{0, 1, {updateOf("a", {0, 0, 0, 0}, 4, 4)}};
    for (const WeightUpdate update : {WeightUpdate::NearestEven, WeightUpdate::Stochastic, WeightUpdate::Kahan}) {
        const auto gauges = gaugesOf({.stats = &stats, .weightUpdate = update});
        const Severity severity = update == WeightUpdate::NearestEven ? Severity::Bad : Severity::Note;
        for (const GaugeKind kind : {GaugeKind::LostUpdates, GaugeKind::UnchangedWeights}) {
            EXPECT_EQ(gaugeOf(gauges, kind).severity, severity);
            EXPECT_EQ(gaugeOf(gauges, kind).value, 1) << "what the step did is told all the same";
            const std::string sentence = gaugeOf(gauges, kind).sentence.english();
            EXPECT_EQ(sentence.find("none is lost in the mean") != std::string::npos, update == WeightUpdate::Stochastic) << sentence;
            EXPECT_EQ(sentence.find("into the next ones") != std::string::npos, update == WeightUpdate::Kahan) << sentence;
        }
        EXPECT_EQ(silentMatter(gauges).has_value(), severity == Severity::Bad);
    }
}

TEST(Gauges, TitlesSayWhatIsWrongAndNamesOfJsonStay) {
    EXPECT_EQ(gaugeTitle(GaugeKind::FlushedEpsilon), "Adam epsilon rounds to 0");
    EXPECT_EQ(gaugeName(GaugeKind::FlushedEpsilon), "flushed epsilon");
    EXPECT_EQ(gaugeTitle(GaugeKind::BrokenStatistics), "BatchNorm buffers not finite");
    EXPECT_EQ(gaugeName(GaugeKind::BrokenStatistics), "broken statistics");
}

TEST(Gauges, AHeadlineIsTheFirstCauseOfThoseThatAreBad) {
    const Gauge lost{GaugeKind::LostUpdates, Severity::Bad, 0.7, "70 % of the updates of a are lost."_text};
    const Gauge standing{GaugeKind::UnchangedWeights, Severity::Bad, 1, "The step left all weights of a as they were."_text};
    const Gauge clipped{GaugeKind::ClippedWhileScaled, Severity::Bad, 1, "Clipping meets gradients."_text};
    const Gauge broken{GaugeKind::BrokenStatistics, Severity::Bad, 1, "Running statistics are not finite."_text};
    const Gauge noted{GaugeKind::FlushedEpsilon, Severity::Note, 1e-8, "Adam's epsilon is too small."_text};
    EXPECT_FALSE(silentMatter({}));
    EXPECT_FALSE(silentMatter({noted})) << "a note is no headline";
    EXPECT_EQ(silentMatter({lost, noted})->headline().english(), "Finite, but updates are lost.");
    EXPECT_EQ(silentMatter({lost, standing})->headline().english(), "Finite, but updates are lost.")
        << "one bias stands still where many updates are lost";
    EXPECT_EQ(silentMatter({standing})->headline().english(), "Finite, but weights do not move.");
    EXPECT_EQ(silentMatter({standing})->sentence.english(), "The step left all weights of a as they were.");
    EXPECT_EQ(silentMatter({lost, standing, clipped})->headline().english(), "Finite, but scaled gradients are clipped.");
    EXPECT_EQ(silentMatter({lost, standing, clipped, broken}, false)->headline().english(), "Finite, but running statistics are not.");
    EXPECT_EQ(silentMatter({noted}, false)->headline().english(), "Finite, but validation is not.");
    EXPECT_EQ(silentMatter({}, false)->sentence.english(), "The loss of the latest validation is not finite.");
}

TEST(Gauges, WeightsThatAreNotFiniteComeFirst) {
    const StepStats sound{0, 1, {statsOfValues("a", "a.weight", TensorRole::Weight, {1, 2})}};
    EXPECT_EQ(gaugeOf(gaugesOf({.stats = &sound}), GaugeKind::BrokenWeights).severity, Severity::Good);
    const StepStats broken{0, 1, {statsOfValues("a", "a.weight", TensorRole::Weight, {1, INFINITY}), updateOf("a", {0, 0}, 2, 2)}};
    const std::vector<Gauge> gauges = gaugesOf({.stats = &broken});
    EXPECT_EQ(gaugeOf(gauges, GaugeKind::BrokenWeights).severity, Severity::Bad);
    EXPECT_EQ(silentMatter(gauges)->headline().english(), "Finite, but weights are not.");
    EXPECT_NE(silentMatter(gauges)->sentence.english().find("a.weight"), std::string::npos);
}

TEST(Gauges, WhatRestsOnAPartSaysSo) {
    StepStats stats{0, 1, {updateOf("a", {0, 0}, 2, 2), statsOfValues("n", "n.running_mean", TensorRole::Statistic, {1})}};
    const auto endsWithPart = [&] {
        std::int64_t found = 0;
        for (const Gauge& gauge : gaugesOf({.stats = &stats}))
            found += gauge.sentence.english().ends_with(" One block in eight was measured.") ? 1 : 0;
        return found;
    };
    EXPECT_EQ(endsWithPart(), 0);
    stats.tensors[0].elements = 16;
    EXPECT_EQ(endsWithPart(), 2);
    stats.tensors[1].elements = 8;
    EXPECT_EQ(endsWithPart(), 3);
}

TEST(Gauges, NoLostUpdateAndAStepThatWasSkipped) {
    const StepStats moved{0, 1, {updateOf("a", {1, 1}, 2, 0)}}, skipped{0, 1, {updateOf("a", {0, 0}, 0, 0)}};
    for (const StepStats* stats : {&moved, &skipped}) {
        for (const Gauge& gauge : gaugesOf({.stats = stats})) {
            EXPECT_EQ(gauge.severity, Severity::Good) << gauge.sentence.english();
            EXPECT_EQ(gauge.value, 0);
        }
    }
}

TEST(Gauges, EpsilonInTheOptimizersFormat) {
    for (const auto& [epsilon, dtype, isLost] : {std::tuple(1e-8, Dtype::F16, true),
                                                 {1e-8, Dtype::F32, false},
                                                 {1e-8, Dtype::BF16, false},
                                                 {1e-7, Dtype::F16, true},
                                                 {1e-6, Dtype::F16, true},
                                                 {1e-5, Dtype::F16, false}}) {
        const Gauge gauge = gaugesOf({.adamEpsilon = epsilon, .moments = dtype}).front();
        EXPECT_EQ(gauge.severity == Severity::Note, isLost) << epsilon << " in " << facts(dtype).name << ": " << gauge.sentence.english();
    }
}

TEST(Gauges, Beta2InTheOptimizersFormat) {
    const auto gaugeOf = [](double beta2, Dtype dtype) {
        Gauge gauge = gaugesOf({.adamEpsilon = 1e-8, .beta2 = beta2, .moments = dtype}).back();
        EXPECT_EQ(gauge.kind, GaugeKind::LostDecay);
        return gauge;
    };
    for (const auto& [beta2, dtype, isLost] : {std::tuple(0.999, Dtype::BF16, true),
                                               {0.997, Dtype::BF16, true},
                                               {0.996, Dtype::BF16, false},
                                               {0.95, Dtype::BF16, false},
                                               {0.9999, Dtype::F16, true},
                                               {0.999, Dtype::F32, false}}) {
        const Gauge gauge = gaugeOf(beta2, dtype);
        EXPECT_EQ(gauge.severity == Severity::Note, isLost) << beta2 << " in " << facts(dtype).name << ": " << gauge.sentence.english();
        // Of the second moments with each mantissa, some do not decrease.
        bool stays = false;
        for (float v = 1; v < 2; v += static_cast<float>(std::max(facts(dtype).epsilon, 0x1p-10)))
            stays = stays || roundTo(dtype, static_cast<float>(beta2) * v) == v;
        EXPECT_EQ(stays, isLost) << beta2 << " in " << facts(dtype).name;
    }
    // In FP16 second moments are mostly subnormal.
    EXPECT_EQ(gaugeOf(0.999, Dtype::F16).severity, Severity::Note);
    const auto bound = static_cast<float>(standingBelow(Dtype::F16, 0.999));
    const float below = roundTo(Dtype::F16, 0.99f * bound), above = roundTo(Dtype::F16, 1.01f * bound);
    EXPECT_EQ(roundTo(Dtype::F16, 0.999f * below), below);
    EXPECT_LT(roundTo(Dtype::F16, 0.999f * above), above);
}

TEST(Gauges, StatisticsThatAreNotFinite) {
    StepStats stats{0, 1, {statsOfValues("bn1", "bn1.running_mean", TensorRole::Statistic, {1, 2})}};
    EXPECT_EQ(gaugesOf({.stats = &stats}).front().severity, Severity::Good);
    stats.tensors.push_back(statsOfValues("bn2", "bn2.running_var", TensorRole::Statistic, {1, NAN}));
    EXPECT_EQ(gaugesOf({.stats = &stats}).front().severity, Severity::Bad);
    EXPECT_EQ(gaugesOf({.stats = &stats}).front().sentence.english(),
              "bn2.running_var will not become finite again: training does not show it, every validation does.");
}

TEST(Gauges, ScheduleClippingAndTf32) {
    GaugeInput input{
        .scheduleSteps = 12, .optimizerSteps = 9, .hasSchedule = true, .clipGradNorm = 1, .lossScale = 1024, .asksForFp32 = true};
    auto gauges = gaugesOf(input);
    EXPECT_EQ(gaugeOf(gauges, GaugeKind::ScheduleAhead).value, 3);
    EXPECT_EQ(gaugeOf(gauges, GaugeKind::ClippedWhileScaled).severity, Severity::Good);
    EXPECT_EQ(gaugeOf(gauges, GaugeKind::Tf32ForIeee).severity, Severity::Good);
    input.optimizerSteps = 12;
    input.clipsScaled = true;
    input.tf32Layers = {"a", "b", "c", "d", "e"};
    gauges = gaugesOf(input);
    EXPECT_EQ(gaugeOf(gauges, GaugeKind::ScheduleAhead).severity, Severity::Good);
    EXPECT_EQ(gaugeOf(gauges, GaugeKind::ClippedWhileScaled).value, 1.0 / 1024);
    EXPECT_EQ(gaugeOf(gauges, GaugeKind::ClippedWhileScaled).severity, Severity::Bad);
    EXPECT_EQ(gaugeOf(gauges, GaugeKind::Tf32ForIeee).sentence.english(),
              "fp32 was asked for, and a, b, c and 2 more compute in tf32, with 10 fraction bits in place of 23.");
    input.lossScale = 1;
    EXPECT_EQ(gaugeOf(gaugesOf(input), GaugeKind::ClippedWhileScaled).severity, Severity::Good) << "without a scale both orders are one";
}

}  // namespace
}  // namespace mantissa
