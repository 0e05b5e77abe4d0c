// SPDX-License-Identifier: Apache-2.0
// Wall time: a clock that all runs of a session share, without its pauses.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <thread>

#include "tests/engine/session/session_fixture.h"

namespace mantissa {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using test::kTwoRuns;
using test::SessionFixture;
using test::task;

double secondsOfSteps(const std::vector<StepRecord>& records) {
    double ms = 0;
    for (const StepRecord& record : records) ms += record.stepMs;
    return ms / 1000;
}

double wallAfter(SessionFixture& lab) {
    return std::max(lab.recordsOf("a").back().wallSeconds, lab.recordsOf("b").back().wallSeconds);
}

TEST(TrainingClock, IsSharedByTheRuns) {
    for (const bool isLockstep : {true, false}) {
        SessionFixture lab;
        lab.load(task(kTwoRuns));
        ASSERT_EQ(lab.command(SetLockstep{isLockstep}), "");
        lab.trainTo(60);
        const auto &a = lab.recordsOf("a"), &b = lab.recordsOf("b");
        ASSERT_EQ(a.size(), 60u);
        ASSERT_EQ(b.size(), 60u);
        for (std::size_t i = 0; isLockstep && i < a.size(); ++i) {
            EXPECT_LE(a[i].wallSeconds, b[i].wallSeconds) << i;
            EXPECT_LE(b[i].wallSeconds, i + 1 < a.size() ? a[i + 1].wallSeconds : INFINITY) << i;
        }
        EXPECT_GE(wallAfter(lab), 0.99 * (secondsOfSteps(a) + secondsOfSteps(b)));
    }
}

TEST(TrainingClock, LeavesPausesOut) {
    SessionFixture lab;
    lab.load(task(kTwoRuns));
    const auto begin = Clock::now();
    lab.trainTo(20);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    ASSERT_EQ(lab.command(SingleStep{}), "");
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    lab.trainTo(60);
    const double elapsed = std::chrono::duration<double>(Clock::now() - begin).count();
    EXPECT_LE(wallAfter(lab), elapsed - 0.5);
    EXPECT_GT(lab.recordsOf("a")[20].wallSeconds, lab.recordsOf("a")[19].wallSeconds);
}

TEST(TrainingClock, GoesOnWhenRunsGoBackAndBeginsAgainWithThem) {
    SessionFixture lab;
    lab.load(task(kTwoRuns));
    lab.trainTo(40);
    const double before = wallAfter(lab);
    ASSERT_EQ(lab.command(RewindRuns{-1, 10}), "");
    lab.trainTo(60);
    EXPECT_GE(lab.recordsOf("a")[10].wallSeconds, before);
    const double after = wallAfter(lab);
    ASSERT_EQ(lab.command(ForkRun{lab.run("a").id, 30, {}, "", 0}), "");
    lab.trainTo(60);
    EXPECT_GE(lab.recordsOf("a 2").front().wallSeconds, after);
    ASSERT_EQ(lab.command(ResetExperiment{}), "");
    ASSERT_EQ(lab.command(SingleStep{}), "");
    EXPECT_LT(lab.recordsOf("a").front().wallSeconds, after);
}

TEST(TrainingClock, OfARecordingGoesOn) {
    const fs::path folder = fs::path(testing::TempDir()) / ("training_clock_" + std::to_string(::getpid()));
    fs::create_directories(folder);
    const std::string file = (folder / "a.mantissa").string();
    double before = 0;
    {
        SessionFixture lab;
        lab.session.recordTo(file);
        lab.load(task(kTwoRuns));
        lab.trainTo(40);
        before = wallAfter(lab);
    }
    SessionFixture lab;
    ASSERT_EQ(lab.command(OpenRecording{file}), "");
    EXPECT_EQ(wallAfter(lab), before);
    lab.trainTo(60);
    EXPECT_GE(lab.recordsOf("a")[40].wallSeconds, before);
    EXPECT_GE(lab.recordsOf("b")[40].wallSeconds, before);
    fs::remove_all(folder);
}

}  // namespace
}  // namespace mantissa
