// SPDX-License-Identifier: Apache-2.0
// What is recorded comes back: every value bit for bit, in the order of arrival, from a file that others can read as well.
#include "engine/recording/recording.h"

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "recordings.h"

namespace mantissa::test {
namespace {

namespace fs = std::filesystem;

TEST_F(RecordingTest, WhatAKilledWriterLeftBehindGoes) {
    const std::vector<StepRecord> steps{syntheticStep(0)};
    const auto leave = [&](const char* name, std::chrono::minutes age) {
        std::ofstream(folder / name) << "not whole";
        fs::last_write_time(folder / name, fs::file_time_type::clock::now() - age);
        return folder / name;
    };
    const fs::path old = leave(".mantissa-17.new", std::chrono::minutes(5)), young = leave(".mantissa-18.new", std::chrono::minutes(0)),
                   other = leave("mine.new", std::chrono::minutes(5));
    Recorder(path, {}, {}).append(1, steps);
    EXPECT_FALSE(fs::exists(old));
    EXPECT_TRUE(fs::exists(young)) << "somebody may be making it";
    EXPECT_TRUE(fs::exists(other));
    for (const fs::path& file : {young, other}) fs::remove(file);
}

TEST_F(RecordingTest, ItsNameMayBeAsLongAsSqliteLetsIt) {
    const std::string longest = (folder / (std::string(238, 'x') + ".mantissa")).string();
    const std::vector<StepRecord> steps{syntheticStep(0)};
    Recorder(longest, {}, {}).append(1, steps);
    EXPECT_EQ(stepsOf(Recording(longest)).size(), 1u);
    fs::remove(longest);
}

TEST_F(RecordingTest, EveryValueComesBackBitForBit) {
    using Limits = std::numeric_limits<double>;
    const std::vector<double> values{0.0,
                                     -0.0,
                                     1.0,
                                     -1.0,
                                     0.1,
                                     65536.0,
                                     std::ldexp(1.0, 62),
                                     123456789012345678.0,
                                     Limits::quiet_NaN(),
                                     -Limits::quiet_NaN(),
                                     Limits::infinity(),
                                     -Limits::infinity(),
                                     Limits::max(),
                                     Limits::lowest(),
                                     Limits::min(),
                                     Limits::denorm_min(),
                                     -Limits::denorm_min(),
                                     4.9e-310,
                                     std::nextafter(1.0, 2.0)};
    std::vector<StepRecord> records;
    for (const bool isValidated : {true, false}) {
        for (const double value : values) {
            for (const auto member : realMembers()) {
                StepRecord record = syntheticStep(static_cast<std::int64_t>(records.size()));
                record.flags = isValidated ? std::uint32_t{kFlagValidated} : 0;
                record.*member = value;
                records.push_back(record);
            }
            StepRecord record;
            for (const auto member : realMembers()) record.*member = value;
            records.push_back(record);
        }
    }
    records[3].flags = 0xffffffffu;
    records[4].memoryBytes = records[4].samples = std::numeric_limits<std::int64_t>::max();
    Recorder(path, {}, {}).append(7, records);
    const auto steps = stepsOf(Recording(path));
    ASSERT_EQ(steps.size(), records.size());
    for (std::size_t i = 0; i < records.size(); ++i) {
        expectSame(records[i], steps[i].record);
        EXPECT_EQ(steps[i].run, 7);
    }
}

TEST_F(RecordingTest, ASketchIsAFewPointsOfEachRunAndWhatWasTakenBackIsNotInIt) {
    {
        Recorder recorder(path, {}, {});
        for (RunId run = 0; run < 3; ++run) recorder.append({.kind = "run", .run = run, .body = {{"number", run}}});
        const auto append = [&](RunId run, std::int64_t step, double loss) {
            StepRecord record = syntheticStep(step);
            record.loss = loss;
            recorder.append(run, std::span(&record, 1));
        };
        for (std::int64_t step = 0; step < 4000; ++step)
            for (RunId run = 0; run < 2; ++run) append(run, step, 1000.0 * run + static_cast<double>(step));
        for (std::int64_t step = 3000; step < 3500; ++step) append(1, step, std::numeric_limits<double>::quiet_NaN());
    }
    const auto runs = Recording(path).summary(20).runs;
    ASSERT_EQ(runs.size(), 3u);
    EXPECT_EQ(runs[1].begin, (Json{{"number", 1}}));
    EXPECT_TRUE(runs[2].steps.empty()) << "it has done none";
    EXPECT_EQ(runs[0].steps.back(), 3999);
    EXPECT_EQ(runs[1].steps.back(), 3499) << "it went back";
    for (const RunSketch& run : {runs[0], runs[1]}) {
        EXPECT_GE(run.steps.size(), 10u);
        EXPECT_LE(run.steps.size(), 25u);
        EXPECT_TRUE(std::is_sorted(run.steps.begin(), run.steps.end()));
        for (std::size_t i = 0; i < run.steps.size(); ++i) {
            if (run.run == 1 && run.steps[i] >= 3000)
                EXPECT_TRUE(std::isnan(run.losses[i])) << run.steps[i];
            else
                EXPECT_EQ(run.losses[i], 1000.0 * run.run + static_cast<double>(run.steps[i]));
        }
    }
}

TEST_F(RecordingTest, KeepsTheOrderOfArrivalAcrossCommits) {
    std::vector<std::string> expected;
    {
        Recorder recorder(path, {}, {});
        for (std::int64_t step = 0; step < 300; ++step) {
            for (RunId run = 0; run < 3; ++run) {
                if (step % 20 == 0) {
                    recorder.append({.kind = "change", .run = run, .step = step, .body = {{"pointer", "/précision"}, {"to", step}}});
                    expected.push_back("change " + std::to_string(run) + " " + std::to_string(step));
                }
                const StepRecord record = syntheticStep(step);
                recorder.append(run, std::span(&record, 1));
                expected.push_back("step " + std::to_string(run) + " " + std::to_string(step));
            }
            if (step % 50 == 0) recorder.flush();
        }
        recorder.append({.kind = "end", .body = Json::array()});
        expected.push_back("end -1 -1");
    }
    std::vector<std::string> found;
    for (const ReadItem& item : itemsOf(Recording(path))) {
        if (const auto* step = std::get_if<ReadStep>(&item)) {
            found.push_back("step " + std::to_string(step->run) + " " + std::to_string(step->record.step));
        } else {
            const auto& entry = std::get<LogEntry>(item);
            found.push_back(entry.kind + " " + std::to_string(entry.run) + " " + std::to_string(entry.step));
            if (entry.kind == "change") {
                EXPECT_EQ(entry.body.dump(), "{\"pointer\":\"/précision\",\"to\":" + std::to_string(entry.step) + "}");
            }
        }
    }
    EXPECT_EQ(found, expected);
}

TEST_F(RecordingTest, StepsOfOneRunComeInBatches) {
    std::vector<StepRecord> records;
    for (std::int64_t step = 0; step < 10'000; ++step) records.push_back(syntheticStep(step));
    Recorder(path, {}, {}).append(0, records);
    std::vector<std::size_t> sizes;
    Recording(path).read({[&](RunId, std::span<const StepRecord> batch) { sizes.push_back(batch.size()); }, {}});
    EXPECT_EQ(sizes, (std::vector<std::size_t>{4096, 4096, 1808}));
}

TEST_F(RecordingTest, SnapshotsComeBackWithTheirPlace) {
    std::vector<std::byte> state(300'000);
    for (std::size_t i = 0; i < state.size(); ++i) state[i] = static_cast<std::byte>(i * 31 >> 3);
    {
        Recorder recorder(path, {}, {});
        record(recorder, 0, 40);
        recorder.append({.run = 3, .step = 77, .head = {{"seed", 12}}, .state = state});
        recorder.append({.run = 4, .step = 78, .head = Json::object(), .state = {}});
    }
    const Recording recording(path);
    const auto places = recording.snapshots();
    ASSERT_EQ(places.size(), 3u);
    EXPECT_EQ(places[1].run, 3);
    EXPECT_EQ(places[1].step, 77);
    EXPECT_EQ(places[1].stepsBefore, 40);
    EXPECT_EQ(places[1].bytes, 300'000);
    const auto snapshot = recording.snapshot(places[1].id);
    ASSERT_TRUE(snapshot);
    EXPECT_EQ(snapshot->state, state);
    EXPECT_EQ(snapshot->head["seed"], 12);
    EXPECT_EQ(snapshot->step, 77);
    ASSERT_TRUE(recording.snapshot(places[2].id));
    EXPECT_TRUE(recording.snapshot(places[2].id)->state.empty());
    EXPECT_FALSE(recording.snapshot(99));
    EXPECT_EQ(recording.whyReadOnly(), "");
}

TEST_F(RecordingTest, GoesOnAtItsEnd) {
    { record(*std::make_unique<Recorder>(path, std::map<std::string, std::string>{{"title", "t"}}, nullptr), 0, 150); }
    {
        const auto recorder = Recorder::resume(path, {});
        EXPECT_EQ(recorder->state().steps, 150);
        record(*recorder, 100, 200);  // the first 50 for the second time, as after a rewind
    }
    const Recording recording(path);
    const auto steps = stepsOf(recording);
    ASSERT_EQ(steps.size(), 350u);
    for (std::int64_t i = 0; i < 350; ++i) expectSame(syntheticStep(i < 150 ? i : i - 50), steps[static_cast<std::size_t>(i)].record);
    EXPECT_EQ(recording.snapshots()[1].stepsBefore, 350);
}

TEST_F(RecordingTest, TellsOfItselfInAList) {
    {
        Recorder first(path, {{"title", "first"}, {"started", "2026-01-01T00:00:00Z"}}, {});
        first.append({.kind = "run", .run = 0, .body = {}});
        first.append({.kind = "run", .run = 1, .body = {}});
        first.append({.kind = "run", .run = 1, .body = {}});
        record(first, 0, 10);
    }
    Recorder second((folder / "b.mantissa").string(), {{"title", "second"}}, {});
    std::ofstream(folder / "c.mantissa") << "no recording";
    std::ofstream(folder / "d.txt") << "nor this";
    const auto summaries = recordingsIn(folder.string());
    ASSERT_EQ(summaries.size(), 2u);
    EXPECT_EQ(summaries[0].facts.at("title"), "second");
    EXPECT_EQ(summaries[1].facts.at("title"), "first");
    EXPECT_EQ(summaries[1].runs.size(), 2u);
    EXPECT_EQ(summaries[1].steps, 10);
    EXPECT_EQ(summaries[1].bytes, static_cast<std::int64_t>(fs::file_size(path)));
    EXPECT_TRUE(recordingsIn((folder / "none").string()).empty());
    const auto& facts = summaries[0].facts;
    for (const char* key : {"uuid", "started", "version", "build", "machine"}) EXPECT_FALSE(facts.at(key).empty()) << key;
    EXPECT_EQ(facts.at("uuid").size(), 36u);
    EXPECT_NE(facts.at("uuid"), summaries[1].facts.at("uuid"));
    EXPECT_TRUE(summaries[1].runs[1].steps.empty()) << "no points were asked for";
    EXPECT_EQ(facts.at("started").substr(10, 1) + facts.at("started").substr(19), "TZ");
}

TEST_F(RecordingTest, IsOneFileOnceItIsClosedAndBelowTenBytesAScalar) {
    constexpr std::int64_t kSteps = 20'000;
    {
        Recorder recorder(path, {}, {});
        for (std::int64_t step = 0; step < kSteps; ++step) {
            const StepRecord record = syntheticStep(step);
            for (RunId run = 0; run < 4; ++run) recorder.append(run, std::span(&record, 1));
        }
        recorder.flush();
        EXPECT_EQ(recorder.state().steps, 4 * kSteps);
        EXPECT_GE(recorder.state().bytes, static_cast<std::int64_t>(fs::file_size(path)));
    }
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
    EXPECT_EQ(names, std::vector<std::string>{"a.mantissa"});
    EXPECT_EQ(stepsOf(Recording(path)).size(), static_cast<std::size_t>(4 * kSteps));
    EXPECT_FALSE(fs::exists(path + "-wal"));
    constexpr double kScalars = 13;  // of a record, `flags` included; the two of the validation are seldom there
    const double bytes = static_cast<double>(fs::file_size(path)) / (4 * kSteps * kScalars);
    RecordProperty("bytes_a_scalar", std::to_string(bytes));
    EXPECT_LT(bytes, 7);
    EXPECT_EQ(askSql(path, "PRAGMA application_id"), std::to_string(0x4d747361));
    EXPECT_EQ(askSql(path, "PRAGMA user_version"), "1");
    EXPECT_EQ(askSql(path, "PRAGMA journal_mode"), "wal");
    EXPECT_EQ(askSql(path, "PRAGMA integrity_check"), "ok");
    EXPECT_EQ(askSql(path, "SELECT count(*) FROM pragma_table_list WHERE strict = 0 AND name NOT LIKE 'sqlite%'"), "0");
    EXPECT_EQ(askSql(path, "SELECT count(*) FROM steps WHERE val_loss IS NULL"), std::to_string(4 * kSteps * 99 / 100));
}

TEST_F(RecordingTest, IsReadWhileItIsWritten) {
    Recorder recorder(path, {}, {});
    record(recorder, 0, 100);
    recorder.flush();
    const Recording recording(path);
    EXPECT_EQ(stepsOf(recording).size(), 100u);
    EXPECT_NE(recording.whyReadOnly(), "");
    record(recorder, 100, 100);
    recorder.flush();
    EXPECT_EQ(stepsOf(recording).size(), 200u);
    EXPECT_EQ(stepsOf(Recording(path)).size(), 200u);
    EXPECT_EQ(recorder.state().problem, "");
}

TEST_F(RecordingTest, ACommitWaitsAFifthOfASecondAtMost) {
    Recorder recorder(path, {}, {});
    const Recording recording(path);
    for (int i = 0; i < 3; ++i) {
        record(recorder, 10 * i, 10);
        std::this_thread::sleep_for(std::chrono::milliseconds(250 + 750));  // with the slack of a busy machine
        EXPECT_EQ(stepsOf(recording).size(), 10u * (i + 1));
    }
}

TEST_F(RecordingTest, ARecordingIsNeverWrittenOverAnotherFile) {
    { Recorder recorder(path, {}, {}); }
    const std::string taken = refusalOf([&] { Recorder again(path, {}, {}); });
    EXPECT_EQ(taken, path + ": exists already, and a recording is never written over another file");
    fs::create_symlink("nowhere", folder / "link.mantissa");
    EXPECT_NE(refusalOf([&] { Recorder link((folder / "link.mantissa").string(), {}, {}); }), "");
    const std::string inNone = (folder / "none" / "a.mantissa").string();
    EXPECT_EQ(refusalOf([&] { Recorder none(inNone, {}, {}); }), inNone + ": its folder does not exist");
    EXPECT_EQ(refusalOf([&] { Recorder none("", {}, {}); }), "is no name of a file");
    const std::string inProc = refusalOf([&] { Recorder none("/proc/a.mantissa", {}, {}); });
    EXPECT_EQ(inProc.rfind("/proc/a.mantissa: cannot be written: ", 0), 0u) << inProc;
}

TEST_F(RecordingTest, NamesMeanTheFileTheyName) {
    for (const char* name : {"a%41.mantissa", "b?mode=ro.mantissa", "c#1.mantissa", "file:d.mantissa", "é ü.mantissa"}) {
        const std::string odd = (folder / name).string();
        record(*std::make_unique<Recorder>(odd, std::map<std::string, std::string>{}, nullptr), 0, 3);
        EXPECT_EQ(stepsOf(Recording(odd)).size(), 3u) << name;
        EXPECT_TRUE(fs::exists(odd));
    }
}

TEST_F(RecordingTest, TextThatIsNoUtf8IsKeptAsFarAsItGoes) {
    Recorder(path, {}, {}).append(LogEntry{.kind = "text", .body = {{"text", "a\xff z"}}});
    const auto items = itemsOf(Recording(path));
    ASSERT_EQ(items.size(), 1u);
    EXPECT_EQ(std::get<LogEntry>(items[0]).body["text"], "a\xEF\xBF\xBD z");
}

}  // namespace
}  // namespace mantissa::test
