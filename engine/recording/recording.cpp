// SPDX-License-Identifier: Apache-2.0
#include "engine/recording/recording.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <limits>

#include "engine/experiment/json_reader.h"
#include "engine/recording/database.h"
#include "engine/recording/file_guard.h"
#include "engine/recording/row_cursor.h"
#include "engine/recording/schema.h"

namespace mantissa {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBatchSteps = 4096;
constexpr std::int64_t kLeastRowBytes = 8;  // in the file: its place in a page, its lengths and types
constexpr std::size_t kMostBodyBytes = std::size_t{256} << 20;
constexpr std::size_t kHeaderBytes = 100;  // of a SQLite file; sqlite.org/fileformat.html, 1.3

std::int64_t sizeOf(const std::string& path) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(path, error);
    return error ? 0 : static_cast<std::int64_t>(size);
}

std::int64_t bytesOf(const std::string& path) {
    return sizeOf(path) + sizeOf(path + "-wal");
}

bool mayWrite(const std::string& path) {
    return faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

std::int64_t bigEndian(const unsigned char* bytes) {
    return std::int64_t{bytes[0]} << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
}

using Header = std::array<unsigned char, kHeaderBytes>;

/// Whose file it is, before SQLite does anything with it.
Header requireOurs(const FileGuard& guard, const std::string& path) {
    Header header{};
    const std::size_t count = guard.readFirst(header);
    if (count == 0) throw InputError(path, "", "is empty, and no recording");
    static constexpr char kMagic[] = "SQLite format 3";
    if (std::memcmp(header.data(), kMagic, std::min(count, sizeof kMagic)) != 0)
        throw InputError(path, "", "is no recording of this program (no SQLite file)");
    if (count < header.size()) throw InputError(path, "", "is cut off so early that nothing of it can be read");
    if (bigEndian(&header[68]) != kApplicationId)
        throw InputError(path, "", "is no recording of this program, but another program's SQLite file");
    return header;
}

/// Whether the file has fewer bytes than its header says: pages are counted at byte 28, their bytes are at 16.
bool isShorterThanItSays(const Header& header, std::int64_t bytes) {
    const std::int64_t page = header[16] << 8 | header[17];
    return bigEndian(&header[28]) * (page == 1 ? 65536 : page) > bytes;
}

}  // namespace

struct Recording::Impl {
    explicit Impl(const std::string& filePath);
    bool open(Database::Mode mode, bool isCutOff);
    bool hasOurTables();
    void readFacts();
    std::unique_ptr<RowCursor> rowsOf(const std::string& table, const std::string& columns);
    void markDamaged() {
        if (!isNewer) whyReadOnly = "it is damaged, and shown as far as it can be read";
    }
    void finish(const RowCursor* rows) {
        if (rows == nullptr || rows->isDamaged()) markDamaged();
    }

    std::string path;
    FileGuard guard;  // outlives what SQLite has open
    std::unique_ptr<Database> database;
    std::optional<SqlError> failure;  // the first to open it
    bool isNewer = false;
    std::map<std::string, std::string> facts;
    std::string whyReadOnly;
};

Recording::Impl::Impl(const std::string& filePath) : path(filePath), guard(filePath) {
    const Header header = requireOurs(guard, path);
    const bool canWrite = mayWrite(path) && mayWrite(fs::absolute(path).parent_path().string());
    const bool isWritten = guard.isWritten();
    if (isWritten) {
        whyReadOnly = kInUse;
    } else if (!canWrite) {
        whyReadOnly = "there is no right to write to it";
    }
    // From what leaves nothing out to what still gives something.
    const bool hasLog = sizeOf(path + "-wal") > 0;
    const bool isCutOff = !hasLog && isShorterThanItSays(header, sizeOf(path));
    const bool isOpen =
        !isCutOff && (canWrite ? open(Database::Mode::Look, false)
                               : (hasLog && open(Database::Mode::OnlyRead, false)) || open(Database::Mode::Immutable, false));
    if (!isOpen) {
        const bool isElsewhere = failure && !failure->isDamage();  // what is wrong
        if (!isElsewhere) {
            markDamaged();
        } else if (whyReadOnly.empty()) {
            whyReadOnly = std::string("it cannot be opened as a whole, because of this: ") + failure->what();
        }
        if (!(hasLog && open(Database::Mode::OnlyRead, true)) && !open(Database::Mode::Immutable, true))
            throw InputError(path, "",
                             isElsewhere ? std::string("cannot be read: ") + failure->what() : "is damaged, and nothing of it can be read");
    }
    readFacts();
    const auto steps = rowsOf("steps", kStepColumns), log = rowsOf("log", "seq");
    if (isNewer && (steps == nullptr || log == nullptr))
        throw InputError(path, "", "was written by a newer version, which is needed to read it");
    if (facts.empty() && !(steps != nullptr && steps->next()) && !(log != nullptr && log->next()))
        throw InputError(path, "", "is damaged, and nothing of it can be read");
}

bool Recording::Impl::open(Database::Mode mode, bool isCutOff) {
    try {
        database.reset();
        database = std::make_unique<Database>(path, mode, isCutOff);
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

/// Nothing where there is no such table, or a view or a virtual one in its place.
std::unique_ptr<RowCursor> Recording::Impl::rowsOf(const std::string& table, const std::string& columns) {
    try {
        if (database->number("SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = '" + table + "'") <= 0) return nullptr;
        return std::make_unique<RowCursor>(*database, columns, table, bytesOf(path) / kLeastRowBytes);
    } catch (const SqlError&) {
        return nullptr;
    }
}

Recording::Recording(const std::string& path) : m_impl(std::make_unique<Impl>(path)) {}
Recording::~Recording() = default;

const std::map<std::string, std::string>& Recording::facts() const {
    return m_impl->facts;
}

const std::string& Recording::whyReadOnly() const {
    return m_impl->whyReadOnly;
}

namespace {

/// One state of the file for all that is read, while another program may write on.
class ReadTransaction {
public:
    explicit ReadTransaction(Database& database) : m_database(database.handle()) { exec("BEGIN"); }
    ~ReadTransaction() { exec("END"); }
    ReadTransaction(const ReadTransaction&) = delete;
    ReadTransaction& operator=(const ReadTransaction&) = delete;

private:
    void exec(const char* sql) { sqlite3_exec(m_database, sql, nullptr, nullptr, nullptr); }
    sqlite3* m_database;
};

std::optional<Json> jsonOf(const std::string& text, const std::string& source) {
    try {
        return readJson(text, source, kMostBodyBytes);
    } catch (const InputError&) {
        return std::nullopt;
    }
}

/// A log row as rowsOf(..., kLogColumns) has it; nothing where it makes no sense.
constexpr const char* kLogColumns = "seq, steps_before, kind, run, step, body";
std::optional<LogEntry> entryOf(const Statement& row, const std::string& source) {
    auto body = jsonOf(row.text(5), source);
    const std::int64_t run = row.integer(3);
    if (!body || run != static_cast<RunId>(run)) return std::nullopt;
    return LogEntry{row.text(2), static_cast<RunId>(run), row.integer(4), std::move(*body)};
}

}  // namespace

void Recording::read(const Visitor& visitor) const {
    const ReadTransaction transaction(*m_impl->database);
    const auto steps = m_impl->rowsOf("steps", kStepColumns), log = m_impl->rowsOf("log", kLogColumns);
    std::vector<StepRecord> batch;
    batch.reserve(kBatchSteps);
    RunId batchRun = -1;
    const auto deliver = [&] {
        if (!batch.empty() && visitor.steps) visitor.steps(batchRun, batch);
        batch.clear();
    };
    bool hasEntry = log != nullptr && log->next();
    /// Entries that came before the row of steps with this number.
    const auto entriesBefore = [&](std::int64_t seq) {
        while (hasEntry && log->row().integer(1) < seq) {
            deliver();
            if (const auto entry = entryOf(log->row(), m_impl->path)) {
                if (visitor.entry) visitor.entry(*entry);
            } else {
                log->markDamaged();
            }
            hasEntry = log->next();
        }
    };
    StepRecord record;
    RunId run = -1;
    while (steps != nullptr && steps->next()) {
        entriesBefore(steps->seq());
        if (!readStep(steps->row().handle(), run, record)) {
            steps->markDamaged();
            continue;
        }
        if (run != batchRun || batch.size() == kBatchSteps) deliver();
        batchRun = run;
        batch.push_back(record);
    }
    deliver();
    entriesBefore(std::numeric_limits<std::int64_t>::max());
    m_impl->finish(steps.get());
    m_impl->finish(log.get());
}

std::vector<SnapshotPlace> Recording::snapshots() const {
    const auto rows = m_impl->rowsOf("snapshots", "seq, steps_before, run, step, length(state)");
    std::vector<SnapshotPlace> places;
    while (rows != nullptr && rows->next()) {
        const Statement& row = rows->row();
        places.push_back({row.integer(0), static_cast<RunId>(row.integer(2)), row.integer(3), row.integer(1), row.integer(4)});
    }
    m_impl->finish(rows.get());
    return places;
}

std::optional<StoredSnapshot> Recording::snapshot(std::int64_t id) const {
    try {
        Statement row(*m_impl->database, "SELECT run, step, head, state FROM snapshots WHERE seq = ?1");
        row.bind(1, id);
        if (!row.step()) return std::nullopt;
        auto head = jsonOf(row.text(2), m_impl->path);
        const auto state = row.bytes(3);
        if (head && sqlite3_errcode(m_impl->database->handle()) != SQLITE_NOMEM)
            return StoredSnapshot{static_cast<RunId>(row.integer(0)), row.integer(1), std::move(*head), {state.begin(), state.end()}};
    } catch (const SqlError&) {
    }
    m_impl->markDamaged();
    return std::nullopt;
}

RecordingSummary Recording::summary() const {
    RecordingSummary summary{m_impl->path, m_impl->facts, bytesOf(m_impl->path)};
    try {
        summary.steps = m_impl->database->number("SELECT max(seq) FROM steps");
        summary.runs = m_impl->database->number("SELECT count(DISTINCT run) FROM log WHERE kind = 'run'");
    } catch (const SqlError&) {
        m_impl->markDamaged();
    }
    return summary;
}

std::vector<RecordingSummary> recordingsIn(const std::string& folder) {
    std::vector<RecordingSummary> summaries;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        if (entry->path().extension() != kRecordingExtension) continue;
        try {
            summaries.push_back(Recording(entry->path().string()).summary());
        } catch (const InputError&) {
        }
    }
    std::sort(summaries.begin(), summaries.end(), [](const RecordingSummary& a, const RecordingSummary& b) {
        const auto started = [](const RecordingSummary& summary) {
            const auto found = summary.facts.find("started");
            return found == summary.facts.end() ? std::string() : found->second;
        };
        return std::pair(started(a), a.path) > std::pair(started(b), b.path);
    });
    return summaries;
}

}  // namespace mantissa
