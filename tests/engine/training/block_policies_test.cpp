// SPDX-License-Identifier: Apache-2.0
// Training in block formats: live switches between all policies and recipes, memory to the byte, the same bits again.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "engine/training/trainer.h"
#include "tests/engine/training/small_run.h"
#include "tests/support/counting_backend.h"

namespace mantissa {
namespace {

template <typename Value>
std::optional<Value> maybe(std::mt19937& random, std::initializer_list<Value> values) {
    const std::size_t chosen = random() % (values.size() + 1);
    return chosen == values.size() ? std::nullopt : std::optional(values.begin()[chosen]);
}

/// A policy with a recipe that the policy allows.
PrecisionSettings randomPrecision(std::mt19937& random) {
    std::vector<std::string> policies;
    for (const std::string& policy : policyNames()) {
        if (policy != "auto") policies.push_back(policy);
    }
    PrecisionSettings precision{.policy = policies[random() % policies.size()]};
    if (!isBlockPolicy(precision.policy)) return precision;
    const std::vector<std::string> elements = gradientElements(precision.policy);
    BlockSettings& blocks = precision.blocks;
    blocks.gradients = elements[random() % elements.size()];
    blocks.rotates = maybe(random, {false, true});
    blocks.roundsStochastically = maybe(random, {false, true});
    blocks.keepLast = maybe(random, {0.0, 0.5, 1.0});
    if (precision.policy != "fp8-rowwise") blocks.hasSquareWeights = maybe(random, {false, true});
    if (precision.policy == "nvfp4")
        blocks.dialect = maybe(random, {Nvfp4Dialect::Te, Nvfp4Dialect::Exact, Nvfp4Dialect::TorchaoInference});
    if (const std::span<const ScaleRule> rules = policyScaleRules(precision.policy); !rules.empty() && random() % 4 != 0)
        blocks.scaleRule = rules[random() % rules.size()];
    if (precision.policy != "nvfp4") blocks.requantizesInput = maybe(random, {false, true});
    if (random() % 4 == 0) precision.overrides.emplace_back("linear", Direction::Forward, Dtype::BF16);
    EXPECT_FALSE(refusalOf(precision.policy, blocks)) << precision.policy;
    return precision;
}

TrainingSettings smallBlockRun() {
    TrainingSettings settings = smallRun("fp32");
    settings.model.hidden = {48, 40};
    settings.data.batchSize = 24;
    settings.optimizer = {.kind = "sgd", .lr = 0.05, .weightDecay = 0, .momentum = 0.9};  // AdamW's second moments vanish in pure fp16
    return settings;
}

std::vector<float> weightsIn(Trainer& trainer) {
    std::vector<float> all;
    for (const NamedTensor& tensor : trainer.weights()) all.insert(all.end(), tensor.values.begin(), tensor.values.end());
    return all;
}

TEST(BlockPolicies, SwitchLiveInAnyOrderAndTheSameAgain) {
    constexpr int kSwitches = 500;
    const auto data = loadDataset({.name = "digits"});
    const auto run = [&](bool comparesLedger) {
        std::mt19937 random(7);
        TrainingSettings settings = smallBlockRun();
        const auto backend = std::make_shared<test::CountingBackend>();
        Trainer trainer(settings, data, backend);
        const std::int64_t ofData = backend->liveBytes() - trainer.plan().memory.total();
        std::vector<double> losses;
        for (int i = 0; i < kSwitches; ++i) {
            settings.precision = randomPrecision(random);
            trainer.change(settings);
            const StepRecord record = trainer.step();
            EXPECT_EQ(record.step, i);
            EXPECT_TRUE(std::isfinite(record.loss)) << settings.precision.policy;
            losses.push_back(record.loss);
            if (comparesLedger) {
                EXPECT_EQ(trainer.plan().memory.total(), backend->liveBytes() - ofData) << settings.precision.policy;
            }
        }
        EXPECT_EQ(trainer.nextStep(), kSwitches);
        return std::pair(losses, weightsIn(trainer));
    };
    const auto first = run(true), again = run(false);
    EXPECT_EQ(first.first, again.first);
    EXPECT_EQ(first.second, again.second);
    EXPECT_LT(first.first.back(), first.first.front());
}

TEST(BlockPolicies, StochasticRoundingGoesOnFromASnapshot) {
    TrainingSettings settings = smallBlockRun();
    settings.precision = {.policy = "nvfp4"};
    const auto data = loadDataset({.name = "digits"});
    Trainer trainer(settings, data, createCpuBackend()), fresh(settings, data, createCpuBackend());
    const auto steps = [](Trainer& of) {
        std::vector<double> losses;
        for (int i = 0; i < 5; ++i) losses.push_back(of.step().loss);
        return losses;
    };
    steps(trainer);
    const Snapshot snapshot = trainer.snapshot();
    const std::vector<double> expected = steps(trainer);
    trainer.restore(snapshot);
    EXPECT_EQ(steps(trainer), expected);
    fresh.restore(snapshot);
    EXPECT_EQ(steps(fresh), expected);
}

TEST(BlockPolicies, RandomBitsDifferFromStepToStepAndTensorToTensor) {
    TrainingSettings settings = smallBlockRun();
    settings.precision = {.policy = "nvfp4", .blocks = {.keepLast = 0}};
    settings.optimizer.lr = 0;  // the same gradients each step
    settings.data.batchSize = static_cast<std::int64_t>(loadDataset({.name = "digits"})->trainCount());
    Trainer trainer(settings, loadDataset({.name = "digits"}), createCpuBackend());
    const double first = trainer.step().gradNorm, second = trainer.step().gradNorm;
    EXPECT_NE(first, second);
    std::vector<std::int64_t> begins;
    for (const Instruction& instruction : trainer.plan().instructions) {
        const auto* desc = std::get_if<QuantizeBlocksDesc>(&instruction.operation);
        if (desc == nullptr || desc->rounding != Rounding::Stochastic) continue;
        EXPECT_TRUE(begins.empty() || desc->firstElement > begins.back());
        begins.push_back(desc->firstElement);
    }
    EXPECT_EQ(begins.size(), 3u) << "dy of the first layer once, of the second one twice";
}

TEST(BlockPolicies, LossesStayNearThoseOfBf16) {
    const auto data = loadDataset({.name = "digits"});
    const auto lossOf = [&](const std::string& policy) {
        TrainingSettings settings = smallBlockRun();
        settings.precision.policy = policy;
        Trainer trainer(settings, data, createCpuBackend());
        double sum = 0;
        for (int i = 0; i < 300; ++i) {
            const double loss = trainer.step().loss;
            if (i >= 240) sum += loss;
        }
        return sum / 60;
    };
    const double bf16 = lossOf("bf16");
    for (const BlockPolicy& policy : blockPolicies()) {
        const double loss = lossOf(std::string(policy.name));
        EXPECT_NE(loss, bf16) << policy.name;
        EXPECT_NEAR(loss, bf16, 0.35 * bf16) << policy.name;
    }
}

}  // namespace
}  // namespace mantissa
