// SPDX-License-Identifier: Apache-2.0
// A recording opened again: whatever is done or left undone then, what was recorded stays.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "engine/recording/recorder.h"
#include "engine/session/journal.h"
#include "engine/session/replay.h"
#include "tests/engine/session/same_records.h"
#include "tests/engine/session/session_fixture.h"

namespace mantissa {
namespace {

namespace fs = std::filesystem;
using test::expectSameBits;
using test::kTwoRuns;
using test::SessionFixture;
using test::task;

class Reopened : public testing::Test {
protected:
    fs::path folder = fs::path(testing::TempDir()) / ("reopened_" + std::to_string(::getpid()));
    std::string file = (folder / "a.mantissa").string();

    Reopened() { fs::create_directories(folder); }
    ~Reopened() override { fs::remove_all(folder); }

    /// Records two runs of 50 steps and what `then` does.
    void record(
        const std::function<void(SessionFixture&)>& then = [](SessionFixture&) {}, const std::string& experiment = task(kTwoRuns)) const {
        SessionFixture lab;
        lab.session.recordTo(file);
        lab.load(experiment);
        lab.trainTo(50);
        then(lab);
    }
    /// Opens it, so that it is gone on with in the same file.
    std::unique_ptr<SessionFixture> open() const {
        auto lab = std::make_unique<SessionFixture>();
        lab->session.recordInto(folder.string());
        EXPECT_EQ(lab->command(OpenRecording{file}), "");
        EXPECT_EQ(lab->all<RecordingOpened>().at(0).whyReadOnly, "");
        return lab;
    }
    void expectReplays() const {
        const Replayed done = replay(Recording(file), createCpuBackend(), [](std::int64_t) { return true; });
        EXPECT_FALSE(done.first.has_value()) << done.first->run << " at step " << done.first->step << ": " << done.first->column;
    }
};

TEST_F(Reopened, ClosedBeforeItHasCaughtUpItHasAllOfItsSteps) {
    record();
    std::vector<StepRecord> before;
    for (int i = 0; i < 2; ++i) {
        const auto lab = open();
        before = lab->recordsOf("b");
        EXPECT_EQ(before.size(), 50u);
        const std::uint64_t id = lab->post(Train{});
        if (i == 0) {
            lab->post(Quit{});
        } else {
            lab->post(Pause{});
        }
        for (int turn = 0; turn < 4; ++turn) lab->session.advance(0, 0);
        EXPECT_EQ(lab->count<CommandRefused>([&](const CommandRefused& refused) { return refused.commandId == id; }), 1);
        EXPECT_TRUE(lab->all<RunRewound>().empty());
    }
    const auto lab = open();
    expectSameBits(lab->recordsOf("b"), before);
    lab->trainTo(60);
    EXPECT_EQ(lab->recordsOf("b").size(), 60u);
    lab->session.endRecording();
    expectReplays();
}

TEST_F(Reopened, AWhatIfWaitsForACommand) {
    record([](SessionFixture& lab) { ASSERT_EQ(lab.command(ForkRun{lab.run("a").id, 40, {}, "", 12}), ""); });  // closed at once
    auto lab = open();
    const RunId whatIf = lab->run("a 2").id;
    const std::size_t had = lab->records[whatIf].size();
    EXPECT_LT(had, 12u);
    for (int i = 0; i < 20; ++i) lab->session.advance(1, 0);
    EXPECT_EQ(lab->records[whatIf].size(), had);
    ASSERT_EQ(lab->command(Train{}), "");
    lab->finish(whatIf, 12);
    EXPECT_EQ(lab->records[whatIf].size(), 12u);
    ASSERT_EQ(lab->command(Pause{}), "");
    lab.reset();
    lab = open();
    EXPECT_EQ(lab->records[whatIf].size(), 12u);
}

TEST_F(Reopened, ANewRunHasAnIdOfItsOwn) {
    RunId removed = -1;
    record([&](SessionFixture& lab) {
        ASSERT_EQ(lab.command(ForkRun{lab.run("a").id, 40, {}, "gone", 0}), "");
        removed = lab.run("gone").id;
        ASSERT_EQ(lab.command(RemoveRun{removed}), "");
    });
    {
        const auto lab = open();
        ASSERT_EQ(lab->command(ForkRun{lab->run("b").id, 30, {}, "new", 0}), "");
        EXPECT_NE(lab->run("new").id, removed);
        lab->trainTo(60);
    }
    EXPECT_EQ(open()->run("new").kind, RunKind::Live);
}

TEST_F(Reopened, AForkOfTheBeginningGoesOn) {
    record([](SessionFixture& lab) {
        ASSERT_EQ(lab.command(ForkRun{lab.run("a").id, 0, {{"/optimizer/lr", 0.02}}, "anew", 0}), "");
        lab.trainTo(50);
    });
    const auto lab = open();
    EXPECT_EQ(lab->run("anew").kind, RunKind::Live) << lab->run("anew").origin;
    EXPECT_EQ(lab->run("anew").parent, lab->run("a").id);
    lab->trainTo(60);
    for (const RunCaughtUp& there : lab->all<RunCaughtUp>()) EXPECT_EQ(there.differsAt, -1) << there.run;
    EXPECT_EQ(lab->recordsOf("anew").back().lr, 0.02);
}

TEST_F(Reopened, AChangeThatARewindTookBackIsNotMadeAgain) {
    record([](SessionFixture& lab) {
        const RunId a = lab.run("a").id;
        ASSERT_EQ(lab.command(ChangeSetting{a, "/optimizer/lr", 0.5}), "");
        ASSERT_EQ(lab.command(RewindRuns{a, 50}), "");  // nothing was trained with it
        lab.trainTo(55);
    });
    expectReplays();
    const auto lab = open();
    lab->trainTo(60);
    for (const RunCaughtUp& there : lab->all<RunCaughtUp>()) EXPECT_EQ(there.differsAt, -1);
}

TEST_F(Reopened, WhatCannotBeTrainedAgainIsLookedAt) {
    record();
    const std::string other = (folder / "b.mantissa").string();
    {
        const Recording recording(file);
        Recorder recorder(other, recording.facts(), [](const RecordingState&) {});
        recording.read({.steps = [&](RunId run, std::span<const StepRecord> records) { recorder.append(run, records); },
                        .entry = [&](const LogEntry& entry) { recorder.append(entry); }});
        recorder.append(LogEntry{kChangeEntry, 0, 20, {{"pointer", "/optimizer/lr"}, {"value", nullptr}}});
    }
    SessionFixture lab;
    lab.session.recordInto(folder.string());
    ASSERT_EQ(lab.command(OpenRecording{other}), "");
    ASSERT_EQ(lab.command(Train{}), "");
    EXPECT_EQ(lab.run("a").kind, RunKind::Recorded);
    EXPECT_EQ(lab.run("b").kind, RunKind::Live);
    EXPECT_EQ(lab.recordsOf("a").size(), 50u) << "and all of it";
}

TEST_F(Reopened, BesideOthersARunThatWasResetHasItsLastLife) {
    std::size_t stepsOfA = 0, stepsOfChild = 0;  // one of them may be a turn ahead
    record([&](SessionFixture& lab) {
        ASSERT_EQ(lab.command(ForkRun{lab.run("a").id, 30, {}, "child", 0}), "");
        lab.trainTo(50);
        ASSERT_EQ(lab.command(ResetExperiment{}), "");
        lab.trainTo(20);
        const auto stepsOf = [&](const char* run) { return static_cast<std::size_t>(lab.session.trainer(lab.run(run).id)->nextStep()); };
        stepsOfA = stepsOf("a"), stepsOfChild = stepsOf("child");
    });
    ASSERT_GE(stepsOfA, 20u);
    ASSERT_LT(stepsOfA, 50u);
    SessionFixture lab;
    lab.load(task(kTwoRuns));
    ASSERT_EQ(lab.command(ImportRuns{file}), "");
    EXPECT_EQ(lab.recordsOf("a 2").size(), stepsOfA);
    EXPECT_EQ(lab.recordsOf("child").size(), stepsOfChild);
    EXPECT_EQ(lab.recordsOf("child").front().step, 0);
}

TEST_F(Reopened, AnInputThatIsNoNumberIsSaidInWords) {
    record([](SessionFixture& lab) {
        const RunId a = lab.run("a").id;
        EXPECT_NE(lab.command(ChangeSetting{a, "/inject/input", std::nan("")}), "");
        EXPECT_EQ(lab.command(ChangeSetting{a, "/inject/input", "nan"}), "");
        lab.trainTo(55);
    });
    expectReplays();
}

TEST_F(Reopened, DataThatHaveChangedSinceAreSaidAndNothingGoesOn) {
    const std::string words = (folder / "words.txt").string();
    std::string text;
    for (int i = 0; i < 300; ++i) text += "a line of words\n";
    std::ofstream(words) << text;
    record([](SessionFixture&) {}, R"({"data":{"name":"text","path":")" + words + R"(","batch_size":2,"context":8},"steps":60,
        "model":{"kind":"gpt","n_layer":1,"n_head":2,"n_embd":8},"runs":[{"name":"a"}]})");
    open()->trainTo(52);
    text.back() = '!';
    std::ofstream(words) << text;
    const auto lab = open();
    EXPECT_EQ(lab->run("a").kind, RunKind::Recorded);
    EXPECT_NE(lab->run("a").origin.find("words.txt' have changed since they were recorded"), std::string::npos) << lab->run("a").origin;
    EXPECT_EQ(lab->recordsOf("a").size(), 52u);
    lab->command(RewindRuns{-1, 20});
    EXPECT_TRUE(lab->all<RunRewound>().empty());
    EXPECT_EQ(lab->recordsOf("a").size(), 52u);
}

}  // namespace
}  // namespace mantissa
