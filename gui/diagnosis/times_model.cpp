// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/diagnosis/times_model.h"

#include <algorithm>

#include "gui/controls/number_text.h"
#include "gui/diagnosis/examination_text.h"

namespace mantissa::gui {
namespace {

constexpr double kTera = 1e12, kGiga = 1e9;

QString limitText(TimeLimit limit) {
    const QString names[] = {TimesModel::tr("compute"), TimesModel::tr("memory"), TimesModel::tr("launch")};
    return names[static_cast<std::size_t>(limit)];
}

}  // namespace

QString millisecondsText(double seconds) {
    return TimesModel::tr("%1 ms").arg(numberText(seconds * 1e3, 3));
}

std::optional<double> secondsBeside(const StepTimes& own, const OperationTime& row, const StepTimes& other) {
    if (const OperationTime* found = other.find(row)) return found->seconds;
    const auto isIt = [&](const OperationTime& each) { return each.operation == row.operation; };
    const auto found = std::find_if(other.operations.begin(), other.operations.end(), isIt);
    const bool isOne = std::count_if(own.operations.begin(), own.operations.end(), isIt) == 1 &&
                       std::count_if(other.operations.begin(), other.operations.end(), isIt) == 1;
    return isOne ? std::optional(found->seconds) : std::nullopt;
}

void TimesModel::show(StepTimes times) {
    if (times == m_times) return;  // keeps selection and scroll position
    beginResetModel();
    m_times = std::move(times);
    endResetModel();
}

void TimesModel::setBeside(std::optional<StepTimes> times, const QString& name) {
    if (times == m_beside && name == m_besideName) return;
    beginResetModel();
    m_beside = std::move(times);
    m_besideName = name;
    endResetModel();
}

double TimesModel::share(int row) const {
    if (row >= rowCount()) return 0;
    const double share = m_times.operations[static_cast<std::size_t>(row)].seconds / m_times.seconds;
    return share >= 0 && share <= 1 ? share : 0;  // NaN: 0
}

int TimesModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_times.operations.size());
}

int TimesModel::columnCount(const QModelIndex& parent) const {
    if (parent.isValid()) return 0;
    return !m_beside ? Beside : m_beside->isMeasured() ? Limit : ColumnCount;
}

QString TimesModel::text(const OperationTime& row, int column) const {
    const bool isProduct = row.kind == OperationKind::Product;
    const double tflops = row.flops / row.seconds / kTera;
    switch (column) {
        case Operation:
            return QString::fromStdString(row.operation);
        case Format:
            return isProduct ? formatText(row.compute) : QString();
        case Runs:
            return groupedText(row.runs);
        case Time:
            return fixedText(1e3 * row.seconds, 3);
        case Share:
            return tr("%1 %").arg(fixedText(100 * row.seconds / m_times.seconds, 1));
        case Rate:
            return isProduct ? numberText(tflops, 3) : QString();
        case OfPeak:
            return isProduct && row.peakTflops > 0 ? tr("%1 %").arg(fixedText(100 * tflops / row.peakTflops, 0)) : QString();
        case Bandwidth:
            return isProduct ? QString() : numberText(row.bytes / row.seconds / kGiga, 3);
        case Limit: {
            const OperationTime* const predicted = m_beside->find(row);
            return predicted ? limitText(predicted->limit) : QString();
        }
        default: {
            const auto other = secondsBeside(m_times, row, *m_beside);
            if (!other) return QStringLiteral("–");
            return column == Beside ? fixedText(1e3 * *other, 3) : tr("%1×").arg(numberText(row.seconds / *other, 3));
        }
    }
}

QVariant TimesModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const bool isWord = index.column() <= Format;
    if (role == Qt::TextAlignmentRole) return QVariant::fromValue(Qt::AlignVCenter | (isWord ? Qt::AlignLeft : Qt::AlignRight));
    return role == Qt::DisplayRole ? text(m_times.operations[static_cast<std::size_t>(index.row())], index.column()) : QVariant();
}

QVariant TimesModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
    const bool isWord = section <= Format;
    if (role == Qt::TextAlignmentRole) return QVariant::fromValue(Qt::AlignVCenter | (isWord ? Qt::AlignLeft : Qt::AlignRight));
    const QString names[] = {tr("operation"), tr("format"),    tr("calls"),
                             tr("ms"),        tr("share"),     tr("TFLOP/s"),
                             tr("% of GEMM"), tr("GB/s"),      tr("%1 ms").arg(m_besideName),
                             tr("ratio"),     tr("limited by")};
    const QString hints[] = {
        tr("All instructions of this name in a step; “_grad” marks those of the backward pass"),
        tr("The format in which products are computed"),
        tr("How often a step runs it"),
        tr("Time of all its runs in a step"),
        tr("Share of the time of all operations"),
        tr("Floating-point operations of its products in a second, in 10¹²"),
        tr("Its rate over that of one large matrix product in the same format on this device"),
        tr("Bytes that it reads and writes in a second, in 10⁹; beyond the memory's rate, the numbers are in a cache"),
        tr("The time of the same operation in the other run, or predicted for the GPU"),
        tr("This run's time over the other one"),
        tr("What most of the predicted time goes to: computing products, reading and writing memory, or starting the operation"),
    };
    if (role == Qt::ToolTipRole) return hints[section];
    return role == Qt::DisplayRole ? names[section] : QVariant();
}

}  // namespace mantissa::gui
