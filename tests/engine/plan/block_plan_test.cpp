// SPDX-License-Identifier: Apache-2.0
// Plans of block policies: which operands are quantised to what, from what, and what they take.
#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "tests/engine/plan/small_plan.h"

namespace mantissa {
namespace {

using namespace test;

TEST(Plan, EachProductReadsItsOperandsInBlocksAlongItsSum) {
    const Plan plan = planFor({.policy = "mxfp8"});
    const auto blocksOf = [&](const char* name) {
        const Instruction& product = productOf(plan, name, "layers.1");
        const auto& desc = std::get<MatmulDesc>(product.operation);
        EXPECT_TRUE(desc.isScaled);
        EXPECT_EQ(desc.compute, Dtype::E4M3) << "of an fp8 tensor core";
        EXPECT_EQ(bufferOf(plan, product.operands[0]).blocks, desc.aBlocks);
        EXPECT_EQ(bufferOf(plan, product.operands[1]).blocks, desc.bBlocks);
        return std::pair(blockShapeName(desc.aBlocks->block), blockShapeName(desc.bBlocks->block));
    };
    EXPECT_EQ(blocksOf("linear"), std::pair(std::string("1x32"), std::string("1x32")));
    EXPECT_EQ(blocksOf("linear_grad_input"), std::pair(std::string("1x32"), std::string("32x1")));
    EXPECT_EQ(blocksOf("linear_grad_weight"), std::pair(std::string("32x1"), std::string("32x1")));
}

TEST(Plan, QuantisesFromTheTensorAndEachFormOnce) {
    for (const BlockPolicy& policy : blockPolicies()) {
        const Plan plan = planFor({.policy = std::string(policy.name), .blocks = {.keepLast = 0}});
        std::set<std::string> forms;
        for (const Instruction* quantize : named(plan, "quantize")) {
            const Buffer &from = bufferOf(plan, quantize->operands[0]), &to = bufferOf(plan, quantize->operands[1]);
            EXPECT_TRUE(forms.insert(to.name).second) << to.name;
            EXPECT_FALSE(from.blocks) << "quantised twice: " << to.name;
            const auto& desc = std::get<QuantizeBlocksDesc>(quantize->operation);
            EXPECT_EQ(desc.from, *from.dtype);
            const std::int64_t factor = desc.format.hasTensorScale() ? 4 : 0;
            EXPECT_EQ(to.bytes + factor, desc.format.storageBytes(desc.shape)) << to.name;
        }
        // Two layers before the head: x and dy twice each, w once or twice; no input gradient of the first layer.
        const bool isSquare = blockRecipe(policy.name, {}).hasSquareWeights;
        EXPECT_EQ(forms.size(), isSquare ? 9u : 10u) << policy.name;
    }
}

TEST(Plan, Nvfp4RotatesForTheWeightGradientAndRoundsGradientsStochastically) {
    const Plan plan = planFor({.policy = "nvfp4", .blocks = {.keepLast = 0}});
    const auto expectOperands = [&](const char* name, bool isRotated, Rounding left, Rounding right) {
        const Instruction& product = productOf(plan, name, "layers.1");
        const QuantizeBlocksDesc &a = quantizationOf(plan, product.operands[0]), &b = quantizationOf(plan, product.operands[1]);
        EXPECT_EQ(a.isRotated, isRotated) << name;
        EXPECT_EQ(b.isRotated, isRotated) << name;
        EXPECT_EQ(a.rounding, left) << name;
        EXPECT_EQ(b.rounding, right) << name;
    };
    expectOperands("linear", false, Rounding::NearestEven, Rounding::NearestEven);
    expectOperands("linear_grad_input", false, Rounding::Stochastic, Rounding::NearestEven);
    expectOperands("linear_grad_weight", true, Rounding::Stochastic, Rounding::NearestEven);
    EXPECT_EQ(productOf(plan, "linear", "layers.1").operands[1], productOf(plan, "linear_grad_input", "layers.1").operands[1])
        << "a weight in squares serves both products";
}

TEST(Plan, ARequantisedInputIsQuantisedFromItsRows) {
    for (const std::vector<PrecisionOverride>& overrides :
         {std::vector<PrecisionOverride>{}, std::vector<PrecisionOverride>{{"linear", Direction::Forward, Dtype::BF16}}}) {
        const Plan plan =
            planFor({.policy = "fp8-block", .overrides = overrides, .blocks = {.scaleRule = ScaleRule::Fp32, .requantizesInput = true}});
        const int columns = productOf(plan, "linear_grad_weight", "layers.1").operands[1];
        const auto quantizing = named(plan, "quantize");
        const auto writing = [&](int operand) {
            return **std::find_if(quantizing.begin(), quantizing.end(), [=](const auto* each) { return each->operands[1] == operand; });
        };
        const QuantizeBlocksDesc& desc = quantizationOf(plan, columns);
        const Buffer& rows = bufferOf(plan, writing(columns).operands[0]);
        ASSERT_TRUE(desc.source);
        EXPECT_EQ(rows.blocks, desc.source);
        EXPECT_EQ(blockShapeName(desc.source->block), "1x128");
        EXPECT_EQ(blockShapeName(desc.format.block), "128x1");
        EXPECT_EQ(rows.name, "activations.0.output as fp8_block_e4m3 in blocks of 1x128, fp32 scales");
        EXPECT_EQ(bufferOf(plan, columns).name, "activations.0.output as fp8_block_e4m3 in blocks of 128x1, fp32 scales, requantised");
        EXPECT_EQ(bufferOf(plan, columns).bytes, desc.format.storageBytes(desc.shape));
        if (overrides.empty()) {
            EXPECT_EQ(productOf(plan, "linear", "layers.1").operands[0], writing(columns).operands[0]) << "the forward product's operand";
        }
        EXPECT_FALSE(quantizationOf(plan, productOf(plan, "linear_grad_weight", "layers.1").operands[0]).source) << "gradients are not";
        EXPECT_EQ(std::get<MatmulDesc>(productOf(plan, "linear_grad_weight", "layers.1").operation).b, Dtype::F32);
    }
}

TEST(Plan, TheHeadTheLastBlocksAndOverridesStayInBf16) {
    const auto quantized = [](const PrecisionSettings& precision) {
        const Plan plan = planFor(precision);
        std::set<std::string> layers;
        for (const char* name : {"linear", "linear_grad_input", "linear_grad_weight"}) {
            for (const Instruction* product : named(plan, name)) {
                if (std::get<MatmulDesc>(product->operation).aBlocks) layers.insert(product->layer + " " + name);
            }
        }
        return layers;
    };
    EXPECT_EQ(quantized({.policy = "mxfp4"}), (std::set<std::string>{"layers.0 linear", "layers.0 linear_grad_weight", "layers.1 linear",
                                                                     "layers.1 linear_grad_input", "layers.1 linear_grad_weight"}));
    EXPECT_EQ(quantized({.policy = "mxfp4", .blocks = {.keepLast = 0.5}}),
              (std::set<std::string>{"layers.0 linear", "layers.0 linear_grad_weight"}));
    EXPECT_TRUE(quantized({.policy = "mxfp4", .blocks = {.keepLast = 1}}).empty());
    EXPECT_EQ(quantized({.policy = "mxfp4", .overrides = {{"linear", Direction::Forward, Dtype::BF16}}}),
              (std::set<std::string>{"layers.0 linear_grad_weight", "layers.1 linear_grad_input", "layers.1 linear_grad_weight"}));
}

TEST(Plan, ABlockFormatOfTheInputIsSavedInsteadOfTheInput) {
    const auto activations = [](const std::string& policy) {
        Graph graph = buildModel({.kind = "mlp", .hidden = {512, 512, 512}, .activation = "relu"}, 256, {.features = 512, .classes = 4});
        appendBackward(graph);
        const auto backend = createCpuBackend();
        Plan plan = lowerGraph(graph, resolvePolicy({.policy = policy, .blocks = {.keepLast = 0}}, *backend), *backend, {});
        layOut(plan);
        return plan.memory.activations;
    };
    // relu's gradient reads its output in bf16: 16 bits and the block format's
    EXPECT_GT(activations("mxfp8"), activations("mxfp4"));
    EXPECT_LT(activations("nvfp4"), activations("mxfp8"));
}

}  // namespace
}  // namespace mantissa
