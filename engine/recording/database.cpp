// SPDX-License-Identifier: Apache-2.0
#include "engine/recording/database.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace mantissa {
namespace {

constexpr int kBusyMs = 1000;  // another program may be folding a write-ahead log

std::string sentenceOf(int code, int systemError, const std::string& message) {
    code &= 0xff;
    if (code == SQLITE_FULL || systemError == ENOSPC || systemError == EDQUOT) return "the disk is full";
    if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB) return "it is damaged";
    if ((code == SQLITE_IOERR || code == SQLITE_CANTOPEN || code == SQLITE_READONLY) && systemError != 0) return std::strerror(systemError);
    return message;
}

/// A path for SQLite's URIs, which read more than letters into names: "%20", "?", "#".
std::string uriOf(const std::string& path, const char* options) {
    constexpr char kHex[] = "0123456789ABCDEF";
    std::string uri = "file:";
    for (const char c : path) {
        const auto byte = static_cast<unsigned char>(c);
        const bool isPlain =
            (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '/' || byte == '.';
        if (isPlain) {
            uri += c;
        } else {
            uri += {'%', kHex[byte >> 4], kHex[byte & 15]};
        }
    }
    return uri + options;
}

}  // namespace

SqlError::SqlError(int code, int systemError, const std::string& message)
    : std::runtime_error(sentenceOf(code, systemError, message)), m_code(code & 0xff) {}

// SQLite does not note what the system said to a COMMIT.
SqlError::SqlError(sqlite3* database)
    : SqlError(sqlite3_errcode(database), sqlite3_system_errno(database) != 0 ? sqlite3_system_errno(database) : errno,
               sqlite3_errmsg(database)) {}

Database::Database(const std::string& path, Mode mode) {
    const std::string whole = std::filesystem::absolute(path).string();
    const int access = mode == Mode::Write || mode == Mode::Look ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
    const int code = sqlite3_open_v2(uriOf(whole, mode == Mode::Immutable ? "?immutable=1" : "").c_str(), &m_handle,
                                     access | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
    if (code != SQLITE_OK) {
        const SqlError error(code, m_handle != nullptr ? sqlite3_system_errno(m_handle) : 0, sqlite3_errstr(code));
        sqlite3_close(m_handle);
        throw error;
    }
    sqlite3_busy_timeout(m_handle, kBusyMs);
    // What is in a file that comes from elsewhere is data, and no program.
    sqlite3_db_config(m_handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(m_handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_db_config(m_handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
}

Database::~Database() {
    sqlite3_close(m_handle);
}

void Database::run(const std::string& sql) {
    if (sqlite3_exec(m_handle, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) throw SqlError(m_handle);
}

std::int64_t Database::number(const std::string& sql) {
    Statement statement(*this, sql);
    return statement.step() ? statement.integer(0) : 0;
}

Statement::Statement(Database& database, const std::string& sql) {
    if (sqlite3_prepare_v3(database.handle(), sql.c_str(), -1, SQLITE_PREPARE_PERSISTENT, &m_handle, nullptr) != SQLITE_OK)
        throw SqlError(database.handle());
}

void Statement::bind(int parameter, std::string_view text) {
    check(sqlite3_bind_text64(m_handle, parameter, text.data() != nullptr ? text.data() : "", text.size(), SQLITE_STATIC, SQLITE_UTF8));
}

void Statement::bind(int parameter, std::span<const std::byte> bytes) {
    check(bytes.empty() ? sqlite3_bind_zeroblob(m_handle, parameter, 0)
                        : sqlite3_bind_blob64(m_handle, parameter, bytes.data(), bytes.size(), SQLITE_STATIC));
}

bool Statement::step() {
    const int code = sqlite3_step(m_handle);
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    const SqlError error(sqlite3_db_handle(m_handle));
    sqlite3_reset(m_handle);
    throw error;
}

void Statement::runOnce() {
    step();
    sqlite3_reset(m_handle);
}

std::string Statement::text(int column) const {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(m_handle, column));
    return text == nullptr ? std::string() : std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(m_handle, column)));
}

std::span<const std::byte> Statement::bytes(int column) const {
    const auto* bytes = static_cast<const std::byte*>(sqlite3_column_blob(m_handle, column));
    return {bytes, bytes == nullptr ? 0 : static_cast<std::size_t>(sqlite3_column_bytes(m_handle, column))};
}

void Statement::check(int code) const {
    if (code != SQLITE_OK) throw SqlError(sqlite3_db_handle(m_handle));
}

}  // namespace mantissa
