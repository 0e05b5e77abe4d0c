// SPDX-License-Identifier: Apache-2.0
// Back to any step and on again, to the last bit; forks; what-ifs.
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <thread>

#include "engine/session/history.h"
#include "tests/engine/session/same_records.h"
#include "tests/engine/session/session_fixture.h"
#include "tests/support/forwarding_backend.h"

namespace mantissa {
namespace {

using test::expectSameBits;
using test::SessionFixture;
using test::task;

const std::string kFourFormats = R"({"name":"fp32"},
 {"name":"fp16","precision":"fp16","scaler":{"preset":"pytorch","init_scale":1048576,"growth_interval":7}},
 {"name":"pure","precision":{"policy":"pure-bf16","weight_update":"stochastic"}},
 {"name":"fp8","precision":"fp8"})";
constexpr std::int64_t kScaleIsSetAt = 20;  // of fp16, by an event
const std::string kEvents = R"("events":[
 {"step":20,"run":"fp16","set":{"/scaler/scale":16777216}},
 {"step":31,"run":"fp32","set":{"/precision":"bf16"}},
 {"step":36,"run":"fp16","set":{"/inject/tensor":{"tensor":"layers.1.output.grad","value":"Infinity"}}},
 {"step":40,"run":"pure","set":{"/inject/input":1000}},
 {"step":41,"run":"fp8","set":{"/inject/tensor":{"tensor":"layers.0.output","value":600,"element":3}}},
 {"step":45,"run":"fp8","set":{"/optimizer/lr":0.01}}],)";

TEST(Rewind, FiftyRandomStepsGiveWhatWasRecorded) {
    SessionFixture lab;
    lab.load(task(kFourFormats, kEvents));
    lab.trainTo(10);
    ASSERT_EQ(lab.command(ChangeSetting{lab.run("fp16").id, "/optimizer/lr", 0.003}), "");
    ASSERT_EQ(lab.command(ChangeSetting{lab.run("fp32").id, "/clip_grad_norm", 0.5}), "");
    lab.trainTo(1000);
    const auto recorded = lab.records;
    std::mt19937 random(1);
    for (int i = 0; i < 50; ++i) {
        const auto step = static_cast<std::int64_t>(11 + random() % 50);  // after the changes by hand, which going back would undo
        ASSERT_EQ(lab.command(RewindRuns{-1, step}), "");
        for (const RunCaughtUp& there : lab.all<RunCaughtUp>()) {
            EXPECT_EQ(there.differsAt, -1) << "run " << there.run << " on the way to " << step;
        }
        const auto there = lab.all<RunCaughtUp>();
        const RunId fp16 = lab.run("fp16").id;
        const auto last = std::find_if(there.rbegin(), there.rend(), [&](const RunCaughtUp& each) { return each.run == fp16; });
        ASSERT_NE(last, there.rend());
        if (step < 60 && step != kScaleIsSetAt) {
            EXPECT_EQ(last->nextScale, recorded.at(fp16)[static_cast<std::size_t>(step)].lossScale) << step;
        }
        for (const auto& [id, records] : lab.records) EXPECT_EQ(records.size(), static_cast<std::size_t>(step));
        EXPECT_EQ(lab.session.state(), LabState::Paused);
        lab.trainTo(1000);
        for (const auto& [id, records] : lab.records) expectSameBits(records, recorded.at(id));
    }
}

TEST(Rewind, UndoesWhatWasChangedByHandFromThereOn) {
    SessionFixture lab;
    lab.load(task(test::kTwoRuns));
    lab.trainTo(60);
    const auto plain = lab.recordsOf("a");
    ASSERT_EQ(lab.command(ResetExperiment{}), "");
    lab.trainTo(20);
    ASSERT_EQ(lab.command(ChangeSetting{lab.run("a").id, "/optimizer/lr", 0.5}), "");
    lab.trainTo(40);
    EXPECT_NE(lab.recordsOf("a")[30].loss, plain[30].loss);
    ASSERT_EQ(lab.command(RewindRuns{lab.run("a").id, 20}), "");
    EXPECT_EQ(lab.run("a").settings.training.optimizer.lr, 1e-3);
    EXPECT_EQ(lab.recordsOf("b").size(), 40u) << "the other one stays";
    lab.trainTo(60);
    expectSameBits(lab.recordsOf("a"), plain);
}

TEST(Rewind, OfAStepThatIsNotThereIsRefused) {
    SessionFixture lab;
    EXPECT_NE(lab.command(RewindRuns{-1, 0}), "");
    lab.load(task(test::kTwoRuns));
    lab.trainTo(10);
    const RunId a = lab.run("a").id;
    EXPECT_NE(lab.command(RewindRuns{a, 11}).find("from 0 to 10"), std::string::npos);
    EXPECT_NE(lab.command(RewindRuns{a, -1}), "");
    EXPECT_NE(lab.command(RewindRuns{99, 3}), "");
    EXPECT_EQ(lab.recordsOf("a").size(), 10u);
}

TEST(Rewind, HoldsWhenItIsEndedOnTheWay) {
    SessionFixture lab;
    lab.load(task(test::kTwoRuns));
    lab.trainTo(50);
    const auto recorded = lab.recordsOf("a");
    const std::uint64_t id = lab.post(RewindRuns{-1, 49});
    lab.post(Pause{});
    for (int i = 0; i < 3; ++i) lab.session.advance(0, 0);
    EXPECT_EQ(lab.count<CommandDone>([&](const CommandDone& done) { return done.commandId == id; }), 1);
    EXPECT_EQ(lab.all<RunCaughtUp>().size(), 0u) << "it has not got there";
    EXPECT_EQ(lab.recordsOf("a").size(), 49u);
    lab.trainTo(50);
    EXPECT_EQ(lab.all<RunCaughtUp>().size(), 2u);
    expectSameBits(lab.recordsOf("a"), recorded);
}

TEST(Fork, WithNothingChangedFollowsItsParent) {
    SessionFixture lab;
    lab.load(task(kFourFormats, kEvents));
    lab.trainTo(25);
    ASSERT_EQ(lab.command(ChangeSetting{lab.run("fp16").id, "/scaler/growth_interval", 3}), "");
    ASSERT_EQ(lab.command(ChangeSetting{lab.run("fp32").id, "/optimizer/lr", 0.02}), "");
    lab.trainTo(1000);
    const auto recorded = lab.records;
    for (const char* name : {"fp32", "fp16", "pure", "fp8"}) {
        for (const std::int64_t step : {0, 13, 25, 40, 59}) {
            const RunId parent = lab.run(name).id;
            ASSERT_EQ(lab.command(ForkRun{parent, step, {}, "", 0}), "");
            const RunInfo child = lab.runs().back();
            EXPECT_EQ(child.parent, parent);
            EXPECT_EQ(child.firstStep, step);
            EXPECT_EQ(child.kind, RunKind::Live);
            lab.trainTo(1000);
            const std::vector<StepRecord> expected(recorded.at(parent).begin() + step, recorded.at(parent).end());
            expectSameBits(lab.records[child.id], expected);
            expectSameBits(lab.records[parent], recorded.at(parent));
            ASSERT_EQ(lab.command(RemoveRun{child.id}), "");
        }
    }
}

TEST(Fork, GoesItsOwnWayFromTheStepOn) {
    SessionFixture lab;
    lab.load(task(test::kTwoRuns));
    lab.trainTo(30);
    const RunId a = lab.run("a").id;
    ASSERT_EQ(lab.command(ChangeSetting{a, "/optimizer/lr", 0.004}), "");  // its parent's later choice of the same setting is not its own
    lab.trainTo(40);
    ASSERT_EQ(lab.command(ForkRun{a, 20, {{"/optimizer/lr", 0.1}}, "hot", 0}), "");
    const RunInfo hot = lab.run("hot");
    EXPECT_EQ(hot.settings.training.optimizer.lr, 0.1);
    lab.trainTo(1000);
    EXPECT_EQ(lab.recordsOf("hot").front().step, 20);
    EXPECT_EQ(lab.recordsOf("hot").front().loss, lab.recordsOf("a")[20].loss) << "the same weights and batch";
    EXPECT_NE(lab.recordsOf("hot")[1].loss, lab.recordsOf("a")[21].loss);
    EXPECT_EQ(lab.recordsOf("hot").back().lr, 0.1);
    EXPECT_NE(lab.command(RewindRuns{hot.id, 19}), "") << "what was before is its parent's";
    EXPECT_EQ(lab.command(RewindRuns{hot.id, 20}), "");
    EXPECT_EQ(lab.command(ForkRun{hot.id, 20, {}, "", 0}), "") << "of a fork";
    EXPECT_NE(lab.command(ForkRun{a, 20, {{"/optimizer/lr", -1}}, "bad", 0}), "");
    EXPECT_EQ(lab.count<RunRemoved>([](const RunRemoved&) { return true; }), 1) << "the one that could not be";
    EXPECT_NE(lab.command(ForkRun{a, 20, {}, "hot", 0}), "") << "the name is taken";
}

TEST(Fork, WithAChangeKeepsWhatTheFileHadSetBefore) {
    SessionFixture lab;
    lab.load(task(R"({"name":"a"})", R"("events":[{"step":10,"run":"a","set":{"/optimizer/lr":0.05}},
                                                  {"step":30,"run":"a","set":{"/optimizer/lr":0.02}}],)"));
    lab.trainTo(40);
    ASSERT_EQ(lab.command(ForkRun{lab.run("a").id, 20, {{"/optimizer/lr", 0.1}}, "hot", 0}), "");
    lab.trainTo(40);
    EXPECT_EQ(lab.recordsOf("hot").front().loss, lab.recordsOf("a")[20].loss) << "from the same point";
    EXPECT_EQ(lab.recordsOf("hot").back().lr, 0.1) << "and not what the file sets later";
}

TEST(WhatIf, TrainsItsStepsWhileTheOthersPause) {
    SessionFixture lab;
    lab.load(task(test::kTwoRuns));
    lab.trainTo(30);
    const RunId a = lab.run("a").id;
    ASSERT_EQ(lab.command(ForkRun{a, 25, {{"/optimizer/lr", 0.1}}, "", 12}), "");
    const RunInfo whatIf = lab.runs().back();
    EXPECT_EQ(whatIf.kind, RunKind::WhatIf);
    lab.finish(whatIf.id, 12);
    EXPECT_EQ(lab.records[whatIf.id].size(), 12u);
    EXPECT_EQ(lab.recordsOf("a").size(), 30u);
    EXPECT_EQ(lab.session.state(), LabState::Paused);
    EXPECT_EQ(lab.all<ExperimentText>().back().json.find("\"a 2\""), std::string::npos) << "it is none of the experiment's";
    ASSERT_EQ(lab.command(KeepRun{whatIf.id}), "");
    EXPECT_EQ(lab.run("a 2").kind, RunKind::Live);
    EXPECT_NE(lab.command(KeepRun{whatIf.id}), "");
    lab.trainTo(1000);
    EXPECT_EQ(lab.records[whatIf.id].back().step, 59);
    ASSERT_EQ(lab.command(ForkRun{a, 25, {}, "", 5}), "");
    ASSERT_EQ(lab.command(ResetExperiment{}), "");
    EXPECT_EQ(lab.runs().size(), 3u) << "a what-if does not outlive a reset";
}

/// The CPU, each of whose steps takes longer than a turn of the session.
struct SlowCpu : test::ForwardingBackend {
    void copyIn(Queue& queue, void* to, const void* from, std::size_t bytes) override {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        ForwardingBackend::copyIn(queue, to, from, bytes);
    }
};

TEST(WhatIf, EmitsItsLastStepThoughItsTimeIsUp) {
    SessionFixture lab(std::make_shared<SlowCpu>());
    lab.load(task(test::kTwoRuns));
    ASSERT_EQ(lab.command(ForkRun{lab.run("a").id, 0, {}, "", 3}), "");
    const RunId whatIf = lab.runs().back().id;
    for (int turn = 0; turn < 100; ++turn) lab.session.advance(0.1, 0);
    EXPECT_EQ(lab.session.trainer(whatIf)->nextStep(), 3);
    EXPECT_EQ(lab.records[whatIf].size(), 3u);
}

RunPoint pointAt(std::int64_t step, std::size_t bytes) {
    Snapshot snapshot;
    snapshot.memory.resize(bytes);
    return {step, {}, {}, false, std::make_shared<const Snapshot>(std::move(snapshot))};
}

TEST(History, KeepsWithinItsBudgetSparserTheFurtherBack) {
    History history({}, 1000);
    for (std::int64_t step = 1; step <= 1000; ++step) history.keep(pointAt(step, 100), 0);
    std::vector<std::int64_t> steps;
    for (std::int64_t step = 0; step <= 1000; ++step) {
        const std::int64_t nearest = history.nearest(step).step;
        ASSERT_LE(nearest, step);
        if (steps.empty() || steps.back() != nearest) steps.push_back(nearest);
    }
    EXPECT_EQ(steps.front(), 0);
    EXPECT_EQ(steps.back(), 1000);
    EXPECT_EQ(steps.size(), 11u);
    EXPECT_LT(steps[10] - steps[9], steps[2] - steps[1]);
    EXPECT_LT(steps[2], 600);
    history.forgetFrom(500);
    EXPECT_LE(history.latest().step, 500);
}

TEST(History, WithLessRoomOlderPointsGo) {
    History history(pointAt(0, 100), 1000);
    for (std::int64_t step = 1; step <= 100; ++step) history.keep(pointAt(step, 100), 0);
    EXPECT_EQ(history.bytes(), 1000);
    history.setBudget(400);
    EXPECT_EQ(history.bytes(), 400);
    EXPECT_EQ(history.latest().step, 100);
    history.keepOnlyLatest();
    EXPECT_EQ(history.bytes(), 200);
    history.keep(pointAt(101, 100), 0);
    EXPECT_EQ(history.bytes(), 200);
    EXPECT_EQ(history.begin().step, 0);
    EXPECT_EQ(history.latest().step, 101);
}

TEST(History, SnapshotsCostAShareOfTheTime) {
    History history({}, 1000);
    EXPECT_TRUE(history.wants(500));
    EXPECT_FALSE(history.wants(501)) << "two do not fit";
    history.keep(pointAt(1, 500), 0.001);
    EXPECT_FALSE(history.wants(500));
    history.addTrainedSeconds(0.09);
    EXPECT_FALSE(history.wants(500));
    history.addTrainedSeconds(0.02);
    EXPECT_TRUE(history.wants(500));
}

}  // namespace
}  // namespace mantissa
