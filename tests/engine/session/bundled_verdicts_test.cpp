// SPDX-License-Identifier: Apache-2.0
// Runs whose fault was written down before: what is said of the step, and what is tried first against it.
#include <gtest/gtest.h>

#include <filesystem>

#include "engine/diagnosis/verdict.h"
#include "engine/session/diagnose.h"

namespace mantissa {
namespace {

struct VerdictCase {
    std::string about, experiment;
    DiagnoseRequest request;
    StepVerdict verdict = StepVerdict::Sound;
    std::optional<SilentKind> silent = {};
    std::string firstPointer = {};  // of the first remedy; empty: of any
    std::int64_t rewindTo = -1;
};

Experiment experimentOf(const std::string& source) {
    if (source.front() == '{') return parseExperiment(source, "verdicts.json");
    std::string name;
    std::filesystem::path folder;
    const std::string text = loadExperimentText(source, name, folder);
    return parseExperiment(text, name);
}

Diagnosed diagnosed(const VerdictCase& fault) {
    static const std::shared_ptr<Backend> kBackend = createCpuBackend();
    return diagnose(experimentOf(fault.experiment), kBackend, fault.request);
}

void expectVerdict(const VerdictCase& fault) {
    SCOPED_TRACE(fault.about);
    const Examination found = diagnosed(fault).examination;
    EXPECT_EQ(found.verdict.kind, fault.verdict) << verdictName(found.verdict.kind) << ": " << found.verdict.explanation.english();
    EXPECT_FALSE(found.verdict.isNormalProbing);
    if (fault.silent) {
        ASSERT_FALSE(found.silent.empty());
        EXPECT_EQ(found.silent.front().kind, *fault.silent) << silentText(found.silent.front()).english();
    }
    if (fault.firstPointer.empty()) return;
    ASSERT_FALSE(found.remedies.empty());
    EXPECT_EQ(found.remedies.front().pointer, fault.firstPointer) << found.remedies.front().label.english();
    EXPECT_EQ(found.remedies.front().rewindTo, fault.rewindTo);
    EXPECT_TRUE(found.remedies.front().helps) << found.remedies.front().sentence.english();
}

/// Classes of digits, 64 units, so many steps.
std::string digits(const std::string& optimizer, const std::string& precision, const std::string& run = "", const std::string& more = "",
                   int steps = 400) {
    return R"({"data":{"name":"digits","batch_size":64,"order":"shuffled","seed":1},"model":{"kind":"mlp","hidden":[64,64]},"init":{"seed":1},)" +
           more + R"("optimizer":)" + optimizer + R"(,"steps":)" + std::to_string(steps) +
           R"(,"validation_interval":100,"runs":[{"name":"run","precision":")" + precision + "\"" + run + "}]}";
}

/// The captions of these experiments say what is wrong, and what mends it.
TEST(Verdicts, AreThoseOfTheBundledExperimentsCaptions) {
    expectVerdict({.about = "a rate that is a hundred times too high",
                   .experiment = "scale-collapse",
                   .request = {.run = "fp16"},
                   .verdict = StepVerdict::Divergence,
                   .firstPointer = "/optimizer/lr",
                   .rewindTo = 300});
    expectVerdict({.about = "the same, after the rate was put back",
                   .experiment = "scale-collapse",
                   .request = {.run = "fp16", .step = 320},
                   .verdict = StepVerdict::Divergence,
                   .firstPointer = "/optimizer/lr",
                   .rewindTo = 300});
    expectVerdict({.about = "the same in fp32, where all is finite",
                   .experiment = "scale-collapse",
                   .request = {.run = "fp32"},
                   .verdict = StepVerdict::SilentFailure,
                   .silent = SilentKind::LossHasGrown,
                   .firstPointer = "/optimizer/lr",
                   .rewindTo = 300});
    expectVerdict({.about = "gradients that are not set to zero",
                   .experiment = "missing-zero-grad",
                   .request = {.run = "fp16, no zero_grad"},
                   .verdict = StepVerdict::KeptGradients,
                   .firstPointer = "/zero_grad"});
    expectVerdict({.about = "poisoned statistics",
                   .experiment = "one-bad-pixel",
                   .request = {.run = "one Inf", .step = 100},
                   .verdict = StepVerdict::BadStatistics,
                   .firstPointer = "/reset/statistics"});
    expectVerdict({.about = "the same, where no run is named",
                   .experiment = "one-bad-pixel",
                   .request = {.run = "", .step = 100},
                   .verdict = StepVerdict::BadStatistics,
                   .firstPointer = "/reset/statistics"});
    expectVerdict({.about = "updates that weights in FP16 swallow",
                   .experiment = "swallowed-updates",
                   .request = {},
                   .verdict = StepVerdict::SilentFailure,
                   .silent = SilentKind::UpdatesLost,
                   .firstPointer = "/precision",
                   .rewindTo = 0});
    expectVerdict({.about = "tails so heavy that clipping decides",
                   .experiment = "heavy-tails",
                   .request = {.run = "fp16", .step = 1000},
                   .verdict = StepVerdict::SilentFailure,
                   .silent = SilentKind::NoProgress,
                   .firstPointer = "/clip_grad_norm",
                   .rewindTo = 0});
    expectVerdict({.about = "the same, at its first overflow",
                   .experiment = "heavy-tails",
                   .request = {.run = "fp16"},
                   .verdict = StepVerdict::ScaleTooHigh,
                   .firstPointer = "/clip_grad_norm"});
    expectVerdict({.about = "epsilon that is 0",
                   .experiment = "pure-fp16",
                   .request = {},
                   .verdict = StepVerdict::Divergence,
                   .firstPointer = "/optimizer/eps",
                   .rewindTo = 0});
    expectVerdict({.about = "clipped while scaled",
                   .experiment = "clip-order",
                   .request = {},
                   .verdict = StepVerdict::SilentFailure,
                   .silent = SilentKind::ClippedScaled,
                   .firstPointer = "/unscale",
                   .rewindTo = 0});
    expectVerdict({.about = "no scaler",
                   .experiment = "fp16-without-a-scaler",
                   .request = {.run = "fp16 bare", .step = 30},
                   .verdict = StepVerdict::SilentFailure,
                   .silent = SilentKind::GradientsFlushed,
                   .firstPointer = "/scaler"});
}

TEST(Verdicts, NormsThatAreBlindInFp16AreNamed) {
    expectVerdict({.about = "norms in fp16",
                   .experiment = "norms-in-fp16",
                   .request = {.run = "norms in fp16", .step = 5},
                   .verdict = StepVerdict::SilentFailure,
                   .silent = SilentKind::AllZero,
                   .firstPointer = "/precision/overrides/rms_norm"});
}

TEST(Verdicts, DivergenceIsToldFromAScaleThatIsTooHigh) {
    for (const std::string precision : {"fp32", "fp16", "bf16"}) {
        SCOPED_TRACE(precision);
        expectVerdict({.about = "decay of three times the reciprocal of the rate",
                       .experiment = digits(R"({"kind":"sgd","lr":0.1,"weight_decay":30})", precision),
                       .request = {},
                       .verdict = StepVerdict::Divergence,
                       .firstPointer = "/optimizer/weight_decay",
                       .rewindTo = precision == "fp16" ? -1 : 0});
        const Examination momentum =
            diagnosed({.about = {}, .experiment = digits(R"({"kind":"sgd","lr":0.01,"momentum":1.5})", precision), .request = {}})
                .examination;
        EXPECT_EQ(momentum.verdict.kind, StepVerdict::Divergence) << momentum.verdict.explanation.english();
        EXPECT_EQ(momentum.remedies.front().pointer, "/optimizer/momentum");
    }
}

TEST(Verdicts, AStepThatHealsByItselfIsNormal) {
    const Examination found = diagnosed({.about = {},
                                         .experiment = digits(R"({"kind":"adamw","lr":0.001})", "fp16",
                                                              R"(,"scaler":{"preset":"pytorch","init_scale":1073741824})"),
                                         .request = {}})
                                  .examination;
    EXPECT_EQ(found.verdict.kind, StepVerdict::ScaleTooHigh);
    EXPECT_TRUE(found.verdict.isNormalProbing);
    ASSERT_FALSE(found.remedies.empty());
    EXPECT_TRUE(found.remedies.back().pointer.empty());
    EXPECT_TRUE(found.remedies.back().helps) << found.remedies.back().sentence.english();
}

TEST(Verdicts, NormalStepsArePassedOverForOneThatIsNot) {
    const std::string events = R"("events":[{"step":100,"run":"run","set":{"/optimizer/weight_decay":3000}}],)";
    const Diagnosed found = diagnosed({.about = {},
                                       .experiment = digits(R"({"kind":"adamw","lr":0.001})", "fp16",
                                                            R"(,"scaler":{"preset":"pytorch","init_scale":1073741824})", events),
                                       .request = {}});
    EXPECT_GT(found.normal, 0);
    EXPECT_GE(found.examination.step, 100);
    EXPECT_EQ(found.examination.verdict.kind, StepVerdict::Divergence) << found.examination.verdict.explanation.english();
}

TEST(Verdicts, ABackoffThatIsTooSmallToRecoverIsNotNormal) {
    const Examination found =
        diagnosed({.about = {},
                   .experiment = digits(R"({"kind":"adamw","lr":0.001})", "fp16",
                                        R"(,"scaler":{"preset":"pytorch","init_scale":1073741824,"backoff_factor":0.99})"),
                   .request = {}})
            .examination;
    EXPECT_EQ(found.verdict.kind, StepVerdict::ScaleTooHigh);
    EXPECT_FALSE(found.verdict.isNormalProbing) << found.verdict.explanation.english();
}

/// Their captions call nothing wrong with these runs.
TEST(Verdicts, HealthyBundledRunsRaiseNoAlarm) {
    const std::pair<const char*, const char*> healthy[] = {
        {"how-the-scaler-breathes", ""},       {"four-formats", ""},           {"eight-bits", ""},
        {"clip-order", "fp16, unscale first"}, {"one-bad-pixel", "clean"},     {"fp16-without-a-scaler", "fp16 scaled"},
        {"swallowed-updates", "fp32"},         {"switch-mid-run", "as it was"}};
    for (const auto& [experiment, run] : healthy) {
        const Diagnosed found = diagnosed({.about = {}, .experiment = experiment, .request = {.run = run}});
        EXPECT_TRUE(found.run.empty() || found.examination.verdict.isNormalProbing)
            << experiment << ", " << found.run << ", step " << found.examination.step << ": "
            << found.examination.verdict.explanation.english();
    }
}

TEST(Verdicts, AStepOfSeveralRunsIsToldOfTheOneThatIsNotSound) {
    const Diagnosed found = diagnosed({.about = {}, .experiment = "one-bad-pixel", .request = {.run = "", .step = 100}});
    EXPECT_EQ(found.run, "one Inf");
    ASSERT_EQ(found.others.size(), 1U);
    EXPECT_EQ(found.others.front().first, "clean");
    EXPECT_EQ(found.others.front().second.kind, StepVerdict::Sound);
}

// ---- What may be said to help ----

/// With the loss of guessing, or an accuracy of chance.
void expectNoHelpAtTheLossOfGuessing(const Examination& found) {
    for (const Remedy& remedy : found.remedies) {
        if (!remedy.helps || remedy.pointer.empty()) continue;
        EXPECT_TRUE(beatsGuessing(10, remedy.loss, remedy.validationAccuracy))
            << remedy.label.english() << ": loss " << remedy.loss << ", accuracy " << remedy.validationAccuracy;
    }
}

TEST(Remedies, DoNotHelpAtTheLossOfGuessing) {
    for (const std::string& experiment :
         {std::string("pure-fp16"), digits(R"({"kind":"adamw","lr":1e-5})", "pure-bf16", "", "", 150),
          digits(R"({"kind":"sgd","lr":0.1})", "fp16",
                 R"(,"scaler":{"preset":"pytorch","init_scale":9.5367431640625e-07,"growth_interval":5,"max_scale":3.814697265625e-06})",
                 "", 200),
          digits(R"({"kind":"sgd","lr":1e-6})", "fp32", "", "", 150)})
        expectNoHelpAtTheLossOfGuessing(diagnosed({.about = {}, .experiment = experiment, .request = {}}).examination);
}

TEST(Remedies, BoundsOfAScalerAreTakenBackWhereTheyAreTheCause) {
    const Examination found =
        diagnosed(
            {.about = {},
             .experiment = digits(
                 R"({"kind":"sgd","lr":0.1})", "fp16",
                 R"(,"scaler":{"preset":"pytorch","init_scale":9.5367431640625e-07,"growth_interval":5,"max_scale":3.814697265625e-06})",
                 "", 200),
             .request = {}})
            .examination;
    ASSERT_FALSE(found.remedies.empty());
    EXPECT_EQ(found.remedies.front().pointer, "/reset/scaler") << found.remedies.front().label.english();
    EXPECT_TRUE(found.remedies.front().helps) << found.remedies.front().loss;
}

TEST(Remedies, AreNeverWhatIsInForce) {
    for (const Remedy& remedy :
         diagnosed(
             {.about = {}, .experiment = digits(R"({"kind":"sgd","lr":1e-9})", "fp16", "", "", 60), .request = {.run = "run", .step = 0}})
             .examination.remedies)
        EXPECT_FALSE(remedy.pointer == "/scaler/scale" && remedy.value == "65536") << remedy.label.english();
}

TEST(Remedies, AnInfOfOneStepIsSkippedWhereNothingSkips) {
    const std::string events =
        R"("events":[{"step":25,"run":"run","set":{"/inject/tensor":{"tensor":"layers.1.weight.grad","value":"inf"}}}],)";
    for (const std::string precision : {"bf16", "fp32"})
        expectVerdict({.about = precision,
                       .experiment = digits(R"({"kind":"adamw","lr":0.003})", precision, "", events, 60),
                       .request = {},
                       .verdict = StepVerdict::ArithmeticNaN,
                       .firstPointer = "/scaler"});
}

TEST(Verdicts, HealthyRunsAreSound) {
    for (const std::string precision : {"fp32", "tf32", "fp16", "bf16", "fp8", "pure-bf16"}) {
        SCOPED_TRACE(precision);
        const std::string experiment = digits(R"({"kind":"adamw","lr":0.001})", precision, "", "", 150);
        const Diagnosed end = diagnosed({.about = {}, .experiment = experiment, .request = {}});
        EXPECT_TRUE(end.run.empty()) << end.examination.verdict.explanation.english();
        const Examination middle = diagnosed({.about = {}, .experiment = experiment, .request = {.run = "run", .step = 75}}).examination;
        EXPECT_EQ(middle.verdict.kind, StepVerdict::Sound) << middle.verdict.explanation.english();
    }
}

TEST(Verdicts, APureRunThatLosesItsUpdatesIsNamed) {
    expectVerdict({.about = "a rate below bf16's steps",
                   .experiment = digits(R"({"kind":"sgd","lr":0.0001})", "pure-bf16", "", "", 20),
                   .request = {},
                   .verdict = StepVerdict::SilentFailure,
                   .silent = SilentKind::UpdatesLost});
}

}  // namespace
}  // namespace mantissa
