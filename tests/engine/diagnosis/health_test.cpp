// SPDX-License-Identifier: Apache-2.0
#include "engine/diagnosis/health.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mantissa {
namespace {

/// A dynamic scaler in the middle of a run, no skip yet.
HealthInput dynamic() {
    return {.preset = "pytorch", .isDynamic = true, .scale = 65536, .steps = 1000, .cleanSteps = 18, .growthInterval = 80};
}

TEST(Health, AQuietRun) {
    EXPECT_EQ(judge({}).verdict, Verdict::NotStarted);
    EXPECT_EQ(judge({.steps = 5}).sentence.english(), "All finite. No step skipped.");
    EXPECT_EQ(judge({.preset = "static", .scale = 1024, .steps = 5}).sentence.english(), "All finite. No step skipped.");
    EXPECT_EQ(judge(dynamic()).verdict, Verdict::Steady);
    EXPECT_EQ(judge(dynamic()).sentence.english(), "18 of 80 clean steps to the next growth.");
}

TEST(Health, ARunThatHasEndedSaysWhyAndNothingElse) {
    HealthInput in = dynamic();
    in.stopReason = "the device is gone";
    EXPECT_EQ(judge(in).severity, Severity::Bad);
    EXPECT_EQ(judge(in).sentence.english(), "Stopped: the device is gone.");
}

TEST(Health, AScalerThatDoesNotCountStepsSaysWhatItFollows) {
    HealthInput in = dynamic();
    in.growthInterval = 0;
    EXPECT_EQ(judge(in).sentence.english(), "The scale follows the largest gradients.");
}

TEST(Health, SkipsFromTheFirstStepOnAreTheSearchForAScale) {
    HealthInput in = dynamic();
    in.steps = in.skippedTotal = in.consecutiveSkips = 3, in.lastSkip = 2, in.cleanSteps = 0, in.scale = 8192;
    EXPECT_EQ(judge(in).verdict, Verdict::Calibrating);
    EXPECT_EQ(judge(in).severity, Severity::Good);
    EXPECT_EQ(judge(in).sentence.english(), "Finding a usable scale: 3 skips so far. Normal.");

    in.steps = 5, in.consecutiveSkips = 0, in.cleanSteps = 2;
    EXPECT_EQ(judge(in).verdict, Verdict::Calibrating);
    EXPECT_EQ(judge(in).sentence.english(), "Probing: 3 skips in the first 5 steps, normal.");

    in.skippedTotal = 4, in.lastSkip = 4, in.steps = 6, in.cleanSteps = 1;  // steps 0, 1, 2 and 4
    EXPECT_EQ(judge(in).sentence.english(), "Probing: 4 skips in the first 6 steps, normal.");

    in.steps = 40, in.cleanSteps = 35;  // no news any more
    EXPECT_EQ(judge(in).sentence.english(), "35 of 80 clean steps to the next growth. 4 skips so far.");
}

TEST(Health, ASkipAfterAGrowthIsProbingAnyOtherIsASpike) {
    HealthInput in = dynamic();
    in.skippedTotal = 4, in.lastSkip = 998, in.cleanSteps = 1;
    in.lastGrowthBeforeSkip = 990;
    EXPECT_EQ(judge(in).verdict, Verdict::Probing);
    in.lastGrowthBeforeSkip = 998 - 80;
    EXPECT_EQ(judge(in).verdict, Verdict::Probing);
    in.lastGrowthBeforeSkip = 998 - 81;
    EXPECT_EQ(judge(in).verdict, Verdict::HittingSpike);
    EXPECT_EQ(judge(in).severity, Severity::Note);
    EXPECT_EQ(judge(in).sentence.english(), "Step 998 had larger gradients than the scale allows.");
    in.lastGrowthBeforeSkip = -1, in.skippedTotal = 1;
    EXPECT_EQ(judge(in).verdict, Verdict::HittingSpike);

    // an interval of 1 grows at every clean step, and the next one overflows
    in.growthInterval = 1, in.lastGrowthBeforeSkip = 997, in.consecutiveSkips = 1, in.steps = 999, in.cleanSteps = 0;
    EXPECT_EQ(judge(in).verdict, Verdict::Probing);
}

TEST(Health, ARowOfSkipsIsNoProbingAndIsNewsUntilTheScaleGrows) {
    HealthInput in = dynamic();
    in.skippedTotal = 16, in.lastSkip = 998, in.lastGrowthBeforeSkip = in.lastGrowth = 986, in.cleanSteps = 1;
    in.lastSkipRow = 3;
    EXPECT_EQ(judge(in).verdict, Verdict::Probing);
    in.lastSkipRow = 12;
    EXPECT_EQ(judge(in).verdict, Verdict::HittingSpike);
    EXPECT_EQ(judge(in).severity, Severity::Note);
    EXPECT_EQ(judge(in).sentence.english(), "12 skips in a row up to step 998, and the scale has not grown since.");
    in.steps = 1060;
    EXPECT_EQ(judge(in).severity, Severity::Note);
    in.lastGrowth = 1059;
    EXPECT_EQ(judge(in).verdict, Verdict::Steady);

    // the search from the initial scale has as long a row, and is normal
    in.steps = 20, in.skippedTotal = in.lastSkipRow = 12, in.lastSkip = 11, in.lastGrowthBeforeSkip = in.lastGrowth = -1;
    EXPECT_EQ(judge(in).verdict, Verdict::Calibrating);
    in.steps = 60;
    EXPECT_EQ(judge(in).verdict, Verdict::Steady);
}

TEST(Health, AFallOfFourHalvingsIsNoted) {
    HealthInput in = dynamic();
    in.skippedTotal = 12, in.lastSkip = 900, in.lastSkipRow = 1, in.scale = 16, in.highestScale = 65536, in.skipsSinceHighest = 12;
    EXPECT_EQ(judge(in).verdict, Verdict::ScaleFell);
    EXPECT_EQ(judge(in).severity, Severity::Note);
    EXPECT_EQ(judge(in).title.english(), "Scale fell");
    EXPECT_EQ(judge(in).sentence.english(), "The scale fell from 2¹⁶ to 2⁴ in 12 skips. 18 of 80 clean steps to the next growth.");
    in.scale = 4096;
    EXPECT_EQ(judge(in).severity, Severity::Note);
    in.scale = 8192;
    EXPECT_EQ(judge(in).verdict, Verdict::Steady);

    // also while the last skip is recent and followed a growth, but not in place of a spike
    in.scale = 16, in.lastSkip = 998, in.lastGrowthBeforeSkip = 990;
    EXPECT_EQ(judge(in).verdict, Verdict::ScaleFell);
    in.lastGrowthBeforeSkip = -1;
    EXPECT_EQ(judge(in).verdict, Verdict::HittingSpike);
}

TEST(Health, AGrowthDoesNotBringAnOldSkipBack) {
    HealthInput in = dynamic();
    in.skippedTotal = 1, in.lastSkip = 3, in.cleanSteps = 0;  // it has just grown
    EXPECT_EQ(judge(in).verdict, Verdict::Steady);
    EXPECT_EQ(judge(in).sentence.english(), "0 of 80 clean steps to the next growth. 1 skip so far.");
}

TEST(Health, AScaleSetTooHighByHandIsSearchedDown) {
    HealthInput in = dynamic();
    in.scale = 0x1p30, in.consecutiveSkips = in.skippedTotal = 12, in.lastSkip = 999, in.cleanSteps = 0;
    EXPECT_EQ(judge(in).verdict, Verdict::Calibrating);
    EXPECT_EQ(judge(in).severity, Severity::Note);
    EXPECT_EQ(judge(in).sentence.english(), "Finding a usable scale: 12 skips in a row.");
}

TEST(Health, SkipsBelowScale1AreHardlyAScaleProblem) {
    HealthInput in = dynamic();
    in.scale = 0.25, in.steps = in.consecutiveSkips = in.skippedTotal = 18, in.lastSkip = 17, in.cleanSteps = 0;
    in.firstNonFiniteWhere = "layers.2, linear_grad_weight, backward";
    EXPECT_EQ(judge(in).verdict, Verdict::Collapsing);
    EXPECT_EQ(judge(in).sentence.english(),
              "18 steps in a row were skipped, although the loss scale is already below 1: the scale is probably not the cause. "
              "First non-finite: layers.2, linear_grad_weight, backward.");
    in.consecutiveSkips = 7;
    EXPECT_EQ(judge(in).verdict, Verdict::Calibrating);
}

TEST(Health, NoScaleCuresAForwardPass) {
    HealthInput in = dynamic();
    in.consecutiveSkips = 53, in.skippedTotal = 53, in.lastSkip = 999, in.isLastLossFinite = false;
    in.isFirstNonFiniteForward = true, in.firstNonFiniteWhere = "layers.1, linear, forward";
    EXPECT_EQ(judge(in).verdict, Verdict::Collapsing);
    EXPECT_EQ(judge(in).severity, Severity::Bad);
    EXPECT_EQ(judge(in).sentence.english(), "Not a scale problem. 53 skips in a row. First non-finite: layers.1, linear, forward.");
    in.consecutiveSkips = 1, in.isFirstNonFiniteForward = false, in.firstNonFiniteWhere.clear();  // before the audit has answered
    EXPECT_EQ(judge(in).sentence.english(), "Not a scale problem. 1 skip in a row.");
    in.consecutiveSkips = 0, in.lastSkip = 800;  // over
    EXPECT_NE(judge(in).verdict, Verdict::Collapsing);
}

TEST(Health, AFixedScale) {
    HealthInput in{.preset = "static", .scale = 1e12, .steps = 60, .skippedTotal = 3, .lastSkip = 40};
    EXPECT_EQ(judge(in).sentence.english(), "3 of 60 steps skipped: the scale is fixed and these overflowed.");
    EXPECT_EQ(judge(in).severity, Severity::Note) << "steps were lost, and more will be";
    in.lastSkip = 59, in.consecutiveSkips = 1;
    EXPECT_EQ(judge(in).severity, Severity::Note);
    in.skippedTotal = 29;
    EXPECT_EQ(judge(in).severity, Severity::Note);
    in.skippedTotal = 30;
    EXPECT_EQ(judge(in).severity, Severity::Bad) << "half of the steps are lost";
    EXPECT_EQ(judge(in).sentence.english(), "30 of 60 steps skipped: the scale is fixed and these overflowed.");
    in.steps = 7, in.skippedTotal = 4;
    EXPECT_EQ(judge(in).severity, Severity::Note) << "too few steps";
    in.steps = 60;
    in.skippedTotal = in.consecutiveSkips = 60;
    EXPECT_EQ(judge(in).title.english(), "Skip storm");
    EXPECT_EQ(judge(in).severity, Severity::Bad);
    EXPECT_EQ(judge(in).sentence.english(), "60 skips in a row. The scale is fixed: every such step is lost.");
}

TEST(Health, ANegativeScaleCountsByItsMagnitude) {
    HealthInput in = dynamic();
    in.steps = in.skippedTotal = in.consecutiveSkips = 10, in.lastSkip = 9, in.cleanSteps = 0, in.scale = -64;
    EXPECT_EQ(judge(in).verdict, Verdict::Calibrating);
    in.scale = -0.5;
    EXPECT_EQ(judge(in).title.english(), "Skip storm");
}

TEST(Health, AScaleWithoutAUsableReciprocalIsDead) {
    HealthInput in = dynamic();
    for (const double scale : {0.0, 0x1p-149, 0x1p-128, 0x1p128, HUGE_VAL}) {
        in.scale = scale;
        EXPECT_EQ(judge(in).verdict, Verdict::Dead) << scale;
        EXPECT_EQ(judge(in).severity, Severity::Bad) << scale;
    }
    for (const double scale : {0x1p-127, 1.0, 0x1p127}) {
        in.scale = scale;
        EXPECT_NE(judge(in).verdict, Verdict::Dead) << scale;
    }
}

TEST(Health, PoisonWithoutAScalerIsNamed) {
    HealthInput in{.steps = 10, .isLastLossFinite = false, .firstNonFiniteStep = 7, .firstNonFiniteWhere = "layers.0, linear, forward"};
    EXPECT_EQ(judge(in).verdict, Verdict::NotFinite);
    EXPECT_EQ(judge(in).severity, Severity::Bad);
    EXPECT_EQ(judge(in).sentence.english(),
              "Not finite since step 7, and nothing skips such a step. First non-finite: layers.0, linear, forward.");
    in.isLastLossFinite = true;
    EXPECT_EQ(judge(in).severity, Severity::Note);
    EXPECT_EQ(judge(in).sentence.english(),
              "Finite now, but step 7 was not, and was not skipped. First non-finite: layers.0, linear, forward.");
    in.isLastNormFinite = false, in.firstNonFiniteStep = -1, in.firstNonFiniteWhere.clear();
    EXPECT_EQ(judge(in).sentence.english(), "Not finite, and nothing skips such a step.");
}

}  // namespace
}  // namespace mantissa
