// SPDX-License-Identifier: Apache-2.0
// Bad steps that are examined along the way, and steps that are examined when asked: told in order, rate-limited, and without a trace in
// training.
#include <gtest/gtest.h>

#include "engine/session/bad_steps.h"
#include "engine/session/diagnose.h"
#include "engine/session/live_run.h"
#include "tests/engine/session/session_fixture.h"

namespace mantissa {
namespace {

using test::SessionFixture;
using test::task;

constexpr const char* kHot =
    R"({"name":"hot","precision":"fp16","scaler":{"preset":"pytorch","init_scale":1073741824}},{"name":"wide","precision":"fp32"})";

TEST(Examined, ANonFiniteStepIsExaminedAfterItsRecordAndBeforeTheNext) {
    SessionFixture lab;
    lab.session.examineNonFiniteSteps(Examining::AtLeisure);
    lab.load(task(kHot));
    lab.trainTo(20);
    const RunId hot = lab.run("hot").id;
    std::int64_t lastStep = -1, lastExamined = -1;
    for (const Event& event : lab.events) {
        if (const auto* steps = std::get_if<StepsRecorded>(&event); steps != nullptr && steps->run == hot)
            lastStep = steps->records.back().step;
        const auto* examined = std::get_if<StepExamined>(&event);
        if (examined == nullptr) continue;
        EXPECT_EQ(examined->run, hot);
        EXPECT_EQ(examined->examination.step, lastStep) << "its record has been told, and no later one";
        EXPECT_GT(examined->examination.step, lastExamined);
        lastExamined = examined->examination.step;
        EXPECT_EQ(examined->examination.verdict.kind, StepVerdict::ScaleTooHigh);
        EXPECT_TRUE(examined->examination.verdict.isNormalProbing);
        EXPECT_TRUE(examined->examination.wasSkipped);
        EXPECT_EQ(examined->examination.lossScale, lab.recordsOf("hot")[static_cast<std::size_t>(lastStep)].lossScale);
    }
    EXPECT_GE(lab.all<StepExamined>().size(), 1u);
}

/// The same trainer with every bad step examined and with none, against each other.
void expectNoTrace(const std::string& runs, Examining examining = Examining::AtLeisure) {
    SCOPED_TRACE(runs);
    const Experiment experiment = parseExperiment(task(runs), "x");
    const auto backend = createCpuBackend();
    std::vector<StepRecord> examinedRecords;
    std::size_t examinations = 0;
    LiveRun examined(0, experiment.runs.front(), backend, [&](Event&& event) {
        if (const auto* steps = std::get_if<StepsRecorded>(&event)) {
            examinedRecords.insert(examinedRecords.end(), steps->records.begin(), steps->records.end());
        } else if (std::holds_alternative<StepExamined>(event)) {
            ++examinations;
        }
    });
    examined.setExamining(examining);
    Trainer plain(experiment.runs.front().training, loadDataset(experiment.runs.front().training.data), backend);
    std::vector<StepRecord> plainRecords;
    for (int step = 0; step < 12; ++step) {
        examined.step();
        plainRecords.push_back(plain.step());
    }
    examined.flush();
    ASSERT_EQ(examinedRecords.size(), plainRecords.size());
    EXPECT_GE(examinations, 1u);
    for (std::size_t i = 0; i < plainRecords.size(); ++i) {
        EXPECT_TRUE(isSameValue(examinedRecords[i].loss, plainRecords[i].loss)) << i;
        EXPECT_TRUE(isSameValue(examinedRecords[i].gradNorm, plainRecords[i].gradNorm)) << i;
        EXPECT_EQ(examinedRecords[i].lossScale, plainRecords[i].lossScale) << i;
        EXPECT_EQ(examinedRecords[i].flags, plainRecords[i].flags) << i;
    }
    EXPECT_EQ(examined.trainer().snapshot().memory, plain.snapshot().memory);
}

TEST(Examined, TrainingIsBitForBitWhatItIsWithout) {
    const std::string hot = R"("scaler":{"preset":"pytorch","init_scale":1073741824,"growth_interval":5})";
    expectNoTrace(R"({"name":"run","precision":"fp16",)" + hot + "}");
    expectNoTrace(R"({"name":"run","precision":"fp16","accumulate":3,"optimizer":{"kind":"sgd","lr":0.01,"momentum":0.9},)" + hot + "}");
    expectNoTrace(R"({"name":"run","precision":"fp16","zero_grad":false,"optimizer":{"kind":"adam","lr":0.0001},)" + hot + "}");
    expectNoTrace(
        R"({"name":"run","precision":"fp16","model":{"kind":"resnet","depth":8},"data":{"name":"digits","batch_size":4},)" + hot + "}",
        Examining::AlongTheWay);  // its hundred steps a remedy take long
    expectNoTrace(R"({"name":"run","precision":"fp8","optimizer":{"kind":"sgd","lr":1e30}})");
}

TEST(Examined, AnyStepCanBeAskedForAndTheRunStaysWhereItIs) {
    SessionFixture lab;
    lab.load(task(kHot));
    lab.trainTo(40);
    const RunId hot = lab.run("hot").id;
    const std::size_t before = lab.all<StepExamined>().size();
    const auto memory = lab.session.trainer(hot)->snapshot().memory;
    const std::int64_t next = lab.session.trainer(hot)->nextStep();  // beyond 40 where the other run's turn was the last
    ASSERT_EQ(lab.command(ExamineStep{hot, 1}), "");
    ASSERT_EQ(lab.command(ExamineStep{hot, 30}), "");
    const auto examined = lab.all<StepExamined>();
    ASSERT_EQ(examined.size(), before + 2);
    const Examination &bad = examined[before].examination, &good = examined[before + 1].examination;
    EXPECT_EQ(bad.step, 1);
    EXPECT_EQ(bad.verdict.kind, StepVerdict::ScaleTooHigh);
    EXPECT_FALSE(bad.remedies.empty());
    for (const Remedy& remedy : bad.remedies) EXPECT_EQ(remedy.steps, 100) << remedy.label.english();
    EXPECT_EQ(good.step, 30);
    EXPECT_EQ(good.verdict.kind, StepVerdict::Sound);
    EXPECT_TRUE(good.card.layer.empty());
    const auto sameName = [](const ChainLink& a, const ChainLink& b) { return a.tensor == b.tensor; };
    EXPECT_FALSE(good.card.chain.empty()) << "a finite step has a list of magnitudes too";
    EXPECT_EQ(std::adjacent_find(good.card.chain.begin(), good.card.chain.end(), sameName), good.card.chain.end()) << "a bias twice";
    EXPECT_EQ(lab.session.trainer(hot)->snapshot().memory, memory);
    EXPECT_EQ(lab.session.trainer(hot)->nextStep(), next);
    EXPECT_NE(lab.command(ExamineStep{hot, next + 1}), "");
    EXPECT_NE(lab.command(ExamineStep{99, 1}), "");
}

TEST(Examined, AStormIsExaminedEverMoreSeldom) {
    StepsToExamine steps;
    int examined = 0;
    for (int step = 0; step < 1000; ++step) {
        const bool wants = steps.wantsNext();
        steps.add(true, 0.001);
        if (wants) steps.addExamination(0.001), ++examined;
    }
    EXPECT_EQ(examined, 10) << "1, 2, 4, ... 512";
    EXPECT_EQ(steps.consecutive(), 1000);
    steps.add(false, 0.001);
    EXPECT_TRUE(steps.wantsNext()) << "a new burst begins";
}

TEST(Examined, ExaminationsTakeATenthOfTheTimeAtMost) {
    StepsToExamine steps;
    steps.addExamination(StepsToExamine::kFreeSeconds + 1);
    EXPECT_FALSE(steps.wantsNext());
    for (int step = 0; step < 100; ++step) steps.add(false, 0.2);  // 20 s of training, worth 2 s of examining
    EXPECT_TRUE(steps.wantsNext());
    for (std::int64_t k = 0; k < StepsToExamine::kMany; ++k) steps.addExamination(0);
    EXPECT_FALSE(steps.wantsNext()) << "a run that has had many waits for a hundred times as long";
    for (int step = 0; step < 1000; ++step) steps.add(false, 0.2);
    EXPECT_TRUE(steps.wantsNext());
}

TEST(Examined, NobodyIsExaminedForWhereNobodyListens) {
    SessionFixture lab;
    lab.load(task(kHot));
    lab.trainTo(20);
    EXPECT_TRUE(lab.recordsOf("hot")[0].skipped());
    EXPECT_TRUE(lab.all<StepExamined>().empty());
}

TEST(Examined, AfterGoingBackARowOfNonFiniteStepsBeginsAgain) {
    StepsToExamine steps;
    for (int step = 0; step < 100; ++step) steps.add(true, 0.1);
    EXPECT_FALSE(steps.wantsNext());
    steps.beginAgain();
    EXPECT_TRUE(steps.wantsNext());
}

/// An Inf that nothing keeps out of the weights, at step 5; from then on every step is bad.
constexpr const char* kPoisoned =
    R"("events":[{"step":5,"run":"run","set":{"/inject/tensor":{"tensor":"layers.1.output","value":"inf"}}}],)";

TEST(Examined, AfterAPoisonedStepTheWeightsAreToBlameAndNotTheirUpdate) {
    const Experiment experiment = parseExperiment(task(R"({"name":"run","precision":"fp16","scaler":{"preset":"none"}})", kPoisoned), "x");
    const auto backend = createCpuBackend();
    const auto at = [&](std::int64_t step) { return diagnose(experiment, backend, {.run = "run", .step = step}).examination; };
    EXPECT_EQ(at(4).verdict.kind, StepVerdict::Sound);
    EXPECT_EQ(at(5).verdict.kind, StepVerdict::ArithmeticNaN);
    EXPECT_EQ(at(5).card.tensor, "layers.1.output");
    for (const std::int64_t step : {6, 7, 9}) {
        EXPECT_EQ(at(step).verdict.kind, StepVerdict::BadWeights) << step;
        EXPECT_EQ(at(step).step, step);
    }
}

TEST(Examined, OnDemandABrokenUpdateIsTracedToo) {
    SessionFixture lab;
    lab.load(task(R"({"name":"run","precision":"fp32","optimizer":{"kind":"sgd","lr":0.01}})",
                  R"("events":[{"step":5,"run":"run","set":{"/optimizer/lr":1e42}}],)"));
    lab.trainTo(8);
    ASSERT_EQ(lab.command(ExamineStep{lab.run("run").id, 6}), "");
    const Examination e = lab.all<StepExamined>().back().examination;
    EXPECT_EQ(e.step, 5);
    EXPECT_EQ(e.card.phase, "optimizer");
}

TEST(Examined, GradientsThatAreNeverSetToZeroAreNamed) {
    const Experiment experiment = parseExperiment(
        task(R"({"name":"run","precision":"fp16","zero_grad":false,"scaler":{"preset":"pytorch","init_scale":1073741824}})"), "x");
    const Examination e = diagnose(experiment, createCpuBackend(), {.run = "run", .step = 1}).examination;
    EXPECT_EQ(e.verdict.kind, StepVerdict::KeptGradients);
    ASSERT_FALSE(e.remedies.empty());
    EXPECT_EQ(e.remedies.front().pointer, "/zero_grad");
    EXPECT_TRUE(e.remedies.front().helps);
    EXPECT_NE(e.verdict.headline.english().find("Gradients of an earlier step"), std::string::npos) << e.verdict.headline.english();
}

TEST(Examined, TheChainEndsSoonAfterWhereItBegan) {
    const Experiment experiment = parseExperiment(
        task(R"({"name":"run","precision":"fp16","accumulate":8,"scaler":{"preset":"static","init_scale":1073741824}})"), "x");
    const auto backend = createCpuBackend();
    const Examination bad = diagnose(experiment, backend, {.run = "run", .step = 0}).examination;
    const Trainer one(experiment.runs.front().training, loadDataset(experiment.runs.front().training.data), backend);
    EXPECT_LT(bad.card.chain.size(), one.plan().instructions.size());
    EXPECT_TRUE(std::any_of(bad.card.chain.begin(), bad.card.chain.end(), [](const ChainLink& link) { return link.nonFinite > 0; }));
}

TEST(Examined, WeightsThatAnUpdateBrokeAreTracedToIt) {
    const Experiment experiment = parseExperiment(task(R"({"name":"run","precision":"fp32","optimizer":{"kind":"sgd","lr":0.01}})",
                                                       R"("events":[{"step":5,"run":"run","set":{"/optimizer/lr":1e42}}],)"),
                                                  "x");
    const Diagnosed diagnosed = diagnose(experiment, createCpuBackend(), {});
    ASSERT_EQ(diagnosed.run, "run");
    const Examination& e = diagnosed.examination;
    EXPECT_EQ(e.step, 5) << "losses and gradients show it at step 6 only";
    EXPECT_EQ(e.card.phase, "optimizer");
    EXPECT_EQ(e.card.operation, "sgd");
    EXPECT_NE(e.card.tensor.find(".weight"), std::string::npos) << e.card.tensor;
    EXPECT_NE(e.card.cls, "NaN");
    EXPECT_EQ(e.verdict.kind, StepVerdict::BadWeights) << "which this update made";
}

/// Steps from `first` on, of so many, whose loss or gradients are not finite after that change.
std::int64_t nonFiniteStepsAfter(Experiment experiment, const Remedy& remedy, std::int64_t first, std::int64_t count) {
    experiment.events.push_back({first, "run", {{remedy.pointer, Json::parse(remedy.value)}}});
    std::int64_t bad = 0;
    LiveRun run(0, experiment.runs.front(), createCpuBackend(), [&](Event&& event) {
        const auto* steps = std::get_if<StepsRecorded>(&event);
        if (steps == nullptr) return;
        bad += std::count_if(steps->records.begin(), steps->records.end(),
                             [&](const StepRecord& record) { return record.step >= first && isNonFiniteStep(record); });
    });
    run.schedule(experiment.events);
    while (run.nextStep() < first + count) run.step();
    run.flush();
    return bad;
}

/// At 2^127 the gradients that a large pixel makes are beyond bf16 too; without a scaler they are not.
TEST(Examined, WhatIsTriedIsWhatAChangeDoesWhetherOrNotTheScalerFollows) {
    constexpr const char* kBeyond =
        R"("events":[{"step":3,"run":"run","set":{"/scaler/scale":1.7014118346046923e38,"/inject/input":10000}}],)";
    for (const bool isChosen : {false, true}) {
        SCOPED_TRACE(isChosen);
        const std::string scaler = isChosen ? R"(,"scaler":{"preset":"static","init_scale":16})" : "";
        const Experiment experiment = parseExperiment(task(R"({"name":"run","precision":"fp16")" + scaler + "}", kBeyond), "x");
        const Examination e = diagnose(experiment, createCpuBackend(), {.run = "run", .step = 3}).examination;
        const auto found = std::find_if(e.remedies.begin(), e.remedies.end(), [](const Remedy& r) { return r.pointer == "/precision"; });
        ASSERT_NE(found, e.remedies.end());
        ASSERT_EQ(found->steps, 100);
        EXPECT_EQ(found->nonFinite == 0, !isChosen) << found->sentence.english();
        EXPECT_EQ(found->sentence.english().find("With this format, the loss scaler is: none.") != std::string::npos, !isChosen)
            << found->sentence.english();
        EXPECT_EQ(found->nonFinite, nonFiniteStepsAfter(experiment, *found, 3, 100));
    }
}

}  // namespace
}  // namespace mantissa
