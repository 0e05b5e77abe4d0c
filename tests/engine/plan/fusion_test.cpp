// SPDX-License-Identifier: Apache-2.0
// Which instructions of a plan a backend computes together, and what memory they may share.
#include <algorithm>
#include <map>

#include "tests/engine/plan/small_plan.h"
#include "tests/support/forwarding_backend.h"

namespace mantissa {
namespace {

const ModelSettings kGpt{.kind = "gpt", .nLayer = 2, .nEmbd = 16, .attention = "fused"};

/// The names of a group's instructions -> how many such groups there are.
std::map<std::string, int> groupsOf(const Plan& plan) {
    std::map<int, std::string> names;
    for (const Instruction& each : plan.instructions) {
        if (each.group >= 0) names[each.group] += (names[each.group].empty() ? "" : " ") + each.name;
    }
    std::map<std::string, int> counts;
    for (const auto& [group, name] : names) ++counts[name];
    return counts;
}

TEST(FusedInstructions, AreTheNormsActivationsAndLossOfATransformer) {
    const std::map<std::string, int> expected{{"add layer_norm", 4},
                                              {"layer_norm_grad cast", 1},
                                              {"layer_norm_grad add_gradients cast", 3},
                                              {"layer_norm_grad add_gradients", 1},
                                              {"gelu_grad linear_grad_bias cast", 2},
                                              {"linear_grad_bias cast", 6},
                                              {"cross_entropy cross_entropy_grad", 1},
                                              {"cast cast cast cast cast cast cast cast cast cast cast cast cast cast cast cast cast", 1}};
    EXPECT_EQ(groupsOf(test::languageModelPlan(kGpt, {"bf16"})), expected);
}

TEST(FusedInstructions, OfAnMlpJoinItsBiasGradients) {
    const std::map<std::string, int> expected{{"gelu_grad linear_grad_bias", 2}};
    EXPECT_EQ(groupsOf(test::planFor({"fp32"})), expected);
}

TEST(FusedInstructions, OfAResidualNetworkAreItsBatchNormsAndSumsWithRelu) {
    const auto backend = createCpuBackend();
    Graph graph = buildModel({.kind = "resnet", .depth = 8}, 2, {.features = 128, .classes = 3, .height = 8, .width = 16, .channels = 1});
    appendBackward(graph);
    Plan plan = lowerGraph(graph, resolvePolicy({"fp16"}, *backend), *backend, {});
    std::map<std::string, int> groups = groupsOf(plan);
    EXPECT_EQ(groups["batch_norm relu"], 4) << "the first, and one of each block";
    EXPECT_EQ(groups["batch_norm add relu"], 3);
    EXPECT_EQ(groups["add_gradients relu_grad"], 3) << "the gradient of the last block's result has one part";
}

TEST(FusedInstructions, AreNoneOnABackendThatComputesThePartsAlone) {
    EXPECT_TRUE(groupsOf(test::languageModelPlan(kGpt, {"bf16"}, std::make_shared<test::ForwardingBackend>())).empty());
}

TEST(FusedInstructions, CountEachBufferOnceAndNoneThatIsLeftOut) {
    const Plan apart = test::languageModelPlan(kGpt, {"bf16"}, std::make_shared<test::ForwardingBackend>()),
               together = test::languageModelPlan(kGpt, {"bf16"});
    const auto bytesOf = [](const Plan& plan, const std::string& name, const std::string& layer) {
        const auto from = plan.instructions.begin() + plan.prologueEnd;
        return std::find_if(from, plan.instructions.end(),
                            [&](const Instruction& each) { return each.name == name && each.layer == layer; })
            ->bytes;
    };
    constexpr double kRows = 2 * 8, kStream = kRows * 16 * 4, kNarrow = kRows * 16 * 2;
    EXPECT_EQ(bytesOf(apart, "layer_norm", "transformer.ln_f") - bytesOf(together, "layer_norm", "transformer.ln_f"), kStream);
    const char* const kResidual = "transformer.h.1.attn.residual";
    EXPECT_EQ(bytesOf(apart, "add_gradients", kResidual), 3 * kStream);
    EXPECT_EQ(bytesOf(together, "add_gradients", kResidual), 2 * kStream) << "the norm's gradient stays in registers";
    EXPECT_EQ(bytesOf(apart, "layer_norm_grad", "transformer.h.1.ln_2") - bytesOf(together, "layer_norm_grad", "transformer.h.1.ln_2"),
              kStream);
    EXPECT_EQ(bytesOf(together, "cast", "transformer.h.1.attn.c_proj"), kNarrow) << "a gradient's, which is only written";
}

/// Results of later parts are written while other rows of earlier parts are still read.
TEST(FusedInstructions, ShareNoMemoryBetweenWhatTheyReadAndWrite) {
    for (const char* policy : {"fp32", "fp16", "bf16"}) {
        const Plan plan = test::languageModelPlan(kGpt, {policy});
        std::map<int, std::vector<int>> touched;
        for (const Instruction& each : plan.instructions) {
            if (each.group < 0) continue;
            for (const int operand : each.operands) {
                if (operand >= 0) touched[each.group].push_back(operand);
            }
        }
        for (const auto& [group, buffers] : touched) {
            for (const int a : buffers) {
                for (const int b : buffers) {
                    const Buffer &one = test::bufferOf(plan, a), &other = test::bufferOf(plan, b);
                    if (a == b || one.arena != Arena::Transient || other.arena != Arena::Transient) continue;
                    EXPECT_TRUE(one.offset + one.bytes <= other.offset || other.offset + other.bytes <= one.offset)
                        << policy << ": " << one.name << " and " << other.name;
                }
            }
        }
    }
}

/// A follower may lie behind a product, but not behind something that its operands need.
TEST(FusedInstructions, AreComputedEarlyOnlyIfNothingInBetweenMatters) {
    for (const bool isInTheWay : {false, true}) {
        const auto backend = createCpuBackend();
        Plan plan;
        const auto tensor = [&](const char* name, std::int64_t count) {
            return plan.addBuffer({.name = name, .shape = Shape{count}, .dtype = Dtype::F32});
        };
        const int g = tensor("g", 16), x = tensor("x", 16), out = tensor("out", 16), bias = tensor("bias", 8);
        plan.instructions.push_back({.operation = ActivationGradDesc{Activation::Relu, 16}, .operands = {g, x, out}, .output = out});
        plan.instructions.push_back(
            {.operation = ScaleDesc{.count = 8, .factor = 2}, .operands = {x, isInTheWay ? bias : g}, .output = isInTheWay ? bias : g});
        plan.instructions.push_back({.operation = BiasGradDesc{2, 8}, .operands = {out, bias}, .output = bias});
        plan.forwardEnd = plan.backwardEnd = 3;
        fuse(plan, *backend);
        EXPECT_EQ(plan.instructions[2].isFollower, !isInTheWay);
    }
}

}  // namespace
}  // namespace mantissa
