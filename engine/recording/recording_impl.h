// SPDX-License-Identifier: Apache-2.0
// An opened recording: its mode, whether it was closed, and what is missing. Internal to engine/recording. One thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "engine/recording/database.h"
#include "engine/recording/file_guard.h"
#include "engine/recording/log_beside.h"
#include "engine/recording/recording.h"

namespace mantissa {

/// Iterates over a table's rows by `seq`, and skips those that a damaged file does not return: only unreadable pages are lost.
class RowCursor {
public:
    /// `columns` begin with seq. `most`: an upper bound of seq, from the file's size. Throws SqlError if the table does not exist.
    RowCursor(Database& database, const std::string& columns, const std::string& table, std::int64_t most);

    /// The next row; false after the last one.
    bool next();
    std::int64_t seq() const { return m_seq; }
    Statement& row() { return m_rows; }
    /// Whether rows were skipped or are missing: numbers are consecutive from 1.
    bool isDamaged() const { return m_isDamaged; }
    /// Marks the current row as invalid.
    void markDamaged() { m_isDamaged = true; }

private:
    int beginAfter(std::int64_t seq);
    int passDamage();

    Statement m_rows;
    std::int64_t m_most;
    std::int64_t m_seq = 0;  // rows are numbered from 1
    bool m_hasBegun = false;
    bool m_isDamaged = false;
};

struct Recording::Impl {
    explicit Impl(const std::string& filePath);
    bool open(Database::Mode mode, bool isCutOff);
    bool openAsGuest();
    /// Whether the log beside the file was written for another recording.
    bool isLogOfAnother() const;
    bool hasOurTables();
    void readFacts();
    void readState(bool logIsWhole);
    void markRecovered();
    std::string missing() const;
    std::int64_t bytes() const;  // of the file and of its log
    /// The log's name without its folder.
    std::string nameOfLog() const { return logOf(file.substr(file.rfind('/') + 1)); }
    std::unique_ptr<RowCursor> rowsOf(const std::string& table, const std::string& columns);
    void markDamaged();
    void finish(const RowCursor* rows) {
        if (rows == nullptr || rows->isDamaged()) markDamaged();
    }

    std::string path;  // as given by the caller
    FileGuard guard;   // outlives what SQLite has open
    std::string file;
    bool canWrite, isWritten;
    bool hasOtherLog = false, hasLog = false;  // at most one
    std::unique_ptr<PrivateCopy> copy;
    std::unique_ptr<Database> database;
    bool isThroughLog = false;        // the database includes its log
    std::optional<SqlError> failure;  // the error of the first attempt to open it
    bool isNewer = false, isDamaged = false, isUnclosed = false;
    std::string unread;  // existing or lost content that could not be read, such as its log; in a sentence
    std::int64_t stepsAtClose = 0, stepsRead = -1;
    std::map<std::string, std::string> facts;
    std::string whyReadOnly;
};

}  // namespace mantissa
