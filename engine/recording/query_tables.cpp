// SPDX-License-Identifier: Apache-2.0
#include "engine/recording/query_tables.h"

#include <optional>

#include "engine/recording/database.h"

namespace mantissa {
namespace {

std::string quoted(const std::string& name) {
    return '"' + name + '"';
}

/// Denies whatever is more than reading the tables, whose names it adds to a set.
int allowReading(void* tables, int action, const char* table, const char*, const char*, const char*) {
    if (action == SQLITE_READ && table != nullptr) static_cast<std::set<std::string>*>(tables)->insert(table);
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

/// The first statement of a text, prepared; null if the text has only spaces, comments and semicolons.
struct Prepared {
    sqlite3_stmt* handle = nullptr;
    const char* rest = nullptr;  // of the text
    int code = SQLITE_OK;

    Prepared(sqlite3* database, const char* text) { code = sqlite3_prepare_v2(database, text, -1, &handle, &rest); }
    Prepared(const Prepared&) = delete;
    Prepared& operator=(const Prepared&) = delete;
    ~Prepared() { sqlite3_finalize(handle); }
};

/// One statement that only reads.
class UserStatement {
public:
    UserStatement(sqlite3* database, const std::string& sql) {
        sqlite3_set_authorizer(database, allowReading, &m_tables);
        m_prepared.emplace(database, sql.c_str());
        const std::string message = sqlite3_errmsg(database);
        const Prepared after(database, m_prepared->code == SQLITE_OK ? m_prepared->rest : "");
        sqlite3_set_authorizer(database, nullptr, nullptr);
        if (m_prepared->code == SQLITE_AUTH) throw InputError("", "", "a query only reads: it is one SELECT statement");
        if (m_prepared->code != SQLITE_OK) throw InputError("", "", message);
        if (handle() == nullptr || after.handle != nullptr || after.code != SQLITE_OK)
            throw InputError("", "", "a query is one SELECT statement");
    }
    sqlite3_stmt* handle() const { return m_prepared->handle; }
    const std::set<std::string>& tables() const { return m_tables; }

private:
    std::set<std::string> m_tables;
    std::optional<Prepared> m_prepared;
};

}  // namespace

QueryTables::QueryTables() : m_database(std::make_unique<Database>("", Database::Mode::Memory)) {
    // SQLite makes these functions' tables at their first use, which the authorizer would deny. Without JSON in SQLite this does nothing.
    sqlite3_exec(m_database->handle(), "SELECT 1 FROM json_each('[]'), json_tree('[]')", nullptr, nullptr, nullptr);
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

std::set<std::string> QueryTables::tablesIn(const std::string& sql) {
    std::set<std::string> tables = UserStatement(m_database->handle(), sql).tables();
    std::erase_if(tables, [this](const std::string& table) { return !m_inserts.contains(table); });  // names of subqueries
    return tables;
}

QueryResult QueryTables::ask(const std::string& sql) {
    const UserStatement statement(m_database->handle(), sql);
    QueryResult result;
    const int count = sqlite3_column_count(statement.handle());
    for (int column = 0; column < count; ++column) result.columns.emplace_back(sqlite3_column_name(statement.handle(), column));
    int stepped = 0;
    while ((stepped = sqlite3_step(statement.handle())) == SQLITE_ROW) {
        std::vector<Json> row;
        for (int column = 0; column < count; ++column) row.push_back(valueAt(statement.handle(), column));
        result.rows.push_back(std::move(row));
    }
    if (stepped != SQLITE_DONE) throw InputError("", "", sqlite3_errmsg(m_database->handle()));
    return result;
}

}  // namespace mantissa
