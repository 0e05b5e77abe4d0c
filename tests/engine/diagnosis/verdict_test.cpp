// SPDX-License-Identifier: Apache-2.0
// From evidence to verdict: each kind from the least that shows it, and the words with the figures that they rest on.
#include "engine/diagnosis/verdict.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mantissa {
namespace {

ProvenanceCard cardOf(const std::string& phase, const std::string& cls) {
    ProvenanceCard card;
    card.layer = "layers.2";
    card.operation = phase == "forward" ? "linear" : "linear_grad_weight";
    card.phase = phase;
    card.tensor = phase == "forward" ? "layers.2.output" : "layers.2.weight.grad";
    card.cls = cls;
    card.format = "fp16";
    card.formatMax = 65504;
    card.wide = card.wideMax = NAN;
    return card;
}
Trial used(double scale, bool isForwardFinite, std::int64_t nonFinite) {
    return {.label = "used"_text,
            .policy = "fp16",
            .scale = scale,
            .isAsUsed = true,
            .isForwardFinite = isForwardFinite,
            .nonFinite = nonFinite};
}
Trial reference(std::int64_t nonFinite = 0) {
    return {.label = "FP32"_text, .policy = "fp32", .isReference = true, .isForwardFinite = nonFinite == 0, .nonFinite = nonFinite};
}
Trial atScale(double scale, std::int64_t nonFinite) {
    return {.label = "scaled"_text, .policy = "fp16", .scale = scale, .nonFinite = nonFinite, .flushedShare = 0.25, .difference = 0.0005};
}
Trial layerInFp32(double scale, std::int64_t nonFinite) {
    return {.label = "layer"_text, .policy = "fp16", .scale = scale, .overriddenLayer = "layers.2", .nonFinite = nonFinite};
}
bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(SkipVerdict, ScaleTooHighNamesTheLargestScaleThatIsFinite) {
    const SkipVerdict v = judgeStep(cardOf("backward", "-Inf"),
                                    {used(1 << 20, true, 351), reference(), atScale(1 << 19, 3), atScale(1 << 18, 0), atScale(1 << 17, 0)},
                                    {.hasScaler = true});
    EXPECT_EQ(v.kind, StepVerdict::ScaleTooHigh);
    EXPECT_EQ(v.safeScale, 1 << 18);
    EXPECT_TRUE(has(v.explanation.english(), "2¹⁸")) << v.explanation.english();
    EXPECT_TRUE(has(v.explanation.english(), "0.05 %")) << "how far from FP32";
    EXPECT_TRUE(has(v.explanation.english(), "25 %")) << "what that scale flushes";
    EXPECT_FALSE(v.isNormalProbing);
    EXPECT_TRUE(v.suspectLayer.empty()) << "an override was not tried";
}

TEST(SkipVerdict, AScaleAtWhichEveryGradientIsFlushedIsNotUsable) {
    Trial flushed = atScale(0x1p-30, 0);
    flushed.flushedShare = 1;
    const SkipVerdict v = judgeStep(cardOf("backward", "+Inf"), {used(1 << 20, true, 3), reference(), flushed}, {.hasScaler = true});
    EXPECT_EQ(v.kind, StepVerdict::ForwardOverflow);
    EXPECT_EQ(v.safeScale, 0);
    EXPECT_TRUE(has(v.explanation.english(), "all gradients are flushed to 0")) << v.explanation.english();
}

TEST(SkipVerdict, AScaleThatCannotBeDividedByIsTooLow) {
    ProvenanceCard card = cardOf("optimizer", "NaN");
    card.operation = "unscale";
    const SkipVerdict v =
        judgeStep(card, {used(1e-40, true, 9), reference(), atScale(1 << 16, 0)}, {.isReciprocalInfinite = true, .hasScaler = true});
    EXPECT_EQ(v.kind, StepVerdict::ScaleTooLow);
    EXPECT_EQ(v.safeScale, 1 << 16);
}

TEST(SkipVerdict, WeightsThatWereLoadedBrokenNameTheirFile) {
    const SkipVerdict v =
        judgeStep(cardOf("forward", "NaN"), {used(1, false, 9)}, {.badWeights = {"layers.0.weight"}, .weightsFile = "w.safetensors"});
    EXPECT_EQ(v.kind, StepVerdict::BadWeights);
    EXPECT_TRUE(has(v.explanation.english(), "w.safetensors")) << v.explanation.english();
    EXPECT_FALSE(has(v.explanation.english(), "the step that wrote")) << v.explanation.english();
}

TEST(SkipVerdict, ALayerIsSuspectWhenItsOverrideHelpsAndOnlyThen) {
    const std::vector<Trial> trials{used(1 << 20, true, 351), reference(), atScale(1 << 19, 0)};
    auto with = [&](std::int64_t nonFinite) {
        std::vector<Trial> all = trials;
        all.push_back(layerInFp32(1 << 20, nonFinite));
        return judgeStep(cardOf("backward", "-Inf"), all, {});
    };
    EXPECT_EQ(with(0).suspectLayer, "layers.2");
    EXPECT_EQ(with(5).suspectLayer, "");
    EXPECT_EQ(with(0).safeScale, 1 << 19) << "the override's trial is none of the scale's";
}

TEST(SkipVerdict, ADynamicScalerThatLooksForItsScaleIsNormal) {
    const ProvenanceCard card = cardOf("backward", "+Inf");
    const std::vector<Trial> oneDown{used(65536, true, 9), reference(), atScale(32768, 0)};
    const std::vector<Trial> threeDown{used(65536, true, 9), reference(), atScale(32768, 2), atScale(8192, 0)};
    const StepEvidence dynamic{.isScalerDynamic = true, .hasScaler = true};
    EXPECT_TRUE(judgeStep(card, oneDown, dynamic).isNormalProbing);
    EXPECT_FALSE(judgeStep(card, threeDown, dynamic).isNormalProbing) << "a spike";
    EXPECT_TRUE(judgeStep(card, threeDown, {.isScalerDynamic = true, .hasScaler = true, .isSettling = true}).isNormalProbing);
    EXPECT_FALSE(judgeStep(card, threeDown, {.isScalerDynamic = true, .hasScaler = true, .backoffFactor = 0.25}).isNormalProbing);
    EXPECT_FALSE(judgeStep(card, oneDown, {.hasScaler = true}).isNormalProbing) << "a fixed scale looks for nothing";
}

TEST(SkipVerdict, ForwardOverflowSaysByWhatFactor) {
    ProvenanceCard card = cardOf("forward", "+Inf");
    card.wideMax = 131008;
    const SkipVerdict v =
        judgeStep(card, {used(65536, false, 99), reference(), layerInFp32(65536, 0)}, {.isScalerDynamic = true, .consecutiveSkips = 9});
    EXPECT_EQ(v.kind, StepVerdict::ForwardOverflow);
    EXPECT_DOUBLE_EQ(v.factor, 2);
    EXPECT_EQ(v.suspectLayer, "layers.2");
    EXPECT_TRUE(has(v.explanation.english(), "no loss scale can help")) << v.explanation.english();
    EXPECT_TRUE(has(v.explanation.english(), "9 skips in a row")) << "a collapsing scale is said to be in vain";
}

TEST(SkipVerdict, AnOverflowWithinAnOperationIsNotItsResults) {
    ProvenanceCard card = cardOf("forward", "NaN");  // exp of a naive softmax
    card.wideMax = 1;
    card.isProducer = true;
    const std::vector<Trial> trials{used(65536, false, 99), reference(), layerInFp32(65536, 0)};
    const std::string within = judgeStep(card, trials, {}).explanation.english();
    EXPECT_TRUE(has(within, "An intermediate value of ") && has(within, "largest value is 1, which FP16 can hold.")) << within;
    card.wideMax = 60000;  // what it reads may be larger than in FP32
    EXPECT_FALSE(has(judgeStep(card, trials, {}).explanation.english(), "intermediate"));
}

TEST(SkipVerdict, WhatFp32DoesTooIsArithmetic) {
    const SkipVerdict v = judgeStep(cardOf("forward", "NaN"), {used(1, false, 9), reference(7)}, {});
    EXPECT_EQ(v.kind, StepVerdict::ArithmeticNaN);
    EXPECT_TRUE(has(v.explanation.english(), "FP32 does too")) << v.explanation.english();
}

TEST(SkipVerdict, WhatIsReadComesBeforeWhatIsMade) {
    const std::vector<Trial> trials{used(1, false, 9), reference(7)};
    EXPECT_EQ(judgeStep(cardOf("forward", "NaN"), trials, {.isBatchFinite = false}).kind, StepVerdict::BadData);
    const SkipVerdict weights =
        judgeStep(cardOf("forward", "NaN"), trials, {.isBatchFinite = false, .badWeights = {"a", "b", "c", "d", "e"}});
    EXPECT_EQ(weights.kind, StepVerdict::BadWeights) << "they were there before the batch";
    EXPECT_TRUE(has(weights.explanation.english(), "a, b, c and 2 more are not finite")) << weights.explanation.english();
}

TEST(SkipVerdict, FiniteAtNoScaleButInFp32IsTheFormats) {
    const SkipVerdict v =
        judgeStep(cardOf("backward", "+Inf"), {used(1 << 20, true, 9), reference(), atScale(1 << 19, 9), atScale(1, 9)}, {});
    EXPECT_EQ(v.kind, StepVerdict::ForwardOverflow);
    EXPECT_EQ(v.safeScale, 0);
}

TEST(SkipVerdict, AllFiniteIsNotExplainedAway) {
    EXPECT_EQ(judgeStep({}, {used(1, true, 0)}, {.foundInf = true}).kind, StepVerdict::Unexplained);
    EXPECT_EQ(judgeStep({}, {used(1, true, 0)}, {.foundInf = false}).kind, StepVerdict::Sound);
}

TEST(SkipVerdict, WhatWasNotTriedIsNotSaid) {
    const ProvenanceCard card = cardOf("backward", "+Inf");
    EXPECT_EQ(judgeStep(card, {used(1 << 20, true, 9), reference()}, {}).kind, StepVerdict::Unexplained) << "no lower scale was tried";
    EXPECT_EQ(judgeStep(card, {used(1 << 20, true, 9), atScale(1, 9)}, {}).kind, StepVerdict::Unexplained) << "fp32 could not be run";
    Trial failed = reference();
    failed.failure = "there is not enough memory";
    EXPECT_EQ(judgeStep(card, {used(1 << 20, true, 9), failed, atScale(1, 9)}, {}).kind, StepVerdict::Unexplained);
    const SkipVerdict cut = judgeStep(card, {used(1 << 20, true, 9), reference(), atScale(1, 0)}, {});
    EXPECT_EQ(cut.kind, StepVerdict::ScaleTooHigh);
    EXPECT_TRUE(has(cut.explanation.english(), "not searched")) << cut.explanation.english();
}

TEST(SkipVerdict, Fp32IsNoLowerScaleOfARunThatIsFp32ButForALayer) {
    Trial mixed = used(1 << 20, true, 9), wide = reference();
    mixed.policy = "fp32";
    EXPECT_NE(judgeStep(cardOf("backward", "+Inf"), {mixed, wide}, {}).kind, StepVerdict::ScaleTooHigh);
}

Remedy tried(const std::string& pointer, double loss, bool helps, std::int64_t nonFinite = 0) {
    return {.label = Text::term(pointer),
            .pointer = pointer,
            .value = "\"bf16\"",
            .steps = 100,
            .skips = nonFinite,
            .nonFinite = nonFinite,
            .helps = helps,
            .loss = loss};
}

TEST(SkipVerdict, ItDivergesWhereTheLossHasGrownAndNothingOfTheFormatHelps) {
    Trial wide = reference();
    wide.loss = 30;
    const std::vector<Trial> trials{used(65536, true, 9), wide, atScale(32768, 0)};
    StepEvidence evidence{.isScalerDynamic = true, .hasScaler = true};
    evidence.past.usualLoss = 0.01;
    evidence.past.changes = {{300, "/optimizer/lr", "lr", "0.1", "10", "0.1"}};
    evidence.remedies = {tried("/scaler/scale", NAN, false, 98), tried("/precision", NAN, false, 91), tried("", NAN, false, 98)};
    const SkipVerdict v = judgeStep(cardOf("backward", "+Inf"), trials, evidence);
    EXPECT_EQ(v.kind, StepVerdict::Divergence);
    EXPECT_FALSE(v.isNormalProbing) << "one backoff would do for the step, and not for the run";
    EXPECT_TRUE(has(v.explanation.english(), "lr was changed from 0.1 to 10 at step 300")) << v.explanation.english();
    evidence.remedies[2] = tried("", 14, false, 3);
    EXPECT_EQ(judgeStep(cardOf("backward", "+Inf"), trials, evidence).kind, StepVerdict::ScaleTooHigh)
        << "left alone, the loss falls again";
    evidence.remedies[2] = tried("", NAN, false, 98);
    evidence.remedies[1] = tried("/precision", 0.012, true);
    EXPECT_EQ(judgeStep(cardOf("backward", "+Inf"), trials, evidence).kind, StepVerdict::ScaleTooHigh) << "in BF16 it goes on";
    evidence.remedies[1] = tried("/precision", 0.05, false);
    evidence.past.usualLoss = 29;
    EXPECT_EQ(judgeStep(cardOf("backward", "+Inf"), trials, evidence).kind, StepVerdict::ScaleTooHigh) << "the loss has not grown";
    evidence.past.usualLoss = NAN;
    EXPECT_EQ(judgeStep(cardOf("backward", "+Inf"), trials, evidence).kind, StepVerdict::ScaleTooHigh)
        << "nothing is known of earlier losses";
}

TEST(SkipVerdict, ANormalStepHealsWhenItIsLeft) {
    const std::vector<Trial> trials{used(65536, true, 9), reference(), atScale(32768, 0)};
    StepEvidence evidence{.isScalerDynamic = true, .hasScaler = true, .remedies = {tried("", 0.1, true, 2)}};
    EXPECT_TRUE(judgeStep(cardOf("backward", "+Inf"), trials, evidence).isNormalProbing);
    evidence.remedies = {tried("", 0.1, false, 60)};
    const SkipVerdict v = judgeStep(cardOf("backward", "+Inf"), trials, evidence);
    EXPECT_FALSE(v.isNormalProbing);
    EXPECT_TRUE(has(v.explanation.english(), "60 of the next 100 steps")) << v.explanation.english();
    evidence.setsGradientsToZero = false;
    EXPECT_EQ(judgeStep(cardOf("backward", "+Inf"), trials, evidence).kind, StepVerdict::KeptGradients);
}

TEST(SkipVerdict, StatisticsThatTrainingDoesNotReadAreNoBrokenWeights) {
    const StepEvidence evidence{.foundInf = false, .badStatistics = {"bn1.running_mean"}};
    EXPECT_EQ(judgeStep({}, {used(1, true, 0)}, evidence).kind, StepVerdict::BadStatistics);
    const SkipVerdict v = judgeStep(cardOf("backward", "+Inf"), {used(4, true, 9), reference(), atScale(2, 0)},
                                    {.foundInf = true, .badStatistics = {"bn1.running_mean"}});
    EXPECT_EQ(v.kind, StepVerdict::ScaleTooHigh) << "the step is judged by what it read";
    EXPECT_TRUE(has(v.explanation.english(), "bn1.running_mean")) << v.explanation.english();
}

TEST(SkipVerdict, AFiniteStepThatHasLostSomethingIsNotSound) {
    const StepEvidence evidence{.foundInf = false, .silent = {{SilentKind::AllZero, "norm", "norm.output", 1}}};
    const SkipVerdict v = judgeStep({}, {used(1, true, 0)}, evidence);
    EXPECT_EQ(v.kind, StepVerdict::SilentFailure);
    EXPECT_TRUE(has(v.headline.english(), "Finite, but")) << v.headline.english();
    EXPECT_TRUE(has(v.explanation.english(), "norm.output is all 0")) << v.explanation.english();
}

TEST(Healthy, StepsThatADynamicScalerSkipsOnItsWayAreNoFault) {
    const StepsTried calibrating{.steps = 100, .skips = 14, .nonFinite = 14, .nonFiniteAtTheEnd = 1, .loss = 0.5};
    EXPECT_TRUE(isHealthy(calibrating, 100, NAN));
    EXPECT_FALSE(isHealthy(calibrating, 1, NAN)) << "a fixed scale is on no way";
    StepsTried bad = calibrating;
    bad.nonFiniteAtTheEnd = 2;
    EXPECT_FALSE(isHealthy(bad, 100, NAN)) << "it has not arrived";
    bad = calibrating;
    bad.skips = 13;
    EXPECT_FALSE(isHealthy(bad, 100, NAN)) << "one was not skipped";
    EXPECT_TRUE(isHealthy(calibrating, 100, 0.46));
    EXPECT_FALSE(isHealthy(calibrating, 100, 0.45)) << "the loss is higher than it was";
    bad = calibrating;
    bad.loss = NAN;
    EXPECT_FALSE(isHealthy(bad, 100, NAN));
    EXPECT_FALSE(isHealthy({}, 100, NAN)) << "nothing was tried";
}

TEST(Healthy, SkipsAtTheEndAreInProportionToTheScalersGrowths) {
    StepsTried often{.steps = 100, .skips = 12, .nonFinite = 12, .nonFiniteAtTheEnd = 3, .loss = 0.5};
    EXPECT_FALSE(isHealthy(often, 100, NAN)) << "a scaler that does not grow in those steps has not arrived";
    often.growthInterval = 2000;
    EXPECT_FALSE(isHealthy(often, 100, NAN));
    often.growthInterval = 20;
    EXPECT_TRUE(isHealthy(often, 100, NAN));
    often.nonFiniteAtTheEnd = 12;
    often.growthInterval = 1;
    EXPECT_FALSE(isHealthy(often, 100, NAN)) << "half of all steps";
    EXPECT_FALSE(isHealthy({.steps = 20, .skips = 3, .nonFinite = 3, .nonFiniteAtTheEnd = 2, .loss = 0.5, .growthInterval = 1}, 20, NAN));
}

TEST(Guessing, IsBeatenByALossClearlyBelowItsOwnOrByAnAccuracyClearlyAboveChance) {
    EXPECT_DOUBLE_EQ(lossOfGuessing(10), std::log(10.0));
    EXPECT_TRUE(std::isnan(lossOfGuessing(0)));
    EXPECT_FALSE(beatsGuessing(10, 2.31, 0.092));
    EXPECT_FALSE(beatsGuessing(10, 2.3, NAN));
    EXPECT_FALSE(beatsGuessing(10, 7.8, 0.103));
    EXPECT_TRUE(beatsGuessing(10, 1.8, NAN));
    EXPECT_TRUE(beatsGuessing(10, 2.28, 0.4));
    EXPECT_FALSE(beatsGuessing(2, 0.69, 0.55));
    EXPECT_TRUE(beatsGuessing(2, 0.69, 0.7));
}

TEST(SkipVerdict, AFewBackoffsAreNormalWhereLeavingItHeals) {
    const std::vector<Trial> trials{used(1 << 22, true, 9), reference(), atScale(1 << 20, 0)};
    StepEvidence evidence{.isScalerDynamic = true, .hasScaler = true, .backoffFactor = 0.5};
    evidence.remedies = {{.label = "Leave it"_text, .steps = 100, .skips = 2, .nonFinite = 2, .helps = true, .loss = 0.005}};
    const SkipVerdict v = judgeStep(cardOf("backward", "+Inf"), trials, evidence);
    EXPECT_EQ(v.kind, StepVerdict::ScaleTooHigh);
    EXPECT_TRUE(v.isNormalProbing) << v.explanation.english();
    EXPECT_TRUE(has(v.explanation.english(), "lowering it a few times is enough")) << v.explanation.english();
    evidence.remedies.front().helps = false;
    EXPECT_FALSE(judgeStep(cardOf("backward", "+Inf"), trials, evidence).isNormalProbing);
    evidence.remedies.front().helps = true;
    EXPECT_FALSE(
        judgeStep(cardOf("backward", "+Inf"), {used(1 << 22, true, 9), reference(), atScale(1 << 16, 0)}, evidence).isNormalProbing);
}

TEST(SkipVerdict, AFailedTrialProvesNothing) {
    Trial failed = atScale(1 << 19, 0);
    failed.failure = "there is not enough memory";
    const SkipVerdict v = judgeStep(cardOf("backward", "-Inf"), {used(1 << 20, true, 3), reference(), failed, atScale(1 << 18, 0)}, {});
    EXPECT_EQ(v.safeScale, 1 << 18);
}

TEST(SkipVerdict, SharesKeepWhatTellsThemFromZero) {
    EXPECT_EQ(shareText(0), "0 %");
    EXPECT_EQ(shareText(0.0005), "0.05 %");
    EXPECT_EQ(shareText(0.253), "25 %");
    EXPECT_EQ(shareText(NAN), "");
}

}  // namespace
}  // namespace mantissa
