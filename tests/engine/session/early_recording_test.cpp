// SPDX-License-Identifier: Apache-2.0
// A recording that an early build of version 0.1.0 wrote, and that every later one must read: three runs of a small task, a live change, a
// rewind, a fork with its stored snapshot, a NaN put in. It is never written anew; a change of what recordings hold adds a file beside it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "engine/session/replay.h"
#include "tests/engine/session/session_fixture.h"

namespace mantissa {
namespace {

namespace fs = std::filesystem;

class EarlyRecording : public testing::Test {
protected:
    fs::path folder = fs::path(testing::TempDir()) / ("early_" + std::to_string(::getpid()));
    std::string file = (folder / "early.mantissa").string();

    EarlyRecording() {
        fs::create_directories(folder);
        fs::copy_file(MANTISSA_EARLY_RECORDING, file);
        fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
    }
    ~EarlyRecording() override { fs::remove_all(folder); }
};

TEST_F(EarlyRecording, OpensAndGoesOn) {
    test::SessionFixture lab;
    lab.session.recordInto(folder.string());
    ASSERT_EQ(lab.command(OpenRecording{file}), "");
    EXPECT_EQ(lab.all<RecordingOpened>().at(0).whyReadOnly, "");
    EXPECT_EQ(lab.recordsOf("plain").size(), 42u);
    EXPECT_EQ(lab.recordsOf("half").size(), 48u);
    EXPECT_EQ(lab.recordsOf("fork").size(), 6u);
    EXPECT_TRUE(std::isnan(lab.recordsOf("plain")[33].loss));
    EXPECT_EQ(lab.recordsOf("plain")[12].lr, 0.004);
    EXPECT_EQ(lab.recordsOf("plain")[1].wallSeconds, 0.000272193) << "its own share of the time, as it was then";
    EXPECT_EQ(lab.recordsOf("plain")[1].stepMs, 0.045557);
    EXPECT_EQ(lab.all<SettingApplied>().size(), 5u);
    EXPECT_EQ(lab.run("fork").firstStep, 40);
    EXPECT_EQ(lab.run("fork").kind, RunKind::Live);
    EXPECT_EQ(lab.run("fork").settings.training.clipGradNorm, 0.5);

    lab.trainTo(60);
    EXPECT_EQ(lab.recordsOf("plain").size(), 60u);
    EXPECT_EQ(lab.recordsOf("fork").size(), 20u);
}

/// To the bit on the processor that wrote it; another one's vector units may add in another order.
TEST_F(EarlyRecording, ReplaysToTheSameValues) {
    constexpr double kRounding = 1e-5;  // of sums of 64 floats, 50 steps long
    const Replayed done = replay(Recording(file), createCpuBackend(), [](std::int64_t) { return true; });
    if (const auto& first = done.first) {
        EXPECT_LE(std::abs(first->replayed - first->recorded), kRounding * std::abs(first->recorded))
            << first->run << " at step " << first->step << ": " << first->column << " " << first->recorded << " " << first->replayed;
    } else {
        EXPECT_EQ(done.runs, 3);
        EXPECT_EQ(done.steps, 42 + 48 + 6 + 6);  // six steps of one run came twice
        EXPECT_EQ(done.changes, 2);
    }
}

}  // namespace
}  // namespace mantissa
