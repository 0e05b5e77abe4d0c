// SPDX-License-Identifier: Apache-2.0
// RAII handles for SQLite, with its errors as exceptions. Internal to engine/recording. One thread at a time.
#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace mantissa {

/// An error of SQLite and the system below it. what() describes it for users: "the disk is full".
class SqlError : public std::runtime_error {
public:
    SqlError(int code, int systemError, const std::string& message);
    explicit SqlError(sqlite3* database);
    int code() const { return m_code; }  // the primary code: SQLITE_FULL
    /// Whether the file itself is damaged, as opposed to an error of the disk or another program.
    bool isDamage() const { return m_code == SQLITE_CORRUPT || m_code == SQLITE_NOTADB; }

private:
    int m_code;
};

class Database {
public:
    enum class Mode {
        Write,
        Recover,    // reads, and folds in the write-ahead log that a killed program left
        ReadOnly,   // reads; changes nothing on the disk, the write-ahead log included
        Immutable,  // reads as from a read-only disk: without its write-ahead log, and without locks
        Memory,     // a new database in memory; the path is ignored
    };
    /// Opens a file. `isCutOff`: it may be shorter than its header states, and its list of tables inconsistent. Throws SqlError.
    Database(const std::string& path, Mode mode, bool isCutOff = false);
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    sqlite3* handle() const { return m_handle; }
    void run(const std::string& sql);
    /// The first column of the first row; 0 without a row.
    std::int64_t number(const std::string& sql);

private:
    sqlite3* m_handle = nullptr;
};

/// A prepared statement; parameters are numbered from 1, columns from 0, as in SQLite. Text and blobs must stay valid while it runs.
class Statement {
public:
    Statement(Database& database, const std::string& sql);
    ~Statement() { sqlite3_finalize(m_handle); }
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    sqlite3_stmt* handle() const { return m_handle; }
    void bind(int parameter, std::int64_t value) { check(sqlite3_bind_int64(m_handle, parameter, value)); }
    void bind(int parameter, double value) { check(sqlite3_bind_double(m_handle, parameter, value)); }
    void bind(int parameter, std::string_view text);
    void bind(int parameter, std::span<const std::byte> bytes);
    void bindNull(int parameter) { check(sqlite3_bind_null(m_handle, parameter)); }

    /// Advances to the next row. Returns whether there is one. Throws SqlError.
    bool step();
    /// Runs a statement without rows with values for its first parameters, and resets it for the next ones.
    template <class... Values>
    void runOnce(const Values&... values) {
        [[maybe_unused]] int parameter = 0;
        (bind(++parameter, values), ...);
        step();
        sqlite3_reset(m_handle);
    }

    std::int64_t integer(int column) const { return sqlite3_column_int64(m_handle, column); }
    std::string text(int column) const;
    std::span<const std::byte> bytes(int column) const;

private:
    void check(int code) const;
    sqlite3_stmt* m_handle = nullptr;
};

}  // namespace mantissa
