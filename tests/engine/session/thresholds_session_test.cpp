// SPDX-License-Identifier: Apache-2.0
// Thresholds of steps that a run has done, or will do: measured on a copy, told in parts, and without a trace in the run.
#include <gtest/gtest.h>

#include <filesystem>

#include "engine/session/diagnose.h"
#include "engine/training/thresholds.h"
#include "tests/engine/session/session_fixture.h"

namespace mantissa {
namespace {

using test::SessionFixture;
using test::task;

constexpr const char* kScaled =
    R"({"name":"scaled","precision":"fp16","optimizer":{"kind":"sgd","lr":0.5},
        "scaler":{"preset":"pytorch","init_scale":16777216,"growth_interval":3}},{"name":"wide","precision":"fp32"})";

std::vector<StepThreshold> toldOf(const SessionFixture& lab, RunId run) {
    std::vector<StepThreshold> all;
    for (const ThresholdsMeasured& part : lab.all<ThresholdsMeasured>())
        if (part.run == run) all.insert(all.end(), part.thresholds.begin(), part.thresholds.end());
    return all;
}

TEST(SessionThresholds, OfDoneStepsRaceIntoWhatTheRunDid) {
    SessionFixture lab;
    lab.load(task(kScaled));
    lab.trainTo(40);
    const RunId run = lab.run("scaled").id;
    const auto memory = lab.session.trainer(run)->snapshot().memory;
    ASSERT_EQ(lab.command(MeasureThresholds{run, 0, 40}), "");
    const std::vector<StepThreshold> told = toldOf(lab, run);
    ASSERT_EQ(told.size(), 40u);
    EXPECT_EQ(lab.all<ThresholdsMeasured>().front().commandId, lab.lastId);
    EXPECT_EQ(lab.all<ThresholdsMeasured>().front().asIf, "");
    const RacedScaler raced = mantissa::raced(told, lab.run("scaled").settings.training.scaler);
    std::vector<std::int64_t> skipped;
    for (const StepRecord& record : lab.recordsOf("scaled")) {
        EXPECT_EQ(static_cast<double>(raced.scales[static_cast<std::size_t>(record.step)]), record.lossScale) << record.step;
        if (record.skipped()) skipped.push_back(record.step);
    }
    EXPECT_EQ(raced.skipped, skipped);
    EXPECT_GT(skipped.size(), 4u);
    EXPECT_EQ(lab.session.trainer(run)->nextStep(), 40);
    EXPECT_EQ(lab.session.trainer(run)->snapshot().memory, memory);
}

TEST(SessionThresholds, FromAnyStepOnAndBeyondTheLast) {
    SessionFixture lab;
    lab.load(task(kScaled));
    lab.trainTo(20);
    const RunId run = lab.run("scaled").id;
    ASSERT_EQ(lab.command(MeasureThresholds{run, 0, 1000}), "");
    const std::vector<StepThreshold> all = toldOf(lab, run);
    ASSERT_EQ(all.size(), 60u) << "to where the run will end";
    for (const std::int64_t first : {12, 20}) {
        lab.events.clear();
        ASSERT_EQ(lab.command(MeasureThresholds{run, first, 5}), "");
        const std::vector<StepThreshold> some = toldOf(lab, run);
        EXPECT_EQ(some, std::vector<StepThreshold>(all.begin() + first, all.begin() + first + 5));
    }
}

TEST(SessionThresholds, WhatWasChangedOnTheWayIsInThem) {
    SessionFixture lab;
    lab.load(task(kScaled));
    const RunId run = lab.run("scaled").id;
    lab.trainTo(10);
    ASSERT_EQ(lab.command(ChangeSetting{run, "/optimizer/lr", 0.001}), "");
    lab.trainTo(30);
    const std::int64_t changed = lab.all<SettingApplied>().back().step, done = lab.session.trainer(run)->nextStep();
    ASSERT_EQ(lab.command(MeasureThresholds{run, 0, done}), "");
    const std::vector<StepThreshold> told = toldOf(lab, run);
    TrainingSettings settings = lab.run("scaled").settings.training;
    settings.optimizer.lr = 0.5;
    Trainer trainer(settings, loadDataset(settings.data), createCpuBackend());
    ThresholdMeter meter;
    for (const StepThreshold& each : told) {
        if (each.step == changed) {
            settings.optimizer.lr = 0.001;
            trainer.change(settings);
        }
        EXPECT_EQ(each, meter.measure(trainer)) << each.step;
        trainer.step();
    }
}

TEST(SessionThresholds, OfAWiderRunAreThoseOfFp16) {
    SessionFixture lab;
    lab.load(task(kScaled));
    const RunId run = lab.run("wide").id;
    ASSERT_EQ(lab.command(MeasureThresholds{run, 0, 3}), "") << "of a run that has not begun";
    EXPECT_EQ(lab.all<ThresholdsMeasured>().front().asIf, "fp16");
    EXPECT_EQ(toldOf(lab, run).size(), 3u);
    EXPECT_EQ(lab.session.trainer(run)->nextStep(), 0);
}

TEST(SessionThresholds, AStopEndsThemAndWhatCameStays) {
    SessionFixture lab;
    lab.load(R"({"data":{"batch_size":16},"model":{"hidden":[16]},"steps":100000000,"validation_interval":1000,"runs":[)" +
             std::string(kScaled) + "]}");
    const RunId run = lab.run("scaled").id;
    const std::uint64_t id = lab.post(MeasureThresholds{run, 0, 100'000'000});
    while (lab.all<ThresholdsMeasured>().size() < 2) lab.session.advance(1, 0);
    EXPECT_EQ(lab.command(StopQuestion{id}), "");
    while (lab.count<CommandDone>([&](const CommandDone& done) { return done.commandId == id; }) == 0) lab.session.advance(1, 0);
    const std::vector<StepThreshold> told = toldOf(lab, run);
    const std::size_t came = told.size();
    for (std::size_t i = 0; i < came; ++i) ASSERT_EQ(told[i].step, static_cast<std::int64_t>(i)) << "each step in one part";
    lab.session.advance(1, 0);
    EXPECT_EQ(toldOf(lab, run).size(), came);
    EXPECT_EQ(lab.command(SingleStep{}), "") << "and the runs go on";
    EXPECT_EQ(lab.session.trainer(run)->nextStep(), 1);
}

TEST(SessionThresholds, OfARecordingThatWasOpenedAreThoseOfTheRun) {
    const auto folder = std::filesystem::temp_directory_path() / ("mantissa_thresholds_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    const std::string file = (folder / "a.mantissa").string();
    std::vector<StepThreshold> before;
    {
        SessionFixture lab;
        lab.session.recordTo(file);
        lab.load(task(kScaled));
        lab.trainTo(30);
        ASSERT_EQ(lab.command(MeasureThresholds{lab.run("scaled").id, 5, 20}), "");
        before = toldOf(lab, lab.run("scaled").id);
        lab.session.endRecording();
    }
    SessionFixture opened;
    ASSERT_EQ(opened.command(OpenRecording{file}), "");
    EXPECT_TRUE(opened.all<ThresholdsMeasured>().empty()) << "they are not recorded";
    const RunId run = opened.run("scaled").id;
    ASSERT_EQ(opened.command(MeasureThresholds{run, 5, 20}), "");
    EXPECT_EQ(toldOf(opened, run), before);
    EXPECT_EQ(before.size(), 20u);
    std::filesystem::remove_all(folder);
}

TEST(SessionThresholds, WhatCannotBeMeasuredIsRefused) {
    SessionFixture lab;
    lab.load(task(kScaled));
    lab.trainTo(10);
    const RunId run = lab.run("scaled").id;
    EXPECT_NE(lab.command(MeasureThresholds{run, 61, 5}), "");
    EXPECT_NE(lab.command(MeasureThresholds{run, -1, 5}), "");
    EXPECT_NE(lab.command(MeasureThresholds{run, 0, 0}), "");
    EXPECT_NE(lab.command(MeasureThresholds{99, 0, 5}), "");
    EXPECT_TRUE(lab.all<ThresholdsMeasured>().empty());
}

/// DeepSpeed gives up there: the copy that is measured does, too.
TEST(SessionThresholds, ARunThatHasEndedIsMeasuredToItsEnd) {
    SessionFixture lab;
    lab.load(task(R"({"name":"run","precision":"fp16","optimizer":{"kind":"sgd","lr":1e30},"scaler":{"preset":"deepspeed"}})"));
    lab.trainTo(60);
    const RunId run = lab.run("run").id;
    ASSERT_EQ(lab.all<RunStopped>().size(), 1u);
    ASSERT_EQ(lab.command(MeasureThresholds{run, 0, 60}), "");
    const std::vector<StepThreshold> told = toldOf(lab, run);
    EXPECT_EQ(static_cast<std::int64_t>(told.size()), lab.session.trainer(run)->nextStep());
    const RacedScaler raced = mantissa::raced(told, lab.run("run").settings.training.scaler);
    EXPECT_EQ(raced.endStep, lab.all<RunStopped>().front().step - 1);
    EXPECT_EQ(raced.endReason, lab.all<RunStopped>().front().reason);
}

TEST(SessionThresholds, WithoutASessionTheyAreThoseOfTheExperiment) {
    const Experiment experiment =
        parseExperiment(task(kScaled, R"("events":[{"step":8,"run":"scaled","set":{"/optimizer/lr":0.01}}],)"), "x");
    const MeasuredThresholds measured = measureThresholds(experiment, createCpuBackend(), {.run = "scaled", .steps = 20});
    EXPECT_EQ(measured.run, "scaled");
    EXPECT_EQ(measured.asIf, "");
    EXPECT_EQ(measured.scaler, experiment.runs[0].training.scaler);
    SessionFixture lab;
    lab.load(task(kScaled, R"("events":[{"step":8,"run":"scaled","set":{"/optimizer/lr":0.01}}],)"));
    ASSERT_EQ(lab.command(MeasureThresholds{lab.run("scaled").id, 0, 20}), "");
    EXPECT_EQ(measured.thresholds, toldOf(lab, lab.run("scaled").id));
    EXPECT_EQ(measureThresholds(experiment, createCpuBackend(), {}).thresholds.size(), 60u) << "all steps, of the first run with a scale";
    EXPECT_THROW(measureThresholds(experiment, createCpuBackend(), {.run = "scalde"}), InputError);
}

}  // namespace
}  // namespace mantissa
