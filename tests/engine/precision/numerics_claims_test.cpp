// SPDX-License-Identifier: Apache-2.0
// Section 6 of resources/guide/numerics.md as tables: the format of every kind of operation under every policy and list. The losses of a
// narrow policy are in a test of their own.
#include <gtest/gtest.h>

#include <set>

#include "engine/precision/policy.h"

namespace mantissa {
namespace {

namespace claims {

using enum OpKind;
const std::set<OpKind> kLinear{Linear, LinearGradInput, LinearGradWeight, LinearGradBias};
const std::set<OpKind> kOtherProducts{
    Conv2d,       Conv2dGradInput,         Conv2dGradWeight,      AttentionScores, AttentionScoresGradQuery, AttentionScoresGradKey,
    AttentionMix, AttentionMixGradWeights, AttentionMixGradValue, FusedAttention,  FusedAttentionGrad};
const std::set<OpKind> kLayerNormAndSoftmax{LayerNorm, LayerNormGrad, Softmax, SoftmaxGrad};
const std::set<OpKind> kCrossEntropy{CrossEntropy, CrossEntropyGrad};
const std::set<OpKind> kSquaredError{MeanSquaredError, MeanSquaredErrorGrad};
/// What moves numbers or adds gradients up, and is no layer of Keras.
const std::set<OpKind> kNoLayers{Split, Concat, AddGradients};
const std::set<OpKind> kRest{ActivationFn, ActivationFnGrad, Embedding,      EmbeddingGrad,  Add,         AddPositions, AddPositionsGrad,
                             RmsNorm,      RmsNormGrad,      Rotary,         RotaryGrad,     SwiGlu,      SwiGluGrad,   Scale,
                             ScaleGrad,    CausalMask,       CausalMaskGrad, Dropout,        DropoutGrad, BatchNorm,    BatchNormGrad,
                             MaxPool,      MaxPoolGrad,      AveragePool,    AveragePoolGrad};

constexpr Dtype kInputs[] = {Dtype::F32, Dtype::F16, Dtype::BF16};

struct MixedPolicy {
    const char* name;
    Dtype low;  // of products, but for fp8's linear layers
};
constexpr MixedPolicy kMixed[] = {
    {"fp32", Dtype::F32}, {"tf32", Dtype::TF32}, {"fp16", Dtype::F16}, {"bf16", Dtype::BF16}, {"fp8", Dtype::BF16}};

Policy policyOf(const std::string& name, const std::string& list) {
    return resolvePolicy({.policy = name, .autocast = list}, *createCpuBackend());
}

void expectEverywhere(const std::string& list, const std::set<OpKind>& kinds, Dtype (*expected)(Dtype low, Dtype input)) {
    for (const MixedPolicy& mixed : kMixed) {
        const Policy policy = policyOf(mixed.name, list);
        for (const OpKind kind : kinds) {
            for (const Dtype input : kInputs)
                EXPECT_EQ(computeDtype(policy, kind, "somewhere", input), expected(mixed.low, input))
                    << list << ", " << mixed.name << ", " << opFacts(kind).name << " of " << facts(input).name;
        }
    }
}

Dtype low(Dtype policys, Dtype) {
    return policys;
}
Dtype asInput(Dtype, Dtype input) {
    return input;
}
Dtype inFp32(Dtype, Dtype) {
    return Dtype::F32;
}

}  // namespace claims

TEST(NumericsClaims, TheTablesHaveEveryKindOfOperation) {
    std::set<OpKind> all;
    for (const auto* kinds : {&claims::kLinear, &claims::kOtherProducts, &claims::kLayerNormAndSoftmax, &claims::kCrossEntropy,
                              &claims::kSquaredError, &claims::kNoLayers, &claims::kRest})
        all.insert(kinds->begin(), kinds->end());
    EXPECT_EQ(all.size(), static_cast<std::size_t>(OpKind::AveragePoolGrad) + 1);
}

TEST(NumericsClaims, ProductsAreInThePolicysFormatUnderEveryList) {
    for (const std::string& list : autocastListNames()) {
        claims::expectEverywhere(list, claims::kOtherProducts, claims::low);
        for (const claims::MixedPolicy& mixed : claims::kMixed) {
            const Policy policy = claims::policyOf(mixed.name, list);
            const bool isFp8 = policy.name == "fp8";
            for (const Dtype input : claims::kInputs) {
                const auto format = [&](OpKind kind) { return computeDtype(policy, kind, "somewhere", input); };
                EXPECT_EQ(format(OpKind::Linear), isFp8 ? Dtype::E4M3 : mixed.low) << list;
                EXPECT_EQ(format(OpKind::LinearGradInput), isFp8 ? Dtype::E5M2 : mixed.low) << list;
                EXPECT_EQ(format(OpKind::LinearGradWeight), isFp8 ? Dtype::E5M2 : mixed.low) << list;
                EXPECT_EQ(format(OpKind::LinearGradBias), mixed.low) << list << ": summed before it is quantised";
            }
        }
    }
}

TEST(NumericsClaims, LayerNormAndSoftmaxAreInFp32OnCudaOfTheirInputOnTheCpuAndInThePolicysFormatInKeras) {
    claims::expectEverywhere("pytorch-cuda", claims::kLayerNormAndSoftmax, claims::inFp32);
    claims::expectEverywhere("pytorch-cpu", claims::kLayerNormAndSoftmax, claims::asInput);
    claims::expectEverywhere("keras", claims::kLayerNormAndSoftmax, claims::low);
}

TEST(NumericsClaims, TheRestIsInTheFormatOfItsInputInPyTorchAndInThePolicysFormatInKeras) {
    claims::expectEverywhere("pytorch-cuda", claims::kRest, claims::asInput);
    claims::expectEverywhere("pytorch-cpu", claims::kRest, claims::asInput);
    claims::expectEverywhere("keras", claims::kRest, claims::low);
}

TEST(NumericsClaims, WhatIsNoLayerKeepsTheFormatOfItsInputUnderEveryList) {
    for (const std::string& list : autocastListNames()) claims::expectEverywhere(list, claims::kNoLayers, claims::asInput);
}

TEST(NumericsClaims, LossesAreInFp32WhereTheListHasThem) {
    for (const std::string& list : autocastListNames()) claims::expectEverywhere(list, claims::kSquaredError, claims::inFp32);
    for (const char* list : {"pytorch-cpu", "keras"}) claims::expectEverywhere(list, claims::kCrossEntropy, claims::inFp32);
}

TEST(NumericsClaims, APurePolicyComputesEverythingButTheLossInItsOwnFormatWhateverTheList) {
    for (const auto& [name, own] : {std::pair{"pure-fp16", Dtype::F16}, {"pure-bf16", Dtype::BF16}}) {
        for (const std::string& list : autocastListNames()) {
            const Policy policy = claims::policyOf(name, list);
            EXPECT_EQ(policy.weights, own);
            for (const auto* kinds : {&claims::kLinear, &claims::kOtherProducts, &claims::kLayerNormAndSoftmax, &claims::kRest}) {
                for (const OpKind kind : *kinds) {
                    EXPECT_EQ(computeDtype(policy, kind, "somewhere", own), own) << name << ", " << opFacts(kind).name;
                    EXPECT_EQ(computeDtype(policy, kind, "somewhere", Dtype::F32), own) << name << ", " << opFacts(kind).name;
                }
            }
            for (const OpKind kind : claims::kSquaredError)
                EXPECT_EQ(computeDtype(policy, kind, "somewhere", own), Dtype::F32) << name << ", " << opFacts(kind).name;
        }
    }
}

}  // namespace
}  // namespace mantissa
