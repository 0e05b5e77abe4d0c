// SPDX-License-Identifier: Apache-2.0
// What the captions of bundled experiments claim about roundings, sums, updates and the order of a step.
#include <gtest/gtest.h>

#include "tests/engine/session/bundled_fixture.h"

namespace mantissa {
namespace {

using test::apart;
using test::BundledFixture;
using test::kThreeSeeds;

TEST(BundledClipOrder, ClippingFirstLeavesNothingToLearnFrom) {
    for (const int seed : kThreeSeeds) {
        BundledFixture lab("clip-order", 300, seed);
        lab.train();
        EXPECT_LT(lab.endLoss("fp32"), 0.5) << seed;
        EXPECT_LT(apart(lab.endLoss("fp16, unscale first"), lab.endLoss("fp32")), 0.01) << seed;
        const auto& wrong = lab.recordsOf("fp16, clip first");
        EXPECT_LT(std::fabs(lab.endLoss("fp16, clip first") - lab.meanLoss("fp16, clip first", 0, 100)), 0.01) << seed;
        EXPECT_EQ(lab.skips("fp16, clip first"), 0) << "and nothing tells";
        EXPECT_LT(apart(wrong.front().gradNorm, lab.recordsOf("fp16, unscale first").front().gradNorm), 1e-5) << "the norm before clipping";
    }
}

TEST(BundledAMissingZeroGrad, IsHiddenByTheScalerUntilAStepOverflows) {
    for (const int seed : kThreeSeeds) {
        BundledFixture lab("missing-zero-grad", 700, seed);
        lab.train();
        const auto &hidden = lab.recordsOf("fp16, no zero_grad"), &right = lab.recordsOf("fp16");
        const auto first = static_cast<std::size_t>(
            std::find_if(hidden.begin(), hidden.end(), [](const StepRecord& r) { return r.skipped(); }) - hidden.begin());
        ASSERT_GT(first, 200u) << seed;
        ASSERT_LT(first, 650u) << seed;
        EXPECT_LT(apart(lab.meanLoss("fp16, no zero_grad", 0, first), lab.meanLoss("fp16", 0, first)), 0.01) << seed;
        EXPECT_GT(lab.meanLoss("fp32, no zero_grad", 0, first), 2 * lab.meanLoss("fp16", 0, first)) << seed;
        for (std::size_t i = first; i < hidden.size(); ++i) ASSERT_TRUE(hidden[i].skipped()) << "from then on, step " << i;
        EXPECT_LT(hidden.back().lossScale, 0x1p-10) << "on its way to zero";
        EXPECT_LT(lab.skips("fp16"), 10) << seed;
        EXPECT_GT(right.back().lossScale, 1);
    }
}

TEST(BundledSwitchMidRun, EachChangeHoldsFromItsVeryStep) {
    BundledFixture lab("switch-mid-run", 1210);
    lab.train();
    const auto &asItWas = lab.recordsOf("as it was"), &switched = lab.recordsOf("switched");
    for (std::size_t i = 0; i < 400; ++i) ASSERT_EQ(asItWas[i].loss, switched[i].loss) << "twins, step " << i;
    EXPECT_NE(asItWas[400].loss, switched[400].loss) << "in FP16 from here";
    EXPECT_EQ(switched[799].flags & kFlagSettingChanged, 0u);
    EXPECT_EQ(switched[800].lossScale, 0x1p24);
    EXPECT_EQ(switched[1199].lr, 0.001);
    EXPECT_EQ(switched[1200].lr, 0.0001);
    EXPECT_EQ(lab.count<SettingApplied>([](const SettingApplied& applied) { return applied.pointer != "/scaler/preset"; }), 3);
    EXPECT_LT(lab.meanLoss("switched", 1100, 1200), 0.1) << "it recovers";
}

TEST(BundledEightBits, HardlyLeaveBf16) {
    for (const int seed : kThreeSeeds) {
        BundledFixture lab("eight-bits", 400, seed);
        lab.train();
        for (const char* run : {"fp8, delayed", "fp8, current", "fp8, one step late"}) {
            EXPECT_LT(apart(lab.endLoss(run), lab.endLoss("bf16")), 0.2) << run << ", seed " << seed;
            EXPECT_LT(apart(lab.meanLoss(run, 0, 200), lab.meanLoss("bf16", 0, 200)), 0.05) << run << ", seed " << seed;
            EXPECT_NE(lab.recordsOf(run)[0].gradNorm, lab.recordsOf("bf16")[0].gradNorm) << run;
            EXPECT_GT(lab.validation(run).validationAccuracy, lab.validation("bf16").validationAccuracy - 0.03) << run;
        }
    }
}

TEST(BundledLostUpdates, ChanceAndKahanKeepWhatBf16Loses) {
    for (const int seed : kThreeSeeds) {
        BundledFixture lab("lost-updates", seed == 1 ? 0 : 600, seed);
        lab.train();
        const double masters = lab.endLoss("fp32 masters");
        EXPECT_GT(lab.endLoss("pure bf16"), (seed == 1 ? 8 : 2) * masters) << "ten times when 1500 steps are done, seed " << seed;
        for (const char* run : {"stochastic", "Kahan"}) {
            EXPECT_LT(apart(lab.endLoss(run), masters), 0.1) << run << ", seed " << seed;
            const double share =
                static_cast<double>(lab.run(run).memory.total()) / static_cast<double>(lab.run("fp32 masters").memory.total());
            EXPECT_NEAR(share, 2.0 / 3, 0.1) << run;
        }
    }
}

TEST(BundledLostUpdates, AreNotForALossScaleButForMasters) {
    for (const int seed : kThreeSeeds) {
        BundledFixture lab("swallowed-updates", 700, seed);
        const auto weightsOf = [&](const char* run) { return lab.session.trainer(lab.run(run).id)->weights(); };
        const auto before = weightsOf("pure fp16"), mastersBefore = weightsOf("fp16, fp32 masters");
        ASSERT_EQ(lab.command(SingleStep{}), "");
        // shares of the hidden weights that the first step has left as they were
        const auto unmoved = [](const std::vector<NamedTensor>& a, const std::vector<NamedTensor>& b) {
            double same = 0;
            for (std::size_t i = 0; i < a[2].values.size(); ++i) same += a[2].values[i] == b[2].values[i] ? 1 : 0;
            return same / static_cast<double>(a[2].values.size());
        };
        ASSERT_EQ(before[2].name, "layers.1.weight");
        EXPECT_GT(unmoved(before, weightsOf("pure fp16")), 0.5) << "most updates, seed " << seed;
        EXPECT_LT(unmoved(mastersBefore, weightsOf("fp16, fp32 masters")), 0.1) << seed;
        lab.train();
        const double begin = lab.recordsOf("fp32").front().loss, learnt = begin - lab.endLoss("fp32");
        EXPECT_GT(learnt, 0.08) << seed;
        EXPECT_LT(begin - lab.endLoss("pure fp16"), 0.6 * learnt) << seed;
        EXPECT_LT(apart(begin - lab.endLoss("fp16, fp32 masters"), learnt), 0.02) << seed;
        EXPECT_EQ(lab.recordsOf("pure fp16").back().lossScale, 1024) << "a scale is there";
    }
}

TEST(BundledPureFp16, DividesByNothingUnlessEpsilonIsThere) {
    for (const int seed : kThreeSeeds) {
        BundledFixture lab("pure-fp16", 200, seed);
        lab.train();
        EXPECT_FALSE(lab.endLoss("pure fp16") < 2) << "NaN, or nothing learnt, seed " << seed;
        for (const char* run : {"fp16, fp32 masters", "pure fp16, eps 1e-4", "pure bf16"})
            EXPECT_LT(lab.endLoss(run), 0.5) << run << ", seed " << seed;
    }
}

TEST(BundledWhoseSums, HoppersDifferFromTheFirstStepAndPromotingHelps) {
    BundledFixture lab("whose-sums", 6);
    lab.train();
    const auto &sums = lab.recordsOf("fp32 sums"), &blackwell = lab.recordsOf("Blackwell"), &hopper = lab.recordsOf("Hopper"),
               &promoted = lab.recordsOf("Hopper, promoted");
    EXPECT_LT(apart(blackwell[0].loss, sums[0].loss), 1e-6);
    EXPECT_LT(apart(blackwell[1].loss, sums[1].loss), 1e-3);
    const double cut = std::fabs(hopper[0].loss - sums[0].loss), partly = std::fabs(promoted[0].loss - sums[0].loss);
    EXPECT_GT(cut, 0);
    EXPECT_GT(partly, 0) << "small but not nothing";
    EXPECT_LT(partly, cut / 2);
}

TEST(BundledAnOutlierInFp8, BlindsDelayedScalingForAsLongAsItIsRemembered) {
    for (const int seed : kThreeSeeds) {
        BundledFixture lab("an-outlier-in-fp8", 450, seed);
        lab.train();
        EXPECT_LT(apart(lab.meanLoss("fp8, delayed", 200, 300), lab.meanLoss("bf16", 200, 300)), 0.1) << "before, seed " << seed;
        EXPECT_LT(lab.recordsOf("fp8, delayed")[300].loss, 1) << "cut off, seed " << seed;
        EXPECT_GT(lab.recordsOf("bf16")[300].loss, 100) << seed;
        EXPECT_GT(lab.recordsOf("fp8, current")[300].loss, 100) << seed;
        EXPECT_GT(lab.meanLoss("fp8, delayed", 301, 321), 1.5) << "as if guessing, seed " << seed;
        for (const char* run : {"bf16", "fp8, current"}) EXPECT_LT(lab.meanLoss(run, 301, 321), 0.15) << run << ", seed " << seed;
        EXPECT_LT(lab.meanLoss("fp8, delayed", 430, 450), 0.3) << "forgotten, seed " << seed;
        EXPECT_TRUE(lab.all<NonFiniteFound>().empty()) << "all of it is finite";
    }
}

TEST(BundledASmallResnet, PassesThePlainNetworkAndLetsItsScaleBeDoubled) {
    BundledFixture lab("a-small-resnet", 100);
    lab.train();
    for (const char* run : {"fp32", "bf16", "fp16"}) {
        EXPECT_GT(lab.validation(run).validationAccuracy, 0.92) << run << ": the plain network ends at 0.92";
        EXPECT_LT(apart(lab.meanLoss(run, 0, 50), lab.meanLoss("fp32", 0, 50)), 0.01) << run;
    }
    EXPECT_EQ(lab.skips("fp16"), 0);
    BundledFixture doubled("a-small-resnet", 40);
    double scale = 0x1p16;
    for (std::int64_t step = 1; step < 40 && doubled.skips("fp16") == 0; ++step) {
        scale *= 2;
        ASSERT_EQ(doubled.command(ChangeSetting{doubled.run("fp16").id, kScalePointer, scale}), "");
        doubled.trainTo(step);
    }
    EXPECT_GT(doubled.skips("fp16"), 0);
}

TEST(BundledASmallGpt, TrainsAlikeInThreeFormatsAndWrites) {
    BundledFixture lab("a-small-gpt", 6);
    lab.train();
    for (const char* run : {"bf16", "fp16"}) EXPECT_LT(apart(lab.meanLoss(run, 0), lab.meanLoss("fp32", 0)), 0.01) << run;
    EXPECT_EQ(lab.recordsOf("fp16").front().lossScale, 0x1p16);
    EXPECT_EQ(lab.all<TextSampled>().size(), 3u) << "at the last step's validation";
}

TEST(BundledHeavyTails, ClippingDecidesAndNotTheFormat) {
    for (const int seed : kThreeSeeds) {
        BundledFixture lab("heavy-tails", 0, seed);
        lab.train();
        const auto validated = [&](const char* run) { return lab.validation(run).validationLoss; };
        const double byFormat =
            std::max(std::fabs(validated("fp32") - validated("fp16")), std::fabs(validated("fp32 clipped") - validated("fp16 clipped")));
        EXPECT_LT(byFormat, 0.2 * (validated("fp32") - validated("fp32 clipped"))) << seed;
        EXPECT_GT(lab.skips("fp16"), 0) << seed;
        EXPECT_LT(lab.recordsOf("fp16").back().lossScale, 0x1p16) << seed;
        EXPECT_EQ(lab.skips("fp32"), 0);

        std::vector<float> targets = loadDataset(lab.run("fp32").settings.training.data)->trainTargets;  // errors begin as these
        for (float& target : targets) target *= target;
        std::sort(targets.begin(), targets.end());
        EXPECT_GT(targets.back(), (seed == 1 ? 1e6f : 1e3f) * targets[targets.size() / 2]) << "a million times, in the file's own data";
    }
}

}  // namespace
}  // namespace mantissa
