// SPDX-License-Identifier: Apache-2.0
#include "engine/recording/foreign_database.h"

#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>

#include "engine/experiment/experiment.h"
#include "engine/recording/database.h"
#include "engine/recording/log_beside.h"

namespace mantissa {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxValueBytes = 16 << 20;

/// Whether the file was last written with a write-ahead log: its format versions are then 2 (sqlite.org/fileformat.html, 1.3).
bool usesLog(const std::string& path) {
    std::string head(20, '\0');
    std::ifstream(path, std::ios::binary).read(head.data(), static_cast<std::streamsize>(head.size()));
    return head[18] == 2 || head[19] == 2;
}

class Row : public ForeignRow {
public:
    explicit Row(const Statement& statement) : m_handle(statement.handle()) {}
    std::int64_t integer(int column) const override { return sqlite3_column_int64(m_handle, column); }
    double number(int column) const override { return sqlite3_column_double(m_handle, column); }
    bool isNumber(int column) const override {
        const int type = sqlite3_column_type(m_handle, column);
        return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
    }
    std::string_view text(int column) const override {
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(m_handle, column));
        return text == nullptr ? std::string_view()
                               : std::string_view(text, static_cast<std::size_t>(sqlite3_column_bytes(m_handle, column)));
    }

private:
    sqlite3_stmt* m_handle;
};

}  // namespace

struct ForeignDatabase::Impl {
    std::string path;
    std::optional<PrivateCopy> copy;
    std::optional<Database> database;

    template <class Work>
    auto guarded(Work work) -> decltype(work()) {
        try {
            return work();
        } catch (const SqlError& error) {
            throw InputError(path, "", std::string("cannot be read: ") + error.what());
        } catch (const std::system_error& error) {
            throw InputError(path, "", "cannot be read: " + error.code().message());
        }
    }
};

ForeignDatabase::ForeignDatabase(const std::string& path) : m_impl(std::make_unique<Impl>()) {
    Impl& t = *m_impl;
    t.path = path;
    t.guarded([&] {
        // SQLite reads a write-ahead log with its index (NAME-shm), which exists while a program has the file open. Without a log the file
        // is complete, but SQLite would create a log to read it.
        const std::string file = fs::canonical(path).string();
        const bool hasLog = fs::exists(logOf(file)), hasIndex = fs::exists(file + "-shm");
        if (hasLog && !hasIndex && fs::file_size(logOf(file)) > 0) {
            t.copy.emplace(file);
            t.database.emplace(t.copy->path(), Database::Mode::Recover);
        } else {
            const bool isWithoutLog = !hasLog || !hasIndex;
            t.database.emplace(file, isWithoutLog && usesLog(file) ? Database::Mode::Immutable : Database::Mode::ReadOnly);
        }
        sqlite3_limit(t.database->handle(), SQLITE_LIMIT_LENGTH, kMaxValueBytes);
    });
}

ForeignDatabase::~ForeignDatabase() = default;

std::vector<std::string> ForeignDatabase::columnsOf(const std::string& table) const {
    std::vector<std::string> columns;
    m_impl->guarded([&] {
        Statement names(*m_impl->database, "SELECT name FROM pragma_table_info(?1)");
        names.bind(1, std::string_view(table));
        while (names.step()) columns.push_back(names.text(0));
    });
    return columns;
}

void ForeignDatabase::read(const std::string& select, std::int64_t parameter, const std::function<void(const ForeignRow&)>& take) const {
    m_impl->guarded([&] {
        Statement rows(*m_impl->database, select);
        rows.bind(1, parameter);
        const Row row(rows);
        while (rows.step()) take(row);
    });
}

bool isSqlite(std::string_view head) {
    return head.starts_with("SQLite format 3");
}

}  // namespace mantissa
