// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/exports/plot_table.h"

#include <algorithm>
#include <limits>

#include "engine/telemetry/number_format.h"

namespace mantissa::gui {
namespace {

struct TableColumn {
    QString name;
    const Series* series;
    std::size_t next, end;  // values
};

std::vector<TableColumn> columnsOf(const SessionModel& session, std::span<const std::string> keys, std::int64_t first, std::int64_t last) {
    std::vector<TableColumn> columns;
    for (const auto& run : session.runs()) {
        if (run->isHidden) continue;
        for (const std::string& key : keys) {
            const Series* series = run->series(key);
            if (!series) continue;
            const TableColumn column{run->name().simplified() + u' ' + QString::fromStdString(key), series, series->countBefore(first),
                                     series->countBefore(last)};
            if (column.next < column.end) columns.push_back(column);
        }
    }
    return columns;
}

}  // namespace

QString plotTable(const SessionModel& session, std::span<const std::string> keys, std::int64_t first, std::int64_t last) {
    std::vector<TableColumn> columns = columnsOf(session, keys, first, last);
    QString table = QStringLiteral("step");
    for (const TableColumn& column : columns) table += u'\t' + column.name;
    table += u'\n';
    for (;;) {
        constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
        std::int64_t step = kNone;
        for (const TableColumn& column : columns)
            if (column.next < column.end) step = std::min(step, column.series->stepAt(column.next));
        if (step == kNone) return table;
        table += QString::number(step);
        for (TableColumn& column : columns) {
            table += u'\t';
            if (column.next == column.end || column.series->stepAt(column.next) != step) continue;
            table += QString::fromStdString(shortest(column.series->exact(step)));
            ++column.next;
        }
        table += u'\n';
    }
}

std::int64_t leastTableRows(const SessionModel& session, std::span<const std::string> keys, std::int64_t first, std::int64_t last) {
    std::size_t most = 0;
    for (const TableColumn& column : columnsOf(session, keys, first, last)) most = std::max(most, column.end - column.next);
    return static_cast<std::int64_t>(most);
}

}  // namespace mantissa::gui
