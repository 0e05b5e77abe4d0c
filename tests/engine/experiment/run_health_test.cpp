// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/run_health.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace mantissa {
namespace {

/// A run scaled by PyTorch's rule, step by step.
struct Told {
    RunInfo info;
    RunHealth health;
    std::int64_t step = 0, skips = 0;

    Told() {
        info.scalerPreset = info.settings.training.scaler.preset = "pytorch";
        info.scalerIsDynamic = true;
    }
    void go(std::int64_t count, std::uint32_t flags = 0, double loss = 1) {
        for (std::int64_t i = 0; i < count; ++i) {
            StepRecord record;
            record.step = step++;
            record.loss = loss;
            record.flags = flags;
            record.skippedTotal = skips += record.skipped() ? 1 : 0;
            health.add(record);
        }
    }
    Health verdict(const std::string& stopReason = "") const { return health.verdict(info, 1024, 7, first, stopReason, {}); }
    std::optional<FirstNonFinite> first;
};

TEST(RunHealth, FollowsTheSteps) {
    Told run;
    EXPECT_EQ(run.verdict().verdict, Verdict::NotStarted);
    run.go(2, kFlagSkipped);
    EXPECT_EQ(run.verdict().sentence.english(), "Finding a usable scale: 2 skips so far. Normal.");
    run.go(50);
    EXPECT_EQ(run.verdict().sentence.english(), "7 of 2 000 clean steps to the next growth. 2 skips so far.");
    run.go(1, kFlagScaleGrew);
    run.go(3);
    run.go(1, kFlagSkipped);
    EXPECT_EQ(run.verdict().verdict, Verdict::Probing) << "the growth came before the skip";
    run.go(1, kFlagSkipped, std::numeric_limits<double>::infinity());
    EXPECT_EQ(run.verdict().verdict, Verdict::Collapsing);
    EXPECT_EQ(run.verdict("no more paper").sentence.english(), "Stopped: no more paper.");
}

TEST(RunHealth, AWatchedTrainingWhoseProcessHasGoneIsStopped) {
    Told run;
    run.info.kind = RunKind::Watched;
    run.go(10);
    EXPECT_EQ(run.verdict().verdict, Verdict::Steady);
    run.info.watch.link = WatchLink::Lost;
    EXPECT_EQ(run.verdict().verdict, Verdict::Stopped);
    EXPECT_EQ(run.verdict().severity, Severity::Note);
    run.go(30, kFlagSkipped, std::numeric_limits<double>::quiet_NaN());
    EXPECT_EQ(run.verdict().severity, Severity::Bad) << "what was wrong with it says more";
}

TEST(RunHealth, ASkipLongBeforeDoesNotExplainThose) {
    Told run;
    run.go(10);
    run.first = FirstNonFinite{5, "head", "Linear", "backward", "head.weight.grad", "Inf"};
    run.go(20, kFlagSkipped, std::numeric_limits<double>::quiet_NaN());
    std::vector<Examination> examinations(3);
    const std::int64_t steps[] = {5, 10, 11};
    for (std::size_t i = 0; i < 3; ++i) examinations[i].step = steps[i], examinations[i].card.tensor = "h.output";
    const auto cause = run.health.cause(examinations, run.first);
    EXPECT_EQ(cause->step, 10);
    EXPECT_EQ(cause->tensor, "h.output");
    EXPECT_EQ(run.health.cause({}, run.first)->step, 5);
    run.go(1);
    EXPECT_EQ(run.health.cause(examinations, run.first)->step, 5) << "none is being skipped";
    EXPECT_FALSE(run.health.cause(examinations, std::nullopt));
}

TEST(RunHealth, AGrowthAtTheSkipItselfIsNoGrowthBeforeIt) {
    Told run;
    run.go(100);
    run.go(1, kFlagSkipped | kFlagScaleGrew);
    EXPECT_EQ(run.verdict().verdict, Verdict::HittingSpike);
}

/// A scale that halves at each skip.
struct Scaled {
    RunInfo info;
    RunHealth health;
    StepRecord record{.loss = 1, .lossScale = 65536};
    double next = 65536;

    Scaled() {
        info.scalerPreset = info.settings.training.scaler.preset = "pytorch";
        info.scalerIsDynamic = true;
        record.step = -1;
    }
    void go(std::int64_t count, std::uint32_t flags = 0) {
        for (std::int64_t i = 0; i < count; ++i) {
            ++record.step;
            record.lossScale = next;
            record.flags = flags;
            if (record.skipped()) ++record.skippedTotal, next /= 2;
            if ((flags & kFlagScaleGrew) != 0) next *= 2;
            health.add(record);
        }
    }
    void skipSingly(std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i) go(1, kFlagSkipped), go(50);
    }
    Health verdict() const { return health.verdict(info, next, 50, {}, "", {}); }
};

TEST(RunHealth, AScaleThatSingleSkipsTookFarDownIsNoted) {
    Scaled run;
    run.go(16);
    run.skipSingly(3);
    EXPECT_EQ(run.verdict().verdict, Verdict::Steady) << "three halvings";
    run.skipSingly(9);
    EXPECT_EQ(run.verdict().verdict, Verdict::ScaleFell);
    EXPECT_EQ(run.verdict().severity, Severity::Note);
    EXPECT_EQ(run.verdict().sentence.english(), "The scale fell from 2¹⁶ to 2⁴ in 12 skips. 50 of 2 000 clean steps to the next growth.");
    for (int growth = 0; growth < 9; ++growth) run.go(1, kFlagScaleGrew), run.go(50);
    EXPECT_EQ(run.verdict().verdict, Verdict::Steady) << "most of it has grown back";
}

TEST(RunHealth, TheSearchFromTheInitialScaleIsNoFall) {
    Scaled run;
    run.next = 0x1p24;
    run.go(2);
    run.go(8, kFlagSkipped);
    run.go(60);
    EXPECT_EQ(run.verdict().verdict, Verdict::Steady);
    run.skipSingly(4);
    EXPECT_EQ(run.verdict().sentence.english(), "The scale fell from 2¹⁶ to 2¹² in 4 skips. 50 of 2 000 clean steps to the next growth.");
}

TEST(RunHealth, AScaleSetByHandIsNoFall) {
    Scaled run;
    run.go(100);
    run.next = 16;
    EXPECT_EQ(run.verdict().verdict, Verdict::Steady) << "before the next step";
    run.go(1, kFlagSettingChanged);
    run.go(60);
    EXPECT_EQ(run.verdict().verdict, Verdict::Steady);
    run.next = 0x1p40;
    run.go(1, kFlagSettingChanged | kFlagSkipped);
    run.go(23, kFlagSkipped);
    run.go(1, kFlagScaleGrew);
    run.go(60);
    EXPECT_EQ(run.verdict().verdict, Verdict::Steady) << "searched from the scale set by hand";
}

TEST(RunHealth, AScaleSetByHandRightAfterASkipIsNoFall) {
    Scaled run;
    run.go(100);
    run.go(1, kFlagSkipped);
    run.next = 16;
    run.go(1, kFlagSettingChanged);
    run.go(60);
    EXPECT_EQ(run.verdict().verdict, Verdict::Steady);
}

TEST(RunHealth, AScaleThatFallsWithoutSkipsFollowsItsStatistic) {
    Scaled run;
    run.info.scalerPreset = run.info.settings.training.scaler.preset = "logmax";
    for (int halving = 0; halving < 8; ++halving) run.next /= 2, run.go(50);
    EXPECT_EQ(run.verdict().verdict, Verdict::Steady);
}

TEST(RunHealth, ThinnedRecordsCountTheSkipsBetweenThem) {
    Scaled run;
    run.go(100);
    run.record.skippedTotal = 6;  // in steps that are not kept
    run.next = 1024;
    run.go(100);
    EXPECT_EQ(run.verdict().sentence.english(), "The scale fell from 2¹⁶ to 2¹⁰ in 6 skips. 50 of 2 000 clean steps to the next growth.");
}

TEST(RunHealth, FiniteIsNotAllWhereAGaugeIsBadOrTheLatestValidationIsNotFinite) {
    Told run;
    const std::vector<Gauge> lost{{GaugeKind::LostUpdates, Severity::Bad, 0.7, "70 % of the updates of a are lost."_text}};
    const auto verdict = [&](const std::vector<Gauge>& gauges = {}) {
        return run.health.verdict(run.info, 1024, 7, run.first, "", silentMatter(gauges, run.health.isLastValidationFinite()));
    };
    EXPECT_EQ(verdict(lost).verdict, Verdict::NotStarted);
    run.go(50);
    EXPECT_EQ(verdict().verdict, Verdict::Steady);
    EXPECT_EQ(verdict(lost).verdict, Verdict::SilentFailure);
    EXPECT_EQ(verdict(lost).severity, Severity::Bad);
    EXPECT_EQ(verdict(lost).title.english(), "Finite, but updates are lost");
    EXPECT_EQ(verdict(lost).sentence.english(), "Finite, but updates are lost. 70 % of the updates of a are lost.");
    const auto validate = [&](double loss) {
        StepRecord record{.step = run.step++, .loss = 1, .validationLoss = loss, .flags = kFlagValidated};
        run.health.add(record);
    };
    validate(std::numeric_limits<double>::quiet_NaN());
    run.go(5);
    EXPECT_EQ(verdict().title.english(), "Finite, but validation is not") << "until the next one";
    EXPECT_EQ(run.health.verdict(run.info, 1024, 7, {}, "no paper", silentMatter(lost)).verdict, Verdict::Stopped)
        << "what is graver stays";
    run.go(1, kFlagSkipped);
    EXPECT_EQ(verdict(lost).verdict, Verdict::HittingSpike) << "the last step is not finite";
    run.go(1);
    validate(0.5);
    EXPECT_EQ(verdict().severity, Severity::Note) << "the skip of two steps ago is the news again";
    run.info.scalerPreset = run.info.settings.training.scaler.preset = "none";
    EXPECT_EQ(verdict().sentence.english(), "All finite. No step skipped.");
    EXPECT_EQ(verdict(lost).title.english(), "Finite, but updates are lost");
}

TEST(RunHealth, NamesTheFirstNonFiniteTensor) {
    Told run;
    run.info.scalerPreset = "none";
    run.go(3, 0, std::numeric_limits<double>::quiet_NaN());
    run.first = FirstNonFinite{.step = 0, .layer = "layers.1", .operation = "linear", .phase = "forward"};
    EXPECT_EQ(run.verdict().sentence.english(),
              "Not finite since step 0, and nothing skips such a step. First non-finite: layers.1, linear, forward.");
}

TEST(RunHealth, SmallUpdatesAreNoFailureOnceTheLossIsFarDown) {
    const SilentMatter small{"Finite, but weights do not move"_text, "The step left all weights of bn1.weight as they were."_text, -1,
                             true},
        other{"Finite, but validation is not"_text, "The loss of the latest validation is not finite."_text};
    for (const double loss : {0.5, 0.001}) {
        Told run;
        run.go(1, 0, 2);
        run.go(200, 0, loss);
        const Health health = run.health.verdict(run.info, 1024, 7, {}, "", small);
        EXPECT_EQ(health.severity, loss < 0.01 ? Severity::Note : Severity::Bad);
        EXPECT_EQ(health.verdict, loss < 0.01 ? Verdict::Steady : Verdict::SilentFailure);
        if (loss < 0.01) {
            EXPECT_EQ(health.sentence.english(),
                      "The loss is 0.05 % of the first one. By now some updates are too small to change a weight.");
        }
        EXPECT_EQ(run.health.verdict(run.info, 1024, 7, {}, "", other).severity, Severity::Bad);
    }
}

}  // namespace
}  // namespace mantissa
