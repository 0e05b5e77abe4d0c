// SPDX-License-Identifier: Apache-2.0
// Files that are damaged, cut off, newer, or none of ours: refused in one sentence, or shown as far as they can be read; never a crash.
#include <sys/stat.h>

#include <functional>
#include <map>
#include <random>

#include "engine/recording/database.h"
#include "recordings.h"

namespace mantissa::test {
namespace {

namespace fs = std::filesystem;

using Bytes = std::string;
constexpr std::int64_t kRecorded = 1000;
constexpr std::size_t kPage = 4096;

Bytes bytesOf(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void write(const fs::path& path, const Bytes& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

void runSql(const std::string& path, const std::string& sql) {
    sqlite3* database = nullptr;
    sqlite3_open(path.c_str(), &database);
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(database) << ": " << sql;
    sqlite3_close(database);
}

class DamagedTest : public RecordingTest {
protected:
    DamagedTest() {
        {
            Recorder recorder(path, {{"title", "whole"}}, {});
            record(recorder, 0, kRecorded / 2);
            record(recorder, kRecorded / 2, kRecorded / 2);
        }
        whole = bytesOf(path);
    }

    /// The page of the file where a table begins, from 0.
    std::size_t rootOf(const std::string& table) const {
        return std::stoul(askSql(path, "SELECT rootpage FROM sqlite_schema WHERE name = '" + table + "'")) - 1;
    }

    /// A file of these bytes is refused in one sentence, or read: then what is read is in order, and true, unless a flipped bit may have
    /// changed values. Returns how many steps were read; -1: refused.
    std::int64_t tryToRead(const std::string& what, const std::string& file, bool isTrue = true) {
        SCOPED_TRACE(what);
        std::int64_t count = 0, last = -1;
        std::string whyReadOnly;
        const std::string refusal = refusalOf([&] {
            const Recording recording(file);
            for (const ReadItem& item : itemsOf(recording)) {
                const auto* step = std::get_if<ReadStep>(&item);
                if (step == nullptr) continue;
                ++count;
                if (!isTrue) continue;
                EXPECT_GT(step->record.step, last);
                last = step->record.step;
                expectSame(syntheticStep(last), step->record);
            }
            for (const SnapshotPlace& place : recording.snapshots()) {
                const auto snapshot = recording.snapshot(place.id);
                if (isTrue && snapshot) {
                    EXPECT_EQ(snapshot->state.size(), 5000u);
                }
            }
            recording.summary();
            whyReadOnly = recording.whyReadOnly();
        });
        if (!refusal.empty()) {
            EXPECT_EQ(refusal.rfind(file + ": ", 0), 0u) << refusal;
            EXPECT_EQ(refusal.find('\n'), std::string::npos) << refusal;
            EXPECT_NE(refusalOf([&] { Recorder::resume(file, {}); }), "");
            return -1;
        }
        if (isTrue) {
            EXPECT_TRUE(count == kRecorded || !whyReadOnly.empty()) << count << " steps and no word";
        }
        why = whyReadOnly;
        return count;
    }
    std::int64_t tryBytes(const std::string& what, const Bytes& bytes, bool isTrue = true) {
        const fs::path file = folder / "damaged.mantissa";
        for (const char* ending : {"", "-wal", "-shm"}) fs::remove(file.string() + ending);
        write(file, bytes);
        return tryToRead(what, file.string(), isTrue);
    }
    /// The whole recording after some SQL, which cannot be undone.
    std::string changedBy(const std::string& sql) {
        const std::string file = (folder / "changed.mantissa").string();
        for (const char* ending : {"", "-wal", "-shm"}) fs::remove(file + ending);
        write(file, whole);
        runSql(file, sql);
        return file;
    }

    Bytes whole;
    std::string why;  // of the last one that was read
};

TEST_F(DamagedTest, CutOffFilesGiveWhatTheyHave) {
    const std::size_t size = whole.size();
    for (const std::size_t length : {0ul, 1ul, 15ul, 16ul, 50ul, 99ul, 100ul, 101ul, 512ul, kPage - 1}) {
        EXPECT_EQ(tryBytes("cut at " + std::to_string(length), whole.substr(0, length)), -1);
    }
    std::vector<std::size_t> lengths{kPage,      kPage + 1, 2 * kPage, 3 * kPage,    4 * kPage,     5 * kPage,    6 * kPage,
                                     10 * kPage, size / 4,  size / 2,  size * 2 / 3, size * 9 / 10, size - kPage, size - 1};
    std::sort(lengths.begin(), lengths.end());
    std::int64_t before = -1;
    for (const std::size_t length : lengths) {
        const std::int64_t count = tryBytes("cut at " + std::to_string(length), whole.substr(0, length));
        EXPECT_GE(count, before) << length;
        before = std::max<std::int64_t>(count, before);
        if (count >= 0) {
            EXPECT_EQ(why, "it is damaged; what could be read is shown");
        }
        if (length == size / 2) {
            EXPECT_GT(count, kRecorded * 2 / 5);
        }
    }
    EXPECT_GT(before, kRecorded * 9 / 10);
    EXPECT_EQ(tryBytes("more than all", whole + Bytes(3 * kPage + 5, 'x')), kRecorded);
}

TEST_F(DamagedTest, FlippedBytesOfTheHeaderAreNoCrash) {
    for (const std::size_t at :
         {0, 5, 15, 16, 17, 18, 19, 20, 21, 22, 23, 27, 28, 30, 31, 35, 39, 43, 44, 47, 55, 56, 59, 60, 63, 67, 68, 71, 92, 95, 96, 99}) {
        Bytes bytes = whole;
        bytes[at] = static_cast<char>(~bytes[at]);
        tryBytes("byte " + std::to_string(at), bytes);
    }
}

TEST_F(DamagedTest, APageThatIsLostIsItsRowsLost) {
    // Leaves of `steps` are of type 13 and hold some 45 rows; its root is of type 5.
    std::size_t leaves = 0;
    for (std::size_t page = 1; page < whole.size() / kPage; ++page) {
        for (const char fill : {'\0', '\xff'}) {
            Bytes bytes = whole;
            const bool isLeaf = bytes[page * kPage] == 13;
            std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(page * kPage), kPage, fill);
            const std::int64_t count = tryBytes("page " + std::to_string(page), bytes);
            if (page == rootOf("steps") || count < 0) {
                EXPECT_LE(count, 0);
                continue;
            }
            EXPECT_GE(count, isLeaf ? kRecorded - 60 : kRecorded) << page;
            leaves += count < kRecorded ? 1 : 0;
        }
    }
    EXPECT_GE(leaves, 2u * (kRecorded / 60));
}

TEST_F(DamagedTest, ManyPagesLostLeaveTheOthers) {
    Bytes bytes = whole;
    const std::size_t pages = bytes.size() / kPage;
    for (std::size_t page = pages / 4; page < pages / 2; ++page)
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(page * kPage), kPage, '\xff');
    const std::int64_t count = tryBytes("a quarter", bytes);
    EXPECT_GT(count, kRecorded * 6 / 10);
    EXPECT_LT(count, kRecorded);
}

TEST_F(DamagedTest, FlippedBitsAnywhereAreNoCrash) {
    std::mt19937 random(17);
    for (int round = 0; round < 150; ++round) {
        Bytes bytes = whole;
        for (int flip = 0; flip <= round % 8; ++flip) {
            // Half of them where pages say what is in them.
            std::size_t at = random() % bytes.size();
            if (random() % 2 == 0) at = at / kPage * kPage + random() % 120;
            bytes[std::min(at, bytes.size() - 1)] ^= static_cast<char>(1 << random() % 8);
        }
        tryBytes("round " + std::to_string(round), bytes, false);
    }
}

TEST_F(DamagedTest, PagesInTheWrongPlaceAreNoCrash) {
    std::mt19937 random(18);
    const std::size_t pages = whole.size() / kPage;
    for (int round = 0; round < 30; ++round) {
        Bytes bytes = whole;
        const std::size_t from = random() % pages, to = 1 + random() % (pages - 1);
        bytes.replace(to * kPage, kPage, whole, from * kPage, kPage);
        tryBytes("page " + std::to_string(from) + " on " + std::to_string(to), bytes, false);
    }
}

TEST_F(DamagedTest, WhatIsNoneOfOursIsRefused) {
    const auto refusal = [&](const Bytes& bytes) {
        write(folder / "x.mantissa", bytes);
        return refusalOf([&] { Recording recording((folder / "x.mantissa").string()); }).substr((folder / "x.mantissa").string().size());
    };
    EXPECT_EQ(refusal(""), ": is empty: nothing of a recording is in it");
    EXPECT_EQ(refusal("step,loss\n0,1\n"), ": is no recording of this program (no SQLite file)");
    EXPECT_EQ(refusal(Bytes(100'000, '\0')), ": is no recording of this program (no SQLite file)");
    EXPECT_EQ(refusal(Bytes("SQLite format 3\0", 16) + Bytes(5000, 'z')),
              ": is no recording of this program, but another program's SQLite file");
    Bytes magicAlone = whole.substr(0, 100) + Bytes(3 * kPage, '\0');
    EXPECT_EQ(refusal(magicAlone), ": is damaged, and nothing of it can be read");
    const std::string foreign = (folder / "foreign.mantissa").string();
    runSql(foreign, "CREATE TABLE steps(a); INSERT INTO steps VALUES (1)");
    EXPECT_EQ(refusalOf([&] { Recording recording(foreign); }),
              foreign + ": is no recording of this program, but another program's SQLite file");
    const std::string missing = (folder / "missing.mantissa").string();
    EXPECT_EQ(refusalOf([&] { Recording recording(missing); }), missing + ": no such file");
    EXPECT_EQ(refusalOf([&] { Recording recording(folder.string()); }), folder.string() + ": is a folder, not a recording");
    mkfifo((folder / "pipe").c_str(), 0600);
    EXPECT_EQ(refusalOf([&] { Recording recording((folder / "pipe").string()); }), (folder / "pipe").string() + ": is no regular file");
    EXPECT_NE(refusalOf([&] { Recording recording(std::string("a\0b", 3)); }), "");
}

TEST_F(DamagedTest, ANewerFileIsShownAsFarAsItCanBeUnderstood) {
    const std::string newer = changedBy("PRAGMA user_version = 2; ALTER TABLE steps ADD COLUMN more INTEGER; CREATE TABLE other(a)");
    EXPECT_EQ(tryToRead("a column more", newer), kRecorded);
    EXPECT_EQ(why, "it was written by a newer version");
    EXPECT_EQ(refusalOf([&] { Recorder::resume(newer, {}); }), newer + ": it was written by a newer version");
    const std::string strange = changedBy("PRAGMA user_version = 3; ALTER TABLE steps RENAME COLUMN loss TO losses");
    EXPECT_EQ(refusalOf([&] { Recording recording(strange); }), strange + ": was written by a newer version, which is needed to read it");
}

TEST_F(DamagedTest, OtherTablesThanOursAreReadAsFarAsTheyGo) {
    const std::string damaged = "it is damaged; what could be read is shown";
    const std::map<std::string, std::int64_t> expected{
        {"DROP TABLE steps", 0},
        {"DROP TABLE log", kRecorded},
        {"DROP TABLE snapshots", kRecorded},
        {"DROP TABLE facts", kRecorded},
        {"DROP TABLE facts; DROP TABLE steps; DROP TABLE log", -1},
        {"DROP TABLE facts; DELETE FROM steps; DELETE FROM log", -1},
        {"PRAGMA user_version = 0", kRecorded},
        {"PRAGMA user_version = -5", kRecorded},
        {"ALTER TABLE steps RENAME TO s; CREATE VIEW steps AS WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT x AS "
         "seq FROM r",
         0},
        {"DROP TABLE steps; CREATE VIRTUAL TABLE steps USING fts5(seq)", 0},
        {"CREATE TABLE t AS SELECT * FROM steps; DROP TABLE steps; ALTER TABLE t RENAME TO steps", kRecorded},
        {"DELETE FROM steps WHERE seq BETWEEN 200 AND 700", kRecorded - 501},
        {"DELETE FROM steps WHERE seq = 1", kRecorded - 1},
        {"DELETE FROM steps WHERE seq > 990", 990},  // it knows how many it had when it was closed
    };
    for (const auto& [sql, steps] : expected) {
        EXPECT_EQ(tryToRead(sql, changedBy(sql)), steps) << sql;
        if (steps >= 0) {
            EXPECT_EQ(why, damaged) << sql;
        }
    }
    // Text, blobs and nonsense where numbers are expected.
    const std::string loose =
        "CREATE TABLE t(seq INTEGER PRIMARY KEY, run, step, samples, skipped_total, memory_bytes, flags, classes, wall_s, "
        "loss, val_loss, val_accuracy, loss_scale, grad_norm, lr, step_ms, samples_per_s); INSERT INTO t SELECT * FROM steps;"
        "DROP TABLE steps; ALTER TABLE t RENAME TO steps; ";
    for (const char* update : {"loss = 'text'", "loss = x'00ff', step = 'one'", "run = 1e300", "run = -1", "step = -7", "classes = -1",
                               "flags = -1", "flags = 9223372036854775807", "run = 5000000000", "samples = NULL"}) {
        const std::int64_t count = tryToRead(update, changedBy(loose + "UPDATE steps SET " + update), false);
        EXPECT_TRUE(count == 0 || count == kRecorded) << update << ": " << count;
        EXPECT_EQ(why, damaged);
    }
    for (const char* update : {"body = 'no JSON'", "body = ''",
                               "body = '"
                               "{\"a\": 1e999}'",
                               "run = 5000000000", "steps_before = -1", "steps_before = 9223372036854775807", "kind = ''"}) {
        EXPECT_EQ(tryToRead(update, changedBy(std::string("UPDATE log SET ") + update)), kRecorded) << update;
    }
    EXPECT_EQ(tryToRead("deep", changedBy("UPDATE log SET body = '" + std::string(100'000, '[') + "'")), kRecorded);
    EXPECT_EQ(why, damaged);
    EXPECT_EQ(tryToRead("snapshots", changedBy("UPDATE snapshots SET head = '{', state = x''")), kRecorded);
    EXPECT_EQ(why, damaged);
}

TEST_F(DamagedTest, ALogThatIsCutOffEndsEarlier) {
    const std::string live = (folder / "live.mantissa").string(), file = (folder / "killed.mantissa").string();
    Recorder recorder(live, {}, {});
    for (std::int64_t step = 0; step < kRecorded; step += 100) {
        record(recorder, step, 100);
        recorder.flush();
    }
    const Bytes base = bytesOf(live), log = bytesOf(live + "-wal");
    const auto tryLog = [&](const Bytes& bytes) {
        fs::remove(file + "-shm");
        write(file, base);
        write(file + "-wal", bytes);
        std::int64_t count = -1;
        const std::string refusal = refusalOf([&] {
            const Recording recording(file);
            EXPECT_EQ(recording.whyReadOnly(), "");
            const auto steps = stepsOf(recording);
            count = static_cast<std::int64_t>(steps.size());
            for (std::int64_t step = 0; step < count; ++step) expectSame(syntheticStep(step), steps[static_cast<std::size_t>(step)].record);
        });
        EXPECT_EQ(refusal, "");
        return count;
    };
    EXPECT_EQ(tryLog(log), kRecorded);
    std::int64_t before = 0;
    for (const std::size_t length : {1ul, 31ul, 32ul, 33ul, 1000ul, 5000ul, log.size() / 3, log.size() / 2, log.size() - 1}) {
        const std::int64_t count = tryLog(log.substr(0, length));
        EXPECT_GE(count, before);
        EXPECT_EQ(count % 100, 0) << "half a transaction";
        before = count;
    }
    Bytes flipped = log;
    flipped[log.size() / 2] ^= 1;
    EXPECT_LT(tryLog(flipped), kRecorded);
    EXPECT_EQ(bytesOf(file + "-wal"), flipped) << "the log stays";
    EXPECT_TRUE(Recording(file).isIncomplete()) << Recording(file).missing();
    EXPECT_EQ(tryLog(log), kRecorded);
    EXPECT_FALSE(Recording(file).isIncomplete()) << Recording(file).missing();
    EXPECT_EQ(tryLog(Bytes(50'000, 'x')), 0);
    EXPECT_EQ(tryLog(whole), 0);
}

class DatabaseTest : public RecordingTest {};

TEST_F(DatabaseTest, AForeignFileRunsNothingAndItsCellsAreChecked) {
    Database database("", Database::Mode::Memory);
    EXPECT_EQ(database.number("PRAGMA cell_size_check"), 1);
    EXPECT_EQ(database.number("PRAGMA trusted_schema"), 0);
    database.run("CREATE TABLE t (a); CREATE VIEW v AS SELECT a FROM t; PRAGMA writable_schema = ON");
    EXPECT_THROW(database.run("UPDATE sqlite_schema SET sql = 'CREATE TABLE t (b)' WHERE name = 't'"), SqlError) << "defensive";
    EXPECT_THROW(database.number("SELECT a FROM v"), SqlError);
    { const Recorder recorder(path, {}, {}); }
    for (const auto mode : {Database::Mode::Write, Database::Mode::Recover, Database::Mode::ReadOnly, Database::Mode::Immutable}) {
        Database file(path, mode);
        EXPECT_EQ(file.number("PRAGMA cell_size_check"), 1);
        int isDefensive = 0;
        sqlite3_db_config(file.handle(), SQLITE_DBCONFIG_DEFENSIVE, -1, &isDefensive);
        EXPECT_EQ(isDefensive, 1);
    }
    database.run("CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO t VALUES (2); END; INSERT INTO t VALUES (1)");
    EXPECT_EQ(database.number("SELECT count(*) FROM t"), 1);
}

}  // namespace
}  // namespace mantissa::test
