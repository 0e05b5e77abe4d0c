// SPDX-License-Identifier: Apache-2.0
#include "engine/recording/recording_impl.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "engine/recording/schema.h"

namespace mantissa {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kLeastRowBytes = 8;  // in the file: its position in a page, its lengths and types
constexpr int kMostSenseless = 1000;        // rows in a row: ends a cyclic table
constexpr const char* kDamaged = "it is damaged; what could be read is shown";
constexpr std::size_t kHeaderBytes = 100;  // of a SQLite file; sqlite.org/fileformat.html, 1.3

std::int64_t sizeOf(const std::string& path) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(path, error);
    return error ? 0 : static_cast<std::int64_t>(size);
}

/// The file that a symbolic link points to: its log is in the same folder.
std::string fileOf(const std::string& path) {
    std::error_code error;
    const fs::path file = fs::canonical(path, error);
    return error ? path : file.string();
}

bool mayWrite(const std::string& path) {
    return faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

using Header = std::array<unsigned char, kHeaderBytes>;

std::string factOf(Database& database, const char* key) {
    Statement find(database, "SELECT value FROM facts WHERE key = ?1");
    find.bind(1, std::string_view(key));
    return find.step() ? find.text(0) : std::string();
}

/// Checks whose file it is, before SQLite opens it.
Header requireOurs(const FileGuard& guard, const std::string& path) {
    Header header{};
    const std::size_t count = guard.readFirst(header);
    if (count == 0) throw DamagedRecording(path, "", "is empty: nothing of a recording is in it");
    static constexpr char kMagic[] = "SQLite format 3";
    if (std::memcmp(header.data(), kMagic, std::min(count, sizeof kMagic)) != 0)
        throw InputError(path, "", "is no recording of this program (no SQLite file)");
    if (count < header.size()) throw DamagedRecording(path, "", "is cut off so early that nothing of it can be read");
    if (bigEndian(&header[68]) != kApplicationId)
        throw InputError(path, "", "is no recording of this program, but another program's SQLite file");
    return header;
}

/// Whether the file is shorter than its header's page count (byte 28) times the page size (byte 16).
bool isShorterThanItSays(const Header& header, std::int64_t bytes) {
    const std::int64_t page = header[16] << 8 | header[17];
    return bigEndian(&header[28]) * (page == 1 ? 65536 : page) > bytes;
}

}  // namespace

RowCursor::RowCursor(Database& database, const std::string& columns, const std::string& table, std::int64_t most)
    : m_rows(database, "SELECT " + columns + " FROM " + table + " WHERE seq > ?1 ORDER BY seq"), m_most(most) {}

bool RowCursor::next() {
    int code = m_hasBegun ? sqlite3_step(m_rows.handle()) : beginAfter(0);
    m_hasBegun = true;
    for (int senseless = 0; senseless < kMostSenseless; ++senseless) {
        if (code != SQLITE_ROW && code != SQLITE_DONE) code = passDamage();
        if (code != SQLITE_ROW) return false;
        const std::int64_t seq = m_rows.integer(0);
        if (seq > m_seq && seq <= m_most) {
            if (seq != m_seq + 1) m_isDamaged = true;  // numbers are written without gaps
            m_seq = seq;
            return true;
        }
        m_isDamaged = true;
        code = sqlite3_step(m_rows.handle());
    }
    return false;
}

int RowCursor::beginAfter(std::int64_t seq) {
    sqlite3_reset(m_rows.handle());
    sqlite3_bind_int64(m_rows.handle(), 1, seq);
    return sqlite3_step(m_rows.handle());
}

/// Finds the first seq after a gap: by doubled steps, then by bisection.
int RowCursor::passDamage() {
    m_isDamaged = true;
    const auto isReadable = [](int code) { return code == SQLITE_ROW || code == SQLITE_DONE; };
    std::int64_t bad = m_seq, good = m_seq;
    for (std::int64_t leap = 1;; leap *= 2) {
        good = std::min(m_seq + leap, m_most);
        if (good <= bad) return SQLITE_DONE;
        if (isReadable(beginAfter(good))) break;
        bad = good;
    }
    while (good - bad > 1) {
        const std::int64_t middle = bad + (good - bad) / 2;
        (isReadable(beginAfter(middle)) ? good : bad) = middle;
    }
    return beginAfter(good);
}

Recording::Impl::Impl(const std::string& filePath)
    : path(filePath),
      guard(filePath),
      file(fileOf(path)),
      canWrite(mayWrite(file) && mayWrite(fs::absolute(file).parent_path().string())),
      isWritten(guard.isWritten()) {
    const Header header = requireOurs(guard, path);
    hasOtherLog = !isWritten && isLogOfAnother();
    hasLog = !hasOtherLog && sizeOf(logOf(file)) > 0;
    const bool logIsWhole = hasLog && isWhole(logOf(file));  // before SQLite may checkpoint them
    if (isWritten) {
        whyReadOnly = kInUse;
    } else if (!canWrite) {
        whyReadOnly = "there is no right to write to it";
    }
    if (hasOtherLog) {
        unread = nameOfLog() + " beside it is the log of another recording, and was not read";
        if (whyReadOnly.empty()) whyReadOnly = unread;
    }
    // Tries complete reads first, then partial ones.
    const bool isCutOff = !hasLog && isShorterThanItSays(header, sizeOf(file));
    const bool isOpen = !isCutOff && ((canWrite && !hasOtherLog && open(Database::Mode::Recover, false)) || openAsGuest());
    if (!isOpen) {
        const bool isElsewhere = failure && !failure->isDamage();  // the failure has another cause
        if (!isElsewhere) {
            markDamaged();
        } else {
            unread = std::string("it cannot be opened as a whole, because of this: ") + failure->what();
            if (whyReadOnly.empty()) whyReadOnly = unread;
        }
        const bool isOpenInPart = (hasLog && open(Database::Mode::ReadOnly, true)) || open(Database::Mode::Immutable, true);
        if (!isOpenInPart) {
            if (isElsewhere) throw InputError(path, "", std::string("cannot be read: ") + failure->what());
            throw DamagedRecording(path, "", "is damaged, and nothing of it can be read");
        }
    }
    readFacts();
    readState(logIsWhole);
    const auto steps = rowsOf("steps", kStepColumns), log = rowsOf("log", "seq");
    if (isNewer && (steps == nullptr || log == nullptr))
        throw InputError(path, "", "was written by a newer version, which is needed to read it");
    if (facts.empty() && !(steps != nullptr && steps->next()) && !(log != nullptr && log->next()))
        throw DamagedRecording(path, "", "is damaged, and nothing of it can be read");
}

bool Recording::Impl::isLogOfAnother() const {
    const auto log = idOfLog(logOf(file));
    if (!log) return false;
    const std::string id = std::to_string(*log);
    try {
        Database alone(file, Database::Mode::Immutable);
        const std::string noted = factOf(alone, kLogKey);
        if (noted.empty() || noted == id) return false;
        // A program may have been killed after it noted the log's number in the log, and before that was in the file.
        const PrivateCopy both(file);
        Database whole(both.path(), Database::Mode::Recover);
        return factOf(whole, kLogKey) != id || factOf(whole, kUuidKey) != factOf(alone, kUuidKey);
    } catch (const SqlError&) {  // what cannot be read is said on opening it
        return false;
    } catch (const std::system_error&) {  // there is no room for a copy
        return true;
    }
}

/// Opens without writing: a log without its index is read from a copy.
bool Recording::Impl::openAsGuest() {
    if (failure && failure->isDamage()) return false;
    if (failure && whyReadOnly.empty()) whyReadOnly = std::string("it cannot be opened for writing, because of this: ") + failure->what();
    if (!hasLog) return open(Database::Mode::Immutable, false);
    if (open(Database::Mode::ReadOnly, false)) return true;
    std::string why = failure->what();
    if (!isWritten) {  // a copy during a write would be inconsistent
        try {
            copy = std::make_unique<PrivateCopy>(file);
            if (open(Database::Mode::Recover, false)) return true;
        } catch (const std::system_error& error) {
            why = error.code().message();
        }
        copy.reset();
    }
    unread = "its last steps are missing: they are in " + nameOfLog() + ", which cannot be read, because of this: " + why;
    return open(Database::Mode::Immutable, false);
}

bool Recording::Impl::open(Database::Mode mode, bool isCutOff) {
    try {
        database.reset();
        database = std::make_unique<Database>(copy ? copy->path() : file, mode, isCutOff);
        isThroughLog = mode != Database::Mode::Immutable;
        database->run("PRAGMA query_only = ON");
        const std::int64_t version = database->number("PRAGMA user_version");
        const bool hasTables = hasOurTables();
        isNewer = version > kSchemaVersion;
        if (isNewer) {
            whyReadOnly = "it was written by a newer version";
        } else if (version != kSchemaVersion || !hasTables) {
            markDamaged();
        }
        return true;
    } catch (const SqlError& error) {
        if (!failure) failure = error;
        return false;
    }
}

void Recording::Impl::markDamaged() {
    if (isNewer) return;
    isDamaged = true;
    whyReadOnly = kDamaged;
}

std::int64_t Recording::Impl::bytes() const {
    return sizeOf(file) + sizeOf(logOf(file));
}

bool Recording::Impl::hasOurTables() {
    Statement find(*database, "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1 AND sql = ?2 AND rootpage > 0");
    bool hasAll = true;
    for (const TableText& table : kTables) {
        find.bind(1, std::string_view(table.name));
        find.bind(2, std::string_view(table.sql));
        hasAll = find.step() && hasAll;
        sqlite3_reset(find.handle());
    }
    return hasAll;
}

void Recording::Impl::readFacts() {
    try {
        Statement rows(*database, "SELECT key, value FROM facts");
        while (rows.step()) facts[rows.text(0)] = rows.text(1);
    } catch (const SqlError&) {
        markDamaged();
    }
}

/// Reads whether the file was closed.
void Recording::Impl::readState(bool logIsWhole) {
    if (const auto steps = facts.find(kStepsAtCloseKey); steps != facts.end())
        stepsAtClose = std::strtoll(steps->second.c_str(), nullptr, 10);
    const auto state = facts.find(kStateKey);
    if (state == facts.end() || state->second == kStateClosed) return;
    if (isWritten || guard.isWritten()) {
        if (whyReadOnly.empty()) whyReadOnly = kInUse;
        return;
    }
    isUnclosed = true;
    if (state->second == kStateRecovered) return;
    if (state->second == kStateStopped) {
        unread = "recording was stopped before training ended: its last steps are missing";
        return;
    }
    if (isThroughLog && logIsWhole) return markRecovered();
    // The log stays beside the file: closing would put what is readable of it into the file and remove it.
    if (database) sqlite3_db_config(database->handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    if (unread.empty() || hasOtherLog)
        unread = "it was not closed, and its last steps may be missing: they would be in " + nameOfLog() +
                 (hasOtherLog ? ", but that one is of another recording"
                  : hasLog    ? ", which is not whole"
                              : ", which is not beside it");
}

/// Closing makes SQLite checkpoint the log and remove it: the file is marked so that no log is expected.
void Recording::Impl::markRecovered() {
    if (!canWrite || copy || isDamaged || isNewer) return;
    FileGuard own(path);  // no program may start writing meanwhile
    if (!own.lockForWriting()) return;
    try {
        database->run("PRAGMA query_only = OFF");
        setFact(*database, kStateKey, kStateRecovered);
        database->run("PRAGMA query_only = ON");
    } catch (const SqlError&) {  // the file stays unchanged, with its log
        sqlite3_db_config(database->handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    }
}

std::string Recording::Impl::missing() const {
    if (!isDamaged && !unread.empty()) return unread;
    if (!isDamaged) return isUnclosed ? "it was not closed: its last steps may be missing" : "";
    if (stepsRead < 0) return kDamaged;
    const std::string of = stepsAtClose > 0 ? " of " + std::to_string(std::max(stepsAtClose, stepsRead)) : "";
    return kDamaged + (": " + std::to_string(stepsRead)) + of + (stepsRead == 1 && of.empty() ? " step" : " steps");
}

/// Nothing if the table is missing, or is a view or a virtual table.
std::unique_ptr<RowCursor> Recording::Impl::rowsOf(const std::string& table, const std::string& columns) {
    try {
        if (database->number("SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = '" + table + "'") <= 0) return nullptr;
        return std::make_unique<RowCursor>(*database, columns, table, bytes() / kLeastRowBytes);
    } catch (const SqlError&) {
        return nullptr;
    }
}

}  // namespace mantissa
