// SPDX-License-Identifier: Apache-2.0
// Recordings that lack something, or hold what no session wrote, opened in a session: all that can be read is shown, and nothing crashes.
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>
#include <limits>

#include "engine/recording/recorder.h"
#include "engine/session/recorded_runs.h"
#include "engine/session/recording_export.h"
#include "tests/engine/session/same_records.h"
#include "tests/engine/session/session_fixture.h"

namespace mantissa {
namespace {

namespace fs = std::filesystem;
using test::SessionFixture;

/// What becomes of a recording in a copy. Each may change what it is given; false leaves it out.
struct Damage {
    std::function<bool(RunId, StepRecord&)> step = [](RunId, StepRecord&) { return true; };
    std::function<bool(LogEntry&)> entry = [](LogEntry&) { return true; };
    std::function<bool(StoredSnapshot&)> snapshot = [](StoredSnapshot&) { return true; };
};

class DamagedSession : public testing::Test {
protected:
    fs::path folder = fs::path(testing::TempDir()) / ("damaged_" + std::to_string(::getpid()));
    std::string file = (folder / "a.mantissa").string();
    std::map<std::string, std::vector<StepRecord>> whole;

    DamagedSession() {
        fs::create_directories(folder);
        SessionFixture lab;
        lab.session.recordTo(file);
        lab.load(test::task(test::kTwoRuns));
        lab.trainTo(50);
        EXPECT_EQ(lab.command(RewindRuns{lab.run("a").id, 30}), "");
        EXPECT_EQ(lab.command(ForkRun{lab.run("b").id, 20, {}, "child", 0}), "");
        lab.trainTo(55);
        for (const RunInfo& run : lab.runs()) whole[run.settings.name] = lab.records[run.id];
    }
    ~DamagedSession() override { fs::remove_all(folder); }

    std::string damaged(const Damage& damage) const {
        const std::string path = (folder / "b.mantissa").string();
        fs::remove(path);
        const Recording recording(file);
        Recorder recorder(path, recording.facts(), [](const RecordingState&) {});
        recording.read({.steps =
                            [&](RunId run, std::span<const StepRecord> records) {
                                for (StepRecord record : records) {
                                    if (damage.step(run, record)) recorder.append(run, std::span(&record, 1));
                                }
                            },
                        .entry =
                            [&](LogEntry entry) {
                                if (damage.entry(entry)) recorder.append(std::move(entry));
                            }});
        for (const SnapshotPlace& place : recording.snapshots()) {
            auto snapshot = recording.snapshot(place.id);
            if (damage.snapshot(snapshot.value())) recorder.append(std::move(*snapshot));
        }
        return path;
    }
    static std::string whyReadOnly(const SessionFixture& lab) { return lab.all<RecordingOpened>().at(0).whyReadOnly; }
    /// The values of a run that came as a series.
    static std::map<std::int64_t, double> imported(const SessionFixture& lab, RunId run, Metric metric) {
        std::map<std::int64_t, double> values;
        for (const SeriesImported& series : lab.all<SeriesImported>()) {
            if (series.run != run || series.metric != metric) continue;
            for (std::size_t i = 0; i < series.steps.size(); ++i) values[series.steps[i]] = series.values[i];
        }
        return values;
    }
};

TEST_F(DamagedSession, StepsBeyondAGapAreShownToo) {
    // of the second time too: the run came to step 35 twice
    const std::string path =
        damaged({.step = [](RunId run, StepRecord& record) { return run != 0 || record.step < 35 || record.step >= 40; }});
    SessionFixture lab;
    ASSERT_EQ(lab.command(OpenRecording{path}), "");
    EXPECT_EQ(whyReadOnly(lab), "step 40 of run 0 comes where step 35 is due");
    const RunInfo a = lab.run("a"), b = lab.run("b");
    EXPECT_EQ(a.kind, RunKind::Recorded);
    EXPECT_EQ(b.kind, RunKind::Recorded) << "a file that is not whole is not gone on with";
    test::expectSameBits(lab.recordsOf("a"), {whole["a"].begin(), whole["a"].begin() + 35});
    test::expectSameBits(lab.recordsOf("b"), whole["b"]);
    const auto losses = imported(lab, a.id, Metric::Loss);
    ASSERT_EQ(losses.size(), 55u - 40u);
    for (const auto& [step, loss] : losses) EXPECT_EQ(loss, whole["a"].at(static_cast<std::size_t>(step)).loss);
    EXPECT_TRUE(imported(lab, b.id, Metric::Loss).empty());

    SessionFixture beside;
    beside.load(test::task(R"({"name":"other"})"));
    ASSERT_EQ(beside.command(ImportRuns{path}), "");
    EXPECT_EQ(imported(beside, beside.run("a").id, Metric::LearningRate).size(), 15u);
}

TEST_F(DamagedSession, ARewindThatIsLostIsSeenFromTheSteps) {
    const std::string path = damaged({.entry = [](LogEntry& entry) { return entry.kind != "run_rewound"; }});
    SessionFixture lab;
    ASSERT_EQ(lab.command(OpenRecording{path}), "");
    EXPECT_EQ(whyReadOnly(lab), "step 30 of run 0 comes where step 50 is due");
    test::expectSameBits(lab.recordsOf("a"), whole["a"]);
}

TEST_F(DamagedSession, ARunWhoseEntryIsLostIsShown) {
    const std::string path = damaged({.entry = [](LogEntry& entry) { return entry.kind != "run" || entry.run != 1; }});
    SessionFixture lab;
    ASSERT_EQ(lab.command(OpenRecording{path}), "");
    EXPECT_EQ(whyReadOnly(lab), "the entry of run 1 is lost");
    EXPECT_EQ(lab.run("b").kind, RunKind::Recorded);
    test::expectSameBits(lab.recordsOf("b"), whole["b"]);
    EXPECT_EQ(lab.recordsOf("b")[10].epoch, whole["b"][10].epoch);
    const ExportedRun exported = recordedRuns(Recording(path)).at(1);
    EXPECT_EQ(exported.settings.training.precision.policy, "bf16");
    EXPECT_EQ(exported.records.at(10).epoch, whole["b"][10].epoch);
}

TEST_F(DamagedSession, OneThatWasNotClosedIsGoneOnWithAndSaysSo) {
    sqlite3* database = nullptr;
    sqlite3_open(file.c_str(), &database);
    EXPECT_EQ(sqlite3_exec(database, "UPDATE facts SET value = 'recovered' WHERE key = 'state'", nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(database);
    {
        SessionFixture lab;
        ASSERT_EQ(lab.command(OpenRecording{file}), "");
        EXPECT_EQ(whyReadOnly(lab), "");
        EXPECT_EQ(lab.all<RecordingOpened>().at(0).missing, "it was not closed: its last steps may be missing");
        EXPECT_EQ(lab.run("a").kind, RunKind::Live);
    }
    { Recorder::resume(file, {}); }
    SessionFixture lab;
    ASSERT_EQ(lab.command(OpenRecording{file}), "");
    EXPECT_EQ(lab.all<RecordingOpened>().at(0).missing, "");
}

TEST_F(DamagedSession, NumbersThatNoSessionWritesAreRefused) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    for (const char* counter : {"next_micro_batch", "optimizer_step", "schedule_step", "skipped_total"}) {
        for (const std::int64_t value : {std::int64_t{-7}, std::int64_t{9'000'000'000'000'000'000}}) {
            const std::string path = damaged({.snapshot = [&](StoredSnapshot& snapshot) {
                snapshot.head["counters"][counter] = value;
                return true;
            }});
            SessionFixture lab;
            ASSERT_EQ(lab.command(OpenRecording{path}), "");
            EXPECT_EQ(lab.run("child").kind, RunKind::Recorded) << counter << " " << value;
            EXPECT_NE(lab.run("child").origin.find("a number in the snapshot before step 20 must be at"), std::string::npos)
                << lab.run("child").origin;
            EXPECT_EQ(lab.run("a").kind, RunKind::Live);
        }
    }
    for (const char* number : {"first_step", "what_if_steps", "parent", "train_count"}) {
        for (const std::int64_t value : {std::int64_t{-7}, kMost}) {
            const std::string path = damaged({.entry = [&](LogEntry& entry) {
                if (entry.kind == "run" && entry.run == 2) entry.body[number] = value;
                return true;
            }});
            SessionFixture lab;
            ASSERT_EQ(lab.command(OpenRecording{path}), "");
            EXPECT_EQ(whyReadOnly(lab).rfind("a number in the entry of run 2 must be at", 0), 0u) << number << ": " << whyReadOnly(lab);
            EXPECT_EQ(lab.recordsOf("child").size(), 35u);
        }
    }
}

TEST_F(DamagedSession, OfStoredStatesTheLatestAreRead) {
    const Recording recording(file);
    const auto first = recording.snapshot(recording.snapshots().at(0).id).value();
    const std::string path = (folder / "c.mantissa").string();
    {
        Recorder recorder(path, {}, [](const RecordingState&) {});
        for (std::int64_t step = 20; step < 26; ++step) {
            StoredSnapshot later = first;
            later.step = step;
            recorder.append(std::move(later));
        }
    }
    const Recording many(path);
    LogEntry entry;
    recording.read({.steps = {}, .entry = [&](const LogEntry& each) {
                        if (each.kind == "run" && each.run == 2) entry = each;
                    }});
    RunsWay way{.run = RecordedRun(entry), .info = {}, .changes = {}, .snapshots = many.snapshots(), .beyond = {}};
    const auto stepsWithin = [&](std::int64_t snapshots) {
        std::vector<std::int64_t> steps;
        for (const RunPoint& point : storedPoints(many, way, snapshots * way.snapshots[0].bytes)) steps.push_back(point.step);
        return steps;
    };
    EXPECT_EQ(stepsWithin(9), (std::vector<std::int64_t>{20, 21, 22, 23, 24, 25}));
    EXPECT_EQ(stepsWithin(2), (std::vector<std::int64_t>{20, 24, 25})) << "a fork is nothing without its beginning";
    way.run.parent = -1;
    EXPECT_EQ(stepsWithin(2), (std::vector<std::int64_t>{24, 25}));
}

}  // namespace
}  // namespace mantissa
