// SPDX-License-Identifier: Apache-2.0
// What outlives a step and a plan in fp8 and in pure policies: scales, weights and moments in their own formats.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "engine/training/trainer.h"
#include "kernels/dtype/rounding.h"

namespace mantissa {
namespace {

TrainingSettings settingsFor(const PrecisionSettings& precision) {
    TrainingSettings settings;
    settings.model.hidden = {32};
    settings.data.order = "sequential";
    settings.precision = precision;
    settings.steps = 400;
    return settings;
}

std::unique_ptr<Trainer> ownedTrainer(const TrainingSettings& settings) {
    return std::make_unique<Trainer>(settings, loadDataset({.name = "digits"}), createCpuBackend());
}

std::vector<double> losses(Trainer& trainer, int steps) {
    std::vector<double> values;
    for (int i = 0; i < steps; ++i) values.push_back(trainer.step().loss);
    return values;
}

std::vector<float> rounded(const std::vector<NamedTensor>& tensors, Dtype dtype) {
    std::vector<float> values;
    for (const NamedTensor& tensor : tensors) {
        for (const float value : tensor.values) values.push_back(roundTo(dtype, value));
    }
    return values;
}
std::vector<float> flat(const std::vector<NamedTensor>& tensors) {
    return rounded(tensors, Dtype::F32);
}

TEST(Fp8, ValidationTeachesTheScalesNothing) {
    for (const char* scaling : {"delayed", "current"}) {
        for (const char* evaluation : {"", "fp8", "bf16"}) {
            TrainingSettings often = settingsFor({.policy = "fp8", .overrides = {}, .fp8 = {.scaling = scaling}});
            TrainingSettings never = often;
            often.validationInterval = 1;
            often.evalPrecision = evaluation;
            never.validationInterval = 1000;
            EXPECT_EQ(losses(*ownedTrainer(often), 30), losses(*ownedTrainer(never), 30)) << scaling << ", validated in " << evaluation;
        }
    }
}

TEST(Fp8, ScalesLiveThroughAPlanThatScalesTheSameTensors) {
    // With a history as long as the run, the scales at step 20 depend on what was seen before.
    const TrainingSettings settings = settingsFor({.policy = "fp8"});
    const auto plain = ownedTrainer(settings), changed = ownedTrainer(settings), restarted = ownedTrainer(settings);
    losses(*plain, 20), losses(*changed, 20), losses(*restarted, 20);
    TrainingSettings next = settings;
    next.evalPrecision = "fp32";  // another plan for validation, the same for training
    changed->change(next);
    next.evalPrecision.clear();
    next.precision.fp8.amaxHistoryLen = 512;  // another history
    restarted->change(next);
    const double expected = plain->step().loss;
    EXPECT_EQ(changed->step().loss, expected);
    EXPECT_NE(restarted->step().loss, expected) << "scales begin at 1 again";
}

TEST(Fp8, TheRecipeReachesTheRenewalOfScales) {
    for (const char* algorithm : {"max", "most_recent"}) {
        const TrainingSettings settings =
            settingsFor({.policy = "fp8", .overrides = {}, .fp8 = {.margin = 2, .amaxHistoryLen = 24, .amaxComputeAlgo = algorithm}});
        const auto renewal = std::get<UpdateScalesDesc>(ownedTrainer(settings)->plan().instructions.back().operation);
        EXPECT_EQ(renewal.usesNewestOnly, algorithm == std::string("most_recent"));
        EXPECT_EQ(renewal.historyLength, 24);
        EXPECT_EQ(renewal.margin, 2);
    }
}

TEST(Fp8, TheFirstNonFiniteInstructionIsNamed) {
    TrainingSettings settings = settingsFor({.policy = "fp8"});
    settings.optimizer = {.kind = "sgd", .lr = 1e30, .weightDecay = 0};  // the second step is lost, and audited
    const auto run = ownedTrainer(settings);
    run->step();
    for (int i = 0; i < 3 && !run->firstNonFinite(); ++i) run->step();
    ASSERT_TRUE(run->firstNonFinite());
    EXPECT_FALSE(run->firstNonFinite()->operation.empty());
}

TEST(Fp8, UnderfittingByItsFormatIsSmall) {
    // The same run in bf16 and in fp8 ends within a few percents: quantising each tensor with a scale of its own loses little.
    const auto bf16 = ownedTrainer(settingsFor({.policy = "bf16"})), fp8 = ownedTrainer(settingsFor({.policy = "fp8"}));
    const double wide = losses(*bf16, 300).back(), narrow = losses(*fp8, 300).back();
    EXPECT_NE(wide, narrow);
    EXPECT_NEAR(narrow, wide, 0.1 * wide);
}

TEST(Pure, WeightsAreNumbersOfTheFormatFromTheStart) {
    for (const auto& [policy, dtype] : {std::pair{"pure-fp16", Dtype::F16}, {"pure-bf16", Dtype::BF16}}) {
        const auto pure = ownedTrainer(settingsFor({.policy = policy})), wide = ownedTrainer(settingsFor({.policy = "fp32"}));
        EXPECT_EQ(flat(pure->weights()), rounded(wide->weights(), dtype));
        for (const NamedTensor& tensor : pure->weights()) EXPECT_EQ(tensor.dtype, dtype);
        losses(*pure, 3);
        EXPECT_EQ(flat(pure->weights()), rounded(pure->weights(), dtype));
        const MemoryLedger& memory = pure->plan().memory;
        EXPECT_EQ(memory.masterWeights, 0);
        EXPECT_EQ(memory.weights, 2 * pure->plan().segments.back());
        EXPECT_EQ(memory.optimizer, 4 * pure->plan().segments.back());
    }
}

TEST(Pure, ALiveSwitchRoundsTheWeightsAndMomentsOnce) {
    TrainingSettings settings = settingsFor({.policy = "fp32"});
    // not AdamW: its second moments are below what fp16 can hold, and a step divides by them
    settings.optimizer = {.kind = "sgd", .lr = 0.05, .weightDecay = 0, .momentum = 0.9};
    const auto run = ownedTrainer(settings);
    losses(*run, 10);
    const std::vector<NamedTensor> masters = run->weights();
    settings.precision.policy = "pure-bf16";
    run->change(settings);
    EXPECT_EQ(flat(run->weights()), rounded(masters, Dtype::BF16));
    settings.precision.policy = "pure-fp16";  // as many bytes, other numbers
    run->change(settings);
    EXPECT_EQ(flat(run->weights()), [&] {
        std::vector<float> values = rounded(masters, Dtype::BF16);
        for (float& v : values) v = roundTo(Dtype::F16, v);
        return values;
    }());
    settings.precision.policy = "fp32";
    const std::vector<float> narrow = flat(run->weights());
    run->change(settings);
    EXPECT_EQ(flat(run->weights()), narrow) << "widening loses nothing";
    const double before = run->step().loss;
    EXPECT_LT(losses(*run, 50).back(), before) << "the moments came along";
}

TEST(Pure, KahanKeepsWhatNearestEvenLoses) {
    std::map<std::string, double> final;
    for (const char* update : {"nearest-even", "stochastic", "kahan"}) {
        TrainingSettings settings = settingsFor({.policy = "pure-bf16"});
        settings.precision.weightUpdate = *weightUpdateFromName(update);
        settings.optimizer.lr = 1e-4;  // most updates below half an ulp of their weights
        final[update] = losses(*ownedTrainer(settings), 400).back();
    }
    const double masters = [] {
        TrainingSettings settings = settingsFor({.policy = "bf16"});
        settings.optimizer.lr = 1e-4;
        return losses(*ownedTrainer(settings), 400).back();
    }();
    EXPECT_GT(final["nearest-even"], 1.05 * masters);
    EXPECT_NEAR(final["kahan"], masters, 0.02 * masters);
    EXPECT_NEAR(final["stochastic"], masters, 0.05 * masters);
}

}  // namespace
}  // namespace mantissa
