// SPDX-License-Identifier: Apache-2.0
// Looks at tensors through a session: who is told what, and that training does not notice.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "engine/recording/recording.h"
#include "engine/session/replay.h"
#include "engine/session/statistics_cost.h"
#include "tests/engine/session/same_records.h"
#include "tests/engine/session/session_fixture.h"

namespace mantissa {
namespace {

using test::kTwoRuns;
using test::SessionFixture;
using test::task;

const std::string kScaledRun = R"({"name":"a"},{"name":"b","precision":"fp16","scaler":{"preset":"static","init_scale":256}})";

std::vector<TensorsMeasured> measuredOf(const SessionFixture& lab, RunId run) {
    std::vector<TensorsMeasured> found;
    for (TensorsMeasured& each : lab.all<TensorsMeasured>()) {
        if (each.run == run) found.push_back(std::move(each));
    }
    return found;
}

TEST(StatsSession, SaysNothingUnlessItIsAsked) {
    SessionFixture lab;
    lab.load(task(kTwoRuns));
    lab.trainTo(40);
    EXPECT_TRUE(lab.all<TensorsMeasured>().empty());
    EXPECT_EQ(lab.all<StateChanged>().back().instrumentation, Instrumentation::Off);
}

TEST(StatsSession, TellsTheNewestStepOfEachRunAndChangesNone) {
    SessionFixture lab, off;
    for (SessionFixture* each : {&lab, &off}) each->load(task(kScaledRun));
    ASSERT_EQ(lab.command(SetInstrumentation{Instrumentation::Full}), "");
    EXPECT_EQ(lab.all<StateChanged>().back().instrumentation, Instrumentation::Full);
    for (SessionFixture* each : {&lab, &off}) each->trainTo(50);
    for (const char* name : {"a", "b"}) {
        test::expectSameBits(lab.recordsOf(name), off.recordsOf(name));
        const RunId id = lab.run(name).id;
        const auto measured = measuredOf(lab, id);
        ASSERT_FALSE(measured.empty());
        for (std::size_t i = 1; i < measured.size(); ++i) EXPECT_GT(measured[i].stats.step, measured[i - 1].stats.step);
        EXPECT_EQ(measured.back().stats.step, lab.recordsOf(name).back().step) << "when it pauses, the last one";
        EXPECT_EQ(measured.back().stats, lab.session.trainer(id)->stats());
        EXPECT_EQ(measured.back().stats.lossScale, name == std::string("b") ? 256 : 1);
        EXPECT_EQ(measured.back().cost, 0) << "no step without looks to compare with";
    }
}

TEST(StatsSession, StepsComeBeforeWhatWasSeenOfThem) {
    SessionFixture lab;
    lab.session.measureTensors(Instrumentation::Full);
    lab.load(task(kTwoRuns));
    lab.trainTo(60);
    std::map<RunId, std::int64_t> told;
    for (const Event& event : lab.events) {
        if (const auto* steps = std::get_if<StepsRecorded>(&event)) told[steps->run] = steps->records.back().step;
        if (const auto* measured = std::get_if<TensorsMeasured>(&event)) {
            EXPECT_EQ(told.at(measured->run), measured->stats.step);
        }
    }
}

TEST(StatsSession, SampledLooksAtWholePeriodsAndKnowsItsCost) {
    SessionFixture lab;
    lab.session.measureTensors(Instrumentation::Sampled);
    lab.load(task(R"({"name":"a","steps":400})"));
    lab.trainTo(5 * kSampledPeriod);
    const auto measured = measuredOf(lab, lab.run("a").id);
    ASSERT_FALSE(measured.empty());
    for (const TensorsMeasured& each : measured) EXPECT_EQ(each.stats.step % kSampledPeriod, 0);
    EXPECT_EQ(measured.back().stats.step, lab.recordsOf("a").back().step / kSampledPeriod * kSampledPeriod);
    EXPECT_GT(measured.back().cost, 0);
}

/// At every step, in part; what a step is asked for by itself is seen whole, and the level holds on.
TEST(StatsSession, OneBlockInEightOfEachStepAndAllOfOneThatIsAskedFor) {
    SessionFixture lab;
    lab.load(task(R"({"name":"a","model":{"hidden":[128]}})"));
    const RunId run = lab.run("a").id;
    lab.trainTo(8);
    ASSERT_EQ(lab.command(SetInstrumentation{Instrumentation::Blocks}), "");
    EXPECT_EQ(lab.all<StateChanged>().back().instrumentation, Instrumentation::Blocks);
    lab.trainTo(20);
    const TensorsMeasured last = measuredOf(lab, run).back();
    EXPECT_EQ(last.stats.step, 19);
    EXPECT_TRUE(last.stats.isPartial());
    EXPECT_GT(last.cost, 0) << "against the steps before";
    ASSERT_EQ(lab.command(MeasureStep{run, 19}), "");
    const TensorsMeasured asked = measuredOf(lab, run).back();
    EXPECT_TRUE(asked.wasAskedFor);
    EXPECT_EQ(asked.stats.step, 19);
    EXPECT_FALSE(asked.stats.isPartial());
    EXPECT_EQ(lab.session.trainer(run)->instrumentation(), Instrumentation::Blocks);
}

TEST(StatsSession, HoldsForRunsThatComeLaterAndThroughWhatHappensToThem) {
    SessionFixture lab;
    lab.session.measureTensors(Instrumentation::Full);
    lab.load(task(kTwoRuns));
    lab.trainTo(10);
    ASSERT_EQ(lab.command(AddRun{Json{{"name", "c"}, {"precision", "fp16"}}}), "");
    ASSERT_EQ(lab.command(ForkRun{lab.run("a").id, 5, {}, "d", 0}), "");
    ASSERT_EQ(lab.command(ChangeSetting{lab.run("b").id, "/precision", "fp32"}), "");
    ASSERT_EQ(lab.command(RewindRuns{lab.run("b").id, 4}), "");
    lab.trainTo(12);
    for (const char* name : {"a", "b", "c", "d"}) {
        const auto measured = measuredOf(lab, lab.run(name).id);
        ASSERT_FALSE(measured.empty()) << name;
        EXPECT_EQ(measured.back().stats.step, lab.recordsOf(name).back().step) << name;
    }
    ASSERT_EQ(lab.command(ResetExperiment{}), "");
    lab.events.clear();
    lab.session.post({999, SingleStep{}});
    lab.session.advance(0, 0);
    EXPECT_EQ(lab.all<TensorsMeasured>().size(), 4u) << "one for each run's step 0";
    ASSERT_EQ(lab.command(SetInstrumentation{Instrumentation::Off}), "");
    lab.events.clear();
    lab.session.post({1000, SingleStep{}});
    lab.session.advance(0, 0);
    EXPECT_TRUE(lab.all<TensorsMeasured>().empty());
}

TEST(StatsSession, IsNotRecorded) {
    const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / ("stats_" + std::to_string(::getpid()) + ".mantissa");
    {
        SessionFixture lab;
        lab.session.recordTo(file.string());
        lab.load(task(kScaledRun));
        ASSERT_EQ(lab.command(SetInstrumentation{Instrumentation::Full}), "");
        lab.trainTo(60);
        EXPECT_FALSE(lab.all<TensorsMeasured>().empty());
        lab.session.endRecording();
    }
    const Recording recording(file.string());
    const Replayed again = replay(recording, createCpuBackend(), [](std::int64_t) { return true; });
    EXPECT_EQ(again.steps, 120);
    EXPECT_FALSE(again.first) << again.first->column << " at step " << again.first->step;
    SessionFixture opened;
    ASSERT_EQ(opened.command(OpenRecording{file.string()}), "");
    EXPECT_TRUE(opened.all<TensorsMeasured>().empty());
    EXPECT_EQ(opened.recordsOf("b").size(), 60u);
    std::filesystem::remove(file);
}

TEST(StatisticsCost, IsTheRatioOfMedians) {
    StatisticsCost cost;
    EXPECT_EQ(cost.ratio(Instrumentation::Off), 1);
    EXPECT_FALSE(cost.ratio(Instrumentation::Full));
    for (int i = 0; i < 100; ++i) cost.add(Instrumentation::Sampled, false, i % 10 == 0 ? 500 : 2);  // stalls
    EXPECT_FALSE(cost.ratio(Instrumentation::Full));
    for (const double ms : {3.0, 900.0, 3.0}) cost.add(Instrumentation::Sampled, true, ms);
    EXPECT_EQ(cost.ratio(Instrumentation::Full), 1.5);
    EXPECT_EQ(cost.ratio(Instrumentation::Sampled), 1 + 0.5 / kSampledPeriod);
    EXPECT_FALSE(cost.ratio(Instrumentation::Blocks)) << "of looks at all";
    for (int i = 0; i < 3; ++i) cost.add(Instrumentation::Blocks, true, 2.5);
    EXPECT_EQ(cost.ratio(Instrumentation::Blocks), 1.25);
    EXPECT_EQ(cost.ratio(Instrumentation::Full), 1.5);
    for (int i = 0; i < 63; ++i) cost.add(Instrumentation::Blocks, false, 1);  // what is long past is forgotten
    EXPECT_EQ(cost.ratio(Instrumentation::Full), 3);
}

}  // namespace
}  // namespace mantissa
