// SPDX-License-Identifier: GPL-3.0-or-later
// What a plot shows as a table for a spreadsheet: tab-separated, a row a step, a column for each run and quantity, numbers that read back
// to the same value, "nan", "inf" and "-inf" as such. Pure functions; GUI thread.
#pragma once

#include <QString>
#include <span>
#include <string>

#include "gui/link/lab.h"

namespace mantissa::gui {

/// Series by key (RunState::series), steps [first, last), of the runs that are not hidden. Columns without a value are left out, as are
/// rows.
QString plotTable(const Lab& lab, std::span<const std::string> keys, std::int64_t first, std::int64_t last);
/// The rows of its longest column: it has at least as many.
std::int64_t leastTableRows(const Lab& lab, std::span<const std::string> keys, std::int64_t first, std::int64_t last);

}  // namespace mantissa::gui
