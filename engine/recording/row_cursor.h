// SPDX-License-Identifier: Apache-2.0
// Goes through a table's rows by `seq`, and past those that a damaged file does not give: its loss is the pages that cannot be read.
// Internal to engine/recording. One thread at a time.
#pragma once

#include <cstdint>
#include <string>

#include "engine/recording/database.h"

namespace mantissa {

class RowCursor {
public:
    /// `columns` begin with seq. No file of that many bytes has a higher seq than `most`. Throws SqlError when there is no such table.
    RowCursor(Database& database, const std::string& columns, const std::string& table, std::int64_t most);

    /// The next row; false after the last one.
    bool next();
    std::int64_t seq() const { return m_seq; }
    Statement& row() { return m_rows; }
    /// Whether rows were passed over, or are not there: from 1 on there is one of each number.
    bool isDamaged() const { return m_isDamaged; }
    /// The row it stands on makes no sense.
    void markDamaged() { m_isDamaged = true; }

private:
    int beginAfter(std::int64_t seq);
    int passDamage();

    Statement m_rows;
    std::int64_t m_most;
    std::int64_t m_seq = 0;  // written ones begin with 1
    bool m_hasBegun = false;
    bool m_isDamaged = false;
};

}  // namespace mantissa
