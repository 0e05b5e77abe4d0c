// SPDX-License-Identifier: Apache-2.0
#include "engine/precision/policy.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace mantissa {
namespace {

/// A device that computes the given formats natively, and nothing else: all that a policy asks of a backend.
class FormatsOnly final : public Backend {
public:
    explicit FormatsOnly(std::vector<Dtype> native) : m_native(std::move(native)) { m_device.name = "cuda:0"; }
    const DeviceInfo& device() const override { return m_device; }
    bool isNative(Dtype compute) const override { return std::find(m_native.begin(), m_native.end(), compute) != m_native.end(); }
    Support supports(const OperationDesc&) const override { return {}; }
    std::size_t workspaceBytes(const OperationDesc&) const override { return 0; }
    std::unique_ptr<Operation> prepare(const OperationDesc&) override { return nullptr; }
    std::unique_ptr<Queue> createQueue() override { return nullptr; }
    std::int64_t availableBytes() const override { return 0; }
    void* allocate(std::size_t) override { return nullptr; }
    void* allocateShared(std::size_t) override { return nullptr; }
    void releaseShared(void*) noexcept override {}
    void release(void*) noexcept override {}
    void copyIn(Queue&, void*, const void*, std::size_t) override {}
    void copyOut(Queue&, void*, const void*, std::size_t) override {}
    void fillZero(Queue&, void*, std::size_t) override {}

private:
    std::vector<Dtype> m_native;
    DeviceInfo m_device;
};

Policy policyOf(const PrecisionSettings& settings, std::vector<Dtype> native = {Dtype::F32}) {
    return resolvePolicy(settings, FormatsOnly(std::move(native)));
}

struct Expected {
    OpKind kind;
    std::string_view layer;
    Dtype input;
    Dtype compute;
};

TEST(Policy, FollowsTheAutocastListForEveryKind) {
    for (const auto& [name, low] :
         {std::pair<const char*, Dtype>{"fp32", Dtype::F32}, {"tf32", Dtype::TF32}, {"fp16", Dtype::F16}, {"bf16", Dtype::BF16}}) {
        const Policy policy = policyOf({.policy = name});
        EXPECT_EQ(policy.name, name);
        for (const Dtype input : {Dtype::F32, Dtype::F16, Dtype::BF16}) {
            const Expected table[] = {
                {OpKind::Linear, "layers.0", input, low},
                {OpKind::LinearGradInput, "layers.0", input, low},
                {OpKind::LinearGradWeight, "layers.0", input, low},
                {OpKind::LinearGradBias, "layers.0", input, low},
                {OpKind::CrossEntropy, "loss", input, input},  // log_softmax keeps the logits' format
                {OpKind::CrossEntropyGrad, "loss", input, input},
                {OpKind::MeanSquaredError, "loss", input, Dtype::F32},
                {OpKind::MeanSquaredErrorGrad, "loss", input, Dtype::F32},
                {OpKind::ActivationFn, "activations.0", input, input},  // tf32 never reaches an activation
                {OpKind::ActivationFnGrad, "activations.0", input, input},
            };
            for (const Expected& e : table)
                EXPECT_EQ(computeDtype(policy, e.kind, e.layer, e.input), e.compute) << name << ", " << opFacts(e.kind).name;
        }
    }
}

TEST(Policy, TheLongestOverrideWins) {
    for (const bool isReversed : {false, true}) {  // whatever the order in the file
        PrecisionSettings settings{.policy = "bf16", .overrides = {{"layers", Dtype::F16}, {"layers.1", Dtype::F32}}};
        if (isReversed) std::reverse(settings.overrides.begin(), settings.overrides.end());
        const Policy policy = policyOf(settings);
        EXPECT_EQ(computeDtype(policy, OpKind::Linear, "layers.0", Dtype::F32), Dtype::F16);
        EXPECT_EQ(computeDtype(policy, OpKind::Linear, "layers.1", Dtype::F32), Dtype::F32);
        EXPECT_EQ(computeDtype(policy, OpKind::Linear, "layers.1.weight", Dtype::F32), Dtype::F32);
        EXPECT_EQ(computeDtype(policy, OpKind::Linear, "layers.10", Dtype::F32), Dtype::F16) << "layers.1 is no path above layers.10";
        EXPECT_EQ(computeDtype(policy, OpKind::Linear, "layer", Dtype::F32), Dtype::BF16);
    }
}

TEST(Policy, AnOverrideReachesWhatTheListWouldLeaveAlone) {
    const Policy policy = policyOf({.policy = "fp16", .overrides = {{"activations.1", Dtype::F32}}});
    EXPECT_EQ(computeDtype(policy, OpKind::ActivationFn, "activations.1", Dtype::F16), Dtype::F32);
    EXPECT_EQ(computeDtype(policy, OpKind::ActivationFn, "activations.0", Dtype::F16), Dtype::F16);
}

TEST(Policy, AnOverrideHoldsInItsDirectionAlone) {
    const Policy policy = policyOf({.policy = "bf16",
                                    .overrides = {{"linear", Direction::WeightGrad, Dtype::F16},
                                                  {"layers.1", Direction::Forward, Dtype::F32},
                                                  {"layers.1", Direction::WeightGrad, Dtype::TF32}}});
    const auto compute = [&](OpKind kind, const char* layer) { return computeDtype(policy, kind, layer, Dtype::BF16); };
    EXPECT_EQ(compute(OpKind::Linear, "layers.0"), Dtype::BF16);
    EXPECT_EQ(compute(OpKind::LinearGradInput, "layers.0"), Dtype::BF16);
    EXPECT_EQ(compute(OpKind::LinearGradWeight, "layers.0"), Dtype::F16);
    EXPECT_EQ(compute(OpKind::LinearGradBias, "layers.0"), Dtype::F16);
    EXPECT_EQ(compute(OpKind::Linear, "layers.1"), Dtype::F32);
    EXPECT_EQ(compute(OpKind::LinearGradInput, "layers.1"), Dtype::BF16);
    EXPECT_EQ(compute(OpKind::LinearGradWeight, "layers.1"), Dtype::TF32) << "a layer is stronger than a kind";
    EXPECT_EQ(compute(OpKind::ActivationFnGrad, "activations.0"), Dtype::BF16);
}

TEST(Policy, ListsDifferWhereTheirFrameworksDo) {
    for (const AutocastList& list : autocastLists()) {
        const Policy policy =
            policyOf({.policy = "fp16", .autocast = std::string(list.name), .overrides = {{"layers.0", Direction::Forward, Dtype::F32}}});
        const bool isKeras = list.name == "keras";
        EXPECT_EQ(computeDtype(policy, OpKind::Linear, "layers.1", Dtype::F32), Dtype::F16) << list.name;
        const bool isCuda = list.name == "pytorch-cuda";
        EXPECT_EQ(computeDtype(policy, OpKind::CrossEntropy, "loss", Dtype::F16), isCuda ? Dtype::F16 : Dtype::F32) << list.name;
        EXPECT_EQ(computeDtype(policy, OpKind::MeanSquaredError, "loss", Dtype::F16), Dtype::F32) << list.name;
        Policy wide = policy;
        wide.widensLogits = true;
        EXPECT_EQ(computeDtype(wide, OpKind::CrossEntropyGrad, "loss", Dtype::F16), Dtype::F32) << list.name;
        EXPECT_EQ(computeDtype(policy, OpKind::ActivationFn, "activations.0", Dtype::F32), isKeras ? Dtype::F16 : Dtype::F32) << list.name;
    }
    EXPECT_EQ(autocastListNames().front(), PrecisionSettings{}.autocast);
}

// The columns: AT_FORALL_LOWER_PRECISION_FP and AT_FORALL_FP32 of aten/src/ATen/autocast_mode.h for CUDA, the lists of autocast_mode.cpp
// for CPUs, and Keras' layers, each of which casts its inputs to its compute dtype; losses are no layers.
TEST(Policy, EveryListTreatsEveryOperationAsItsFramework) {
    using enum OpKind;
    using enum AutocastRule;
    struct Row {
        OpKind kind;
        AutocastRule cuda, cpu, keras;
    };
    const Row rows[] = {
        {Linear, LowPrecision, LowPrecision, LowPrecision},
        {Conv2d, LowPrecision, LowPrecision, LowPrecision},
        {AttentionScores, LowPrecision, LowPrecision, LowPrecision},
        {AttentionMix, LowPrecision, LowPrecision, LowPrecision},
        {FusedAttention, LowPrecision, LowPrecision, LowPrecision},
        {CrossEntropy, InputType, Fp32, Fp32},
        {MeanSquaredError, Fp32, Fp32, Fp32},
        {LayerNorm, Fp32, InputType, LowPrecision},
        {Softmax, Fp32, InputType, LowPrecision},
        {RmsNorm, InputType, InputType, LowPrecision},
        {BatchNorm, InputType, InputType, LowPrecision},
        {ActivationFn, InputType, InputType, LowPrecision},
        {Embedding, InputType, InputType, LowPrecision},
        {Add, InputType, InputType, LowPrecision},
        {AddPositions, InputType, InputType, LowPrecision},
        {Scale, InputType, InputType, LowPrecision},
        {CausalMask, InputType, InputType, LowPrecision},
        {Dropout, InputType, InputType, LowPrecision},
        {Rotary, InputType, InputType, LowPrecision},
        {SwiGlu, InputType, InputType, LowPrecision},
        {MaxPool, InputType, InputType, LowPrecision},
        {AveragePool, InputType, InputType, LowPrecision},
    };
    for (const Row& row : rows) {
        EXPECT_EQ(autocastRule("pytorch-cuda", row.kind), row.cuda) << opFacts(row.kind).name;
        EXPECT_EQ(autocastRule("pytorch-cpu", row.kind), row.cpu) << opFacts(row.kind).name;
        EXPECT_EQ(autocastRule("keras", row.kind), row.keras) << opFacts(row.kind).name;
    }
    const std::pair<OpKind, AutocastRule> gradients[] = {{Conv2dGradInput, LowPrecision},
                                                         {Conv2dGradWeight, LowPrecision},
                                                         {AttentionScoresGradKey, LowPrecision},
                                                         {AttentionMixGradValue, LowPrecision},
                                                         {FusedAttentionGrad, LowPrecision},
                                                         {SoftmaxGrad, Fp32},
                                                         {LayerNormGrad, Fp32},
                                                         {MeanSquaredErrorGrad, Fp32},
                                                         {RmsNormGrad, InputType}};
    for (const auto& [kind, rule] : gradients) EXPECT_EQ(autocastRule("pytorch-cuda", kind), rule) << opFacts(kind).name;
}

TEST(Policy, AutoTakesTheBestNativeFormatAndSaysWhy) {
    const Policy bf16 = policyOf({.policy = "auto"}, {Dtype::F32, Dtype::F16, Dtype::BF16});
    EXPECT_EQ(bf16.name, "bf16");
    EXPECT_EQ(bf16.reason, "cuda:0 computes bf16 natively");
    const Policy fp16 = policyOf({.policy = "auto"}, {Dtype::F32, Dtype::F16});
    EXPECT_EQ(fp16.compute, Dtype::F16);
    EXPECT_EQ(fp16.reason, "cuda:0 computes fp16 natively");
    const Policy fp32 = policyOf({.policy = "auto"});
    EXPECT_EQ(fp32.compute, Dtype::F32);
    EXPECT_EQ(fp32.reason, "cuda:0 computes neither bf16 nor fp16 natively");
    EXPECT_TRUE(policyOf({.policy = "bf16"}).reason.empty());
}

TEST(Policy, EveryNameResolvesAndNoOther) {
    for (const std::string& name : policyNames()) EXPECT_NO_THROW(policyOf({.policy = name})) << name;
    EXPECT_THROW(policyOf({.policy = "fp15"}), std::invalid_argument);
}

TEST(Policy, Tf32IsStoredAsFp32) {
    const Policy policy = policyOf({.policy = "fp32"});
    EXPECT_EQ(storageDtype(policy, Dtype::TF32), Dtype::F32);
    EXPECT_EQ(storageDtype(policy, Dtype::F32), Dtype::F32);
    EXPECT_EQ(storageDtype(policy, Dtype::F16), Dtype::F16);
    EXPECT_EQ(storageDtype(policy, Dtype::BF16), Dtype::BF16);
}

TEST(Policy, Fp8IsForProductsAndTheRestIsBf16) {
    const Policy policy = policyOf({.policy = "fp8"});
    EXPECT_EQ(policy.name, "fp8");
    EXPECT_EQ(computeDtype(policy, OpKind::Linear, "layers.0", Dtype::F32), Dtype::E4M3);
    EXPECT_EQ(computeDtype(policy, OpKind::LinearGradInput, "layers.0", Dtype::BF16), Dtype::E5M2);
    EXPECT_EQ(computeDtype(policy, OpKind::LinearGradWeight, "layers.0", Dtype::BF16), Dtype::E5M2);
    EXPECT_EQ(computeDtype(policy, OpKind::LinearGradBias, "layers.0", Dtype::BF16), Dtype::BF16) << "summed before it is quantised";
    for (const OpKind product :
         {OpKind::Conv2d, OpKind::AttentionScores, OpKind::AttentionMix, OpKind::FusedAttention, OpKind::Conv2dGradInput})
        EXPECT_EQ(computeDtype(policy, product, "layer", Dtype::F32), Dtype::BF16) << "Transformer Engine has fp8 linear layers alone";
    EXPECT_EQ(computeDtype(policy, OpKind::ActivationFn, "activations.0", Dtype::BF16), Dtype::BF16);
    EXPECT_EQ(computeDtype(policy, OpKind::MeanSquaredError, "loss", Dtype::BF16), Dtype::F32);
    EXPECT_EQ(computeDtype(policy, OpKind::CrossEntropy, "loss", Dtype::BF16), Dtype::BF16);
    EXPECT_EQ(storageDtype(policy, Dtype::E4M3), Dtype::BF16);
}

TEST(Policy, LogitsThatAreWidenedHaveTheirLossInFp32) {
    for (const char* name : {"fp16", "bf16", "fp8", "pure-bf16"}) {
        Policy policy = policyOf({.policy = name});
        policy.widensLogits = true;
        for (const OpKind kind : {OpKind::CrossEntropy, OpKind::CrossEntropyGrad})
            EXPECT_EQ(computeDtype(policy, kind, "loss", Dtype::BF16), Dtype::F32) << name;
        EXPECT_NE(computeDtype(policy, OpKind::Linear, "layer", Dtype::F32), Dtype::F32) << name;
    }
}

TEST(Policy, APureModelComputesInItsFormatButForTheSquaredError) {
    const Policy policy = policyOf({.policy = "pure-bf16"});
    for (const OpKind kind : {OpKind::Linear, OpKind::LayerNorm, OpKind::Softmax, OpKind::ActivationFn})
        EXPECT_EQ(computeDtype(policy, kind, "layer", Dtype::BF16), Dtype::BF16) << opFacts(kind).name;
    EXPECT_EQ(computeDtype(policy, OpKind::Linear, "layer", Dtype::F32), Dtype::BF16) << "the samples come in as fp32";
    EXPECT_EQ(computeDtype(policy, OpKind::CrossEntropy, "loss", Dtype::BF16), Dtype::BF16);
    EXPECT_EQ(computeDtype(policy, OpKind::CrossEntropyGrad, "loss", Dtype::BF16), Dtype::BF16);
    EXPECT_EQ(computeDtype(policy, OpKind::MeanSquaredError, "loss", Dtype::BF16), Dtype::F32);
}

TEST(Policy, OneLayerInFp8LeavesTensorsInThePolicysFormat) {
    for (const auto& [name, tensors] : {std::pair{"fp32", Dtype::F32}, {"tf32", Dtype::F32}, {"fp16", Dtype::F16}}) {
        const Policy policy = policyOf({.policy = name, .overrides = {{"layers.1", Dtype::E4M3}}});
        EXPECT_EQ(computeDtype(policy, OpKind::Linear, "layers.1", Dtype::F32), Dtype::E4M3);
        EXPECT_EQ(storageDtype(policy, Dtype::E4M3), tensors) << name;
    }
}

}  // namespace
}  // namespace mantissa
