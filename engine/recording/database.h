// SPDX-License-Identifier: Apache-2.0
// SQLite's handles with owners, and what went wrong as an exception. Internal to engine/recording. One thread at a time.
#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace mantissa {

/// What SQLite answered, and the system below it. what() says it for people: "the disk is full".
class SqlError : public std::runtime_error {
public:
    SqlError(int code, int systemError, const std::string& message);
    explicit SqlError(sqlite3* database);
    int code() const { return m_code; }  // the primary one: SQLITE_FULL
    /// The file's own fault, and not the disk's or another program's.
    bool isDamage() const { return m_code == SQLITE_CORRUPT || m_code == SQLITE_NOTADB; }

private:
    int m_code;
};

class Database {
public:
    enum class Mode {
        Write,
        Look,       // reads, but may fold a write-ahead log that a killed program left
        OnlyRead,   // changes nothing on the disk, the write-ahead log included
        Immutable,  // as if on a read-only disk: without its write-ahead log, and without locks
    };
    /// `isCutOff`: the file may be shorter than it says, and the list of its tables in disorder. Throws SqlError.
    Database(const std::string& path, Mode mode, bool isCutOff = false);
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    sqlite3* handle() const { return m_handle; }
    void run(const std::string& sql);
    /// The first column of the first row; 0 where there is none.
    std::int64_t number(const std::string& sql);

private:
    sqlite3* m_handle = nullptr;
};

/// A prepared statement; parameters and columns count as SQLite does, from 1 and from 0. Text and blobs must stay while it runs.
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

    /// Whether there is a row. Throws SqlError.
    bool step();
    /// A statement without rows; ready for its next values.
    void runOnce();

    std::int64_t integer(int column) const { return sqlite3_column_int64(m_handle, column); }
    std::string text(int column) const;
    std::span<const std::byte> bytes(int column) const;

private:
    void check(int code) const;
    sqlite3_stmt* m_handle = nullptr;
};

}  // namespace mantissa
