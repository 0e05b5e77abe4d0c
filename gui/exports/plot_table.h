// SPDX-License-Identifier: GPL-3.0-or-later
// Formats plotted values as a table for a spreadsheet: tab-separated, a row per step, a column for each run and quantity. Numbers read back
// to the same value; "nan", "inf" and "-inf" are written as such. Pure functions; GUI thread.
#pragma once

#include <QString>
#include <span>
#include <string>

#include "gui/link/session_model.h"

namespace mantissa::gui {

/// Returns the table of series by key (RunState::series) for steps [first, last) of the visible runs. Columns and rows without a value are
/// omitted.
QString plotTable(const SessionModel& session, std::span<const std::string> keys, std::int64_t first, std::int64_t last);
/// Returns a lower bound of the number of rows: those of the longest column.
std::int64_t leastTableRows(const SessionModel& session, std::span<const std::string> keys, std::int64_t first, std::int64_t last);

}  // namespace mantissa::gui
