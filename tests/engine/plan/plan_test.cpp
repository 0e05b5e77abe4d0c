// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include "engine/plan/product_rate.h"
#include "tests/engine/plan/small_plan.h"
#include "tests/support/forwarding_backend.h"

namespace mantissa {
namespace {

using namespace test;

/// As a GPU's library may be.
struct NarrowResultsOnly : test::ForwardingBackend {
    Support supports(const OperationDesc& desc) const override {
        const auto* product = std::get_if<MatmulDesc>(&desc);
        if (product != nullptr && product->result != Dtype::F32) return {false, "results are stored as they are rounded"};
        return inner->supports(desc);
    }
};

TEST(ProductWork, CountsWhatAStepMultipliesForwardAndBackward) {
    const double weights = 12 * 32 + 32 * 16 + 16 * 4, first = 12 * 32;
    const ProductWork work = productWork(planFor({.policy = "fp32"}));
    EXPECT_EQ(work.flops, 2.0 * 8 * (3 * weights - first)) << "three products a layer, and no gradient of the samples";
    EXPECT_EQ(work.compute, Dtype::F32);
    EXPECT_EQ(productWork(planFor({.policy = "fp32"}, {.isTraining = false})).flops, 2.0 * 8 * weights);
    const ProductWork bf16 = productWork(planFor({.policy = "bf16"})), fp8 = productWork(planFor({.policy = "fp8"}));
    EXPECT_EQ(bf16.flops, work.flops);
    EXPECT_EQ(bf16.compute, Dtype::BF16);
    EXPECT_EQ(fp8.compute, Dtype::E4M3);
    PrecisionSettings mostly{.policy = "bf16"};
    mostly.overrides.emplace_back("layers.1", Dtype::F32);
    EXPECT_EQ(productWork(planFor(mostly)).compute, Dtype::F32) << "the largest layer computes in that";
}

TEST(ProductWork, ADevicesBestIsMeasuredOnceAFormat) {
    /// Counts products; a device of its own.
    struct Counting : test::ForwardingBackend {
        DeviceInfo info{.name = "counting", .description = "", .reason = ""};
        int prepared = 0;
        const DeviceInfo& device() const override { return info; }
        std::unique_ptr<Operation> prepare(const OperationDesc& desc) override {
            ++prepared;
            return inner->prepare(desc);
        }
        std::int64_t bytes = std::int64_t{1} << 40;
        std::int64_t availableBytes() const override { return bytes; }
    } backend;
    EXPECT_EQ(knownPeak(backend, Dtype::F32), std::nullopt);
    for (const Dtype compute : {Dtype::F32, Dtype::TF32, Dtype::BF16, Dtype::E4M3}) {
        const double rate = measurePeak(backend, compute);
        EXPECT_GT(rate, 0);
        EXPECT_LT(rate, 100) << "TFLOP/s of a processor";
        const int prepared = std::exchange(backend.prepared, 0);
        EXPECT_GE(prepared, 1);
        EXPECT_EQ(measurePeak(backend, compute), rate);
        EXPECT_EQ(knownPeak(backend, compute), rate);
        EXPECT_EQ(backend.prepared, 0);
    }
    backend.bytes = 0;
    EXPECT_EQ(measurePeak(backend, Dtype::F16), 0) << "the runs have all the memory";
}

TEST(Plan, Fp32NeedsNoCasts) {
    const Plan plan = planFor({.policy = "fp32"});
    EXPECT_TRUE(named(plan, "cast").empty());
    EXPECT_EQ(plan.memory.masterWeights, 0);
    EXPECT_EQ(plan.memory.weights, plan.segments.back() * 4);
    EXPECT_EQ(plan.memory.gradients, plan.segments.back() * 4);
}

TEST(Plan, WithoutScratchAFormatTakesWhatItStores) {
    const MemoryLedger fp32 = planFor({.policy = "fp32"}).memory, tf32 = planFor({.policy = "tf32"}).memory,
                       fp16 = planFor({.policy = "fp16"}).memory;
    EXPECT_GT(fp16.scratch, 0) << "the emulation widens operands";
    EXPECT_LE(fp16.scratch, fp16.workspace);
    EXPECT_EQ(tf32.withoutScratch(), fp32.withoutScratch()) << "TF32 is no storage format";
    EXPECT_EQ(fp16.activations * 2, fp32.activations);
    EXPECT_LT(fp16.workspace - fp16.scratch, fp32.workspace - fp32.scratch);
}

TEST(Plan, Tf32IsAComputeDtypeNeverStorage) {
    const Plan plan = planFor({.policy = "tf32"});
    for (const Buffer& buffer : plan.buffers) EXPECT_NE(buffer.dtype, Dtype::TF32) << buffer.name;
    for (const Instruction* linear : named(plan, "linear")) EXPECT_EQ(linear->compute, Dtype::TF32);
    EXPECT_TRUE(named(plan, "cast").empty());
}

TEST(Plan, MixedPolicyFollowsAutocast) {
    for (const auto& [policy, dtype] : {std::pair{"fp16", Dtype::F16}, std::pair{"bf16", Dtype::BF16}}) {
        const Plan plan = planFor({.policy = policy});
        for (const Instruction* linear : named(plan, "linear")) {
            const auto& desc = std::get<MatmulDesc>(linear->operation);
            EXPECT_EQ(desc.a, dtype);
            EXPECT_EQ(desc.b, dtype);
            EXPECT_EQ(desc.out, dtype);
        }
        for (const Instruction* gelu : named(plan, "gelu"))
            EXPECT_EQ(std::get<ActivationDesc>(gelu->operation).dtype, dtype);  // its input's
        // the loss reads and writes the format of the logits, as its gradient does: no cast in between
        const Instruction& loss = *named(plan, "cross_entropy").front();
        EXPECT_EQ(bufferOf(plan, loss.operands[0]).dtype, dtype);
        EXPECT_EQ(std::get<SoftmaxCrossEntropyDesc>(loss.operation).logits, dtype);
        EXPECT_EQ(std::get<SoftmaxCrossEntropyDesc>(loss.operation).compute, dtype);
        const Instruction& lossGradient = *named(plan, "cross_entropy_grad").front();
        EXPECT_EQ(std::get<SoftmaxCrossEntropyGradDesc>(lossGradient.operation).compute, dtype);
        EXPECT_EQ(bufferOf(plan, lossGradient.output).dtype, dtype);
        EXPECT_EQ(named(plan, "linear_grad_weight").front()->operands[0], lossGradient.output);
        EXPECT_EQ(bufferOf(plan, loss.output).dtype, Dtype::F32);
        const Instruction& lastWeightGradient = *named(plan, "linear_grad_weight").front();
        EXPECT_EQ(bufferOf(plan, lastWeightGradient.operands[0]).dtype, dtype);
        // copies at half the bytes, fp32 masters and gradients beside them
        EXPECT_EQ(plan.memory.weights, plan.segments.back() * 2);
        EXPECT_EQ(plan.memory.masterWeights, plan.segments.back() * 4);
        EXPECT_EQ(plan.memory.gradients, plan.segments.back() * 4);
    }
}

TEST(Plan, EachWeightIsCastOnceAStepInThePrologue) {
    const Plan plan = planFor({.policy = "fp16"});
    EXPECT_EQ(plan.prologueEnd, 6);  // three weights, three biases
    std::set<int> sources;
    for (std::int64_t i = 0; i < plan.prologueEnd; ++i) {
        EXPECT_TRUE(sources.insert(plan.instructions[static_cast<std::size_t>(i)].operands[0]).second);
    }
    for (std::size_t i = static_cast<std::size_t>(plan.prologueEnd); i < plan.instructions.size(); ++i) {
        if (plan.instructions[i].name == "cast") {
            EXPECT_NE(bufferOf(plan, plan.instructions[i].operands[0]).arena, Arena::Masters);
        }
    }
}

TEST(Plan, WeightGradientsAreRoundedThenWidened) {
    const Plan plan = planFor({.policy = "bf16"});
    for (const Instruction* gradient : named(plan, "linear_grad_weight")) {  // in one operation, where the backend has it
        EXPECT_EQ(std::get<MatmulDesc>(gradient->operation).resultFormat(), Dtype::BF16);
        EXPECT_EQ(bufferOf(plan, gradient->output).arena, Arena::Gradients);
    }
    const auto widenings = [](const Plan& p) {
        int count = 0;
        for (const Instruction* cast : named(p, "cast")) count += bufferOf(p, cast->output).arena == Arena::Gradients ? 1 : 0;
        return count;
    };
    EXPECT_EQ(widenings(plan), 3) << "the biases'";
    const Plan cast = planFor({.policy = "bf16"}, {}, std::make_shared<NarrowResultsOnly>());
    for (const Instruction* gradient : named(cast, "linear_grad_weight")) EXPECT_EQ(bufferOf(cast, gradient->output).dtype, Dtype::BF16);
    EXPECT_EQ(widenings(cast), 6);
}

TEST(Plan, AccumulationAddsInFp32) {
    for (const char* policy : {"fp32", "fp16"}) {
        const Plan plan = planFor({.policy = policy}, {.isTraining = true, .accumulates = true});
        EXPECT_EQ(named(plan, "accumulate").size(), 6u);
        for (const Instruction* add : named(plan, "accumulate")) EXPECT_EQ(bufferOf(plan, add->output).arena, Arena::Gradients);
    }
}

TEST(Plan, AnOverrideHoldsForItsLayerAlone) {
    const Plan plan = planFor({.policy = "fp16", .overrides = {{"layers.1", Dtype::F32}}});
    for (const Instruction* linear : named(plan, "linear")) {
        EXPECT_EQ(linear->compute, linear->layer == "layers.1" ? Dtype::F32 : Dtype::F16) << linear->layer;
    }
    for (const Instruction* gradient : named(plan, "linear_grad_weight")) {
        EXPECT_EQ(gradient->compute, gradient->layer == "layers.1" ? Dtype::F32 : Dtype::F16) << gradient->layer;
    }
}

TEST(Plan, AWeightGradientAloneCanBeForced) {
    const Plan plan = planFor({.policy = "bf16", .overrides = {{"layers.1", Direction::WeightGrad, Dtype::F32}}});
    for (const char* name : {"linear", "linear_grad_input"})
        for (const Instruction* product : named(plan, name)) EXPECT_EQ(product->compute, Dtype::BF16) << name;
    for (const Instruction* gradient : named(plan, "linear_grad_weight")) {
        const bool isForced = gradient->layer == "layers.1";
        EXPECT_EQ(gradient->compute, isForced ? Dtype::F32 : Dtype::BF16) << gradient->layer;
        EXPECT_EQ(std::get<MatmulDesc>(gradient->operation).resultFormat(), isForced ? Dtype::F32 : Dtype::BF16) << gradient->layer;
    }
}

TEST(Plan, TheGradientOfAnActivationAloneCanBeForced) {
    const Plan plan = planFor({.policy = "fp16", .overrides = {{"activations.0", Direction::InputGrad, Dtype::F32}}});
    for (const Instruction* gelu : named(plan, "gelu")) EXPECT_EQ(gelu->compute, Dtype::F16);
    for (const Instruction* gradient : named(plan, "gelu_grad"))
        EXPECT_EQ(gradient->compute, gradient->layer == "activations.0" ? Dtype::F32 : Dtype::F16) << gradient->layer;
}

TEST(Plan, Fp8QuantisesEachTensorOnceAndLeavesTheRestInBf16) {
    const Plan plan = planFor({.policy = "fp8"});
    std::set<std::string> quantised;
    for (const Instruction* quantize : named(plan, "quantize")) {
        EXPECT_TRUE(quantised.insert(bufferOf(plan, quantize->output).name).second);
        const auto& desc = std::get<QuantizeDesc>(quantize->operation);
        EXPECT_EQ(desc.to, quantize->phase == Phase::Backward ? Dtype::E5M2 : Dtype::E4M3);
        EXPECT_EQ(desc.source, ScaleSource::Delayed);
        const Buffer& from = bufferOf(plan, quantize->operands[0]);
        EXPECT_EQ(desc.from, from.arena == Arena::Masters ? Dtype::F32 : Dtype::BF16) << from.name;
        EXPECT_EQ(bufferOf(plan, quantize->operands[2]).arena, Arena::Scales);
    }
    EXPECT_EQ(quantised.size(), 9u) << "input, weight and gradient of three layers";
    for (const char* name : {"linear", "linear_grad_input", "linear_grad_weight"}) {
        for (const Instruction* product : named(plan, name)) {
            const auto& desc = std::get<MatmulDesc>(product->operation);
            EXPECT_TRUE(desc.isScaled);
            EXPECT_EQ(desc.a, product->phase == Phase::Backward ? Dtype::E5M2 : Dtype::E4M3) << name;
            EXPECT_EQ(desc.b, Dtype::E4M3) << name;
            EXPECT_EQ(desc.resultFormat(), Dtype::BF16) << name;
        }
    }
    for (const Instruction* bias : named(plan, "linear_grad_bias")) EXPECT_EQ(bias->compute, Dtype::BF16);
    ASSERT_EQ(plan.delayedScales.size(), 9u);
    for (std::size_t i = 0; i < plan.delayedScales.size(); ++i) {  // one after another, as the operation that renews them goes through them
        EXPECT_EQ(bufferOf(plan, plan.delayedScales[i]).offset, static_cast<std::int64_t>(i * quantScaleBytes(1024)));
    }
}

TEST(Plan, ValidationInFp8ReadsTheScalesOfTraining) {
    const Plan training = planFor({.policy = "fp8"}), validation = planFor({.policy = "fp8"}, {.isTraining = false});
    ASSERT_EQ(validation.delayedScales.size(), 6u);
    for (std::size_t i = 0; i < validation.delayedScales.size(); ++i) {
        const Buffer &shared = bufferOf(validation, validation.delayedScales[i]), &taught = bufferOf(training, training.delayedScales[i]);
        EXPECT_EQ(shared.name, taught.name);
        EXPECT_EQ(shared.offset, taught.offset);
    }
    for (const Instruction* quantize : named(validation, "quantize"))
        EXPECT_EQ(std::get<QuantizeDesc>(quantize->operation).source, ScaleSource::Frozen);
}

TEST(Plan, CurrentScalingKeepsNothing) {
    const Plan plan = planFor({.policy = "fp8", .overrides = {}, .fp8 = {.scaling = "current"}});
    EXPECT_TRUE(plan.delayedScales.empty());
    EXPECT_EQ(plan.arenaBytes[static_cast<std::size_t>(Arena::Scales)], 0);
    for (const Instruction* quantize : named(plan, "quantize")) EXPECT_EQ(bufferOf(plan, quantize->operands[2]).arena, Arena::Control);
}

TEST(Plan, ARecipesMarginReachesEveryScale) {
    for (const char* scaling : {"delayed", "current"}) {
        const Plan plan = planFor({.policy = "fp8", .overrides = {}, .fp8 = {.scaling = scaling, .margin = 3}});
        const std::vector<const Instruction*> quantized = named(plan, "quantize");
        EXPECT_FALSE(quantized.empty());
        for (const Instruction* each : quantized) EXPECT_EQ(std::get<QuantizeDesc>(each->operation).margin, 3) << each->layer;
    }
}

TEST(Plan, OneDirectionOfALayerAloneCanBeFp8) {
    const Plan plan = planFor({.policy = "bf16", .overrides = {{"layers.1", Direction::WeightGrad, Dtype::E5M2}}});
    EXPECT_EQ(named(plan, "quantize").size(), 2u);
    for (const Instruction* gradient : named(plan, "linear_grad_weight")) {
        const auto& desc = std::get<MatmulDesc>(gradient->operation);
        EXPECT_EQ(desc.isScaled, gradient->layer == "layers.1");
        if (desc.isScaled) {
            EXPECT_EQ(desc.a, Dtype::E5M2);
            EXPECT_EQ(desc.b, Dtype::E4M3);
        }
    }
}

TEST(Plan, ProductsCarryTheirSumsAndRoundings) {
    const Plan plan = planFor({.policy = "tf32",
                               .overrides = {{"layers.1", Dtype::F32}},
                               .products = {.tf32Rounding = Rounding::TowardZero, .accumulator = Accumulator::Ampere, .promoteEvery = 8}});
    for (const Instruction* linear : named(plan, "linear")) {
        const auto& desc = std::get<MatmulDesc>(linear->operation);
        const bool isTf32 = linear->layer != "layers.1";
        EXPECT_EQ(desc.operandRounding, isTf32 ? Rounding::TowardZero : Rounding::NearestEven);
        EXPECT_EQ(desc.promoteEvery, isTf32 ? 8 : 0);
        EXPECT_EQ(desc.accumulator, Accumulator::Ampere);
    }
}

TEST(Plan, BuffersThatAreAliveTogetherDoNotOverlap) {
    for (const char* policy : {"fp32", "tf32", "fp16", "bf16", "fp8", "pure-bf16"}) {
        const Plan plan = planFor({.policy = policy}, {.isTraining = true, .accumulates = true});
        struct Life {
            std::int64_t first = -1, last = -1;
        };
        std::vector<Life> life(plan.buffers.size());
        for (std::size_t i = 0; i < plan.instructions.size(); ++i) {
            for (const int operand : plan.instructions[i].operands) {
                if (operand < 0) continue;
                Life& l = life[static_cast<std::size_t>(operand)];
                if (l.first < 0) l.first = static_cast<std::int64_t>(i);
                l.last = static_cast<std::int64_t>(i);
            }
        }
        // a later micro-batch reads the prologue's copies again
        for (Life& l : life) {
            if (l.first >= 0 && l.first < plan.prologueEnd) l.last = plan.backwardEnd - 1;
        }
        for (std::size_t a = 0; a < plan.buffers.size(); ++a) {
            const Buffer& x = plan.buffers[a];
            if (x.arena != Arena::Transient || life[a].first < 0) continue;
            EXPECT_EQ(x.offset % kBufferAlignment, 0);
            EXPECT_LE(x.offset + x.bytes, plan.arenaBytes[static_cast<std::size_t>(Arena::Transient)]);
            for (std::size_t b = a + 1; b < plan.buffers.size(); ++b) {
                const Buffer& y = plan.buffers[b];
                if (y.arena != Arena::Transient || life[b].first < 0) continue;
                if (life[a].last < life[b].first || life[b].last < life[a].first) continue;
                EXPECT_TRUE(x.offset + x.bytes <= y.offset || y.offset + y.bytes <= x.offset)
                    << policy << ": " << x.name << " and " << y.name;
            }
        }
    }
}

TEST(Plan, MemoryIsSharedBetweenBuffersThatNeverMeet) {
    const Plan plan = planFor({.policy = "fp32"});
    std::int64_t sum = 0;
    for (const Buffer& buffer : plan.buffers) sum += buffer.arena == Arena::Transient ? buffer.bytes : 0;
    EXPECT_LT(plan.arenaBytes[static_cast<std::size_t>(Arena::Transient)], sum);
}

TEST(Plan, ALossInFp16IsRefusedWithAReason) {
    try {
        planFor({.policy = "fp32", .overrides = {{"loss", Dtype::F16}}});
        FAIL();
    } catch (const std::invalid_argument& error) {
        EXPECT_NE(std::string(error.what()).find("computes in fp32 only"), std::string::npos);
    }
}

}  // namespace
}  // namespace mantissa
