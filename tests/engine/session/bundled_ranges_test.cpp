// SPDX-License-Identifier: Apache-2.0
// What the captions of bundled experiments claim about range, loss scales and skipped steps, with FP32, the failing format and the cured
// one.
#include <gtest/gtest.h>

#include "tests/engine/session/bundled_fixture.h"

namespace mantissa {
namespace {

using test::apart;
using test::BundledFixture;
using test::kThreeSeeds;

const double kLnTen = std::log(10.0);  // the loss of guessing among ten

TEST(BundledFourFormats, CurvesAgreeAndOnlyFp16sScaleClimbsUntilAStepIsSkipped) {
    for (const int seed : kThreeSeeds) {
        BundledFixture lab("four-formats", 1000, seed);
        lab.train();
        for (const char* run : {"tf32", "fp16", "bf16"}) {
            EXPECT_LT(apart(lab.meanLoss(run, 0, 240), lab.meanLoss("fp32", 0, 240)), 0.01) << run << ", seed " << seed;
            EXPECT_LT(std::fabs(lab.endLoss(run) - lab.endLoss("fp32")), 0.002) << run << ", seed " << seed;
            EXPECT_LT(apart(lab.validation(run).validationLoss, lab.validation("fp32").validationLoss), 0.1) << run;
        }
        for (const char* run : {"fp32", "tf32", "bf16"}) {
            EXPECT_EQ(lab.skips(run), 0);
            EXPECT_EQ(lab.recordsOf(run).back().lossScale, 1);
        }
        const auto& fp16 = lab.recordsOf("fp16");
        EXPECT_EQ(fp16.front().lossScale, 0x1p16);
        ASSERT_EQ(lab.skips("fp16"), 1) << seed;
        const auto skipped = std::find_if(fp16.begin(), fp16.end(), [](const StepRecord& r) { return r.skipped(); });
        EXPECT_GT(skipped->lossScale, 0x1p18) << "it has climbed";
        EXPECT_EQ((skipped + 1)->lossScale, skipped->lossScale / 2);
    }
}

TEST(BundledFp16WithoutAScaler, GuessesUntilItIsGivenOne) {
    for (const int seed : kThreeSeeds) {
        BundledFixture lab("fp16-without-a-scaler", 250, seed);
        lab.train();
        EXPECT_LT(lab.endLoss("fp32"), 1.8) << seed;
        EXPECT_LT(apart(lab.endLoss("fp16 scaled"), lab.endLoss("fp32")), 0.05) << seed;
        EXPECT_NEAR(lab.endLoss("fp16 bare"), kLnTen, 0.005) << seed;
        EXPECT_EQ(lab.skips("fp16 bare"), 0) << "and nothing tells";
    }
    BundledFixture lab("fp16-without-a-scaler", 400);
    lab.trainTo(200);
    EXPECT_NEAR(lab.meanLoss("fp16 bare", 100, 200), kLnTen, 0.005);
    ASSERT_EQ(lab.command(ChangeSetting{lab.run("fp16 bare").id, "/scaler/preset", "pytorch"}), "");
    lab.train();
    EXPECT_LT(lab.endLoss("fp16 bare"), 1.9) << "it begins to learn";
}

TEST(BundledTooHot, AllFitsAt16SkipsThinOutAt20AndNothingIsLearntAt24) {
    for (const int seed : kThreeSeeds) {
        BundledFixture lab("too-hot", 200, seed);
        lab.train();
        EXPECT_EQ(lab.skips("fp16 at 2^16"), 0) << seed;
        EXPECT_LT(apart(lab.endLoss("fp16 at 2^16"), lab.endLoss("fp32")), 0.02) << seed;
        EXPECT_GT(lab.skips("fp16 at 2^20", 0, 100), 20) << seed;
        EXPECT_LT(lab.skips("fp16 at 2^20", 150), 5) << seed;
        EXPECT_LT(lab.endLoss("fp16 at 2^20"), 0.4) << seed;
        EXPECT_EQ(lab.skips("fp16 at 2^24"), 200) << seed;
        EXPECT_NEAR(lab.endLoss("fp16 at 2^24"), kLnTen, 0.1) << seed;
    }
}

TEST(BundledHowTheScalerBreathes, ShorterIntervalsLiveCloserToTheLimitAndSkipMore) {
    for (const int seed : kThreeSeeds) {
        BundledFixture lab("how-the-scaler-breathes", 1200, seed);
        lab.train();
        const auto meanExponent = [&](const char* run) {
            double sum = 0;
            for (std::size_t i = 100; i < 1200; ++i) sum += std::log2(lab.recordsOf(run)[i].lossScale);
            return sum / 1100;
        };
        for (const char* run : {"every 50", "every 200", "every 2000"}) {
            const auto& records = lab.recordsOf(run);
            for (std::size_t i = 0; i < 8; ++i) EXPECT_TRUE(records[i].skipped()) << run << " begins far too high";
            EXPECT_FALSE(records[20].skipped()) << run;
        }
        EXPECT_EQ(lab.skips("every 2000", 100), 0) << seed;
        EXPECT_GT(lab.skips("every 200", 100), 0) << seed;
        EXPECT_GT(lab.skips("every 50", 100), 2 * lab.skips("every 200", 100)) << seed;
        EXPECT_GT(meanExponent("every 50"), meanExponent("every 200") + 0.1) << seed;
        EXPECT_GT(meanExponent("every 200"), meanExponent("every 2000") + 0.5) << seed;
    }
}

TEST(BundledScaleStorm, TheDynamicScalerComesBackTheStaticOneNeverAndTheLossWaits) {
    BundledFixture lab("scale-storm", 600);
    lab.train();
    const auto &calm = lab.recordsOf("calm"), &storm = lab.recordsOf("storm");
    for (std::size_t i = 0; i < 500; ++i) ASSERT_EQ(calm[i].loss, storm[i].loss) << i;
    EXPECT_EQ(storm[500].lossScale, 0x1p40);
    std::size_t fits = 500;
    while (fits < 600 && storm[fits].skipped()) ++fits;
    EXPECT_GT(fits, 515u);
    EXPECT_LT(fits, 530u);
    EXPECT_EQ(storm[fits].lossScale, std::ldexp(0x1p40, 500 - static_cast<int>(fits))) << "halved step by step";
    EXPECT_LT(lab.endLoss("storm"), 0.2) << "it goes on";
    EXPECT_EQ(lab.skips("storm, static", 500), 100);

    // the weights are left alone: the static run's validation at 600 is what it was at 500
    const auto& still = lab.recordsOf("storm, static");
    EXPECT_EQ(still[599].validationLoss, still[499].validationLoss);
    EXPECT_NE(storm[599].validationLoss, storm[499].validationLoss);
}

TEST(BundledDeepSigmoid, FiveLayersLearnSevenDoNotUnlessScaled) {
    for (const int seed : kThreeSeeds) {
        BundledFixture lab("deep-sigmoid", 800, seed);
        lab.train();
        EXPECT_LT(lab.endLoss("5 layers"), 1.2) << seed;
        EXPECT_NEAR(lab.endLoss("7 layers"), kLnTen, 0.005) << seed;
        EXPECT_LT(lab.endLoss("7 layers at 2^12"), 1.9) << seed;
    }
}

TEST(BundledOneLayerInFp32, AnOverrideOfTheOutputLetsTheRunLearn) {
    for (const int seed : kThreeSeeds) {
        BundledFixture lab("one-layer-in-fp32", 250, seed);
        lab.train();
        EXPECT_EQ(lab.skips("fp32"), 0);
        EXPECT_GT(lab.skips("fp16"), 240) << "nearly every step, seed " << seed;
        ASSERT_TRUE(lab.firstNonFinite("fp16"));
        EXPECT_EQ(lab.firstNonFinite("fp16")->layer, "layers.3");
        EXPECT_GT(lab.endLoss("fp16"), 2) << seed;
        EXPECT_LT(lab.endLoss("fp16, output in fp32"), 0.2) << seed;
        EXPECT_LT(lab.endLoss("fp32"), 0.2) << seed;
    }
}

TEST(BundledABf16Checkpoint, NoScaleHelpsItInFp16AndTwoProductsInFp32Do) {
    BundledFixture lab("a-bf16-checkpoint", 24);
    lab.train();
    EXPECT_EQ(lab.skips("fp16"), 24);
    EXPECT_EQ(lab.recordsOf("fp16").back().lossScale, std::ldexp(0x1p16, -23)) << "it halves at each step";
    ASSERT_TRUE(lab.firstNonFinite("fp16"));
    EXPECT_EQ(lab.firstNonFinite("fp16")->step, 0);
    EXPECT_EQ(lab.firstNonFinite("fp16")->phase, "forward");
    EXPECT_TRUE(lab.firstNonFinite("fp16")->layer.ends_with("mlp.down_proj")) << lab.firstNonFinite("fp16")->layer;
    EXPECT_EQ(lab.skips("bf16"), 0);
    EXPECT_EQ(lab.skips("fp16, two layers fp32"), 0);
    EXPECT_LT(apart(lab.meanLoss("fp16, two layers fp32", 0), lab.meanLoss("bf16", 0)), 0.01);
}

TEST(BundledScaleCollapse, IsNoMatterOfScaleOrFormatAndClippingCuresIt) {
    for (const int seed : kThreeSeeds) {
        BundledFixture lab("scale-collapse", 0, seed);
        lab.train();
        EXPECT_FALSE(lab.firstNonFinite("fp32")) << seed;
        EXPECT_LT(lab.recordsOf("fp32")[299].loss, 0.3) << "before, seed " << seed;
        EXPECT_LT(lab.validation("fp32").validationAccuracy, 0.2) << "after, seed " << seed;
        const auto& fp16 = lab.recordsOf("fp16");
        EXPECT_EQ(lab.skips("fp16", 0, 300), 0);
        for (std::size_t i = 330; i < fp16.size(); ++i) {
            ASSERT_TRUE(fp16[i].skipped()) << i << ", seed " << seed;
            ASSERT_FALSE(std::isfinite(fp16[i].loss)) << "the forward pass, which no scale touches: step " << i << ", seed " << seed;
        }
        EXPECT_EQ(fp16.back().lossScale, 0) << seed;
        EXPECT_LT(lab.skips("fp16 clipped"), 10) << seed;
        EXPECT_GT(lab.validation("fp16 clipped").validationAccuracy, 0.85) << seed;
    }
}

TEST(BundledNormsInFp16, AreBlindWithoutANaN) {
    BundledFixture lab("norms-in-fp16", 3);
    lab.train();
    for (const StepRecord& record : lab.recordsOf("norms in fp16")) {
        EXPECT_EQ(record.loss, 4.5) << "all characters alike: log 91 in bf16";
        EXPECT_EQ(record.gradNorm, 0);
        EXPECT_EQ(record.flags & (kFlagFoundInf | kFlagLossNonFinite | kFlagGradNormNonFinite), 0u);
    }
    EXPECT_TRUE(lab.all<NonFiniteFound>().empty());
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_LT(lab.recordsOf("fp32")[i].loss, 1.5);
        EXPECT_LT(apart(lab.recordsOf("norms in fp32")[i].loss, lab.recordsOf("fp32")[i].loss), 0.01);
    }
}

TEST(BundledANaiveSoftmax, IsNaNInFp16UnlessTheMaximumIsSubtracted) {
    BundledFixture lab("a-naive-softmax", 3);
    lab.train();
    for (const StepRecord& record : lab.recordsOf("fp16, naive")) EXPECT_TRUE(std::isnan(record.loss));
    const auto found = lab.firstNonFinite("fp16, naive");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->step, 0);
    EXPECT_EQ(found->operation, "softmax") << "and not the -Inf of the mask, nor its copy";
    EXPECT_EQ(found->cls, "NaN");
    EXPECT_FALSE(lab.firstNonFinite("fp32, naive"));
    EXPECT_FALSE(lab.firstNonFinite("fp16, maximum subtracted"));
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_LT(apart(lab.recordsOf("fp16, maximum subtracted")[i].loss, lab.recordsOf("fp32, naive")[i].loss), 0.01);
}

TEST(BundledOneBadPixel, PoisonsEveryValidationFromThenOnAndTrainingDoesNotShowIt) {
    BundledFixture lab("one-bad-pixel", 100);
    lab.train();
    const auto &clean = lab.recordsOf("clean"), &poisoned = lab.recordsOf("one Inf");
    for (std::size_t i = 0; i < 60; ++i) EXPECT_EQ(clean[i].loss, poisoned[i].loss);
    EXPECT_TRUE(poisoned[60].skipped());
    EXPECT_EQ(lab.skips("one Inf"), 1);
    for (std::size_t i = 61; i < 100; ++i) EXPECT_TRUE(std::isfinite(poisoned[i].loss)) << i;
    EXPECT_LT(apart(lab.meanLoss("one Inf", 80), lab.meanLoss("clean", 80)), 0.5) << "as good as ever";
    for (const std::size_t step : {19, 39, 59, 79, 99}) {
        EXPECT_TRUE(std::isfinite(clean[step].validationLoss)) << step;
        EXPECT_EQ(std::isnan(poisoned[step].validationLoss), step > 60) << step;
    }
}

}  // namespace
}  // namespace mantissa
