// SPDX-License-Identifier: Apache-2.0
#include "engine/recording/recording_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <random>

#include "engine/recording/database.h"
#include "engine/recording/file_guard.h"
#include "engine/recording/log_beside.h"
#include "engine/recording/schema.h"

namespace mantissa {
namespace {

namespace fs = std::filesystem;

using FoldClock = std::chrono::steady_clock;

constexpr int kFoldPages = 1000;  // of the write-ahead log: SQLite's own default

constexpr std::chrono::minutes kLongestMaking(1);  // to create a file; usually about 30 ms

fs::path folderOf(const std::string& path) {
    return fs::absolute(path).parent_path();
}

/// A file that is created under a temporary name until it is complete.
class Unfinished {
public:
    /// Throws std::system_error. Removes files of killed programs.
    explicit Unfinished(const std::string& path)
        : m_path((folderOf(path) / (kPrefix + std::to_string(std::random_device()()) + kEnding)).string()) {
        removeLeftovers(folderOf(path));
        const int descriptor = open(m_path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);  // minus the user's mask
        if (descriptor < 0) throw std::system_error(errno, std::generic_category());
        close(descriptor);  // before SQLite opens it
    }
    ~Unfinished() {
        for (const char* ending : {"", "-wal", "-shm", "-journal"}) unlink((m_path + ending).c_str());
    }
    const std::string& path() const { return m_path; }
    /// Renames the file if the name is free. Throws std::system_error.
    void finish(const std::string& path) {
        if (link(m_path.c_str(), path.c_str()) == 0) {
            unlink(m_path.c_str());
            return;
        }
        if (errno == EEXIST) throw std::system_error(errno, std::generic_category());
        // The file system has no links.
        if (fs::exists(fs::symlink_status(path))) throw std::system_error(EEXIST, std::generic_category());
        fs::rename(m_path, path);
    }

private:
    static constexpr const char *kPrefix = ".mantissa-", *kEnding = ".new";  // short: a recording's name may have the maximum length
    std::string m_path;

    static void removeLeftovers(const fs::path& folder) {
        std::error_code error;
        for (auto it = fs::directory_iterator(folder, error); !error && it != fs::directory_iterator(); it.increment(error)) {
            const std::string name = it->path().filename().string();
            if (!name.starts_with(kPrefix) || name.find(kEnding) == std::string::npos) continue;
            std::error_code gone;
            const auto age = fs::file_time_type::clock::now() - fs::last_write_time(it->path(), gone);
            if (!gone && age > kLongestMaking) fs::remove(it->path(), gone);
        }
    }
};

void makeTables(Database& database, const std::map<std::string, std::string>& facts) {
    database.run("PRAGMA journal_mode = MEMORY");  // an incomplete file needs no rollback
    database.run("BEGIN");
    database.run("PRAGMA application_id = " + std::to_string(kApplicationId) + "; PRAGMA user_version = " + std::to_string(kSchemaVersion));
    for (const TableText& table : kTables) database.run(table.sql);
    Statement insert(database, "INSERT INTO facts VALUES (?1, ?2)");
    for (const auto& [key, value] : facts) insert.runOnce(key, value);
    database.run("COMMIT");
}

/// Returns the first free name of "name 2.mantissa", ...
std::string freeNameBeside(const fs::path& path) {
    for (int number = 2;; ++number) {
        fs::path beside = path;
        beside.replace_filename(path.stem().string() + " " + std::to_string(number) + path.extension().string());
        if (!fs::exists(fs::symlink_status(beside))) return beside.string();
    }
}

}  // namespace

std::size_t Arrivals::bytes() const {
    std::size_t bytes = steps.size() * sizeof(Step);
    for (const Entry& entry : entries) bytes += sizeof entry + entry.kind.size() + entry.body.size();
    for (const Snapshot& snapshot : snapshots) bytes += sizeof snapshot + snapshot.head.size() + snapshot.state.size();
    return bytes;
}

void Arrivals::append(Arrivals&& later) {
    if (isEmpty()) return std::swap(*this, later);
    const auto join = [](auto& to, auto& from) {
        to.insert(to.end(), std::move_iterator(from.begin()), std::move_iterator(from.end()));
        from.clear();
    };
    join(steps, later.steps);
    join(entries, later.entries);
    join(snapshots, later.snapshots);
}

struct RecordingFile::Handles {
    explicit Handles(const std::string& path) : database(path, Database::Mode::Write) {
        // Log checkpoints run separately: SQLite would report their failure as one of the commit, which is safe by then.
        database.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0");
        sqlite3_wal_hook(
            database.handle(),
            [](void* pages, sqlite3*, const char*, int count) {
                *static_cast<int*>(pages) = count;
                return SQLITE_OK;
            },
            &logPages);
        const auto insertInto = [&](const std::string& columns, int count) {
            std::string sql = "INSERT INTO " + columns + " VALUES (?";
            for (int column = 1; column < count; ++column) sql += ", ?";
            return std::make_unique<Statement>(database, sql + ")");
        };
        steps = insertInto(std::string("steps(") + kStepColumns + ")", kStepColumnCount);
        log = insertInto("log(steps_before, kind, run, step, body)", 5);
        snapshots = insertInto("snapshots(steps_before, run, step, head, state)", 5);
    }

    Database database;
    std::unique_ptr<Statement> steps, log, snapshots;
    int logPages = 0;  // of the write-ahead log after the last commit
};

RecordingFile::RecordingFile(std::string path, std::unique_ptr<FileGuard> guard)
    : m_path(std::move(path)), m_guard(std::move(guard)), m_handles(std::make_unique<Handles>(m_path)) {
    m_steps = m_handles->database.number("SELECT max(seq) FROM steps");
    begin();
}

RecordingFile::~RecordingFile() {
    foldLog();
}

std::unique_ptr<RecordingFile> RecordingFile::create(const std::string& path, const std::map<std::string, std::string>& facts) {
    const auto refuse = [&](const std::string& sentence) { throw InputError(path, "", sentence); };
    if (path.empty() || path.find('\0') != std::string::npos) refuse("is no name of a file");
    const auto refuseTaken = [&] { refuse("exists already, and a recording is never written over another file"); };
    std::error_code ignored;
    if (fs::exists(fs::symlink_status(path, ignored))) refuseTaken();
    if (!fs::is_directory(folderOf(path), ignored)) refuse("its folder does not exist");
    // SQLite would read it as this recording's.
    if (const auto bytes = fs::file_size(logOf(path), ignored); !ignored && bytes > 0)
        refuse("cannot be written: the log of another recording lies beside it, as " + fs::path(logOf(path)).filename().string());
    std::map<std::string, std::string> all = facts;
    all[kStateKey] = kStateOpen;
    for (const char* key : {kStepsAtCloseKey, kLogKey}) all.erase(key);
    try {
        Unfinished unfinished(path);
        {
            Database database(unfinished.path(), Database::Mode::Write);
            makeTables(database, all);
        }
        auto guard = std::make_unique<FileGuard>(unfinished.path());
        guard->lockForWriting();
        unfinished.finish(path);
        try {
            return std::unique_ptr<RecordingFile>(new RecordingFile(path, std::move(guard)));
        } catch (...) {  // nothing was recorded in it
            for (const char* ending : {"", "-wal", "-shm"}) fs::remove(path + ending, ignored);
            throw;
        }
    } catch (const std::system_error& error) {
        if (error.code().value() == EEXIST) refuseTaken();
        refuse("cannot be written: " + error.code().message());
    } catch (const SqlError& error) {
        refuse(std::string("cannot be written: ") + error.what());
    }
    return nullptr;
}

std::unique_ptr<RecordingFile> RecordingFile::goOn(const std::string& name) {
    const auto refuse = [&](const std::string& sentence) { throw InputError(name, "", sentence); };
    std::error_code missing;  // Recording reports a missing file below
    const std::string resolved = fs::canonical(name, missing).string(), path = missing ? name : resolved;
    if (const std::string why = Recording(name).whyReadOnly(); !why.empty()) refuse(why);
    auto guard = std::make_unique<FileGuard>(path);
    if (!guard->lockForWriting()) refuse(kInUse);
    try {
        return std::unique_ptr<RecordingFile>(new RecordingFile(path, std::move(guard)));
    } catch (const SqlError& error) {
        refuse(std::string("cannot be written: ") + error.what());
    }
    return nullptr;
}

void RecordingFile::write(const Arrivals& arrivals) {
    Database& database = m_handles->database;
    const auto most = static_cast<std::size_t>(sqlite3_limit(database.handle(), SQLITE_LIMIT_LENGTH, -1));
    try {
        database.run("BEGIN");
        std::int64_t seq = m_steps;
        for (const Arrivals::Step& row : arrivals.steps) {
            bindStep(*m_handles->steps, ++seq, row.run, row.record);
            m_handles->steps->runOnce();
        }
        for (const Arrivals::Entry& entry : arrivals.entries)
            m_handles->log->runOnce(entry.stepsBefore, entry.kind, std::int64_t{entry.run}, entry.step, entry.body);
        for (const Arrivals::Snapshot& snapshot : arrivals.snapshots) {
            if (snapshot.state.size() + snapshot.head.size() + 256 > most) continue;  // SQLite's limit for a row
            m_handles->snapshots->runOnce(snapshot.stepsBefore, std::int64_t{snapshot.run}, snapshot.step, snapshot.head, snapshot.state);
        }
        database.run("COMMIT");
        m_steps = seq;
    } catch (const SqlError&) {
        if (sqlite3_get_autocommit(database.handle()) == 0) sqlite3_exec(database.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
        throw;
    }
    m_hasUnfolded = true;
    try {
        bindLog();
    } catch (const SqlError&) {  // a full disk: the next write tries again
    }
    if (m_handles->logPages >= kFoldPages) foldLog();
    foldWhenDue();
}

std::optional<FoldClock::time_point> RecordingFile::foldDue() const {
    if (!m_hasUnfolded) return std::nullopt;
    return m_foldedAt + std::chrono::milliseconds(kFoldMs);
}

void RecordingFile::foldWhenDue() {
    if (m_hasUnfolded && FoldClock::now() >= *foldDue()) foldLog();
}

/// After a failure the data stays in the log, and is safe while the log exists. A reader of an older state also delays a checkpoint.
void RecordingFile::foldLog() {
    m_handles->logPages = 0;
    m_foldedAt = FoldClock::now();
    int pages = 0, folded = 0;
    const int code = sqlite3_wal_checkpoint_v2(m_handles->database.handle(), nullptr, SQLITE_CHECKPOINT_PASSIVE, &pages, &folded);
    m_hasUnfolded = code != SQLITE_OK || folded < pages;
}

/// Written to the file itself before anything else, so that a file without its log, or beside another one, is known to be open.
void RecordingFile::begin() {
    setFact(m_handles->database, kStateKey, kStateOpen);
    bindLog();
    foldLog();
}

/// Notes the log's number, so that no reader takes another recording's log for this one's.
void RecordingFile::bindLog() {
    const auto log = idOfLog(logOf(m_path));
    if (!log || *log == m_log) return;
    setFact(m_handles->database, kLogKey, std::to_string(*log));
    m_log = *log;
    foldLog();
}

/// Written last and checkpointed: a file with this state contains everything before.
void RecordingFile::close(bool isWhole) {
    foldLog();
    Database& database = m_handles->database;
    try {
        database.run("BEGIN");
        setFact(database, kStateKey, isWhole ? kStateClosed : kStateStopped);
        setFact(database, kStepsAtCloseKey, std::to_string(m_steps));
        database.run("COMMIT");
    } catch (const SqlError&) {  // a full disk: the file stays marked as open, with its log
        sqlite3_db_config(database.handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
        if (sqlite3_get_autocommit(database.handle()) == 0) sqlite3_exec(database.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
    }
}

bool RecordingFile::hasMoved() const {
    int hasMoved = 0;
    sqlite3_file_control(m_handles->database.handle(), nullptr, SQLITE_FCNTL_HAS_MOVED, &hasMoved);
    return hasMoved != 0;
}

void RecordingFile::saveAgain() {
    try {
        fs::create_directories(folderOf(m_path));
        const bool isTaken = fs::exists(fs::symlink_status(m_path));
        const std::string path = isTaken ? freeNameBeside(m_path) : m_path;
        Unfinished unfinished(path);
        {
            Database copy(unfinished.path(), Database::Mode::Write);
            sqlite3_backup* backup = sqlite3_backup_init(copy.handle(), "main", m_handles->database.handle(), "main");
            if (backup == nullptr) throw SqlError(copy.handle());
            sqlite3_backup_step(backup, -1);
            if (sqlite3_backup_finish(backup) != SQLITE_OK) throw SqlError(copy.handle());
            copy.run(std::string("DELETE FROM facts WHERE key = '") + kLogKey + "'");
        }
        auto guard = std::make_unique<FileGuard>(unfinished.path());
        guard->lockForWriting();
        // The file may still exist under another name: it gets all its data, and the log under the old name is removed, since SQLite would
        // use it for the new file.
        foldLog();
        for (const char* ending : {"-wal", "-shm"}) unlink((path + ending).c_str());
        unfinished.finish(path);
        auto handles = std::make_unique<Handles>(path);
        m_handles = std::move(handles);
        m_guard = std::move(guard);
        m_path = path;
        begin();
    } catch (const std::system_error& error) {
        throw SqlError(SQLITE_CANTOPEN, error.code().value(), error.what());
    }
}

std::int64_t RecordingFile::bytes() const {
    std::int64_t bytes = 0;
    for (const char* ending : {"", "-wal"}) {
        std::error_code error;
        const std::uintmax_t size = fs::file_size(m_path + ending, error);
        if (!error) bytes += static_cast<std::int64_t>(size);
    }
    return bytes;
}

}  // namespace mantissa
