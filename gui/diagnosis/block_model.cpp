// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/diagnosis/block_model.h"

#include <cmath>

#include "gui/controls/number_text.h"

namespace mantissa::gui {
namespace {

QString blockShareText(double share) {
    return share == 0 ? QStringLiteral("0") : QStringLiteral("%1 %").arg(fixedText(100 * share, 2));
}

QString productName(Direction product) {
    const QString names[] = {BlockModel::tr("forward"), BlockModel::tr("input gradient"), BlockModel::tr("weight gradient")};
    return names[static_cast<std::size_t>(product)];
}

QString operandName(LinearOperand operand) {
    const QString names[] = {BlockModel::tr("input"), BlockModel::tr("weight"), BlockModel::tr("gradient")};
    return names[static_cast<std::size_t>(operand)];
}

}  // namespace

QString sqnrText(double sqnr) {
    if (std::isnan(sqnr)) return BlockModel::tr("all 0");
    if (std::isinf(sqnr)) return sqnr > 0 ? BlockModel::tr("exact") : BlockModel::tr("NaN scale");
    return BlockModel::tr("%1 dB").arg(fixedText(sqnr, 2));
}

QString BlockModel::text(const OperandBlocks& each, int column) {
    switch (column) {
        case LayerColumn:
            return QString::fromStdString(each.layer);
        case ProductColumn: {
            QStringList names;
            for (const Direction product : each.products) names << productName(product);
            return names.join(QStringLiteral(", "));
        }
        case OperandColumn:
            return operandName(each.operand);
        case SqnrColumn:
            return sqnrText(each.sqnr);
        case FlushedColumn:
            return blockShareText(each.flushedShare());
        default:
            return blockShareText(each.saturatedShare());
    }
}

QVariant BlockModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const OperandBlocks& each = row(index.row());
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::AlignVCenter | (index.column() < SqnrColumn ? Qt::AlignLeft : Qt::AlignRight));
    if (role == Qt::ToolTipRole) return QString::fromStdString(each.tensor);
    return role == Qt::DisplayRole ? text(each, index.column()) : QVariant();
}

QVariant BlockModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::AlignVCenter | (section < SqnrColumn ? Qt::AlignLeft : Qt::AlignRight));
    const QString names[] = {tr("layer"), tr("product"), tr("operand"), tr("SQNR"), tr("flushed"), tr("saturated")};
    const QString hints[] = {tr("The layer whose operand is quantised"),
                             tr("The products that read the operand"),
                             tr("The layer's input, its weight, or the gradient of its output"),
                             tr("Signal to quantisation noise ratio: 10 log10 of the sum of squares over the sum of squared errors"),
                             tr("Share of the numbers other than 0 that became 0"),
                             tr("Share of the numbers beyond the largest number of their block")};
    if (section < 0 || section >= ColumnCount) return {};
    if (role == Qt::ToolTipRole) return hints[section];
    return role == Qt::DisplayRole ? names[section] : QVariant();
}

}  // namespace mantissa::gui
