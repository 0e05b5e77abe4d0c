// SPDX-License-Identifier: Apache-2.0
// A process that records is killed at random moments: its file is sound, opens, and has every step up to a quarter of a second before.
#include <algorithm>
#include <iostream>
#include <random>
#include <thread>

#include "child.h"
#include "recordings.h"
#include "tests/support/files_in_memory.h"
#include "tests/support/killed_recording.h"
#include "tests/support/sanitized.h"

namespace mantissa::test {
namespace {

namespace fs = std::filesystem;

constexpr int kKills = kIsSanitized ? 16 : 100;
constexpr int kTogether = 4;  // children at a time
constexpr int kStepsASecond = 400;

/// By how much the file of a killed child is behind; -1: nothing is missing.
std::int64_t checkKilled(Child& child) {
    std::vector<Stamp> stamps;
    for (Stamp stamp{}; child.read(stamp);) stamps.push_back(stamp);
    if (stamps.empty() && !fs::exists(child.path())) return -1;  // killed before it began
    const Recording recording(child.path());
    const auto steps = stepsOf(recording);
    EXPECT_EQ(recording.whyReadOnly(), "");
    for (std::size_t i = 0; i < steps.size(); ++i) expectSame(syntheticStep(static_cast<std::int64_t>(i)), steps[i].record);
    for (const SnapshotPlace& place : recording.snapshots()) {
        EXPECT_LE(place.stepsBefore, static_cast<std::int64_t>(steps.size()));
        const auto snapshot = recording.snapshot(place.id);
        EXPECT_TRUE(snapshot && snapshot->state == std::vector<std::byte>(200'000, std::byte{1}));
    }
    EXPECT_EQ(askSql(child.path(), "PRAGMA integrity_check"), "ok");
    const auto missing = std::find_if(stamps.begin(), stamps.end(),
                                      [&](const Stamp& stamp) { return stamp.step >= static_cast<std::int64_t>(steps.size()); });
    return missing == stamps.end() ? -1 : child.killedNs() - missing->ns;
}

class KillTest : public RecordingTest {
protected:
    KillTest() { keepFilesInMemory(); }
};

TEST_F(KillTest, LosesAQuarterOfASecondAtMost) {
    std::mt19937 random(20261121);
    std::uniform_int_distribution<int> lifeMs(20, 700);
    std::int64_t worstNs = 0;
    std::size_t files = 0;
    for (int first = 0; first < kKills; first += kTogether) {
        std::vector<std::pair<std::int64_t, std::unique_ptr<Child>>> children;  // with the moment of their end
        for (int i = first; i < std::min(first + kTogether, kKills); ++i) {
            auto child = std::make_unique<Child>((folder / (std::to_string(i) + ".mantissa")).string(), kStepsASecond);
            ASSERT_TRUE(child->isStarted());
            children.emplace_back(monotonicNs() + std::int64_t{lifeMs(random)} * 1'000'000, std::move(child));
        }
        std::sort(children.begin(), children.end());
        for (auto& [endNs, child] : children) {
            std::this_thread::sleep_for(std::chrono::nanoseconds(endNs - monotonicNs()));
            child->kill();
        }
        for (auto& [endNs, child] : children) {
            const std::int64_t lostNs = checkKilled(*child);
            EXPECT_LE(lostNs, kMayLoseNs) << child->path();
            worstNs = std::max(worstNs, lostNs);
            files += fs::exists(child->path()) ? 1 : 0;
        }
    }
    EXPECT_GT(files, static_cast<std::size_t>(kKills / 2));
    std::cout << kKills << " kills, " << files << " files, the oldest step lost was " << worstNs / 1'000'000 << " ms old\n";
}

TEST_F(KillTest, AFileIsGoneOnWithAfterAKillAndNotBefore) {
    Child child(path, kStepsASecond);
    Stamp stamp{};
    while (child.read(stamp) && stamp.step < 100) {
    }
    EXPECT_EQ(refusalOf([&] { Recorder::resume(path, {}); }), path + ": it is being written to at this moment");
    EXPECT_NE(refusalOf([&] { Recorder again(path, {}, {}); }), "");
    {
        const Recording recording(path);
        EXPECT_EQ(recording.whyReadOnly(), "it is being written to at this moment");
        EXPECT_NO_FATAL_FAILURE(stepsOf(recording));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    child.kill();
    const auto recorder = Recorder::resume(path, {});
    const auto steps = static_cast<std::int64_t>(stepsOf(Recording(path)).size());
    EXPECT_GT(steps, 100);
    EXPECT_EQ(recorder->state().steps, steps);
    record(*recorder, steps, 10);
    recorder->flush();
    const auto all = stepsOf(Recording(path));
    ASSERT_EQ(all.size(), static_cast<std::size_t>(steps + 10));
    expectSame(syntheticStep(steps + 9), all.back().record);
}

}  // namespace
}  // namespace mantissa::test
