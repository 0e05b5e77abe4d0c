// SPDX-License-Identifier: Apache-2.0
// Tables in memory that SQL statements read. One thread at a time.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "engine/experiment/messages.h"

namespace mantissa {

class Database;
class Statement;

/// The rows of a statement. A value is null, an integer, a double (also infinite), or text; a blob is its hexadecimal digits.
struct QueryResult {
    std::vector<std::string> columns;
    std::vector<std::vector<Json>> rows;
};

class QueryTables {
public:
    QueryTables();
    ~QueryTables();
    QueryTables(const QueryTables&) = delete;
    QueryTables& operator=(const QueryTables&) = delete;

    /// Adds an empty table.
    void add(const std::string& table, const std::vector<std::string>& columns);
    /// Appends a row to a table, a value for each column. NaN becomes NULL, as SQLite has no NaN.
    void append(const std::string& table, std::span<const Json> values);
    /// Returns which of the tables a statement reads, so that the others need no rows. Throws like `ask`.
    std::set<std::string> tablesIn(const std::string& sql);
    /// Runs one statement that only reads. Throws InputError with SQLite's message for any other.
    QueryResult ask(const std::string& sql);

private:
    std::unique_ptr<Database> m_database;
    std::map<std::string, std::unique_ptr<Statement>> m_inserts;
};

}  // namespace mantissa
