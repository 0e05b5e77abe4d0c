// SPDX-License-Identifier: Apache-2.0
// What a watched run's bad steps are called, and on which evidence.
#include "engine/attach/watched_verdict.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/engine/attach/watched_by_hand.h"

namespace mantissa {
namespace {

using namespace test;

TEST(WatchedVerdict, NamesWhatTheEvidenceShows) {
    Watched watched;
    watched.step(0);
    watched.run.take(decoded("probe_statistics", statisticsBody(0, 65536, 40000)));
    ScriptStep script = kSkip;
    const auto after = [&](Json first, double loss = 1, Json weights = Json::array()) {
        script.firstBad = std::move(first);
        script.loss = loss;
        script.badWeights = std::move(weights);
        return watched.verdictOf(script);
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const SkipVerdict scale = after(bad("head.output.grad", "head", "gradient", "inf", {}, 1));
    EXPECT_EQ(scale.kind, StepVerdict::ScaleTooHigh);
    EXPECT_EQ(scale.safeScale, 32768) << "half of the scale that overflowed, though 40000 at 65536 alone would allow it";
    EXPECT_TRUE(scale.isNormalProbing);
    EXPECT_FALSE(after(nullptr).isNormalProbing) << "the second in a row";
    watched.step(watched.run.nextStep());  // a sound one: the next is examined
    const SkipVerdict overflow = after(bad("head.output", "head", "value", "inf", kAllFinite, 0), nan);
    EXPECT_EQ(overflow.kind, StepVerdict::ForwardOverflow);
    EXPECT_EQ(overflow.suspectLayer, "head");
    EXPECT_EQ(after(bad("input.0", "", "value", "nan", {}, 4), nan).kind, StepVerdict::BadData);
    watched.step(watched.run.nextStep());
    Json between = kAllFinite;
    between["inputs_finite"] = false;
    const SkipVerdict code = after(bad("head.output", "head", "value", "nan", between, 0), nan);
    EXPECT_EQ(code.kind, StepVerdict::Unexplained);
    EXPECT_NE(code.headline.english().find("between two modules"), std::string::npos);
    Json buffers = kAllFinite;
    buffers["buffers_finite"] = false;
    EXPECT_EQ(after(bad("head.output", "head", "value", "nan", buffers, 0), nan).kind, StepVerdict::BadStatistics);
    watched.step(watched.run.nextStep());
    Json brokenWeights = kAllFinite;
    brokenWeights["weights_finite"] = false;
    EXPECT_EQ(after(bad("head.output", "head", "value", "nan", brokenWeights, 0), nan, {"head.weight"}).kind, StepVerdict::BadWeights);
    EXPECT_EQ(after(nullptr, nan).headline.english(), "The loss is not finite, and every module's output is.");
    watched.step(watched.run.nextStep());
    EXPECT_EQ(after(nullptr, 1, {"bn.running_mean", "bn.running_var"}).kind, StepVerdict::BadStatistics);
    script.autocast = "bf16";
    EXPECT_EQ(after(bad("head.output", "head", "value", "nan", kAllFinite), nan).kind, StepVerdict::ArithmeticNaN) << "of no known format";
}

TEST(WatchedVerdict, AScriptWithoutAScalerHasNoScaleToBlame) {
    WatchedEvidence evidence{.autocast = Dtype::F16, .loss = 1.0};
    const auto wouldNotHelp = [&] {
        std::string all;
        for (const Text& each : judgeWatched(evidence).wouldNotHelp) all += each.english();
        return all;
    };
    EXPECT_EQ(judgeWatched(evidence).kind, StepVerdict::Unexplained) << "FP16 may have been too narrow";
    EXPECT_NE(wouldNotHelp().find("this run has none"), std::string::npos);
    evidence.bad = FirstBad{.name = "h.grad", .module = "h", .role = TensorRole::Gradient, .isNan = true};
    EXPECT_EQ(judgeWatched(evidence).kind, StepVerdict::ArithmeticNaN);
    evidence.bad.reset();
    evidence.hasScaler = true;
    EXPECT_EQ(judgeWatched(evidence).kind, StepVerdict::Unexplained) << "at scale 1";
    EXPECT_EQ(wouldNotHelp(), "") << "there is one";
    evidence.lossScale = 0;
    EXPECT_EQ(judgeWatched(evidence).kind, StepVerdict::ScaleTooLow) << "its reciprocal is infinite";
    evidence.lossScale = 1024;
    EXPECT_EQ(judgeWatched(evidence).kind, StepVerdict::ScaleTooHigh);
    evidence.autocast = Dtype::BF16;
    EXPECT_EQ(judgeWatched(evidence).kind, StepVerdict::Unexplained) << "BF16 has FP32's range";
}

TEST(WatchedVerdict, OnlyAPositiveLossThatHasGrownIsADivergence) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const double usual : {-10.0, 1.0}) {
        Watched watched;
        for (int i = 0; i < 20; ++i) watched.step(i, {.loss = usual});
        EXPECT_EQ(
            watched.verdictOf({.loss = nan, .firstBad = bad("head.output", "head", "value", "nan", kAllFinite), .autocast = "bf16"}).kind,
            StepVerdict::ArithmeticNaN)
            << usual;
    }
    WatchedEvidence evidence{.loss = nan, .usualLoss = 1, .latestLoss = 1, .lr = 1e-4, .lrBefore = 1e-6, .lrStep = 5};
    const SkipVerdict raised = judgeWatched(evidence);
    EXPECT_EQ(raised.kind, StepVerdict::Unexplained) << "a warm-up raises the rate, too";
    EXPECT_NE(raised.explanation.english().find("The learning rate went from"), std::string::npos);
    evidence.latestLoss = 20;
    EXPECT_EQ(judgeWatched(evidence).kind, StepVerdict::Divergence);
}

TEST(WatchedVerdict, ARateThatSpikedExplainsAnOverflowAfterIt) {
    WatchedEvidence evidence{.bad = FirstBad{.name = "h.output", .module = "h", .areInputsFinite = true},
                             .format = Dtype::F16,
                             .autocast = Dtype::F16,
                             .loss = std::numeric_limits<double>::quiet_NaN(),
                             .hasScaler = true,
                             .lossScale = 65536,
                             .usualLoss = 2,
                             .latestLoss = 2.5,
                             .lr = 30,
                             .lrBefore = 0.001,
                             .lrStep = 250};
    const SkipVerdict spiked = judgeWatched(evidence);
    EXPECT_EQ(spiked.kind, StepVerdict::Divergence);
    EXPECT_NE(spiked.explanation.english().find("The learning rate went from 0.001 to 30 at step 250."), std::string::npos);
    EXPECT_NE(spiked.explanation.english().find("too large for FP16"), std::string::npos);
    evidence.lr = 0.02;
    const SkipVerdict raised = judgeWatched(evidence);
    EXPECT_EQ(raised.kind, StepVerdict::ForwardOverflow) << "a rate that is twenty times higher may be a warm-up's";
    EXPECT_NE(raised.explanation.english().find("The learning rate went from 0.001 to 0.02 at step 250."), std::string::npos);
    evidence.lrStep = -1;
    evidence.latestLoss = 200;
    EXPECT_EQ(judgeWatched(evidence).kind, StepVerdict::ForwardOverflow) << "the loss may have grown as the outputs have";
}

TEST(WatchedVerdict, ARaisedRateExplainsAllStepsOfARow) {
    Watched watched;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto step = [&](WatchedRun& run, double lr, double loss) {
        Json body =
            stepBody(run.nextStep(), {.loss = loss,
                                      .next = 65536,
                                      .skipped = !std::isfinite(loss),
                                      .foundInf = !std::isfinite(loss),
                                      .firstBad = std::isfinite(loss) ? Json(nullptr) : bad("h.output", "h", "value", "nan", kAllFinite)});
        body["optimizers"][0]["lr"] = {lr};
        run.take(decoded("probe_step", body));
    };
    for (int i = 0; i < 20; ++i) step(watched.run, 0.001, 2);
    step(watched.run, 30, 2);
    for (int i = 0; i < 40; ++i) step(watched.run, 30, nan);
    (void)watched.records();
    std::vector<Event> later;
    WatchedRun again(watched.run.info(), [&](Event&& event) { later.push_back(std::move(event)); });
    for (const Event& event : watched.events) again.recall(event);
    for (int i = 0; i < 40; ++i) step(again, 30, nan);
    watched.events.insert(watched.events.end(), later.begin(), later.end());
    for (const StepExamined& examined : watched.all<StepExamined>())
        EXPECT_EQ(examined.examination.verdict.kind, StepVerdict::Divergence) << examined.examination.step;
    EXPECT_GT(watched.all<StepExamined>().back().examination.step, 64) << "in the run that was opened again";
}

TEST(WatchedVerdict, ARunThatWasAttachedLateIsBeyondItsFirstUpdate) {
    Watched watched;
    watched.step(1000, kSkip);
    EXPECT_FALSE(watched.verdictOf(kSkip).isNormalProbing);
}

TEST(WatchedVerdict, ManySingleSkipsAreNoSearchForAScale) {
    Watched watched;
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(watched.verdictOf(kSkip).isNormalProbing) << "the search from the initial scale";
    watched.step(3);
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(watched.verdictOf(kSkip).isNormalProbing, i < 2) << i;
        watched.step(watched.run.nextStep());
    }
    const SkipVerdict verdict = watched.verdictOf(kSkip);
    EXPECT_NE(verdict.explanation.english().find("5 of the last 10 steps were skipped."), std::string::npos)
        << verdict.explanation.english();
    for (int i = 0; i < 16; ++i) watched.step(watched.run.nextStep());
    EXPECT_TRUE(watched.verdictOf(kSkip).isNormalProbing);
}

TEST(WatchedVerdict, GradientsFarBelowFp16sLimitDidNotOverflow) {
    WatchedEvidence evidence{.bad = FirstBad{.name = "h.grad", .module = "h", .role = TensorRole::Gradient},
                             .format = Dtype::F16,
                             .autocast = Dtype::F16,
                             .loss = 1.0,
                             .hasScaler = true,
                             .lossScale = 65536};
    SkipVerdict verdict = judgeWatched(evidence);
    EXPECT_EQ(verdict.kind, StepVerdict::ScaleTooHigh);
    EXPECT_NE(verdict.explanation.english().find("No gradient was measured"), std::string::npos);
    evidence.gradientMax = 0.6;  // fits up to 2^16, as used; the next step's may be larger
    evidence.gradientStep = 3;
    verdict = judgeWatched(evidence);
    EXPECT_EQ(verdict.kind, StepVerdict::ScaleTooHigh);
    EXPECT_EQ(verdict.safeScale, 32768);
    EXPECT_NE(verdict.explanation.english().find("half of the scale that overflowed"), std::string::npos);
    evidence.gradientMax = 3;
    EXPECT_EQ(judgeWatched(evidence).explanation.english().find("half of"), std::string::npos);
    evidence.gradientMax = 1.0 / 65536;
    EXPECT_EQ(judgeWatched(evidence).kind, StepVerdict::Unexplained);
    EXPECT_EQ(judgeWatched(evidence).safeScale, 0);
    evidence.bad->isNan = true;
    EXPECT_EQ(judgeWatched(evidence).kind, StepVerdict::ArithmeticNaN);
}

TEST(WatchedVerdict, AnOverflowAfterTheLossHasJumpedIsNoSearchForAScale) {
    Watched watched;
    watched.step(0, {.loss = 2});
    watched.run.take(decoded("probe_statistics", statisticsBody(0, 65536, 40000)));
    for (int i = 1; i < 20; ++i) watched.step(i, {.loss = 2});
    ScriptStep script = kSkip;
    script.loss = 19;
    EXPECT_TRUE(watched.verdictOf(script).isNormalProbing) << "less than tenfold";
    watched.step(watched.run.nextStep(), {.loss = 2});
    script.loss = 300;
    const SkipVerdict verdict = watched.verdictOf(script);
    EXPECT_EQ(verdict.kind, StepVerdict::ScaleTooHigh) << "a lower one lets the update pass";
    EXPECT_FALSE(verdict.isNormalProbing) << "it is the first skip in a row, and not passed over for that";
    EXPECT_EQ(verdict.headline.english(), "The loss has grown, and its gradients left FP16.");
    EXPECT_NE(verdict.explanation.english().find("The loss of this step is 300, from 2 when it was lowest"), std::string::npos)
        << verdict.explanation.english();
    // A loss that is noisy by itself: one of 200 in the hundred steps before is no jump.
    for (int i = 0; i < 20; ++i) watched.step(watched.run.nextStep(), {.loss = i == 0 ? 200.0 : 2.0});
    EXPECT_TRUE(watched.verdictOf(script).isNormalProbing);
}

TEST(WatchedVerdict, AModuleCalledInputIsNoBatch) {
    Watched watched;
    watched.step(0);
    EXPECT_NE(
        watched.verdictOf({.skipped = true, .foundInf = true, .firstBad = bad("input.weight.grad", "input", "weight gradient", "inf")})
            .kind,
        StepVerdict::BadData);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_NE(watched.verdictOf({.loss = nan, .firstBad = bad("input.output", "input", "value", "inf", kAllFinite)}).kind,
              StepVerdict::BadData);
}

TEST(WatchedVerdict, AProductBetweenTwoModulesMayHaveLeftFp16) {
    WatchedEvidence evidence{.bad = FirstBad{.name = "head.output", .module = "head", .isNan = true, .areInputsFinite = false},
                             .format = Dtype::F16,
                             .loss = std::numeric_limits<double>::quiet_NaN(),
                             .largestOutput = 300};
    EXPECT_EQ(judgeWatched(evidence).kind, StepVerdict::ForwardOverflow);
    EXPECT_NE(judgeWatched(evidence).explanation.english().find("would leave FP16"), std::string::npos);
    evidence.largestOutput = 200;
    EXPECT_EQ(judgeWatched(evidence).kind, StepVerdict::Unexplained) << "no product of two outputs can have";
}

TEST(WatchedVerdict, InputsThatNobodySawAreUnknown) {
    Watched watched;
    watched.step(0);
    const SkipVerdict verdict =
        watched.verdictOf({.loss = std::numeric_limits<double>::quiet_NaN(), .firstBad = bad("out.output", "out", "value", "nan")});
    EXPECT_EQ(verdict.headline.english().find("of finite numbers"), std::string::npos) << verdict.headline.english();
    EXPECT_NE(verdict.explanation.english().find("Whether its inputs were finite is not known"), std::string::npos);
}

TEST(WatchedVerdict, OfARunWithoutScalerNoScalerIsNamed) {
    const WatchedEvidence evidence{.loss = 1, .hasScaler = false};
    EXPECT_EQ(judgeWatched(evidence).explanation.english().find("scaler"), std::string::npos);
}

}  // namespace
}  // namespace mantissa
