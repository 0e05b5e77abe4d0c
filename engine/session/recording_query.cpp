// SPDX-License-Identifier: Apache-2.0
#include "engine/session/recording_query.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "engine/session/recording_export.h"
#include "engine/telemetry/csv.h"

namespace mantissa {
namespace {

std::vector<std::string> cellsOf(std::string_view row) {
    std::vector<std::string> cells;
    for (std::size_t begin = 0; begin <= row.size();) {
        const std::size_t end = std::min(row.find(',', begin), row.size());
        cells.emplace_back(row.substr(begin, end - begin));
        begin = end + 1;
    }
    return cells;
}

/// A cell of a CSV row: null if it is empty or NaN, a whole number, a number, or text such as the flags.
Json valueOf(const std::string& cell) {
    if (cell.empty()) return {};
    const char* end = cell.data() + cell.size();
    std::int64_t whole = 0;
    if (const auto [last, error] = std::from_chars(cell.data(), end, whole); error == std::errc() && last == end && cell != "-0")
        return whole;
    double number = 0;
    if (const auto [last, error] = std::from_chars(cell.data(), end, number); error == std::errc() && last == end)
        return std::isnan(number) ? Json() : Json(number);
    return cell;
}

void appendSteps(QueryTables& tables, const Json& run, const Json& name, const std::vector<StepRecord>& records) {
    for (const StepRecord& record : records) {
        std::ostringstream row;
        writeCsvRow(row, record);
        std::string text = std::move(row).str();
        text.pop_back();  // the newline
        std::vector<Json> values{run, name};
        const std::vector<std::string> cells = cellsOf(text);
        for (std::size_t i = 0; i < cells.size(); ++i) values.push_back(i + 1 == cells.size() ? Json(cells[i]) : valueOf(cells[i]));
        tables.append("steps", values);
    }
}

/// The table of an event, whose columns after `run` and `name` are the event's members.
void appendEvent(QueryTables& tables, const Json& run, const Json& name, const Json& event) {
    const std::string kind = event.at("event").get<std::string>(), table = kind == "nonfinite" ? kind : kind + "s";
    std::vector<Json> values{run, name};
    for (const auto& [key, value] : event.items())
        if (key != "event") values.push_back(value);
    tables.append(table, values);
}

}  // namespace

const std::vector<RecordingTable>& recordingTables() {
    static const std::vector<RecordingTable> kTables = [] {
        std::vector<std::string> steps{"run", "name"};
        for (std::string& column : cellsOf(kCsvHeader)) steps.push_back(std::move(column));
        return std::vector<RecordingTable>{
            {"runs",
             "One row for each run: its format, its loss scaler, its number of steps, why it stopped, and its settings as JSON.",
             {"run", "name", "format", "emulated", "scaler", "model", "parent", "first_step", "steps", "stopped", "settings"}},
            {"steps", "One row for each step of each run, with the columns of the CSV.", steps},
            {"changes", "Settings that were changed while a run trained.", {"run", "name", "step", "pointer", "label", "old", "new"}},
            {"nonfinite",
             "The first tensor with Inf or NaN of a step.",
             {"run", "name", "step", "layer", "operation", "phase", "tensor", "class"}},
            {"notes", "Notes at steps; one about all runs has a row for each.", {"run", "name", "step", "text"}},
            {"facts", "What the file knows about itself.", {"key", "value"}},
        };
    }();
    return kTables;
}

std::unique_ptr<QueryTables> tablesOf(const Recording& recording) {
    auto tables = std::make_unique<QueryTables>();
    for (const RecordingTable& table : recordingTables()) tables->add(table.name, table.columns);
    for (const auto& [key, value] : recording.facts()) tables->append("facts", std::vector<Json>{key, value});
    for (const ExportedRun& run : recordedRuns(recording)) {
        const RunInfo& info = run.info;
        const Json id = info.id, name = run.settings.name;
        tables->append(
            "runs", std::vector<Json>{id, name, info.policy, static_cast<std::int64_t>(info.isEmulated), info.scalerPreset, info.modelText,
                                      info.parent < 0 ? Json() : Json(info.parent), info.firstStep,
                                      static_cast<std::int64_t>(run.records.size()), run.stopReason.empty() ? Json() : Json(run.stopReason),
                                      settingsOf(run).dump(-1, ' ', false, Json::error_handler_t::replace)});
        appendSteps(*tables, id, name, run.records);
        for (const Json& event : eventsOf(run)) appendEvent(*tables, id, name, event);
    }
    return tables;
}

}  // namespace mantissa
