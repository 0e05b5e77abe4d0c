// SPDX-License-Identifier: Apache-2.0
#include "engine/session/session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

#include "engine/experiment/safetensors.h"
#include "tests/engine/session/session_fixture.h"

namespace mantissa {
namespace {

using Clock = std::chrono::steady_clock;
using test::kTwoRuns;
using test::SessionFixture;
using test::task;

bool sameRow(const StepRecord& a, const StepRecord& b) {
    return a.step == b.step && a.loss == b.loss && a.gradNorm == b.gradNorm && a.lossScale == b.lossScale && a.lr == b.lr &&
           a.samples == b.samples;
}

TEST(Session, TrainsToAStepAndPausesThere) {
    SessionFixture lab;
    lab.load(task(kTwoRuns));
    const auto trainTo = [&](std::int64_t until) {
        ASSERT_EQ(lab.command(Train{until}), "");
        while (lab.session.state() == LabState::Training) lab.session.advance();
    };
    for (const bool isLockstep : {true, false}) {
        ASSERT_EQ(lab.command(ResetExperiment{}), "");
        ASSERT_EQ(lab.command(SetLockstep{isLockstep}), "");
        trainTo(5);
        EXPECT_EQ(lab.session.state(), LabState::Paused);
        for (const RunInfo& run : lab.runs()) EXPECT_EQ(lab.session.trainer(run.id)->nextStep(), 5);
        trainTo(5);
        EXPECT_EQ(lab.session.trainer(lab.runs().front().id)->nextStep(), 5) << "it is there already";
        trainTo(60);
        EXPECT_EQ(lab.session.state(), LabState::Finished);
    }
    ASSERT_EQ(lab.command(ResetExperiment{}), "");
    trainTo(5);
    trainTo(0);
    EXPECT_EQ(lab.session.trainer(lab.runs().front().id)->nextStep(), 60) << "to the end";
}

TEST(Session, TrainsToTheEndAndSaysSo) {
    SessionFixture lab;
    EXPECT_EQ(lab.session.state(), LabState::Empty);
    EXPECT_NE(lab.command(Train{}), "");
    lab.load(task(kTwoRuns));
    EXPECT_EQ(lab.session.state(), LabState::Paused);
    const auto loaded = lab.all<ExperimentLoaded>().at(0);
    EXPECT_EQ(loaded.name, "test");
    EXPECT_EQ(loaded.steps, 60);
    EXPECT_EQ(loaded.trainCount, 1437);
    EXPECT_EQ(loaded.runs.at(1).policy, "bf16");
    EXPECT_EQ(loaded.runs.at(0).modelText, "MLP 64-16-10, relu");
    EXPECT_GT(loaded.runs.at(0).memory.total(), 0);
    lab.trainTo(1000);
    EXPECT_EQ(lab.session.state(), LabState::Finished);
    EXPECT_EQ(lab.recordsOf("a").size(), 60u);
    EXPECT_EQ(lab.recordsOf("b").size(), 60u);
    EXPECT_EQ(lab.all<StateChanged>().back().state, LabState::Finished);
    EXPECT_LT(lab.recordsOf("a").back().loss, lab.recordsOf("a").front().loss);
}

TEST(Session, InLockstepTheRunFurthestBehindGoesNext) {
    SessionFixture lab;
    lab.load(task(kTwoRuns));
    lab.trainTo(20);
    ASSERT_EQ(lab.command(AddRun{Json{{"name", "late"}}}), "");
    std::vector<std::int64_t> next;
    const auto look = [&] {
        std::vector<std::int64_t> now;
        for (const RunInfo& run : lab.runs()) now.push_back(lab.session.trainer(run.id)->nextStep());
        return now;
    };
    next = look();
    EXPECT_EQ(next.back(), 0);
    lab.command(Train{});
    int seen = 0;
    while (lab.session.state() == LabState::Training) {
        lab.session.advance(1e-3, 0);  // a microsecond: one step at most
        const auto now = look();
        int moved = 0;
        for (std::size_t i = 0; i < now.size(); ++i) {
            if (now[i] == next[i]) continue;
            EXPECT_EQ(now[i], next[i] + 1);
            EXPECT_EQ(next[i], *std::min_element(next.begin(), next.end())) << "run " << i;
            ++moved;
        }
        EXPECT_LE(moved, 1);
        seen += moved;
        next = now;
    }
    EXPECT_GT(seen, 100);
    EXPECT_EQ(next, (std::vector<std::int64_t>{60, 60, 60}));
}

TEST(Session, WithoutLockstepEachRunGoesAsFastAsItCan) {
    SessionFixture lab;
    lab.load(R"({"steps":100000,"validation_interval":100000,"runs":[{"name":"narrow","model":{"hidden":[4]}},
                                                                     {"name":"wide","model":{"hidden":[512,512]}}]})");
    ASSERT_EQ(lab.command(SetLockstep{false}), "");
    constexpr std::int64_t kEnough = 80;  // that one step held up by the machine does not decide
    lab.trainTo(kEnough, true);
    const auto stepsOf = [&](const char* name) { return lab.session.trainer(lab.run(name).id)->nextStep(); };
    EXPECT_GE(stepsOf("wide"), kEnough);
    EXPECT_GT(stepsOf("narrow"), 3 * stepsOf("wide")) << "equal shares of time, not turns";
    EXPECT_FALSE(lab.all<StateChanged>().back().lockstep);

    // one that comes late gets its share from now on, not the time that it has missed
    const std::int64_t before = stepsOf("narrow");
    lab.command(AddRun{Json{{"name", "late"}, {"model", {{"hidden", {4}}}}}});
    lab.trainTo(kEnough, true);
    EXPECT_GT(stepsOf("narrow"), before);
}

TEST(Session, EventsOfTheFileHoldFromExactlyTheirStep) {
    const std::string runs = R"({"name":"plain","precision":"fp16"},{"name":"changed","precision":"fp16"})";
    SessionFixture lab;
    lab.load(R"({"events":[{"step":30,"run":"changed","set":{"/scaler/scale":1024}},
                           {"step":0,"run":"changed","set":{"/clip_grad_norm":1000}},
                           {"step":20,"run":"changed","set":{"/optimizer/lr":0.01}}],)" +
             task(runs).substr(1));
    lab.trainTo(1000);
    const auto &plain = lab.recordsOf("plain"), &changed = lab.recordsOf("changed");
    for (std::size_t i = 0; i < 20; ++i) ASSERT_TRUE(sameRow(plain[i], changed[i])) << i;
    EXPECT_EQ(changed[19].lr, 1e-3);
    EXPECT_EQ(changed[20].lr, 0.01);
    EXPECT_EQ(changed[20].loss, plain[20].loss) << "the loss of the step comes before its update";
    EXPECT_NE(changed[21].loss, plain[21].loss);
    EXPECT_EQ(changed[29].lossScale, 65536);
    EXPECT_EQ(changed[30].lossScale, 1024);
    EXPECT_TRUE(changed[30].flags & kFlagSettingChanged);
    EXPECT_FALSE(changed[31].flags & kFlagSettingChanged);
    const auto applied = lab.all<SettingApplied>();
    ASSERT_EQ(applied.size(), 3u);
    EXPECT_EQ(applied[0].step, 0);
    EXPECT_EQ(applied[1].step, 20);
    EXPECT_EQ(applied[1].label, "lr");
    EXPECT_EQ(applied[1].from, "0.001");
    EXPECT_EQ(applied[1].to, "0.01");
    EXPECT_EQ(applied[2].step, 30);
    EXPECT_EQ(applied[2].label, "loss scale");
    EXPECT_EQ(applied[2].from, "2^16");
    EXPECT_EQ(applied[2].to, "2^10");
    EXPECT_EQ(applied[2].commandId, 0u);
}

TEST(Session, ALiveChangeSaysItsFirstStepAndIsTheSameAsAnEvent) {
    SessionFixture live, scheduled;
    live.load(task(kTwoRuns));
    live.trainTo(25);
    const auto id = live.post(ChangeSetting{live.run("a").id, "/precision", "fp16"});
    live.session.advance(0, 0);
    live.trainTo(1000);
    const auto applied = live.all<SettingApplied>();
    ASSERT_EQ(applied.size(), 2u);
    EXPECT_EQ(applied[0].commandId, id);
    EXPECT_EQ(applied[0].pointer, "/precision");
    EXPECT_EQ(applied[0].from, "FP32");
    EXPECT_EQ(applied[0].to, "FP16");
    EXPECT_EQ(applied[1].pointer, "/scaler/preset") << "the scaler that fp16 brings along";
    EXPECT_EQ(applied[1].to, "pytorch");
    const std::int64_t step = applied[0].step;
    EXPECT_GE(step, 25);
    EXPECT_TRUE(live.recordsOf("a")[static_cast<std::size_t>(step)].flags & kFlagSwitchedPlan);
    EXPECT_EQ(live.recordsOf("a")[static_cast<std::size_t>(step)].lossScale, 65536);
    EXPECT_EQ(live.run("a").policy, "fp16");
    EXPECT_EQ(live.run("a").scalerPreset, "pytorch");
    EXPECT_TRUE(live.run("a").scalerIsDynamic);

    scheduled.load(R"({"events":[{"step":)" + std::to_string(step) + R"(,"run":"a","set":{"/precision":"fp16"}}],)" +
                   task(kTwoRuns).substr(1));
    scheduled.trainTo(1000);
    for (std::size_t i = 0; i < 60; ++i) ASSERT_TRUE(sameRow(live.recordsOf("a")[i], scheduled.recordsOf("a")[i])) << i;
}

TEST(Session, PauseStandsStillAndAStepIsOneOfEachRun) {
    SessionFixture lab;
    lab.load(task(kTwoRuns));
    lab.trainTo(5);
    const auto a = lab.session.trainer(lab.run("a").id), b = lab.session.trainer(lab.run("b").id);
    const std::int64_t atA = a->nextStep(), atB = b->nextStep();
    for (int i = 0; i < 5; ++i) lab.session.advance(5, 0);
    EXPECT_EQ(a->nextStep(), atA);
    EXPECT_EQ(lab.command(SingleStep{}), "");
    EXPECT_EQ(a->nextStep(), atA + 1);
    EXPECT_EQ(b->nextStep(), atB + 1);
    EXPECT_EQ(lab.session.state(), LabState::Paused);
    EXPECT_EQ(lab.recordsOf("a").size(), static_cast<std::size_t>(atA) + 1) << "what is paused has all been said";
}

TEST(Session, AResetPlaysTheSameFilmAgain) {
    SessionFixture lab;
    lab.load(R"({"events":[{"step":10,"run":"a","set":{"/precision":"fp16"}},{"step":20,"run":"a","set":{"/scaler/scale":2}}],)" +
             task(kTwoRuns).substr(1));
    lab.trainTo(1000);
    const auto first = lab.recordsOf("a");
    ASSERT_EQ(lab.command(ResetExperiment{}), "");
    EXPECT_EQ(lab.session.state(), LabState::Paused);
    EXPECT_EQ(lab.run("a").policy, "fp32") << "what the events changed is not a setting of the run";
    EXPECT_EQ(lab.session.trainer(lab.run("a").id)->nextStep(), 0);
    lab.trainTo(1000);
    ASSERT_EQ(lab.recordsOf("a").size(), first.size());
    for (std::size_t i = 0; i < first.size(); ++i) ASSERT_TRUE(sameRow(lab.recordsOf("a")[i], first[i])) << i;

    ASSERT_EQ(lab.command(ChangeSetting{lab.run("b").id, "/optimizer/lr", 0.25}), "");
    ASSERT_EQ(lab.command(ResetExperiment{}), "");
    EXPECT_EQ(lab.run("b").settings.training.optimizer.lr, 0.25) << "what the user changed stays";
    lab.trainTo(5);
    EXPECT_EQ(lab.recordsOf("b")[0].lr, 0.25);
}

TEST(Session, RefusedCommandsLeaveAllAsItWas) {
    SessionFixture lab, untouched;
    for (SessionFixture* each : {&lab, &untouched}) {
        each->load(task(kTwoRuns));
        each->trainTo(5);
        while (each->session.trainer(each->run("a").id)->nextStep() < 8) each->command(SingleStep{});
    }
    const auto before = lab.runs();
    const std::size_t applied = lab.all<SettingApplied>().size();
    const RunId a = lab.run("a").id;
    for (const auto& [pointer, value] : std::vector<std::pair<std::string, Json>>{{"/precision", "fp17"},
                                                                                  {"/optimizer/lr", -1},
                                                                                  {"/optimizer/lr", nullptr},
                                                                                  {"/optimizer/kind", "sgd"},
                                                                                  {"/model/hidden", {8}},
                                                                                  {"/scaler/scale", 4},
                                                                                  {"/scaler/preset", "opex"},
                                                                                  {"/precision/overrides/layers.7", "fp32"},
                                                                                  {"/nonsense", 1},
                                                                                  {"", 1}}) {
        EXPECT_NE(lab.command(ChangeSetting{a, pointer, value}), "") << pointer;
        EXPECT_EQ(lab.all<CommandRefused>().back().run, a);
        EXPECT_EQ(lab.all<CommandRefused>().back().pointer, pointer);
    }
    EXPECT_NE(lab.command(ChangeSetting{99, "/optimizer/lr", 1}), "");
    EXPECT_NE(lab.command(DuplicateRun{99}), "");
    EXPECT_NE(lab.command(RemoveRun{99}), "");
    EXPECT_NE(lab.command(RenameRun{a, "b"}), "");
    EXPECT_NE(lab.command(RenameRun{a, ""}), "");
    EXPECT_NE(lab.command(RenameRun{a, "../up"}), "");
    EXPECT_NE(lab.command(AddRun{Json{{"name", "c"}, {"setps", 1}}}), "");
    EXPECT_NE(lab.command(AddRun{Json{{"name", "c"}, {"init", {{"weights", "/no/such/file"}}}}}), "");
    EXPECT_NE(lab.command(SetPace{-1}), "");
    EXPECT_NE(lab.command(SetPace{std::nan("")}), "");
    EXPECT_NE(lab.command(LoadExperiment{"no such experiment", ""}), "");
    EXPECT_NE(lab.command(LoadExperiment{"x", "{"}), "");
    EXPECT_NE(lab.command(LoadExperiment{"x", R"({"runs":[{"name":"a","init":{"weights":"/no/such/file"}}]})"}), "");
    EXPECT_EQ(lab.all<SettingApplied>().size(), applied);
    ASSERT_EQ(lab.runs().size(), before.size());
    for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(lab.runs()[i].settings, before[i].settings);
    lab.trainTo(1000);
    untouched.trainTo(1000);
    for (const char* name : {"a", "b"}) {
        for (std::size_t i = 0; i < 60; ++i) ASSERT_TRUE(sameRow(lab.recordsOf(name)[i], untouched.recordsOf(name)[i])) << name << i;
    }
}

TEST(Session, RunsComeAndGoWhileOthersTrain) {
    SessionFixture lab;
    lab.load(task(kTwoRuns, R"("optimizer":{"lr":0.01},)"));
    lab.trainTo(10);
    lab.command(Train{});
    ASSERT_EQ(lab.command(AddRun{Json{{"name", "a"}, {"precision", "fp16"}}}), "");
    const RunInfo added = lab.run("a 2");
    EXPECT_EQ(added.settings.training.optimizer.lr, 0.01) << "the experiment's default";
    EXPECT_EQ(added.settings.training.scaler.preset, "pytorch");
    ASSERT_EQ(lab.command(DuplicateRun{added.id}), "");
    EXPECT_EQ(lab.run("a 3").settings.training, lab.run("a 2").settings.training);
    ASSERT_EQ(lab.command(RenameRun{added.id, "renamed"}), "");
    EXPECT_EQ(lab.run("renamed").id, added.id);
    const RunId b = lab.run("b").id;
    ASSERT_EQ(lab.command(RemoveRun{b}), "");
    EXPECT_EQ(lab.session.trainer(b), nullptr);
    EXPECT_EQ(lab.session.state(), LabState::Training);
    lab.trainTo(1000);
    EXPECT_EQ(lab.recordsOf("a").size(), 60u);
    EXPECT_EQ(lab.recordsOf("renamed").size(), 60u);
    for (std::size_t i = 0; i < 60; ++i) ASSERT_TRUE(sameRow(lab.recordsOf("renamed")[i], lab.recordsOf("a 3")[i])) << i;
    lab.command(RemoveRun{lab.run("a").id});
    lab.command(RemoveRun{lab.run("a 3").id});
    EXPECT_NE(lab.command(RemoveRun{added.id}), "") << "an experiment keeps a run";
}

TEST(Session, MoreStepsWakeAFinishedRun) {
    SessionFixture lab;
    lab.load(task(R"({"name":"a"})"));
    lab.trainTo(1000);
    ASSERT_EQ(lab.session.state(), LabState::Finished);
    ASSERT_EQ(lab.command(ChangeSetting{lab.run("a").id, "/steps", 70}), "");
    EXPECT_EQ(lab.session.state(), LabState::Paused);
    lab.trainTo(1000);
    EXPECT_EQ(lab.recordsOf("a").size(), 70u);
}

TEST(Session, ThePaceIsKept) {
    SessionFixture lab;
    lab.load(task(kTwoRuns));
    ASSERT_EQ(lab.command(SetPace{100}), "");
    lab.command(Train{});
    const auto start = Clock::now();
    while (Clock::now() - start < std::chrono::milliseconds(400)) lab.session.advance(8, 0);
    const auto steps = static_cast<double>(lab.session.trainer(lab.run("a").id)->nextStep());
    // 40 steps at 100 a second; a busy machine may lose some, but must not exceed them
    EXPECT_LE(steps, 45);
    EXPECT_GE(steps, 15);
}

TEST(Session, ACommandFromAnotherThreadWakesAnIdleSession) {
    SessionFixture lab;
    lab.load(task(kTwoRuns));
    std::thread poster([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        lab.session.post({1000, Quit{}});
    });
    const auto start = Clock::now();
    EXPECT_FALSE(lab.session.advance(8, 10'000));
    EXPECT_LT(Clock::now() - start, std::chrono::seconds(5));
    poster.join();
}

TEST(Session, TheFirstNonFiniteIsToldOnce) {
    SessionFixture lab;
    lab.load(task(R"({"name":"hot","precision":"fp16","scaler":{"preset":"static","init_scale":1e12}})"));
    lab.trainTo(1000);
    const auto found = lab.all<NonFiniteFound>();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].first.step, 0);
    EXPECT_EQ(lab.recordsOf("hot").back().skippedTotal, 60);
}

TEST(Session, SavedTextLoadsAsTheSameExperiment) {
    SessionFixture lab;
    lab.load(R"({"title":"T","events":[{"step":10,"run":"a","set":{"/precision":"fp16"}}],)" + task(kTwoRuns).substr(1));
    lab.trainTo(30);
    lab.command(ChangeSetting{lab.run("b").id, "/optimizer/lr", 0.125});
    lab.command(RenameRun{lab.run("a").id, "first"});
    lab.command(DuplicateRun{lab.run("b").id});
    const Experiment saved = parseExperiment(lab.all<ExperimentText>().back().json, "x");
    EXPECT_EQ(saved.title, "T");
    ASSERT_EQ(saved.runs.size(), 3u);
    EXPECT_EQ(saved.runs[0].name, "first");
    EXPECT_EQ(saved.runs[0].training.precision.policy, "fp32") << "before its event";
    EXPECT_EQ(saved.runs[1].training.optimizer.lr, 0.125);
    EXPECT_EQ(saved.runs[2].training, saved.runs[1].training);
    ASSERT_EQ(saved.events.size(), 1u);
    EXPECT_EQ(saved.events[0].run, "first");

    const std::size_t told = lab.all<ExperimentText>().size();
    EXPECT_NE(lab.command(LoadExperiment{"broken", "{"}), "");
    EXPECT_NE(lab.command(ChangeSetting{lab.run("b").id, "/optimizer/lr", -1}), "");
    lab.trainTo(40);
    EXPECT_EQ(lab.all<ExperimentText>().size(), told) << "nothing has changed it";
}

TEST(Session, InitialWeightsComeFromTheFile) {
    const std::filesystem::path path = std::filesystem::temp_directory_path() / "mantissa_session_test.safetensors";
    SessionFixture lab;
    lab.load(task(kTwoRuns));
    lab.trainTo(20);
    const Trainer* trained = lab.session.trainer(lab.run("a").id);
    writeSafetensors(path, trained->weights());
    ASSERT_EQ(lab.command(AddRun{Json{{"name", "warm"}, {"init", {{"weights", path.string()}}}}}), "");
    const auto warm = lab.session.trainer(lab.run("warm").id)->weights(), from = trained->weights();
    for (std::size_t i = 0; i < from.size(); ++i) EXPECT_EQ(warm[i].values, from[i].values);
    EXPECT_NE(lab.command(AddRun{Json{{"name", "other"}, {"model", {{"hidden", {8}}}}, {"init", {{"weights", path.string()}}}}})
                  .find("has another shape for layers.0.weight (16x64 instead of 8x64)"),
              std::string::npos);
    std::filesystem::remove(path);
}

}  // namespace
}  // namespace mantissa
