// SPDX-License-Identifier: Apache-2.0
#include "engine/exchange/trackio_import.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <utility>

#include "engine/exchange/json_numbers.h"
#include "engine/exchange/metric_names.h"
#include "engine/experiment/json_reader.h"
#include "engine/recording/foreign_database.h"

namespace mantissa {
namespace {

constexpr const char* kTable = "metrics";
constexpr std::size_t kMaxRuns = 1000;
constexpr std::size_t kMaxIdBytes = 1000;

constexpr int kRowsAtOnce = 2000;  // a writer without a write-ahead log waits during a read

bool hasColumn(const std::vector<std::string>& columns, const char* name) {
    return std::find(columns.begin(), columns.end(), name) != columns.end();
}

bool isTrackiosTable(const std::vector<std::string>& columns) {
    return hasColumn(columns, "run_name") && hasColumn(columns, "step") && hasColumn(columns, "metrics");
}

/// Adds the numbers of a row, with "a/b" for nested ones. Skips pictures and tables, whose numbers describe a file.
void gather(RunBuilder& builder, const Json& value, const std::string& name, std::vector<std::pair<int, double>>& values, FilePlace place) {
    if (value.is_object()) {
        if (value.contains("_type")) return;
        for (const auto& [key, inner] : value.items()) gather(builder, inner, name.empty() ? key : name + "/" + key, values, place);
        return;
    }
    const std::optional<double> number = looseNumberOf(value);
    if (!number || stepNameRank(name)) return;
    if (const int column = builder.columnOf(name, place); column >= 0) values.emplace_back(column, *number);
}

}  // namespace

TrackioReader::Run& TrackioReader::runOf(const std::string& id, const std::string& name) {
    const auto found = m_runs.find(id);
    if (found != m_runs.end()) return found->second;
    if (m_runs.size() >= kMaxRuns)
        throw InputError(m_path, "", "has more than " + std::to_string(kMaxRuns) + " runs, the most that is read");
    Run& run = m_runs.emplace(id, Run{name, std::make_shared<RunBuilder>(m_path, RunBuilder::StepBack::Replaces)}).first->second;
    run.builder->expectTraining();
    return run;
}

void TrackioReader::takeRow(Run& run, std::int64_t step, std::string_view metrics, FilePlace place) {
    if (metrics.size() > kMaxJsonBytes) {
        if (!std::exchange(run.hasLeftOutRows, true)) run.builder->addRemark("rows of more than 1 MiB were left out");
        return;
    }
    Json object;
    try {
        object = readJson(quoteNonFinite(metrics), "");
    } catch (const InputError& error) {
        refuseAt(m_path, place, error.sentence());
    }
    if (!object.is_object()) refuseAt(m_path, place, "its metrics are no object");
    std::vector<std::pair<int, double>> values;
    gather(*run.builder, object, "", values, place);
    for (const auto& [column, value] : values) run.builder->add(column, step, value, place);
}

void TrackioReader::read() {
    const ForeignDatabase database(m_path);
    const std::vector<std::string> columns = database.columnsOf(kTable);
    if (!isTrackiosTable(columns))
        throw InputError(m_path, "",
                         "is a data base, and none of trackio, which has a table 'metrics'; a recording is opened, not imported");
    const std::string id = hasColumn(columns, "run_id") ? "run_id" : "run_name";  // older versions have no ids
    const std::string select = "SELECT rowid, " + id + ", run_name, step, metrics FROM metrics WHERE rowid > ?1 ORDER BY rowid LIMIT " +
                               std::to_string(kRowsAtOnce);
    for (int rows = kRowsAtOnce; rows == kRowsAtOnce;) {
        rows = 0;
        database.read(select, m_last, [&](const ForeignRow& row) {
            ++rows;
            const FilePlace place{"row", static_cast<std::uint64_t>(row.integer(0))};
            if (!row.isNumber(3)) refuseAt(m_path, place, "the step is no whole number from 0 on");
            const std::int64_t step = readStep(row.number(3), m_path, place);
            if (row.text(1).size() > kMaxIdBytes)
                refuseAt(m_path, place, "a run's name of " + std::to_string(row.text(1).size()) + " bytes");
            takeRow(runOf(std::string(row.text(1)), std::string(row.text(2))), step, row.text(4), place);
            m_last = row.integer(0);
        });
    }
}

bool isTrackio(const std::string& path) {
    try {
        std::string head(16, '\0');
        std::ifstream(path, std::ios::binary).read(head.data(), static_cast<std::streamsize>(head.size()));
        return isSqlite(head) && isTrackiosTable(ForeignDatabase(path).columnsOf(kTable));
    } catch (const InputError&) {
        return false;
    }
}

bool TrackioReader::isOutdated() const {
    if (m_last == 0) return false;
    std::int64_t last = 0;
    ForeignDatabase(m_path).read("SELECT max(rowid) FROM metrics WHERE rowid >= ?1", 0,
                                 [&](const ForeignRow& row) { last = row.integer(0); });
    return last < m_last;
}

}  // namespace mantissa
