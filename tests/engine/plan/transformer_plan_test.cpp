// SPDX-License-Identifier: Apache-2.0
// Which formats the operations of transformers read and write under autocast.
#include <gtest/gtest.h>

#include "tests/engine/plan/small_plan.h"

namespace mantissa {
namespace {

constexpr auto kF32 = Dtype::F32, kF16 = Dtype::F16;

/// Floating-point operands of the first instruction of that name, in order, at `layer` or below.
std::vector<Dtype> formatsOf(const Plan& plan, const std::string& name, const std::string& layer = "") {
    std::vector<Dtype> formats;
    for (const Instruction& instruction : plan.instructions) {
        if (instruction.name != name || !instruction.layer.starts_with(layer)) continue;
        for (const int operand : instruction.operands) {
            if (operand >= 0 && plan.buffers[static_cast<std::size_t>(operand)].dtype)
                formats.push_back(*plan.buffers[static_cast<std::size_t>(operand)].dtype);
        }
        break;
    }
    return formats;
}

using Formats = std::vector<Dtype>;

TEST(TransformerPlan, FormatsAreAutocasts) {
    const Plan plan = test::languageModelPlan({.kind = "gpt", .nLayer = 1, .nEmbd = 16}, {"fp16"});
    EXPECT_EQ(formatsOf(plan, "embedding"), (Formats{kF32, kF32})) << "parameters are fp32, and on no list";
    EXPECT_EQ(formatsOf(plan, "layer_norm"), (Formats{kF32, kF32, kF32, kF16, kF32, kF32})) << "in fp32, rounded as it is written";
    EXPECT_EQ(formatsOf(plan, "linear"), (Formats{kF16, kF16, kF16, kF16}));
    EXPECT_EQ(formatsOf(plan, "attention_scores"), (Formats{kF16, kF16, kF16}));
    EXPECT_EQ(formatsOf(plan, "scale"), (Formats{kF16, kF16})) << "as its input";
    EXPECT_EQ(formatsOf(plan, "softmax"), (Formats{kF16, kF32})) << "an island of fp32";
    EXPECT_EQ(formatsOf(plan, "attention_mix"), (Formats{kF16, kF16, kF16}));
    EXPECT_EQ(formatsOf(plan, "add", "transformer.h.0.attn"), (Formats{kF32, kF16, kF32})) << "promoted: the stream stays fp32";
    EXPECT_EQ(formatsOf(plan, "softmax_grad"), (Formats{kF32, kF32, kF16})) << "in what the scores are stored in";
    EXPECT_EQ(formatsOf(plan, "layer_norm_grad", "transformer.h.0.ln_2")[0], kF16) << "as it comes from the products";
}

TEST(TransformerPlan, AnOverrideTakesTheIslandAway) {
    const Plan plan = test::languageModelPlan({.kind = "gpt", .nLayer = 1, .nEmbd = 16},
                                              {.policy = "fp16", .overrides = {{"softmax", kF16}, {"transformer.h.0.ln_1", kF16}}});
    EXPECT_EQ(formatsOf(plan, "softmax"), (Formats{kF16, kF16}));
    for (const Instruction& instruction : plan.instructions) {
        if (instruction.name != "layer_norm") continue;
        EXPECT_EQ(std::get<LayerNormDesc>(instruction.operation).compute, instruction.layer == "transformer.h.0.ln_1" ? kF16 : kF32);
    }
}

TEST(TransformerPlan, ANormIsRoundedAsItIsWrittenWhereOnlyProductsOfOneFormatReadIt) {
    const auto written = [](const ModelSettings& model, const PrecisionSettings& precision, const char* norm) {
        const Plan plan = test::languageModelPlan(model, precision);
        std::optional<Dtype> format;
        for (const Instruction& each : plan.instructions)
            if (const auto* desc = std::get_if<LayerNormDesc>(&each.operation); desc && each.layer == norm) format = desc->to;
        return format;
    };
    const ModelSettings gpt{.kind = "gpt", .nLayer = 1, .nEmbd = 16}, llama{.kind = "llama", .nLayer = 1, .nEmbd = 16, .nKvHead = 2};
    const char* const norm = "transformer.h.0.ln_1";
    EXPECT_EQ(written(gpt, {"bf16"}, norm), Dtype::BF16);
    EXPECT_EQ(written(gpt, {"fp8"}, norm), storageDtype(resolvePolicy({"fp8"}, *createCpuBackend()), Dtype::E4M3)) << "what is quantised";
    EXPECT_EQ(written(gpt, {"fp32"}, norm), kF32);
    EXPECT_EQ(written(gpt, {"tf32"}, norm), kF32);
    const PrecisionSettings wide{.policy = "fp16", .overrides = {{"transformer.h.0.attn.c_attn", kF32}}};
    EXPECT_EQ(written(gpt, wide, norm), kF32) << "the layer that reads it is in fp32";
    EXPECT_EQ(written(gpt, wide, "transformer.h.0.ln_2"), kF16);
    EXPECT_EQ(written(llama, {"fp16"}, "model.layers.0.input_layernorm"), kF16);
    for (const Instruction& each : test::languageModelPlan(llama, {"fp16"}).instructions) {
        if (each.name != "add_gradients" || each.layer != "model.layers.0.input_layernorm") continue;
        EXPECT_EQ(std::get<AddDesc>(each.operation).out, kF32) << "its gradients meet in the format of the norm's result";
    }
    EXPECT_EQ(written(llama, {"fp16"}, "model.norm"), kF16);
}

TEST(TransformerPlan, ANormThatWritesANarrowFormatComputesInFp32) {
    for (const PrecisionSettings& precision : {PrecisionSettings{.policy = "bf16", .autocast = "keras"}, {.policy = "pure-bf16"}}) {
        for (const char* kind : {"gpt", "llama"}) {
            for (const Instruction& each : test::languageModelPlan({.kind = kind, .nLayer = 1, .nEmbd = 16}, precision).instructions) {
                if (const auto* desc = std::get_if<LayerNormDesc>(&each.operation)) {
                    EXPECT_EQ(desc->to, Dtype::BF16) << precision.policy << ", " << each.layer;
                    EXPECT_EQ(desc->compute, kF32) << precision.policy << ", " << each.layer;
                } else if (const auto* gradient = std::get_if<LayerNormGradDesc>(&each.operation)) {
                    EXPECT_EQ(gradient->compute, kF32) << precision.policy << ", " << each.layer;
                }
            }
        }
    }
}

TEST(TransformerPlan, ProductsOfAttentionCarryTheirSumsAndRoundings) {
    const Plan plan = test::languageModelPlan(
        {.kind = "gpt", .nLayer = 1, .nEmbd = 16},
        {.policy = "tf32",
         .overrides = {},
         .products = {.tf32Rounding = Rounding::TowardZero, .accumulator = Accumulator::Ampere, .promoteEvery = 8}});
    int products = 0;
    for (const Instruction& each : plan.instructions) {
        const auto* desc = std::get_if<BatchedMatmulDesc>(&each.operation);
        if (desc == nullptr) continue;
        ++products;
        EXPECT_EQ(desc->compute, Dtype::TF32) << each.name;
        EXPECT_EQ(desc->a, kF32) << each.name << ": tf32 is never how a tensor is stored";
        EXPECT_EQ(desc->operandRounding, Rounding::TowardZero) << each.name;
        EXPECT_EQ(desc->accumulator, Accumulator::Ampere) << each.name;
        EXPECT_EQ(desc->promoteEvery, 8) << each.name;
    }
    EXPECT_EQ(products, 6) << "scores and mix, each with two gradients";
}

TEST(TransformerPlan, GradientsOfAValueThatIsUsedTwiceMeetInItsOwnFormat) {
    const Plan plan = test::languageModelPlan({.kind = "llama", .nLayer = 1, .nEmbd = 16, .nKvHead = 2}, {"fp16"});
    EXPECT_EQ(formatsOf(plan, "add_gradients", "model.layers.0.input_layernorm"), (Formats{kF16, kF16, kF32}));
}

TEST(TransformerPlan, FusedAttentionStoresNoScores) {
    ModelSettings model{.kind = "gpt", .nLayer = 1, .nEmbd = 16};
    const Plan visible = test::languageModelPlan(model, {"fp32"});
    model.attention = "fused";
    const Plan fused = test::languageModelPlan(model, {"fp32"});
    EXPECT_TRUE(formatsOf(fused, "attention_scores").empty());
    EXPECT_EQ(formatsOf(fused, "fused_attention").size(), 5u);
    EXPECT_LT(fused.memory.activations, visible.memory.activations);
}

TEST(TransformerPlan, FusedAttentionDividesAfterTheProductIn16BitFormatsWhereRequested) {
    const auto descOf = [](const char* softmax, const char* policy) {
        const Plan plan =
            test::languageModelPlan({.kind = "gpt", .nLayer = 1, .nEmbd = 16, .attention = "fused", .fusedSoftmax = softmax}, {policy});
        for (const Instruction& each : plan.instructions) {
            if (each.name == "fused_attention") return std::get<FusedAttentionDesc>(each.operation);
        }
        throw std::logic_error("no fused attention");
    };
    for (const char* policy : {"fp16", "bf16"}) {
        EXPECT_EQ(descOf("before_product", policy).compute, kF32);
        EXPECT_EQ(descOf("after_product", policy).compute, descOf("after_product", policy).dtype);
        EXPECT_FALSE(descOf("after_product", policy).shiftsTies);
        EXPECT_TRUE(descOf("after_product_shifted", policy).shiftsTies);
    }
    EXPECT_EQ(descOf("after_product_shifted", "fp32").compute, kF32);
}

TEST(TransformerPlan, FusedAttentionReadsAndWritesItsPartsWhereTheyLie) {
    const ModelSettings model{.kind = "gpt", .nLayer = 1, .nEmbd = 16, .attention = "fused"};
    const Plan plan = test::languageModelPlan(model, {"fp16"});
    EXPECT_TRUE(formatsOf(plan, "split").empty());
    EXPECT_TRUE(formatsOf(plan, "concat").empty());
    int seen = 0;
    for (const Instruction& each : plan.instructions) {
        const bool isGradient = each.name == "fused_attention_grad";
        if (!isGradient && each.name != "fused_attention") continue;
        ++seen;
        const auto bufferOf = [&](int index) { return plan.buffers[static_cast<std::size_t>(index)]; };
        for (const std::size_t first : isGradient ? std::vector<std::size_t>{1, 6} : std::vector<std::size_t>{0}) {
            const int whole = plan.parentOf(each.operands[first]);
            EXPECT_EQ(bufferOf(whole).shape, (Shape{2, 8, 48}));
            for (std::size_t part = 0; part < 3; ++part) {
                const Buffer buffer = bufferOf(each.operands[first + part]);
                EXPECT_EQ(buffer.whole, whole);
                EXPECT_EQ(buffer.offset, bufferOf(whole).offset + static_cast<std::int64_t>(part) * 16 * 2);
            }
        }
        const FusedAttentionDesc& desc =
            isGradient ? std::get<FusedAttentionGradDesc>(each.operation).forward : std::get<FusedAttentionDesc>(each.operation);
        for (const BatchStrides& strides : {desc.q, desc.k, desc.v}) EXPECT_EQ(strides.row, 48);
        EXPECT_EQ(desc.out.row, 16);
        EXPECT_EQ(each.output, isGradient ? plan.parentOf(each.operands[6]) : each.operands[3]) << "the statistics cover all of it";
    }
    EXPECT_EQ(seen, 2);
    const Plan wide = test::languageModelPlan(model, {.policy = "fp16", .overrides = {{"transformer.h.0.attn.fused", kF32}}});
    EXPECT_FALSE(formatsOf(wide, "split").empty()) << "the parts are cast, each by itself";
    EXPECT_FALSE(formatsOf(wide, "concat").empty());
    const Plan backward =
        test::languageModelPlan(model, {.policy = "fp16", .overrides = {{"transformer.h.0.attn.qkv", Direction::InputGrad, kF32}}});
    EXPECT_EQ(formatsOf(backward, "concat"), (Formats{kF32, kF32})) << "gradients are put together in another format";
}

/// What the audit looks at, of the first instruction of that name.
std::vector<std::string> lookedAt(const Plan& plan, const std::string& name) {
    for (const Instruction& instruction : plan.instructions) {
        if (instruction.name != name) continue;
        std::vector<std::string> names{plan.buffers[static_cast<std::size_t>(instruction.output)].name};
        for (const int other : instruction.others) names.push_back(plan.buffers[static_cast<std::size_t>(other)].name);
        return names;
    }
    return {};
}

TEST(TransformerPlan, TheAuditSeesEveryOutputOfAnOperation) {
    using Names = std::vector<std::string>;
    const Plan llama = test::languageModelPlan({.kind = "llama", .nLayer = 1, .nEmbd = 16, .attention = "fused"}, {"fp16"});
    const std::string block = "model.layers.0.";
    EXPECT_EQ(lookedAt(llama, "swiglu_grad"), (Names{block + "mlp.gate_proj.output.grad", block + "mlp.up_proj.output.grad"}));
    EXPECT_EQ(lookedAt(llama, "fused_attention_grad").size(), 3u);
    EXPECT_EQ(lookedAt(llama, "rms_norm_grad")[1], "model.norm.weight.grad");
    const Plan gpt = test::languageModelPlan({.kind = "gpt", .nLayer = 1, .nEmbd = 16}, {"fp16"});
    EXPECT_EQ(lookedAt(gpt, "layer_norm_grad").size(), 3u);
    EXPECT_EQ(lookedAt(gpt, "layer_norm").size(), 3u) << "mean and inverse deviation too";
    EXPECT_EQ(lookedAt(llama, "fused_attention").size(), 2u);
    EXPECT_EQ(lookedAt(gpt, "layer_norm_grad")[2], "transformer.ln_f.bias.grad");
}

}  // namespace
}  // namespace mantissa
