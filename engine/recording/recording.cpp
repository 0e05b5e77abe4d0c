// SPDX-License-Identifier: Apache-2.0
#include "engine/recording/recording.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <random>

#include "engine/experiment/json_reader.h"
#include "engine/recording/recording_impl.h"
#include "engine/recording/schema.h"

namespace mantissa {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBatchSteps = 4096;
constexpr std::size_t kMostBodyBytes = std::size_t{256} << 20;

/// A consistent state of the file for all reads, while another program may write.
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

/// A log row with the columns kLogColumns; nothing if invalid.
constexpr const char* kLogColumns = "seq, steps_before, kind, run, step, body";
std::optional<LogEntry> entryOf(const Statement& row, const std::string& source) {
    auto body = jsonOf(row.text(5), source);
    const std::int64_t run = row.integer(3);
    if (!body || run != static_cast<RunId>(run)) return std::nullopt;
    return LogEntry{row.text(2), static_cast<RunId>(run), row.integer(4), std::move(*body)};
}

/// A row of the same or an earlier step means that the run was rewound: later points are removed.
void addPoint(RunSketch& sketch, const StepRecord& record) {
    while (!sketch.steps.empty() && sketch.steps.back() >= record.step) {
        sketch.steps.pop_back();
        sketch.losses.pop_back();
    }
    sketch.steps.push_back(record.step);
    sketch.losses.push_back(record.loss);
}

/// Keeps points at about equal distances, each end of finite values, and the last point.
void thin(RunSketch& sketch, int points) {
    if (sketch.steps.empty()) return;
    const std::int64_t distance = (sketch.steps.back() - sketch.steps.front()) / points;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < sketch.steps.size(); ++i) {
        const bool isFar = kept == 0 || sketch.steps[i] - sketch.steps[kept - 1] >= distance;
        const bool isEdge = kept > 0 && std::isfinite(sketch.losses[kept - 1]) != std::isfinite(sketch.losses[i]);
        if (!isFar && !isEdge && i + 1 < sketch.steps.size()) continue;
        sketch.steps[kept] = sketch.steps[i];
        sketch.losses[kept++] = sketch.losses[i];
    }
    sketch.steps.resize(kept);
    sketch.losses.resize(kept);
}

/// Fills the sketches from one random row in each interval of the file, and from its last rows: at equal distances, runs that alternate
/// would not be sampled equally.
void sketch(Database& database, std::vector<RunSketch>& runs, std::int64_t rows, int points) {
    constexpr std::int64_t kLastRows = 1024;
    const std::string columns = kStepColumns;
    Statement one(database, "SELECT " + columns + " FROM steps WHERE seq = ?1");
    Statement last(database, "SELECT " + columns + " FROM steps WHERE seq > ?1 ORDER BY seq");
    std::minstd_rand random;
    StepRecord record;
    RunId run = -1;
    const auto take = [&](Statement& row) {
        if (!readStep(row.handle(), run, record)) return;
        const auto found = std::find_if(runs.begin(), runs.end(), [&](const RunSketch& each) { return each.run == run; });
        if (found != runs.end()) addPoint(*found, record);
    };
    const std::int64_t body = std::max<std::int64_t>(0, rows - kLastRows),
                       stretches = std::min(body, std::int64_t(points) * std::ssize(runs));
    for (std::int64_t i = 0; i < stretches; ++i) {
        const std::int64_t from = body * i / stretches, length = body * (i + 1) / stretches - from;
        one.bind(1, from + 1 + static_cast<std::int64_t>(random()) % length);
        if (one.step()) take(one);
        sqlite3_reset(one.handle());
    }
    last.bind(1, body);
    while (last.step()) take(last);
    for (RunSketch& each : runs) thin(each, points);
}

}  // namespace

Recording::Recording(const std::string& path) : m_impl(std::make_unique<Impl>(path)) {}
Recording::~Recording() = default;

const std::map<std::string, std::string>& Recording::facts() const {
    return m_impl->facts;
}

const std::string& Recording::whyReadOnly() const {
    return m_impl->whyReadOnly;
}

std::string Recording::missing() const {
    return m_impl->missing();
}

std::int64_t Recording::stepsRead() const {
    return m_impl->stepsRead;
}

bool Recording::isIncomplete() const {
    return m_impl->isDamaged || !m_impl->unread.empty();
}

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
    /// Entries before the row of steps with this number.
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
    std::int64_t count = 0;
    while (steps != nullptr && steps->next()) {
        entriesBefore(steps->seq());
        if (!readStep(steps->row().handle(), run, record)) {
            steps->markDamaged();
            continue;
        }
        if (run != batchRun || batch.size() == kBatchSteps) deliver();
        batchRun = run;
        batch.push_back(record);
        ++count;
    }
    deliver();
    entriesBefore(std::numeric_limits<std::int64_t>::max());
    m_impl->finish(steps.get());
    m_impl->finish(log.get());
    m_impl->stepsRead = count;
    if (count < m_impl->stepsAtClose) m_impl->markDamaged();
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

RecordingSummary Recording::summary(int points) const {
    RecordingSummary summary{m_impl->path, m_impl->facts, m_impl->bytes()};
    try {
        Database& database = *m_impl->database;
        summary.steps = database.number("SELECT max(seq) FROM steps");
        Statement begins(database, "SELECT run, body, max(seq) FROM log WHERE kind = 'run' GROUP BY run ORDER BY run");
        while (begins.step())
            summary.runs.push_back({static_cast<RunId>(begins.integer(0)), jsonOf(begins.text(1), m_impl->path).value_or(Json()), {}, {}});
        if (points > 0 && !summary.runs.empty()) sketch(database, summary.runs, summary.steps, points);
    } catch (const SqlError&) {
        m_impl->markDamaged();
    }
    return summary;
}

std::vector<RecordingSummary> recordingsIn(const std::string& folder, int points) {
    std::vector<RecordingSummary> summaries;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        if (entry->path().extension() != kRecordingExtension) continue;
        try {
            summaries.push_back(Recording(entry->path().string()).summary(points));
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
