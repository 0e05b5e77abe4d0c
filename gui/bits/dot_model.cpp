// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/bits/dot_model.h"

#include <cmath>

#include "gui/app/theme.h"
#include "gui/bits/bits_text.h"
#include "gui/controls/number_text.h"

namespace mantissa::gui {
namespace {

std::vector<SumWay> waysOf(const DotRequest& request) {
    const SumWay way{.format = request.sums, .chunk = request.chunk, .core = request.core};
    std::vector<SumWay> ways{way};
    const auto add = [&](SumOrder order) {
        ways.push_back(way);
        ways.back().order = order;
        if (order == SumOrder::TensorCore || order == SumOrder::Promoted)
            ways.back().format = request.core == Accumulator::Fp16 && order == SumOrder::TensorCore ? Dtype::F16 : Dtype::F32;
    };
    if (request.sums != Dtype::F32) {  // the processor rounds in this case
        ways.push_back(way);
        ways.back().rounding = {.rounding = Rounding::Stochastic, .seed = request.seed};
    }
    for (const SumOrder order : {SumOrder::Chunked, SumOrder::Pairwise, SumOrder::Kahan, SumOrder::TensorCore, SumOrder::Promoted})
        add(order);
    if (request.sums != Dtype::F32) ways.push_back({});
    return ways;
}

}  // namespace

std::vector<DotRow> runBench(const DotRequest& request) {
    const DotInput input = dotInput(request.values, request.input, request.length, request.seed);
    const std::vector<int> lengths = dotLengths(request.length);
    std::vector<DotRow> rows;
    for (const SumWay& way : waysOf(request)) {
        DotRow row{way, QString::fromStdString(whyNoSum(way, request.input)), {}};
        if (row.why.isEmpty()) row.errors = dotErrors(input, lengths, way);
        rows.push_back(std::move(row));
    }
    return rows;
}

void DotModel::show(std::vector<DotRow> rows) {
    if (rows.size() != m_rows.size()) {
        setRows(std::move(rows));
        return;
    }
    m_rows = std::move(rows);  // the selected row stays selected
    emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

QString DotModel::text(const DotRow& row, int column) const {
    if (column == WayColumn) return wayText(row.way);
    if (row.errors.empty()) return column == ResultColumn ? tr("cannot") : QStringLiteral("\u2013");
    const DotError& last = row.errors.back();
    const auto orDash = [](double value) { return std::isfinite(value) ? numberText(value, 3) : QStringLiteral("\u2013"); };
    switch (column) {
        case ResultColumn:
            return numberText(static_cast<double>(last.result), 7);
        case ErrorColumn:
            return orDash(last.error);
        case RelativeColumn:
            return orDash(last.relative);
        default:
            return orDash(last.ulps);
    }
}

QVariant DotModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const DotRow& row = m_rows[static_cast<std::size_t>(index.row())];
    const int column = index.column();
    const bool isBroken = column == ResultColumn && !row.errors.empty() && !std::isfinite(row.errors.back().result);
    switch (role) {
        case Qt::DisplayRole:
            return text(row, column);
        case Qt::TextAlignmentRole:
            return QVariant::fromValue(Qt::AlignVCenter | (column == WayColumn ? Qt::AlignLeft : Qt::AlignRight));
        case Qt::ToolTipRole:
            return row.why;
        case Qt::AccessibleTextRole:
            return tr("%1: %2").arg(headerData(column, Qt::Horizontal, Qt::DisplayRole).toString(), text(row, column));
        case Qt::ForegroundRole:
            if (isBroken) return Theme::current().danger;
            return row.why.isEmpty() ? QVariant() : Theme::current().ink3;
        default:
            return {};
    }
}

QVariant DotModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Horizontal && role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::AlignVCenter | (section == WayColumn ? Qt::AlignLeft : Qt::AlignRight));
    if (orientation == Qt::Horizontal && role == Qt::ToolTipRole && section == UlpColumn)
        return tr("Units in the last place of the format that the sums are in, at the exact sum; on tensor cores, of FP32");
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    const QString heads[] = {tr("sums"), tr("result"), tr("error"), tr("relative"), tr("ulp")};
    return section >= 0 && section < ColumnCount ? heads[section] : QVariant();
}

}  // namespace mantissa::gui
