// SPDX-License-Identifier: Apache-2.0
#include "engine/recording/database.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>

namespace mantissa {
namespace {

constexpr int kBusyMs = 1000;  // another program may be checkpointing a write-ahead log

std::string sentenceOf(int code, int systemError, const std::string& message) {
    code &= 0xff;
    if (code == SQLITE_FULL || systemError == ENOSPC || systemError == EDQUOT) return "the disk is full";
    if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB) return "it is damaged";
    if ((code == SQLITE_IOERR || code == SQLITE_CANTOPEN || code == SQLITE_READONLY) && systemError != 0) return std::strerror(systemError);
    return message;
}

/// Escapes what has a meaning in SQLite's URIs.
std::string uriOf(const std::string& path, const char* options) {
    std::string uri = "file:";
    for (const char c : path) uri += c == '%' ? "%25" : c == '?' ? "%3F" : c == '#' ? "%23" : std::string(1, c);
    return uri + options;
}

/// SQLite's file methods, with file sizes rounded down to whole pages: SQLite would fill the last page of a truncated file with zeros and
/// return these as values.
class WholePages {
public:
    static const char* name() {
        static WholePages s_only;
        return s_only.m_vfs.zName;
    }

private:
    struct Methods {
        sqlite3_io_methods own;  // must be first: files point to it
        const sqlite3_io_methods* plain = nullptr;
    };

    WholePages() : m_vfs(*sqlite3_vfs_find(nullptr)) {
        m_vfs.zName = "mantissa-whole-pages";
        m_vfs.xOpen = open;
        sqlite3_vfs_register(&m_vfs, 0);
    }
    static int open(sqlite3_vfs*, const char* path, sqlite3_file* file, int flags, int* flagsOut) {
        sqlite3_vfs* plain = sqlite3_vfs_find(nullptr);
        const int code = plain->xOpen(plain, path, file, flags, flagsOut);
        if (code != SQLITE_OK || (flags & SQLITE_OPEN_MAIN_DB) == 0) return code;
        static std::mutex s_mutex;
        static std::map<const sqlite3_io_methods*, Methods> s_methods;  // SQLite has a few, one for each kind of lock
        std::lock_guard lock(s_mutex);
        Methods& methods = s_methods[file->pMethods];
        if (methods.plain == nullptr) {
            methods = {*file->pMethods, file->pMethods};
            methods.own.xFileSize = sizeOf;
        }
        file->pMethods = &methods.own;
        return SQLITE_OK;
    }
    static int sizeOf(sqlite3_file* file, sqlite3_int64* bytes) {
        const auto* plain = reinterpret_cast<const Methods*>(file->pMethods)->plain;
        if (const int code = plain->xFileSize(file, bytes); code != SQLITE_OK) return code;
        unsigned char stored[2] = {};  // page size in a SQLite file; 1 means 65536
        if (plain->xRead(file, stored, sizeof stored, 16) != SQLITE_OK) return SQLITE_OK;
        const int page = stored[0] << 8 | stored[1];
        if (page > 0) *bytes -= *bytes % (page == 1 ? 65536 : page);
        return SQLITE_OK;
    }
    sqlite3_vfs m_vfs;
};

}  // namespace

SqlError::SqlError(int code, int systemError, const std::string& message)
    : std::runtime_error(sentenceOf(code, systemError, message)), m_code(code & 0xff) {}

// SQLite does not store the system's error for a COMMIT.
SqlError::SqlError(sqlite3* database)
    : SqlError(sqlite3_errcode(database), sqlite3_system_errno(database) != 0 ? sqlite3_system_errno(database) : errno,
               sqlite3_errmsg(database)) {}

Database::Database(const std::string& path, Mode mode, bool isCutOff) {
    std::error_code ignored;
    // SQLite follows links to the file, and would open its journal and wait for a pipe's other end.
    const auto journal = std::filesystem::status(std::filesystem::weakly_canonical(path, ignored).string() + "-journal", ignored);
    if (mode != Mode::Memory && std::filesystem::exists(journal) && !std::filesystem::is_regular_file(journal))
        throw SqlError(SQLITE_CANTOPEN, 0, "what lies beside it as its -journal is no file");
    const std::string uri =
        mode == Mode::Memory ? ":memory:" : uriOf(std::filesystem::absolute(path).string(), mode == Mode::Immutable ? "?immutable=1" : "");
    const int access = mode == Mode::Write || mode == Mode::Recover || mode == Mode::Memory ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
    const int code = sqlite3_open_v2(uri.c_str(), &m_handle, access | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
                                     isCutOff ? WholePages::name() : nullptr);
    if (code != SQLITE_OK) {
        const SqlError error(code, m_handle != nullptr ? sqlite3_system_errno(m_handle) : 0, sqlite3_errstr(code));
        sqlite3_close(m_handle);
        throw error;
    }
    sqlite3_busy_timeout(m_handle, kBusyMs);
    // A foreign file's contents must not be executed.
    sqlite3_db_config(m_handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(m_handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_db_config(m_handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
    sqlite3_db_config(m_handle, isCutOff ? SQLITE_DBCONFIG_WRITABLE_SCHEMA : SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_exec(m_handle, "PRAGMA cell_size_check = ON", nullptr, nullptr, nullptr);  // detects damaged pages on reading
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
