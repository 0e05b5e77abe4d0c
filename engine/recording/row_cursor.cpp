// SPDX-License-Identifier: Apache-2.0
#include "engine/recording/row_cursor.h"

#include <algorithm>

namespace mantissa {
namespace {

constexpr int kMostSenseless = 1000;  // in a row: ends a cyclic table

}  // namespace

RowCursor::RowCursor(Database& database, const std::string& columns, const std::string& table, std::int64_t most)
    : m_rows(database, "SELECT " + columns + " FROM " + table + " WHERE seq > ?1 ORDER BY seq"), m_most(most) {}

bool RowCursor::next() {
    int code = m_hasBegun ? sqlite3_step(m_rows.handle()) : beginAfter(0);
    m_hasBegun = true;
    for (int senseless = 0; senseless < kMostSenseless; ++senseless) {
        if (code != SQLITE_ROW && code != SQLITE_DONE) code = passDamage();
        if (code != SQLITE_ROW) return false;
        const std::int64_t seq = m_rows.integer(0);
        if (seq > m_seq && seq <= m_most) {
            if (seq != m_seq + 1) m_isDamaged = true;  // numbers are written without gaps
            m_seq = seq;
            return true;
        }
        m_isDamaged = true;
        code = sqlite3_step(m_rows.handle());
    }
    return false;
}

int RowCursor::beginAfter(std::int64_t seq) {
    sqlite3_reset(m_rows.handle());
    sqlite3_bind_int64(m_rows.handle(), 1, seq);
    return sqlite3_step(m_rows.handle());
}

/// Finds the first seq after a gap: by doubled steps, then by bisection.
int RowCursor::passDamage() {
    m_isDamaged = true;
    const auto isReadable = [](int code) { return code == SQLITE_ROW || code == SQLITE_DONE; };
    std::int64_t bad = m_seq, good = m_seq;
    for (std::int64_t leap = 1;; leap *= 2) {
        good = std::min(m_seq + leap, m_most);
        if (good <= bad) return SQLITE_DONE;
        if (isReadable(beginAfter(good))) break;
        bad = good;
    }
    while (good - bad > 1) {
        const std::int64_t middle = bad + (good - bad) / 2;
        (isReadable(beginAfter(middle)) ? good : bad) = middle;
    }
    return beginAfter(good);
}

}  // namespace mantissa
