// SPDX-License-Identifier: Apache-2.0
#include "engine/precision/policy.h"

#include <gtest/gtest.h>

#include "engine/precision/health.h"

namespace mantissa {
namespace {

Policy policyOf(const PrecisionSettings& settings) {
    return resolvePolicy(settings, *createCpuBackend());
}

TEST(Policy, ProductsRunLowLossesInFp32ActivationsInTheirInputsType) {
    const Policy policy = policyOf({.policy = "fp16"});
    EXPECT_EQ(computeDtype(policy, OpKind::Linear, "layers.0", Dtype::F32), Dtype::F16);
    EXPECT_EQ(computeDtype(policy, OpKind::LinearGradWeight, "layers.0", Dtype::F16), Dtype::F16);
    EXPECT_EQ(computeDtype(policy, OpKind::CrossEntropy, "loss", Dtype::F16), Dtype::F32);
    EXPECT_EQ(computeDtype(policy, OpKind::CrossEntropyGrad, "loss", Dtype::F16), Dtype::F32);
    EXPECT_EQ(computeDtype(policy, OpKind::ActivationFn, "activations.0", Dtype::F16), Dtype::F16);
    EXPECT_EQ(computeDtype(policy, OpKind::ActivationFn, "activations.0", Dtype::F32), Dtype::F32);
}

TEST(Policy, TheLongestOverrideWins) {
    const Policy policy = policyOf({.policy = "bf16", .overrides = {{"layers", Dtype::F16}, {"layers.1", Dtype::F32}}});
    EXPECT_EQ(computeDtype(policy, OpKind::Linear, "layers.0", Dtype::F32), Dtype::F16);
    EXPECT_EQ(computeDtype(policy, OpKind::Linear, "layers.1", Dtype::F32), Dtype::F32);
    EXPECT_EQ(computeDtype(policy, OpKind::Linear, "layers.10", Dtype::F32), Dtype::F16) << "layers.1 is not a prefix path of layers.10";
    EXPECT_EQ(computeDtype(policy, OpKind::Linear, "other", Dtype::F32), Dtype::BF16);
}

TEST(Policy, AutoSaysWhy) {
    const Policy policy = policyOf({.policy = "auto"});
    EXPECT_EQ(policy.name, "fp32");
    EXPECT_NE(policy.reason.find("natively"), std::string::npos);
    EXPECT_TRUE(policyOf({.policy = "fp32"}).reason.empty());
}

TEST(Policy, Tf32IsStoredAsFp32) {
    EXPECT_EQ(storageDtype(Dtype::TF32), Dtype::F32);
    EXPECT_EQ(storageDtype(Dtype::BF16), Dtype::BF16);
}

HealthInput dynamic() {
    return {.preset = "pytorch", .isDynamic = true, .scale = 65536, .steps = 1000, .cleanSteps = 18, .growthInterval = 80};
}

TEST(Health, SpeaksPlainly) {
    EXPECT_EQ(judge({.steps = 5}).sentence, "All finite. No step skipped.");
    HealthInput in = dynamic();
    EXPECT_EQ(judge(in).verdict, Verdict::Steady);
    EXPECT_EQ(judge(in).sentence, "18 of 80 clean steps to the next growth.");

    in = dynamic();
    in.steps = 5, in.skippedTotal = 3, in.lastSkip = 2, in.cleanSteps = 2;
    EXPECT_EQ(judge(in).verdict, Verdict::Calibrating);
    EXPECT_EQ(judge(in).sentence, "Probing: 3 skips in the first 5 steps, normal.");

    in = dynamic();
    in.skippedTotal = 4, in.lastSkip = 998, in.lastGrowthBeforeSkip = 990, in.cleanSteps = 1;
    EXPECT_EQ(judge(in).verdict, Verdict::Probing);
    in.lastGrowthBeforeSkip = 400;
    EXPECT_EQ(judge(in).verdict, Verdict::HittingSpike);
    EXPECT_EQ(judge(in).severity, Severity::Note);
}

TEST(Health, ACollapseIsNotAScaleProblem) {
    HealthInput in = dynamic();
    in.consecutiveSkips = 53, in.skippedTotal = 53, in.lastSkip = 999, in.isLastLossFinite = false;
    in.isFirstNonFiniteForward = true, in.firstNonFiniteWhere = "layers.1, linear, forward";
    EXPECT_EQ(judge(in).verdict, Verdict::Collapsing);
    EXPECT_EQ(judge(in).sentence, "Not a scale problem. 53 skips in a row. First non-finite: layers.1, linear, forward.");
}

TEST(Health, AStormOfAFixedScaleSaysThatItIsFixed) {
    HealthInput in{.preset = "static", .scale = 1e12, .steps = 60, .skippedTotal = 60, .consecutiveSkips = 60, .lastSkip = 59};
    EXPECT_EQ(judge(in).title, "Skip storm");
    EXPECT_NE(judge(in).sentence.find("fixed"), std::string::npos);
}

TEST(Health, AScaleWhoseReciprocalIsInfiniteIsDead) {
    HealthInput in = dynamic();
    in.scale = 0;
    EXPECT_EQ(judge(in).verdict, Verdict::Dead);
    in.scale = 0x1p-128;
    EXPECT_EQ(judge(in).verdict, Verdict::Dead);
    in.scale = 0x1p-127;
    EXPECT_NE(judge(in).verdict, Verdict::Dead);
}

TEST(Health, PoisonWithoutAScalerIsNamed) {
    HealthInput in{.steps = 10, .isLastLossFinite = false, .firstNonFiniteStep = 7, .firstNonFiniteWhere = "layers.0, linear, forward"};
    EXPECT_EQ(judge(in).severity, Severity::Bad);
    EXPECT_NE(judge(in).sentence.find("since step 7"), std::string::npos);
}

}  // namespace
}  // namespace mantissa
