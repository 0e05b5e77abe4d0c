// SPDX-License-Identifier: Apache-2.0
// Iterates over a table's rows by `seq`, and skips those that a damaged file does not return: only unreadable pages are lost. Internal to
// engine/recording. One thread at a time.
#pragma once

#include <cstdint>
#include <string>

#include "engine/recording/database.h"

namespace mantissa {

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

}  // namespace mantissa
