// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "engine/models/model.h"
#include "engine/plan/plan.h"

namespace mantissa {
namespace {

Plan imagePlan(const PrecisionSettings& precision, bool isTraining = true) {
    const auto backend = createCpuBackend();
    Graph graph = buildModel({.kind = "resnet", .depth = 8}, 2, {.features = 128, .classes = 3, .height = 8, .width = 16, .channels = 1});
    if (isTraining) appendBackward(graph);
    return lowerGraph(graph, resolvePolicy(precision, *backend), *backend, {.isTraining = isTraining});
}

/// The descriptions of that kind, in order.
template <typename Desc>
std::vector<Desc> all(const Plan& plan) {
    std::vector<Desc> found;
    for (const Instruction& each : plan.instructions)
        if (const auto* desc = std::get_if<Desc>(&each.operation)) found.push_back(*desc);
    return found;
}

TEST(ImagePlan, Tf32RoundsTheOperandsOfEveryConvolutionAsAsked) {
    const Plan plan = imagePlan({.policy = "tf32", .overrides = {}, .products = {.tf32Rounding = Rounding::NearestAway}});
    std::vector<Convolution2dDesc> convolutions = all<Convolution2dDesc>(plan);
    const auto ofInputs = all<Convolution2dInputGradDesc>(plan);
    const auto ofWeights = all<Convolution2dWeightGradDesc>(plan);
    EXPECT_EQ(ofWeights.size(), convolutions.size());
    EXPECT_EQ(ofInputs.size() + 1, convolutions.size()) << "the gradient of the samples is not computed";
    for (const auto& each : ofInputs) convolutions.push_back(each.forward);
    for (const auto& each : ofWeights) convolutions.push_back(each.forward);
    for (const Convolution2dDesc& each : convolutions) {
        EXPECT_EQ(each.compute, Dtype::TF32);
        EXPECT_EQ(each.x, Dtype::F32) << "tf32 is never how a tensor is stored";
        EXPECT_EQ(each.operandRounding, Rounding::NearestAway);
    }
}

TEST(ImagePlan, WeightGradientsOfConvolutionsAreRoundedThenWidened) {
    for (const Convolution2dWeightGradDesc& each : all<Convolution2dWeightGradDesc>(imagePlan({"bf16"}))) {
        EXPECT_EQ(each.result, Dtype::BF16);
        EXPECT_EQ(each.gradWeight, Dtype::F32);
    }
}

TEST(ImagePlan, BatchNormTakesTheBatchsStatisticsInTrainingAlone) {
    for (const bool isTraining : {true, false}) {
        const std::vector<BatchNormDesc> norms = all<BatchNormDesc>(imagePlan({"bf16"}, isTraining));
        EXPECT_FALSE(norms.empty());
        for (const BatchNormDesc& each : norms) EXPECT_EQ(each.training, isTraining);
    }
}

TEST(ImagePlan, ImagesNeedNotBeSquare) {
    const Plan plan = imagePlan({"bf16"});
    int pools = 0;
    for (const Instruction& instruction : plan.instructions) {
        const auto* pool = std::get_if<PoolDesc>(&instruction.operation);
        if (pool == nullptr) continue;
        ++pools;
        EXPECT_EQ(pool->window.height, 2);
        EXPECT_EQ(pool->window.width, 4);
        EXPECT_EQ(elementCount(plan.buffers[static_cast<std::size_t>(instruction.output)].shape), 2 * 64);
    }
    EXPECT_EQ(pools, 1);
}

}  // namespace
}  // namespace mantissa
