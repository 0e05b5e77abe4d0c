// SPDX-License-Identifier: Apache-2.0
#include "engine/training/optimizer_plan.h"

#include <gtest/gtest.h>

#include "engine/training/build_plan.h"

namespace mantissa {
namespace {

constexpr DataShape kShape{.features = 5, .classes = 3};

std::vector<Instruction> updatesOf(const OptimizerSettings& optimizer) {
    TrainingSettings settings;
    settings.model.hidden = {4};
    settings.optimizer = optimizer;
    const Plan plan = buildPlans(settings, kShape, *createCpuBackend()).training;
    return {plan.instructions.begin() + plan.unscaleEnd, plan.instructions.end()};
}

TEST(OptimizerPlan, AllParametersDecayAtOnceUnlessOnlyMatricesDo) {
    const std::vector<Instruction> together = updatesOf({.weightDecay = 0.5});
    ASSERT_EQ(together.size(), 1u);
    EXPECT_EQ(std::get<AdamWDesc>(together[0].operation).count, 5 * 4 + 4 + 4 * 3 + 3);

    const std::vector<Instruction> apart = updatesOf({.weightDecay = 0.5, .decay = "matrices"});
    const std::int64_t counts[] = {20, 4, 12, 3};
    ASSERT_EQ(apart.size(), std::size(counts));
    std::int64_t first = 0;
    for (std::size_t i = 0; i < apart.size(); ++i) {
        const auto& update = std::get<AdamWDesc>(apart[i].operation);
        EXPECT_EQ(update.count, counts[i]);
        EXPECT_EQ(update.weightDecay, i % 2 == 0 ? 0.5 : 0);
        EXPECT_EQ(update.storage.firstElement, first) << "random numbers go by the place among all parameters";
        first += counts[i];
    }
}

TEST(OptimizerPlan, StochasticUpdatesDrawByTheRunsSeed) {
    TrainingSettings settings;
    settings.precision = {.policy = "pure-bf16", .overrides = {}, .weightUpdate = WeightUpdate::Stochastic};
    settings.init.seed = 77;
    const Plan plan = buildPlans(settings, kShape, *createCpuBackend()).training;
    const auto& update = std::get<AdamWDesc>(plan.instructions[static_cast<std::size_t>(plan.unscaleEnd)].operation);
    EXPECT_EQ(update.storage.seed, 77u);
    EXPECT_EQ(update.storage.update, WeightUpdate::Stochastic);
    EXPECT_EQ(update.storage.dtype, Dtype::BF16);
}

TEST(OptimizerPlan, EachKindHasItsOperationAndState) {
    const auto arenas = [](const OptimizerSettings& optimizer) {
        TrainingSettings settings;
        settings.optimizer = optimizer;
        const Plan plan = buildPlans(settings, kShape, *createCpuBackend()).training;
        return std::pair{plan.arenaBytes[static_cast<std::size_t>(Arena::Moment1)] > 0,
                         plan.arenaBytes[static_cast<std::size_t>(Arena::Moment2)] > 0};
    };
    EXPECT_TRUE(std::get<AdamWDesc>(updatesOf({.kind = "adamw"})[0].operation).isDecoupled);
    EXPECT_FALSE(std::get<AdamWDesc>(updatesOf({.kind = "adam"})[0].operation).isDecoupled);
    EXPECT_EQ(std::get<LionDesc>(updatesOf({.kind = "lion", .beta2 = 0.99})[0].operation).beta2, 0.99);
    EXPECT_EQ(arenas({.kind = "adam"}), std::pair(true, true));
    EXPECT_EQ(arenas({.kind = "lion"}), std::pair(true, false));
    EXPECT_EQ(arenas({.kind = "sgd"}), std::pair(false, false));
    EXPECT_EQ(arenas({.kind = "sgd", .momentum = 0.9}), std::pair(true, false));
}

TEST(OptimizerPlan, MuonUpdatesHiddenMatricesAndAdamWTheRest) {
    TrainingSettings settings;
    settings.model.hidden = {4, 6};  // 5 to 4 is wide, 4 to 6 tall; the last layer makes the prediction
    settings.optimizer = {.kind = "muon", .weightDecay = 0.5, .decay = "matrices", .momentum = 0.9, .nesterov = true, .nsSteps = 3};
    const Plan plan = buildPlans(settings, kShape, *createCpuBackend()).training;
    std::vector<std::string> names;
    std::int64_t ofAdamW = 0;
    for (auto at = static_cast<std::size_t>(plan.unscaleEnd); at < plan.instructions.size(); ++at) {
        const Instruction& each = plan.instructions[at];
        if (each.name != "newton_schulz") names.push_back(each.name);
        if (const auto* update = std::get_if<MuonUpdateDesc>(&each.operation)) {
            EXPECT_EQ(update->weightDecay, 0.5);
        } else if (const auto* rest = std::get_if<AdamWDesc>(&each.operation)) {
            ofAdamW += rest->count;
            EXPECT_EQ(rest->weightDecay, rest->count == 6 * 3 ? 0.5 : 0);
        }
    }
    EXPECT_EQ(names, (std::vector<std::string>{"muon_momentum", "normalize", "muon", "adamw", "muon_momentum", "normalize", "muon", "adamw",
                                               "adamw", "adamw"}));
    EXPECT_EQ(ofAdamW, 4 + 6 + 6 * 3 + 3);
    EXPECT_EQ(plan.bytesOf(Arena::Moment2), 4 * ofAdamW) << "Muon's matrices have no second moments";
    EXPECT_EQ(plan.bytesOf(Arena::Moment1), 4 * plan.segments.back());
}

TEST(OptimizerPlan, MomentsHaveTheirOwnFormat) {
    TrainingSettings settings;
    settings.optimizer.stateDtype = "bf16";
    const Plan plan = buildPlans(settings, kShape, *createCpuBackend()).training;
    EXPECT_EQ(plan.moments, Dtype::BF16);
    EXPECT_EQ(plan.memory.optimizer, 2 * 2 * plan.segments.back());
    settings.precision.policy = "pure-bf16";
    settings.optimizer.stateDtype = "fp32";
    EXPECT_EQ(buildPlans(settings, kShape, *createCpuBackend()).training.memory.optimizer, 2 * 4 * plan.segments.back());
}

TEST(OptimizerPlan, MuonsRateFollowsTheShapeAsInPyTorch) {
    EXPECT_DOUBLE_EQ(muonRateFactor("match_rms_adamw", 16, 100), 2);
    EXPECT_DOUBLE_EQ(muonRateFactor("original", 16, 100), 1);
    EXPECT_DOUBLE_EQ(muonRateFactor("original", 100, 25), 2);
    EXPECT_DOUBLE_EQ(muonRateFactor("spectral_unclamped", 25, 100), 0.5);
}

}  // namespace
}  // namespace mantissa
