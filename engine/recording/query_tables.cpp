// SPDX-License-Identifier: Apache-2.0
#include "engine/recording/query_tables.h"

#include "engine/recording/database.h"

namespace mantissa {
namespace {

std::string quoted(const std::string& name) {
    return '"' + name + '"';
}

/// Denies whatever is more than reading the tables.
int allowReading(void*, int action, const char*, const char*, const char*, const char*) {
    const bool reads = action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_FUNCTION || action == SQLITE_RECURSIVE;
    return reads ? SQLITE_OK : SQLITE_DENY;
}

Json valueAt(sqlite3_stmt* statement, int column) {
    switch (sqlite3_column_type(statement, column)) {
        case SQLITE_INTEGER:
            return sqlite3_column_int64(statement, column);
        case SQLITE_FLOAT:
            return sqlite3_column_double(statement, column);
        case SQLITE_NULL:
            return {};
        default:
            break;
    }
    const bool isText = sqlite3_column_type(statement, column) == SQLITE_TEXT;
    const auto* bytes = static_cast<const unsigned char*>(sqlite3_column_blob(statement, column));
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
    if (isText) return std::string(reinterpret_cast<const char*>(bytes), size);
    std::string digits;
    for (std::size_t i = 0; i < size; ++i) {
        digits += "0123456789abcdef"[bytes[i] >> 4];
        digits += "0123456789abcdef"[bytes[i] & 15];
    }
    return digits;
}

/// A statement of the user. It is finalised before its error is thrown.
struct UserStatement {
    sqlite3_stmt* handle = nullptr;
    ~UserStatement() { sqlite3_finalize(handle); }
};

}  // namespace

QueryTables::QueryTables() : m_database(std::make_unique<Database>("", Database::Mode::Memory)) {
    m_database->run("BEGIN");
}

QueryTables::~QueryTables() = default;

void QueryTables::add(const std::string& table, const std::vector<std::string>& columns) {
    std::string names, places;
    for (const std::string& column : columns) {
        names += (names.empty() ? "" : ", ") + quoted(column);
        places += places.empty() ? "?" : ", ?";
    }
    m_database->run("CREATE TABLE " + quoted(table) + " (" + names + ")");
    m_inserts[table] = std::make_unique<Statement>(*m_database, "INSERT INTO " + quoted(table) + " VALUES (" + places + ")");
}

void QueryTables::append(const std::string& table, std::span<const Json> values) {
    Statement& insert = *m_inserts.at(table);
    int parameter = 0;
    for (const Json& value : values) {
        ++parameter;
        if (value.is_string())
            insert.bind(parameter, std::string_view(value.get_ref<const std::string&>()));
        else if (value.is_number_integer())
            insert.bind(parameter, value.get<std::int64_t>());
        else if (value.is_number())
            insert.bind(parameter, value.get<double>());
        else
            insert.bindNull(parameter);
    }
    insert.runOnce();
}

std::vector<std::string> QueryTables::columnsOf(const std::string& table) {
    return ask("SELECT * FROM " + quoted(table) + " LIMIT 0").columns;
}

QueryResult QueryTables::ask(const std::string& sql) {
    sqlite3* database = m_database->handle();
    const auto refuse = [database] { throw InputError("", "", sqlite3_errmsg(database)); };
    sqlite3_set_authorizer(database, allowReading, nullptr);
    UserStatement statement;
    const char* rest = nullptr;
    const int code = sqlite3_prepare_v2(database, sql.c_str(), static_cast<int>(sql.size()) + 1, &statement.handle, &rest);
    sqlite3_set_authorizer(database, nullptr, nullptr);
    if (code == SQLITE_AUTH) throw InputError("", "", "a query only reads: it is one SELECT statement");
    if (code != SQLITE_OK) refuse();
    if (statement.handle == nullptr || std::string_view(rest).find_first_not_of(" \t\r\n;") != std::string_view::npos)
        throw InputError("", "", "a query is one SELECT statement");
    QueryResult result;
    const int count = sqlite3_column_count(statement.handle);
    for (int column = 0; column < count; ++column) result.columns.emplace_back(sqlite3_column_name(statement.handle, column));
    int stepped = 0;
    while ((stepped = sqlite3_step(statement.handle)) == SQLITE_ROW) {
        std::vector<Json> row;
        for (int column = 0; column < count; ++column) row.push_back(valueAt(statement.handle, column));
        result.rows.push_back(std::move(row));
    }
    if (stepped != SQLITE_DONE) refuse();
    return result;
}

}  // namespace mantissa
