// SPDX-License-Identifier: Apache-2.0
// query: rows of a recording by SQL.
#include <iostream>

#include "engine/cli/commands.h"
#include "engine/data/one_line.h"
#include "engine/session/recording_query.h"
#include "engine/telemetry/number_format.h"

namespace mantissa {
namespace {

using OrderedJson = nlohmann::ordered_json;

struct QueryOptions {
    std::string file;
    std::optional<std::string> sql;
    bool isJson = false, isCsv = false;
};

std::string cellText(const Json& value) {
    if (value.is_null()) return "";
    if (value.is_string()) return value.get<std::string>();
    return value.is_number_float() ? shortest(value.get<double>()) : value.dump();
}

/// A text on one line: line feeds and repeated spaces are one space, other control characters are escaped.
std::string cellLine(const std::string& text) {
    std::string line;
    for (const char c : text)
        if (const char shown = c == '\n' ? ' ' : c; shown != ' ' || !line.ends_with(' ')) line += shown;
    return oneLine(line);
}

/// The columns' names, unique: of two columns "loss" the second is "loss:1", as SQLite names those of a subquery.
std::vector<std::string> uniqueNames(const std::vector<std::string>& columns) {
    const std::set<std::string> used(columns.begin(), columns.end());
    std::set<std::string> seen;
    std::vector<std::string> names;
    for (const std::string& column : columns) {
        std::string name = column;
        for (int i = 1; (name != column && used.contains(name)) || !seen.insert(name).second; ++i) name = column + ":" + std::to_string(i);
        names.push_back(name);
    }
    return names;
}

/// A cell as RFC 4180 writes it.
std::string csvCell(const Json& value) {
    std::string text = cellText(value);
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string cell = "\"";
    for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
    return cell + '"';
}

void writeQueryCsv(const QueryResult& result) {
    const auto writeRow = [](const auto& cells) {
        std::string row;
        for (std::size_t i = 0; i < cells.size(); ++i) row += (i == 0 ? "" : ",") + csvCell(cells[i]);
        std::cout << row << '\n';
    };
    writeRow(result.columns);
    for (const auto& row : result.rows) writeRow(row);
}

void writeQueryJson(const QueryResult& result) {
    const std::vector<std::string> names = uniqueNames(result.columns);
    OrderedJson rows = OrderedJson::array();
    for (const auto& row : result.rows) {
        OrderedJson object = OrderedJson::object();
        for (std::size_t i = 0; i < row.size(); ++i)
            object[names[i]] = row[i].is_number_float() ? jsonNumber(row[i].get<double>()) : OrderedJson(row[i]);
        rows.push_back(std::move(object));
    }
    std::cout << rows.dump(-1, ' ', false, OrderedJson::error_handler_t::replace) << '\n';
}

void writeQueryTable(const QueryResult& result) {
    std::vector<std::vector<std::string>> table(1);
    for (const std::string& column : result.columns) table[0].push_back(cellLine(column));
    std::set<std::size_t> texts;
    for (const auto& row : result.rows) {
        std::vector<std::string>& cells = table.emplace_back();
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (row[i].is_string()) texts.insert(i);
            cells.push_back(cellLine(cellText(row[i])));
        }
    }
    std::cout << alignedTable(table, texts);
}

/// The tables and their columns.
int listTables(const QueryOptions& options) {
    if (options.isJson) {
        OrderedJson list = OrderedJson::array();
        for (const RecordingTable& table : recordingTables())
            list.push_back({{"name", table.name}, {"content", table.content}, {"columns", table.columns}});
        std::cout << OrderedJson{{"tables", list}}.dump() << '\n';
        return kExitDone;
    }
    for (const RecordingTable& table : recordingTables()) {
        std::cout << table.name << ": " << table.content << "\n ";
        for (const std::string& column : table.columns) std::cout << ' ' << column;
        std::cout << "\n\n";
    }
    std::cout << "mantissa query FILE \"SELECT name, count(*), min(loss) FROM steps GROUP BY run\" reads them.\n";
    return kExitDone;
}

int query(const QueryOptions& options) {
    const Recording recording(options.file);
    if (!options.sql) return listTables(options);
    const std::unique_ptr<QueryTables> tables = emptyTables();
    const std::set<std::string> wanted = askedOf("SQL", [&] { return tables->tablesIn(*options.sql); });
    std::string leftOut;
    try {
        leftOut = fillTables(*tables, recording, wanted);
    } catch (const InputError& error) {
        complainOf(recording, options.file, error);
    }
    const QueryResult result = askedOf("SQL", [&] { return tables->ask(*options.sql); });
    (options.isJson ? writeQueryJson : options.isCsv ? writeQueryCsv : writeQueryTable)(result);
    return sayWhatIsMissing(recording, options.file, leftOut);
}

}  // namespace

void addQuery(CLI::App& app, Work& work) {
    CLI::App* command = app.add_subcommand("query", "Read a recording's runs, steps and events by SQL");
    auto o = std::make_shared<QueryOptions>();
    command->add_option("FILE", o->file, "a recording (.mantissa)")->required();
    command->add_option("SQL", o->sql, "one SELECT statement; without it, the tables and their columns are listed");
    CLI::Option* json = command->add_flag("--json", o->isJson, "one JSON array of objects on standard output");
    command->add_flag("--csv", o->isCsv, "comma-separated values on standard output")->excludes(json);
    command->callback([&work, o] { work = [o] { return query(*o); }; });
}

}  // namespace mantissa
