// SPDX-License-Identifier: Apache-2.0
// Sentences of resources/guide/numerics.md about what operations read and write under the lists and under pure policies.
#include <gtest/gtest.h>

#include "engine/models/model.h"
#include "engine/plan/plan.h"

namespace mantissa {
namespace {

namespace claims {

constexpr auto kF32 = Dtype::F32, kF16 = Dtype::F16, kBF16 = Dtype::BF16;
using Formats = std::vector<Dtype>;

Plan plannedFor(const PrecisionSettings& precision) {
    const auto backend = createCpuBackend();
    Graph graph = buildModel({.kind = "gpt", .nLayer = 1, .nEmbd = 16}, 2, {.classes = 10, .context = 8});
    appendBackward(graph);
    return lowerGraph(graph, resolvePolicy(precision, *backend), *backend, {});
}

const Instruction& find(const Plan& plan, const std::string& name, const std::string& layer) {
    for (const Instruction& instruction : plan.instructions)
        if (instruction.name == name && instruction.layer == layer) return instruction;
    throw std::out_of_range(name + " at " + layer);
}

Formats formatsOf(const Plan& plan, const std::string& name, const std::string& layer) {
    Formats formats;
    for (const int operand : find(plan, name, layer).operands) {
        if (operand < 0) continue;
        if (const auto dtype = plan.buffers[static_cast<std::size_t>(operand)].dtype) formats.push_back(*dtype);
    }
    return formats;
}

}  // namespace claims

TEST(NumericsClaims, KerasReadsTokensAndPositionsFromTablesInThePolicysFormat) {
    using namespace claims;
    const Plan plan = plannedFor({.policy = "bf16", .autocast = "keras"});
    EXPECT_EQ(formatsOf(plan, "embedding", "transformer.wte"), (Formats{kBF16, kBF16}));
    EXPECT_EQ(formatsOf(plan, "add_positions", "transformer.wpe"), (Formats{kBF16, kBF16, kBF16}));
    EXPECT_EQ(formatsOf(plannedFor({"bf16"}), "add_positions", "transformer.wpe"), (Formats{kF32, kF32, kF32}))
        << "PyTorch reads the parameter";
}

TEST(NumericsClaims, TheGradientOfALossInFp32IsRoundedToTheLogitsFormatWhoeverReadsIt) {
    using namespace claims;
    PrecisionSettings precision{.policy = "fp16", .autocast = "pytorch-cpu"};
    precision.overrides.emplace_back("linear", Direction::WeightGrad, kF32);
    const Plan plan = plannedFor(precision);
    const Instruction& product = find(plan, "linear_grad_weight", "lm_head");
    ASSERT_EQ(product.compute, kF32);
    const auto isProducer = [&](const Instruction& each) { return each.output == product.operands[0]; };
    const auto widening = std::find_if(plan.instructions.begin(), plan.instructions.end(), isProducer);
    ASSERT_NE(widening, plan.instructions.end());
    ASSERT_TRUE(std::holds_alternative<CastDesc>(widening->operation)) << "it is read as it was written, unrounded";
    EXPECT_EQ(std::get<CastDesc>(widening->operation).from, kF16);
    EXPECT_EQ(find(plan, "cross_entropy_grad", "loss").compute, kF32);
}

TEST(NumericsClaims, ANormInKerasReadsAndWritesThePolicysFormatAndComputesInFp32WithFp32Factors) {
    using namespace claims;
    const Plan plan = plannedFor({.policy = "bf16", .autocast = "keras"});
    const std::string norm = "transformer.h.0.ln_1";
    EXPECT_EQ(formatsOf(plan, "layer_norm", norm), (Formats{kBF16, kF32, kF32, kBF16, kF32, kF32})) << "and statistics in fp32";
    EXPECT_EQ(std::get<LayerNormDesc>(find(plan, "layer_norm", norm).operation).compute, kF32);
}

TEST(NumericsClaims, APureNormReadsAndWritesThePolicysFormatAndComputesInFp32) {
    using namespace claims;
    const Plan plan = plannedFor({"pure-bf16"});
    const std::string norm = "transformer.h.0.ln_1";
    EXPECT_EQ(formatsOf(plan, "layer_norm", norm), (Formats{kBF16, kBF16, kBF16, kBF16, kF32, kF32}));
    EXPECT_EQ(std::get<LayerNormDesc>(find(plan, "layer_norm", norm).operation).compute, kF32);
}

TEST(NumericsClaims, SoftmaxWritesFp32OnCudaAndElsewhereTheFormatOfItsScores) {
    using namespace claims;
    const auto formats = [](const char* policy, const char* list) {
        return formatsOf(plannedFor({.policy = policy, .autocast = list}), "softmax", "transformer.h.0.attn.softmax");
    };
    EXPECT_EQ(formats("fp16", "pytorch-cuda"), (Formats{kF16, kF32}));
    EXPECT_EQ(formats("fp16", "pytorch-cpu"), (Formats{kF16, kF16}));
    EXPECT_EQ(formats("fp16", "keras"), (Formats{kF16, kF16}));
    EXPECT_EQ(formats("pure-bf16", "pytorch-cuda"), (Formats{kBF16, kBF16}));
}

TEST(NumericsClaims, TheSumOfFp16AndBf16IsFp32) {
    using namespace claims;
    const Plan plan = plannedFor(
        {.policy = "bf16", .overrides = {{"transformer.drop", kBF16}, {"transformer.wpe", kBF16}, {"transformer.h.0.attn.c_proj", kF16}}});
    EXPECT_EQ(formatsOf(plan, "add", "transformer.h.0.attn.residual"), (Formats{kBF16, kF16, kF32}));
}

TEST(NumericsClaims, GradientsOfATiedTableMeetInFp32UnderEveryListAndInThePolicysFormatInPureRuns) {
    using namespace claims;
    const auto written = [](const char* policy, const std::string& list) {
        return formatsOf(plannedFor({.policy = policy, .autocast = list}), "add_gradients", "transformer.wte").back();
    };
    for (const AutocastList& list : autocastLists()) EXPECT_EQ(written("bf16", std::string(list.name)), kF32) << list.name;
    EXPECT_EQ(written("pure-bf16", "pytorch-cuda"), kBF16);
}

TEST(NumericsClaims, FusedAttentionUnderTf32ReadsItsOperandsAsTheyAre) {
    const auto backend = createCpuBackend();
    const Graph graph = buildModel({.kind = "gpt", .nLayer = 1, .nEmbd = 16, .attention = "fused"}, 2, {.classes = 10, .context = 8});
    const Plan plan = lowerGraph(graph, resolvePolicy({"tf32"}, *backend), *backend, {});
    const Instruction& fused = claims::find(plan, "fused_attention", "transformer.h.0.attn.fused");
    EXPECT_EQ(fused.compute, Dtype::F32);
    EXPECT_EQ(std::get<FusedAttentionDesc>(fused.operation).dtype, Dtype::F32);
}

}  // namespace
}  // namespace mantissa
