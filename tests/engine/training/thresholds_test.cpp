// SPDX-License-Identifier: Apache-2.0
// Thresholds against training at them and at twice them, and the race of a run's own scaler against what that run really did.
#include "engine/training/thresholds.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/engine/training/small_run.h"

namespace mantissa {
namespace {

struct Measured {
    std::vector<StepThreshold> thresholds;
    std::vector<StepRecord> records;
};

TrainingSettings tiny(const std::string& policy, const std::string& preset = "pytorch") {
    TrainingSettings settings = smallRun(policy);
    settings.model.hidden = {16};
    settings.data.batchSize = 16;
    settings.validationInterval = 1000;
    settings.scaler.preset = policy == "fp16" ? preset : "none";
    return settings;
}

Trainer trainerOf(const TrainingSettings& settings) {
    return Trainer(settings, loadDataset(settings.data), createCpuBackend());
}

Measured measured(const TrainingSettings& settings, int steps) {
    Trainer trainer = trainerOf(settings);
    ThresholdMeter meter;
    Measured result;
    for (int i = 0; i < steps; ++i) {
        result.thresholds.push_back(meter.measure(trainer));
        result.records.push_back(trainer.step());
    }
    return result;
}

bool skipsAt(Trainer& trainer, const Snapshot& before, double scale) {
    trainer.restore(before);
    trainer.setLossScale(scale);
    return trainer.step().skipped();
}

/// Really trains each step at its threshold, and at twice that.
void expectTheBound(const std::string& name, const TrainingSettings& settings, int steps) {
    SCOPED_TRACE(name);
    Trainer trainer = trainerOf(settings);
    ThresholdMeter meter;
    int bounded = 0;
    for (int i = 0; i < steps; ++i) {
        const StepThreshold threshold = meter.measure(trainer);
        const Snapshot before = trainer.snapshot();
        EXPECT_EQ(threshold.step, trainer.nextStep());
        ASSERT_GT(threshold.highest, 0) << i;
        EXPECT_EQ(std::exp2(std::ilogb(threshold.highest)), threshold.highest) << i;
        EXPECT_GT(threshold.overflowFrom, threshold.highest);
        EXPECT_LE(threshold.overflowFrom, 2 * threshold.highest);
        EXPECT_FALSE(skipsAt(trainer, before, threshold.highest)) << i << " at " << threshold.highest;
        EXPECT_TRUE(skipsAt(trainer, before, 2 * threshold.highest)) << i << " at twice " << threshold.highest;
        bounded += threshold.highest < 0x1p100 ? 1 : 0;
        trainer.restore(before);
        trainer.step();
    }
    EXPECT_EQ(bounded, steps);
}

TEST(Thresholds, TheRunSkipsAtTwiceThemAndNotAtThem) {
    expectTheBound("as it is", tiny("fp16"), 40);
    TrainingSettings settings = tiny("fp16");
    settings.accumulate = 3;
    settings.optimizer = {.kind = "sgd", .lr = 0.1};
    expectTheBound("micro-batches", settings, 20);
    expectTheBound("from far above", tiny("fp16", "megatron"), 10);
    settings = tiny("fp16", "static");
    settings.scaler.initScale = 1;
    expectTheBound("from far below", settings, 20);
    settings.scaler.initScale = 0x1p-20;  // of which hardly a gradient comes out
    expectTheBound("from where all is flushed", settings, 20);
    settings = tiny("fp16");
    settings.model.kind = "resnet";
    settings.model.depth = 8;
    settings.data.batchSize = 2;
    expectTheBound("convolutions", settings, 3);
}

/// With a large last layer, gradients on the way are larger than those of the weights, and ReLU leaves many of them out.
TEST(Thresholds, ALayersOverflowThatReachesNoWeightIsNone) {
    TrainingSettings settings = tiny("fp16");
    settings.data.batchSize = 1;
    std::vector<NamedTensor> weights = trainerOf(settings).weights();
    for (NamedTensor& tensor : weights)
        if (tensor.name == "layers.1.weight")
            for (float& weight : tensor.values) weight *= 16;
    const auto dataset = loadDataset(settings.data);
    int leftOut = 0;
    for (int i = 0; i < 40; ++i) {
        settings.data.seed = static_cast<std::uint64_t>(i + 1);
        settings.data.order = "shuffled";
        Trainer trainer(settings, dataset, createCpuBackend(), &weights);
        const StepThreshold threshold = ThresholdMeter().measure(trainer);
        const Snapshot before = trainer.snapshot();
        EXPECT_TRUE(skipsAt(trainer, before, 2 * threshold.highest)) << i;
        EXPECT_FALSE(skipsAt(trainer, before, threshold.highest)) << i;
        trainer.restore(before);
        trainer.setLossScale(threshold.highest);
        bool overflows = false;
        const Trainer::Observer observer{.at = [&](Executor&, Queue&, std::int64_t, int, const ElementClasses& classes) {
            overflows = overflows || !classes.allFinite();
        }};
        trainer.tryStep(&observer);
        leftOut += overflows ? 1 : 0;
    }
    EXPECT_GT(leftOut, 0) << "else nothing was asked";
}

/// Tensor statistics and thresholds have the same limit, also where the loss is divided among micro-batches or computed in fp32.
TEST(Thresholds, TheStatisticsHaveTheSameCeiling) {
    for (const auto& [policy, logits, accumulate] :
         {std::tuple{"fp16", "autocast", 1}, {"fp16", "autocast", 3}, {"fp16", "fp32", 1}, {"fp32", "autocast", 1}, {"fp32", "fp32", 1}}) {
        TrainingSettings settings = tiny(policy);
        settings.accumulate = accumulate;
        settings.loss.logits = logits;
        Trainer trainer = trainerOf(settings);
        trainer.setInstrumentation(Instrumentation::Full);
        const double scale = trainer.step().lossScale;
        double passed = 0;
        const StepStats stats = *trainer.stats();
        for (const TensorStats& tensor : stats.tensors) passed = std::max(passed, tensor.passed);
        EXPECT_EQ(passed, std::string_view(logits) == "fp32" ? 0 : scale / accumulate / 16) << policy << ", " << logits;
    }
}

/// In fp16, what goes back to a label's log-probability is infinite from 65520 a sample on, whatever the network has learnt.
TEST(Thresholds, NoneIsBeyondTheLosssOwnCeiling) {
    TrainingSettings settings = tiny("fp16");
    settings.optimizer.lr = 1e-2;
    const std::vector<StepThreshold> own = measured(settings, 120).thresholds;
    settings.loss.logits = "fp32";
    const std::vector<StepThreshold> widened = measured(settings, 120).thresholds;
    double highest = 0, highestWidened = 0;
    for (const StepThreshold& each : own) highest = std::max(highest, each.highest);
    for (const StepThreshold& each : widened) highestWidened = std::max(highestWidened, each.highest);
    EXPECT_EQ(highest, 0x1p19) << "16 samples, so that 2^20 / 16 overflows";
    EXPECT_GT(highestWidened, highest) << "else nothing was asked";
}

/// The scales and skips of the run itself, step by step, out of its thresholds.
TEST(Thresholds, TheRaceOfTheRunsOwnScalerIsTheRun) {
    for (const ScalerPreset& preset : scalerPresets()) {
        if (!preset.isDynamic()) continue;
        TrainingSettings settings = tiny("fp16", std::string(preset.name));
        settings.optimizer = {.kind = "sgd", .lr = 0.5};
        if (preset.takes("growth_interval")) {
            settings.scaler.growthInterval = 2;
            settings.scaler.initScale = 0x1p24;
        } else {
            settings.scaler.maxScale = 0x1p40;
        }
        SCOPED_TRACE(preset.name);
        const Measured run = measured(settings, 80);
        const RacedScaler raced = mantissa::raced(run.thresholds, settings.scaler);
        std::vector<std::int64_t> skipped;
        for (const StepRecord& record : run.records) {
            const auto step = static_cast<std::size_t>(record.step);
            ASSERT_LT(step, raced.scales.size());
            EXPECT_EQ(static_cast<double>(raced.scales[step]), record.lossScale) << step;
            if (record.skipped()) skipped.push_back(record.step);
        }
        EXPECT_EQ(raced.skipped, skipped);
        EXPECT_FALSE(skipped.empty()) << "else nothing was asked";
        EXPECT_LT(skipped.size(), run.records.size());
    }
}

/// Its scales are no powers of two, and the largest gradient that it follows is rounded at them.
TEST(Thresholds, TheRaceOfLogMaxHasTheRunsScalesToTheLastBit) {
    TrainingSettings settings = tiny("fp16", "logmax");
    settings.scaler.maxScale = 0x1p40;
    settings.data.batchSize = 1437;  // the same batch each time, whose gradients shrink: nothing overflows, which would pin it to its floor
    settings.optimizer = {.kind = "sgd", .lr = 0.05};
    const Measured run = measured(settings, 30);
    const RacedScaler raced = mantissa::raced(run.thresholds, settings.scaler);
    int between = 0;
    for (const StepRecord& record : run.records) {
        const auto scale = static_cast<double>(raced.scales[static_cast<std::size_t>(record.step)]);
        EXPECT_EQ(scale, record.lossScale) << record.step;
        between += scale != std::exp2(std::ilogb(scale)) ? 1 : 0;
    }
    EXPECT_GT(between, 20);
}

TEST(Thresholds, MeasuringLeavesNoTraceInTraining) {
    TrainingSettings settings = tiny("fp16");
    settings.scaler.growthInterval = 3;
    const Measured run = measured(settings, 20);
    Trainer plain = trainerOf(settings);
    for (const StepRecord& record : run.records) {
        const StepRecord same = plain.step();
        EXPECT_EQ(record.loss, same.loss);
        EXPECT_EQ(record.gradNorm, same.gradNorm);
        EXPECT_EQ(record.lossScale, same.lossScale);
    }
}

TEST(Thresholds, ALossThatIsNotFiniteBearsNoScale) {
    TrainingSettings settings = tiny("fp16", "static");
    settings.scaler.initScale = 1;
    settings.optimizer = {.kind = "sgd", .lr = 1e30};
    const Measured run = measured(settings, 3);
    EXPECT_GT(run.thresholds[0].highest, 0);
    EXPECT_EQ(run.thresholds[1].highest, 0);
    EXPECT_FALSE(run.thresholds[1].staysFiniteAt(1));
    EXPECT_TRUE(run.records[1].skipped());
}

/// Gradients of fp32, not scaled, as FP16 would take them: each one multiplied and compared.
TEST(Thresholds, WiderGradientsAreTakenAsIfStoredInFp16) {
    for (const char* policy : {"fp32", "bf16", "tf32"}) {
        SCOPED_TRACE(policy);
        Trainer trainer = trainerOf(tiny(policy));
        EXPECT_EQ(thresholdFormat(trainer.plan()), Dtype::F16);
        EXPECT_EQ(asIfStored(trainer.plan()), "fp16");
        ThresholdMeter meter;
        for (int i = 0; i < 5; ++i) {
            const StepThreshold threshold = meter.measure(trainer);
            trainer.setInstrumentation(Instrumentation::Full);
            trainer.step();
            double largest = 0;
            const StepStats stats = *trainer.stats();
            for (const TensorStats& tensor : stats.tensors)
                if (tensor.isScaled) largest = std::max(largest, tensor.largest());
            EXPECT_GE(largest, 1.0 / 16) << "what passes at a label of 16 samples";
            double highest = 0x1p127;
            while (highest * largest >= 65520) highest /= 2;
            EXPECT_EQ(threshold.highest, highest) << i;
            EXPECT_NEAR(threshold.overflowFrom * largest, 65520, 1e-6) << i;
        }
    }
    EXPECT_EQ(thresholdFormat(trainerOf(tiny("fp16")).plan()), std::nullopt);
}

TEST(Thresholds, TheLargestGradientIsTheWeightsOwn) {
    Trainer trainer = trainerOf(tiny("fp32"));
    float largest = 0;
    for (const float g : trainer.tryStep().gradients) largest = std::max(largest, std::fabs(g));
    EXPECT_EQ(ThresholdMeter().measure(trainer).gradientMax, static_cast<double>(largest));
}

}  // namespace
}  // namespace mantissa
