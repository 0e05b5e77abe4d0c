// SPDX-License-Identifier: Apache-2.0
// Whether a recording is whole, as it says itself: closed or not, with its log or without, under its own name or through a link.
#include <algorithm>
#include <memory>
#include <thread>

#include "child.h"
#include "recordings.h"

namespace mantissa::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNotClosed = "it was not closed: its last steps may be missing";

std::string withoutLog(const std::string& log, const std::string& what) {
    return "it was not closed, and its last steps may be missing: they would be in " + log + ", which is not " + what;
}

class WholeTest : public RecordingTest {
protected:
    std::string nameOf(const std::string& name) const { return (folder / name).string(); }
    /// The recording as it stands, under another name, without what is beside it.
    std::string copyAlone(const std::string& name) const {
        fs::copy_file(path, nameOf(name), fs::copy_options::overwrite_existing);
        return nameOf(name);
    }
    std::string copyWithLog(const std::string& name) const {
        fs::copy_file(path + "-wal", nameOf(name) + "-wal", fs::copy_options::overwrite_existing);
        return copyAlone(name);
    }
    std::string copyAloneOf(const std::string& name) const {
        fs::copy_file(nameOf(name), nameOf("alone"), fs::copy_options::overwrite_existing);
        return nameOf("alone");
    }
    static std::size_t countOf(const std::string& file) { return stepsOf(Recording(file)).size(); }
    static std::string missingOf(const std::string& file) { return Recording(file).missing(); }
};

TEST_F(WholeTest, AKilledRecordingWithoutItsLogLacksASecondAndSaysSo) {
    constexpr std::int64_t kMayLackNs = 1'500'000'000;  // one second in the log, a fifth in memory, and the slack of a busy machine
    Child child(path, 40);
    std::vector<Stamp> stamps;
    for (Stamp stamp{}; stamps.size() < 110 && child.read(stamp);) stamps.push_back(stamp);
    child.kill();
    for (Stamp stamp{}; child.read(stamp);) stamps.push_back(stamp);
    const std::string alone = copyAlone("alone.mantissa");
    const auto missing = static_cast<std::size_t>(countOf(alone));
    ASSERT_LT(missing, stamps.size());
    EXPECT_LE(child.killedNs() - stamps[missing].ns, kMayLackNs) << missing << " of " << stamps.size() << " steps";
    {
        const Recording recording(alone);
        EXPECT_EQ(recording.missing(), withoutLog("alone.mantissa-wal", "beside it"));
        EXPECT_TRUE(recording.isIncomplete());
        EXPECT_EQ(recording.whyReadOnly(), "");
    }
    // With its log it has all that was committed; whoever reads it first folds the log, and then it is no worse.
    for (int time = 0; time < 2; ++time) {
        const Recording recording(path);
        EXPECT_GT(stepsOf(recording).size(), missing);
        EXPECT_EQ(recording.missing(), kNotClosed);
        EXPECT_FALSE(recording.isIncomplete());
    }
    EXPECT_FALSE(fs::exists(path + "-wal"));
    Recorder::resume(path, {}).reset();
    EXPECT_EQ(missingOf(path), "");
}

TEST_F(WholeTest, ALogIsFoldedThoughNothingMoreComes) {
    Recorder recorder(path, {}, {});
    record(recorder, 0, 50);
    recorder.flush();
    EXPECT_EQ(countOf(copyAlone("early.mantissa")), 0u);
    for (int i = 0; i < 60 && countOf(copyAlone("late.mantissa")) < 50; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(countOf(copyAlone("late.mantissa")), 50u);
}

TEST_F(WholeTest, AReaderHoldsNoFoldingUp) {
    Recorder recorder(path, {}, {});
    record(recorder, 0, 50);
    recorder.flush();
    const Recording reading(path);
    std::size_t read = 0;
    reading.read({.steps = {}, .entry = [&](const LogEntry&) {
                      if (++read > 1) return;
                      record(recorder, 50, 50);  // while the reader stands in its transaction
                      recorder.flush();
                      std::this_thread::sleep_for(std::chrono::milliseconds(1200));
                  }});
    EXPECT_EQ(reading.stepsRead(), 50);
    EXPECT_EQ(recorder.state().problem, "");
    for (int i = 0; i < 60 && countOf(copyAlone("late.mantissa")) < 100; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(countOf(copyAlone("late.mantissa")), 100u);
}

TEST_F(WholeTest, OneThatWasClosedOrIsOlderThanTheFlagSaysNothing) {
    {
        Recorder recorder(path, {{"state", "whatever"}}, {});
        record(recorder, 0, 50);
        recorder.flush();
        const Recording recording(path);
        EXPECT_EQ(recording.whyReadOnly(), "it is being written to at this moment");
        EXPECT_EQ(recording.missing(), "");
    }
    EXPECT_EQ(missingOf(path), "");
    EXPECT_EQ(askSql(path, "SELECT value FROM facts WHERE key = 'state'"), "closed");
    EXPECT_EQ(askSql(path, "SELECT value FROM facts WHERE key = 'steps_at_close'"), "50");
    askSql(path, "DELETE FROM facts WHERE key IN ('state', 'steps_at_close')");
    EXPECT_EQ(missingOf(path), "");
    const std::string gap = copyAlone("gap.mantissa");
    askSql(gap, "DELETE FROM steps WHERE seq = 20");
    const Recording recording(gap);
    EXPECT_EQ(stepsOf(recording).size(), 49u);
    EXPECT_EQ(recording.missing(), "it is damaged; what could be read is shown: 49 steps");
    {
        const auto recorder = Recorder::resume(path, {});  // from now on it tells
        const Recording alone(copyAlone("alone.mantissa"));
        EXPECT_EQ(alone.missing(), withoutLog("alone.mantissa-wal", "beside it"));
    }
    EXPECT_EQ(missingOf(path), "");
}

TEST_F(WholeTest, WhatIsLostOfAClosedOneIsCounted) {
    { record(*std::make_unique<Recorder>(path, std::map<std::string, std::string>{}, nullptr), 0, 500); }
    fs::resize_file(path, fs::file_size(path) * 3 / 4);
    const Recording recording(path);
    const std::size_t count = stepsOf(recording).size();
    EXPECT_GT(count, 100u);
    EXPECT_EQ(recording.missing(), "it is damaged; what could be read is shown: " + std::to_string(count) + " of 500 steps");
    EXPECT_TRUE(recording.isIncomplete());
}

TEST_F(WholeTest, ALogThatIsCutOffBeforeItsFirstPageIsNoLog) {
    std::string cut;
    {
        Recorder recorder(path, {}, {});
        record(recorder, 0, 50);
        recorder.flush();
        cut = copyWithLog("cut.mantissa");
        fs::resize_file(cut + "-wal", 40);
    }
    const Recording recording(cut);
    EXPECT_EQ(recording.missing(), withoutLog("cut.mantissa-wal", "whole"));
    EXPECT_TRUE(recording.isIncomplete());
}

TEST_F(WholeTest, ALogThatWasJustBegunAnewLacksNothing) {
    const auto isFolded = [&](std::size_t steps) { return countOf(copyAlone("folded.mantissa")) == steps; };
    std::string killed, foreign;
    {
        Recorder recorder(path, {}, {});
        record(recorder, 0, 50);
        recorder.flush();
        for (int i = 0; i < 60 && !isFolded(50); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(50));
        ASSERT_TRUE(isFolded(50));
        killed = copyWithLog("killed.mantissa");
        foreign = copyWithLog("foreign.mantissa");
    }
    // The header that SQLite writes, and syncs, before the first page: its number of restarts, at byte 12, and its first salt, at byte 16,
    // are one more than those of the pages.
    const auto addTo = [](int place, const std::string& log, int more) {
        std::fstream file(log, std::ios::in | std::ios::out | std::ios::binary);
        std::array<unsigned char, 4> bytes{};
        file.seekg(place).read(reinterpret_cast<char*>(bytes.data()), bytes.size());
        const auto grown =
            static_cast<std::uint32_t>(bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3]) + static_cast<std::uint32_t>(more);
        for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(grown >> (24 - 8 * i));
        file.seekp(place).write(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    };
    for (const auto& [file, more] : {std::pair(killed, 1), std::pair(foreign, 5)})
        for (const int place : {12, 16}) addTo(place, file + "-wal", more);
    {
        const Recording recording(killed);
        EXPECT_EQ(recording.missing(), kNotClosed);
        EXPECT_FALSE(recording.isIncomplete());
        EXPECT_EQ(stepsOf(recording).size(), 50u);
    }
    EXPECT_EQ(missingOf(foreign), withoutLog("foreign.mantissa-wal", "whole"));
}

TEST_F(WholeTest, ALinkLeadsToTheFileAndToItsLog) {
    const fs::path links = folder / "links", files = folder / "files";
    for (const fs::path& each : {links, files}) fs::create_directory(each);
    {
        Recorder recorder(path, {}, {});
        record(recorder, 0, 50);
        recorder.flush();
        copyWithLog("files/killed.mantissa");
    }
    const std::string link = (links / "link.mantissa").string();
    fs::create_symlink("../files/killed.mantissa", link);
    // SQLite would find the log, and so must what is asked before it is: how long the file is, and whether there is a log.
    const std::int64_t bytes =
        static_cast<std::int64_t>(fs::file_size(files / "killed.mantissa") + fs::file_size(files / "killed.mantissa-wal"));
    EXPECT_GE(Recording(link).summary().bytes, bytes);
    EXPECT_EQ(countOf(link), 50u);
    EXPECT_EQ(missingOf(link), kNotClosed);
    {
        const auto recorder = Recorder::resume(link, {});
        EXPECT_EQ(recorder->state().path, fs::canonical(link).string());
        record(*recorder, 50, 50);
        recorder->flush();
        EXPECT_GT(recorder->state().bytes, static_cast<std::int64_t>(fs::file_size(link))) << "its log counts";
    }
    EXPECT_EQ(countOf(link), 100u);
    EXPECT_EQ(std::distance(fs::directory_iterator(links), {}), 1);
}

TEST_F(WholeTest, TheLogOfAnotherRecordingIsNeitherReadNorFolded) {
    const std::string other = nameOf("other.mantissa"), closed = nameOf("closed.mantissa");
    {
        Recorder recorder(closed, {}, {});
        record(recorder, 0, 50);
    }
    {
        Recorder first(path, {}, {}), second(other, {}, {});
        record(first, 0, 300);
        record(second, 0, 700);
        first.flush();
        second.flush();
        copyWithLog("open.mantissa");
        for (const char* name : {"closed.mantissa", "open.mantissa"})
            fs::copy_file(other + "-wal", nameOf(name) + "-wal", fs::copy_options::overwrite_existing);
    }
    for (const std::string name : {"closed.mantissa", "open.mantissa"}) {
        const auto bytes = fs::file_size(nameOf(name)), bytesOfLog = fs::file_size(nameOf(name) + "-wal");
        for (int time = 0; time < 2; ++time) {
            const Recording recording(nameOf(name));
            EXPECT_EQ(recording.missing(), name == "closed.mantissa"
                                               ? name + "-wal beside it is the log of another recording, and was not read"
                                               : "it was not closed, and its last steps may be missing: they would be in " + name +
                                                     "-wal, but that one is of another recording");
            EXPECT_EQ(stepsOf(recording).size(), countOf(copyAloneOf(name)));
            EXPECT_NE(recording.whyReadOnly(), "");
        }
        EXPECT_EQ(fs::file_size(nameOf(name)), bytes) << "it is as it was";
        EXPECT_EQ(fs::file_size(nameOf(name) + "-wal"), bytesOfLog);
    }
    EXPECT_EQ(countOf(closed), 50u);
}

TEST_F(WholeTest, ARecordingThatGoesOnHasItsOwnLog) {
    {
        Recorder recorder(path, {}, {});
        record(recorder, 0, 50);
    }
    std::string open;
    {
        const auto recorder = Recorder::resume(path, {});
        record(*recorder, 50, 50);
        recorder->flush();
        open = copyWithLog("open.mantissa");
    }
    EXPECT_EQ(countOf(open), 100u);
    EXPECT_EQ(missingOf(path), "");
}

/// A program that reads a recording and stays within one transaction, so that its log can be neither folded nor restarted.
class LongReader {
public:
    explicit LongReader(const std::string& path) {
        sqlite3_open_v2(path.c_str(), &m_database, SQLITE_OPEN_READWRITE, nullptr);
        EXPECT_EQ(sqlite3_exec(m_database, "BEGIN; SELECT count(*) FROM steps", nullptr, nullptr, nullptr), SQLITE_OK);
    }
    ~LongReader() { sqlite3_close(m_database); }
    LongReader(const LongReader&) = delete;
    LongReader& operator=(const LongReader&) = delete;

private:
    sqlite3* m_database = nullptr;
};

TEST_F(WholeTest, ALogWhoseNumberIsNotYetInTheFileIsItsOwn) {
    {
        Recorder recorder(path, {}, {});
        record(recorder, 0, 50);
    }
    const LongReader reader(path);
    const auto recorder = Recorder::resume(path, {});
    record(*recorder, 50, 50);
    recorder->flush();
    EXPECT_EQ(countOf(copyAlone("alone.mantissa")), 50u) << "nothing could be folded";
    EXPECT_EQ(countOf(copyWithLog("killed.mantissa")), 100u);
}

TEST_F(WholeTest, ALogThatWasFoundIsStillItsOwnAfterItIsRestarted) {
    const std::string open = nameOf("open.mantissa");
    {
        Recorder recorder(path, {}, {});
        for (int part = 0; part < 4; ++part) {  // its log is restarted a few times
            record(recorder, 50 * part, 50);
            recorder.flush();
            std::this_thread::sleep_for(std::chrono::milliseconds(1000));
        }
        copyWithLog("open.mantissa");
    }
    auto reader = std::make_unique<LongReader>(open);  // it recovers the log, which stays
    const auto recorder = Recorder::resume(open, {});
    reader.reset();
    for (int part = 4; part < 7; ++part) {
        record(*recorder, 50 * part, 50);
        recorder->flush();
        const std::string killed = nameOf("killed.mantissa");
        for (const char* ending : {"", "-wal"}) fs::copy_file(open + ending, killed + ending, fs::copy_options::overwrite_existing);
        EXPECT_EQ(countOf(killed), 50u * (part + 1));
        for (const char* ending : {"", "-wal", "-shm"}) fs::remove(killed + ending);
        std::this_thread::sleep_for(std::chrono::milliseconds(1000));
    }
}

TEST_F(WholeTest, ANewRecordingIsNotMadeBesideTheLogOfAnother) {
    {
        Recorder recorder(path, {}, {});
        record(recorder, 0, 50);
        recorder.flush();
        fs::copy_file(path + "-wal", nameOf("new.mantissa-wal"));
    }
    try {
        Recorder recorder(nameOf("new.mantissa"), {}, {});
        FAIL() << "it was made";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("as new.mantissa-wal"), std::string::npos) << error.what();
    }
}

TEST_F(WholeTest, AClosedOneIsWholeWhateverStandsBesideIt) {
    {
        Recorder recorder(path, {}, {});
        record(recorder, 0, 50);
    }
    const std::string longest = copyAlone(std::string(255, 'x'));
    const std::string beside = copyAlone("beside.mantissa");
    fs::create_directory(beside + "-wal");
    for (const std::string& file : {longest, beside}) {
        EXPECT_EQ(missingOf(file), "");
        EXPECT_EQ(countOf(file), 50u);
        EXPECT_NE(Recording(file).whyReadOnly(), "");
    }
}

TEST_F(WholeTest, ALinkToTheLogIsAsGoodAsTheLog) {
    std::string linked;
    {
        Recorder recorder(path, {}, {});
        record(recorder, 0, 300);
        recorder.flush();
        linked = copyWithLog("linked.mantissa");
    }
    fs::rename(linked + "-wal", nameOf("elsewhere"));
    fs::create_symlink(nameOf("elsewhere"), linked + "-wal");
    EXPECT_EQ(countOf(linked), 300u);
    EXPECT_EQ(missingOf(linked), kNotClosed);
}

}  // namespace
}  // namespace mantissa::test
