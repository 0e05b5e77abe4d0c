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

/// A cell of a CSV row: null if it is empty, else a whole number, a real number, or text.
Json valueOf(const std::string& column, const std::string& cell) {
    if (column == "flags") return cell;
    if (cell.empty()) return {};
    const auto number = [&cell](auto value) {
        std::from_chars(cell.data(), cell.data() + cell.size(), value);
        return value;
    };
    return isWholeColumn(column) ? Json(number(std::int64_t{})) : Json(number(0.0));
}

void appendSteps(QueryTables& tables, const Json& run, const Json& name, const std::vector<StepRecord>& records) {
    static const std::vector<std::string> kColumns = cellsOf(kCsvHeader);
    for (const StepRecord& record : records) {
        std::ostringstream row;
        writeCsvRow(row, record);
        std::string text = std::move(row).str();
        text.pop_back();  // the newline
        const std::vector<std::string> cells = cellsOf(text);
        std::vector<Json> values{run, name};
        std::string nanColumns;
        for (std::size_t i = 0; i < kColumns.size(); ++i) {
            const Json& value = values.emplace_back(valueOf(kColumns[i], cells[i]));
            if (value.is_number_float() && std::isnan(value.get<double>())) nanColumns += (nanColumns.empty() ? "" : "|") + kColumns[i];
        }
        values.emplace_back(nanColumns);
        tables.append("steps", values);
    }
}

/// What the recording says happened to the run, in the order of steps: eventsOf(run), {"event": "verdict", "step", "headline",
/// "explanation"} and {"event": "stop", "step", "reason"}.
std::vector<Json> allEventsOf(const ExportedRun& run) {
    std::vector<Json> events = eventsOf(run);
    for (const auto& [step, verdict] : run.verdicts)
        events.push_back({{"event", "verdict"},
                          {"step", step},
                          {"headline", verdict.headline.english()},
                          {"explanation", verdict.explanation.english()}});
    if (!run.stopReason.empty()) events.push_back({{"event", "stop"}, {"step", run.stopStep}, {"reason", run.stopReason}});
    std::stable_sort(events.begin(), events.end(),
                     [](const Json& a, const Json& b) { return a.at("step").get<std::int64_t>() < b.at("step").get<std::int64_t>(); });
    return events;
}

/// An event in English.
std::string eventText(const Json& event) {
    const auto word = [&event](const char* key) { return event.at(key).get<std::string>(); };
    const std::string kind = word("event");
    if (kind == "change") return word("label") + " " + word("from") + " \u2192 " + word("to");
    if (kind == "nonfinite") return word("class") + " in " + word("tensor") + " (" + word("operation") + ", " + word("phase") + ")";
    if (kind == "verdict") return word("headline") + " " + word("explanation");
    return word(kind == "note" ? "text" : "reason");
}

std::string jsonLine(const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The event's members, in the table of its kind after `run` and `name`.
void appendMembers(QueryTables& tables, const Json& run, const Json& name, const std::string& table, const Json& event) {
    std::vector<Json> values{run, name};
    for (const auto& [key, value] : event.items())
        if (key != "event") values.push_back(value);
    tables.append(table, values);
}

Json textOrNull(const std::string& text) {
    return text.empty() ? Json() : Json(text);
}

Json seedOf(const Json& settings) {
    static const Json::json_pointer kSeed("/init/seed");
    return settings.contains(kSeed) ? settings.at(kSeed) : Json();
}

}  // namespace

const std::vector<RecordingTable>& recordingTables() {
    static const std::vector<RecordingTable> kTables = [] {
        std::vector<std::string> steps{"run", "name"};
        for (std::string& column : cellsOf(kCsvHeader)) steps.push_back(std::move(column));
        steps.emplace_back("nan_columns");
        return std::vector<RecordingTable>{
            {"runs",
             "One row for each run: its format, its loss scaler, its number of steps, why it stopped, and its settings as JSON.",
             {"run", "name", "format", "emulated", "scaler", "model", "seed", "parent", "first_step", "steps", "stopped", "settings"}},
            {"steps",
             "One row for each step of each run, with the columns of the CSV. NaN is NULL there, and nan_columns names its columns.",
             steps},
            {"events",
             "What happened to a run: change, nonfinite, note, verdict or stop, as a sentence and as JSON.",
             {"run", "name", "step", "kind", "text", "body"}},
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

std::unique_ptr<QueryTables> emptyTables() {
    auto tables = std::make_unique<QueryTables>();
    for (const RecordingTable& table : recordingTables()) tables->add(table.name, table.columns);
    return tables;
}

std::string fillTables(QueryTables& tables, const Recording& recording, const std::set<std::string>& wanted) {
    std::string leftOut;
    if (wanted.contains("facts"))
        for (const auto& [key, value] : recording.facts()) tables.append("facts", std::vector<Json>{key, value});
    for (const ExportedRun& run : recordedRuns(recording, &leftOut)) {
        const RunInfo& info = run.info;
        const Json id = info.id, name = run.settings.name;
        if (wanted.contains("runs")) {
            const Json settings = settingsOf(run);
            tables.append("runs",
                          std::vector<Json>{id, name, textOrNull(info.policy), static_cast<std::int64_t>(info.isEmulated),
                                            textOrNull(info.scalerPreset), textOrNull(info.modelText), seedOf(settings),
                                            info.parent < 0 ? Json() : Json(info.parent), info.firstStep,
                                            static_cast<std::int64_t>(run.records.size()), textOrNull(run.stopReason), jsonLine(settings)});
        }
        if (wanted.contains("steps")) appendSteps(tables, id, name, run.records);
        for (const Json& event : allEventsOf(run)) {
            const std::string kind = event.at("event").get<std::string>(), ofKind = kind == "nonfinite" ? kind : kind + "s";
            const std::vector<Json> values{id, name, event.at("step"), kind, eventText(event), jsonLine(event)};
            if (wanted.contains("events")) tables.append("events", values);
            if (wanted.contains(ofKind)) appendMembers(tables, id, name, ofKind, event);
        }
    }
    return leftOut;
}

}  // namespace mantissa
