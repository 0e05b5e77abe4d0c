// SPDX-License-Identifier: Apache-2.0
// Disks that fill up, files and folders that go while they are recorded, and a second one who wants to write.
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/recording/file_guard.h"
#include "recordings.h"

namespace mantissa::test {
namespace {

namespace fs = std::filesystem;

/// What a recorder states, from its thread.
class StateLog {
public:
    Recorder::Publish observer() {
        return [this](const RecordingState& state) {
            std::lock_guard lock(m_mutex);
            m_states.push_back(state);
        };
    }
    std::vector<RecordingState> states() const {
        std::lock_guard lock(m_mutex);
        return m_states;
    }
    /// Problems as they came and went, each change once.
    std::vector<std::string> problems() const {
        std::vector<std::string> problems{""};
        for (const RecordingState& state : states())
            if (state.problem != problems.back()) problems.push_back(state.problem);
        return problems;
    }

private:
    mutable std::mutex m_mutex;
    std::vector<RecordingState> m_states;
};

/// No file of this process can grow beyond it: what a full disk is to a recorder, for whoever runs the test.
class FileLimit {
public:
    explicit FileLimit(rlim_t bytes) {
        std::signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &m_before);
        const rlimit limit{bytes, m_before.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileLimit() { setrlimit(RLIMIT_FSIZE, &m_before); }
    FileLimit(const FileLimit&) = delete;
    FileLimit& operator=(const FileLimit&) = delete;

private:
    rlimit m_before{};
};

void expectWhole(const std::string& path, std::int64_t steps) {
    const Recording recording(path);
    const auto found = stepsOf(recording);
    ASSERT_EQ(found.size(), static_cast<std::size_t>(steps)) << path;
    for (std::int64_t step = 0; step < steps; ++step) expectSame(syntheticStep(step), found[static_cast<std::size_t>(step)].record);
    EXPECT_EQ(askSql(path, "PRAGMA integrity_check"), "ok") << path;
}

class FaultsTest : public RecordingTest {
protected:
    StateLog states;
};

TEST_F(FaultsTest, AFullDiskIsToldWaitedForAndMadeUpFor) {
    Recorder recorder(path, {}, states.observer());
    record(recorder, 0, 500);
    recorder.flush();
    const std::int64_t safe = recorder.state().steps;
    EXPECT_EQ(safe, 500);
    {
        const FileLimit full(static_cast<rlim_t>(fs::file_size(path + "-wal")));
        record(recorder, 500, 2000);
        recorder.flush();
        const RecordingState state = recorder.state();
        EXPECT_NE(state.problem.find("File too large; " + path + " holds 500 steps of all runs together"), std::string::npos)
            << state.problem;
        EXPECT_EQ(states.problems(), (std::vector<std::string>{"", state.problem}));
        EXPECT_TRUE(state.isRecording);
        EXPECT_EQ(state.steps, safe);
        expectWhole(path, safe);
        record(recorder, 2500, 500);
    }
    for (int i = 0; i < 100 && !recorder.state().problem.empty(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(recorder.state().problem, "");
    recorder.flush();
    EXPECT_EQ(states.problems().size(), 3u);
    EXPECT_EQ(recorder.state().steps, 3000);
    expectWhole(path, 3000);
}

TEST_F(FaultsTest, WhatWaitsForAFullDiskIsBounded) {
    auto owner = std::make_unique<Recorder>(path, std::map<std::string, std::string>{}, states.observer());
    Recorder& recorder = *owner;
    record(recorder, 0, 100);
    recorder.flush();
    std::optional<FileLimit> full(std::in_place, static_cast<rlim_t>(fs::file_size(path + "-wal")));
    // Snapshots first: they are let go, and the steps kept.
    recorder.append({.run = 0, .step = 100, .head = {}, .state = std::vector<std::byte>(80 << 20)});
    record(recorder, 100, 100);
    recorder.flush();
    EXPECT_TRUE(recorder.state().isRecording);
    const std::vector<StepRecord> many(600'000, syntheticStep(1));
    recorder.append(0, many);
    recorder.flush();
    const RecordingState state = recorder.state();
    EXPECT_FALSE(state.isRecording);
    EXPECT_EQ(state.problem.rfind("recording was stopped, because of this: File too large", 0), 0u) << state.problem;
    EXPECT_NE(state.problem.find(path + " holds 100 steps of all runs together"), std::string::npos) << state.problem;
    EXPECT_TRUE(states.states().back() == state);
    record(recorder, 200, 100);
    recorder.flush();
    expectWhole(path, 100);
    full.reset();
    owner.reset();  // in order, and there is room again
    const Recording recording(path);
    EXPECT_EQ(recording.missing(), "recording was stopped before training ended: its last steps are missing");
    EXPECT_TRUE(recording.isIncomplete());
}

TEST_F(FaultsTest, ADiskFullToTheEndIsToldAtTheEnd) {
    std::optional<FileLimit> full;
    {
        Recorder recorder(path, {}, states.observer());
        record(recorder, 0, 100);
        recorder.flush();
        full.emplace(static_cast<rlim_t>(fs::file_size(path + "-wal")));
        record(recorder, 100, 2000);
    }
    ASSERT_FALSE(states.states().empty());
    EXPECT_FALSE(states.states().back().isRecording);
    EXPECT_NE(states.states().back().problem.find(" holds 100 steps"), std::string::npos);
    full.reset();
    const std::string missing = Recording(path).missing();
    expectWhole(path, 100);
    EXPECT_EQ(missing, "it was not closed: its last steps may be missing");
}

TEST_F(FaultsTest, NoRoomForANewRecordingIsARefusal) {
    const FileLimit full(1000);
    EXPECT_EQ(refusalOf([&] { Recorder recorder(path, {}, {}); }), path + ": cannot be written: File too large");
    EXPECT_TRUE(fs::is_empty(folder));
}

TEST_F(FaultsTest, NoRoomToOpenIsNoDamage) {
    const std::string bare = (folder / "bare.mantissa").string();
    {
        Recorder recorder(path, {{"title", "kept"}}, {});
        record(recorder, 0, 50);
        recorder.flush();
        for (const char* ending : {"", "-wal"}) fs::copy_file(path + ending, bare + ending);
    }
    {
        const FileLimit full(1000);  // the index of the log has no room
        const Recording recording(bare);
        EXPECT_EQ(recording.whyReadOnly(), "it cannot be opened for writing, because of this: File too large");
        EXPECT_EQ(recording.facts().at("title"), "kept");
    }
    expectWhole(bare, 50);
}

TEST_F(FaultsTest, ARemovedFolderComesBackWithAllThatWasRecorded) {
    const fs::path sub = folder / "one" / "two";
    fs::create_directories(sub);
    path = (sub / "a.mantissa").string();
    {
        Recorder recorder(path, {{"title", "kept"}}, states.observer());
        record(recorder, 0, 300);
        recorder.flush();
        fs::remove_all(folder / "one");
        record(recorder, 300, 300);
        recorder.flush();
        EXPECT_EQ(recorder.state().problem, "");
        EXPECT_EQ(recorder.state().path, path);
        EXPECT_EQ(states.problems(),
                  (std::vector<std::string>{"", path + " was taken away while it was being recorded; it is being saved again", ""}));
        expectWhole(path, 600);
        fs::remove(path);  // and once more, with what SQLite has beside it left
        record(recorder, 600, 100);
    }
    expectWhole(path, 700);
    EXPECT_EQ(Recording(path).facts().at("title"), "kept");
    EXPECT_EQ(Recording(path).snapshots().size(), 3u);
    EXPECT_EQ(std::distance(fs::directory_iterator(sub), {}), 1);
}

TEST_F(FaultsTest, AFolderThatCannotBeMadeIsWaitedFor) {
    const fs::path sub = folder / "sub";
    fs::create_directory(sub);
    path = (sub / "a.mantissa").string();
    Recorder recorder(path, {}, states.observer());
    record(recorder, 0, 100);
    recorder.flush();
    fs::remove_all(sub);
    std::ofstream(sub) << "a file in its place";
    record(recorder, 100, 100);
    recorder.flush();
    EXPECT_NE(recorder.state().problem, "");
    EXPECT_TRUE(recorder.state().isRecording);
    fs::remove(sub);
    recorder.flush();
    EXPECT_EQ(recorder.state().problem, "");
    expectWhole(path, 200);
}

TEST_F(FaultsTest, ARenamedFileKeepsWhatItHasAndTheNameGetsAll) {
    const std::string other = (folder / "b.mantissa").string();
    {
        Recorder recorder(path, {}, states.observer());
        record(recorder, 0, 300);
        recorder.flush();
        fs::rename(path, other);
        record(recorder, 300, 300);
    }
    expectWhole(path, 600);
    expectWhole(other, 300);
}

TEST_F(FaultsTest, ANameThatWasTakenSinceIsLeftAlone) {
    const std::string beside = (folder / "a 2.mantissa").string();
    {
        Recorder recorder(path, {}, states.observer());
        record(recorder, 0, 300);
        recorder.flush();
        fs::remove(path);
        std::ofstream(path) << "somebody else's";
        record(recorder, 300, 300);
        recorder.flush();
        EXPECT_EQ(recorder.state().path, beside);
    }
    expectWhole(beside, 600);
    EXPECT_EQ(fs::file_size(path), 15u);
}

TEST_F(FaultsTest, ALockIsOneGuardsUntilItGoes) {
    std::ofstream(path) << "a file";
    FileGuard asks(path), waits(path);
    EXPECT_FALSE(asks.isWritten());
    {
        FileGuard holds(path);
        EXPECT_TRUE(holds.lockForWriting());
        EXPECT_TRUE(holds.lockForWriting());
        EXPECT_FALSE(waits.lockForWriting());
        EXPECT_FALSE(holds.isWritten());
        EXPECT_TRUE(asks.isWritten());
    }
    EXPECT_FALSE(asks.isWritten());
    EXPECT_TRUE(waits.lockForWriting());
}

TEST_F(FaultsTest, OnlyOneWrites) {
    auto recorder = std::make_unique<Recorder>(path, std::map<std::string, std::string>{}, nullptr);
    record(*recorder, 0, 10);
    const std::string refused = refusalOf([&] { Recorder::resume(path, {}); });
    EXPECT_EQ(refused, path + ": it is being written to at this moment");
    record(*recorder, 10, 10);
    recorder.reset();
    recorder = Recorder::resume(path, {});
    EXPECT_NE(refusalOf([&] { Recorder::resume(path, {}); }), "");
    recorder.reset();
    expectWhole(path, 20);
}

/// Whoever may write everything is somebody else for a while.
class NoRights {
public:
    explicit NoRights(const fs::path& folder) : m_folder(folder) {
        for (const auto& entry : fs::directory_iterator(folder)) chmod(entry.path().c_str(), 0444);
        chmod(folder.c_str(), 0555);
        if (geteuid() == 0) m_isChanged = seteuid(65534) == 0;
    }
    ~NoRights() {
        if (m_isChanged && seteuid(0) != 0) ADD_FAILURE() << "root is lost";
        chmod(m_folder.c_str(), 0755);
    }
    NoRights(const NoRights&) = delete;
    NoRights& operator=(const NoRights&) = delete;

private:
    fs::path m_folder;
    bool m_isChanged = false;
};

/// Where this process puts what it writes for itself.
class TemporaryFolder {
public:
    explicit TemporaryFolder(const fs::path& folder) : m_before(std::getenv("TMPDIR") != nullptr ? std::getenv("TMPDIR") : "") {
        setenv("TMPDIR", folder.c_str(), 1);
    }
    ~TemporaryFolder() { m_before.empty() ? unsetenv("TMPDIR") : setenv("TMPDIR", m_before.c_str(), 1); }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

private:
    std::string m_before;
};

TEST_F(FaultsTest, WithoutTheRightToWriteItIsLookedAt) {
    fs::create_directory(folder / "files");
    fs::create_directory(folder / "own");
    chmod((folder / "own").c_str(), 0777);
    chmod(folder.c_str(), 0755);
    path = (folder / "files/a.mantissa").string();
    { record(*std::make_unique<Recorder>(path, std::map<std::string, std::string>{}, nullptr), 0, 50); }
    // One with a log beside it, as a killed program leaves it, and one whose log has lost its index.
    const std::string logged = (folder / "files/logged.mantissa").string(), bare = (folder / "files/bare.mantissa").string();
    {
        Recorder recorder((folder / "files/live.mantissa").string(), {}, {});
        record(recorder, 0, 50);
        recorder.flush();
        for (const char* ending : {"", "-wal", "-shm"}) fs::copy_file(recorder.state().path + ending, logged + ending);
        for (const char* ending : {"", "-wal"}) fs::copy_file(recorder.state().path + ending, bare + ending);
    }
    const TemporaryFolder temporary(folder / "own");
    const NoRights none(folder / "files");
    for (const std::string& each : {path, logged, bare}) {
        const Recording recording(each);
        EXPECT_EQ(recording.whyReadOnly(), "there is no right to write to it") << each;
        EXPECT_EQ(stepsOf(recording).size(), 50u) << each;
        EXPECT_EQ(recording.missing(), each == path ? "" : "it was not closed: its last steps may be missing") << each;
        EXPECT_FALSE(recording.isIncomplete()) << each;
        EXPECT_EQ(refusalOf([&] { Recorder::resume(each, {}); }), each + ": there is no right to write to it");
    }
    EXPECT_TRUE(fs::is_empty(folder / "own")) << "a copy of its own was left";
    {
        const TemporaryFolder nowhere(folder / "nowhere");
        const Recording recording(bare);
        EXPECT_EQ(stepsOf(recording).size(), 0u);
        EXPECT_EQ(recording.missing(),
                  "its last steps are missing: they are in bare.mantissa-wal, which cannot be read, because of this: No such file or "
                  "directory");
        EXPECT_TRUE(recording.isIncomplete());
    }
    const std::string fresh = (folder / "files/b.mantissa").string();
    EXPECT_EQ(refusalOf([&] { Recorder other(fresh, {}, {}); }), fresh + ": cannot be written: Permission denied");
}

}  // namespace
}  // namespace mantissa::test
