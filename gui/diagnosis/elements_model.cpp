// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/diagnosis/elements_model.h"

#include <QFontDatabase>
#include <cmath>

#include "gui/app/theme.h"
#include "gui/controls/engine_text.h"
#include "gui/controls/number_text.h"
#include "gui/diagnosis/examination_text.h"

namespace mantissa::gui {
namespace {

constexpr int kValueDigits = 7;  // distinguishes any two neighbours of the 16-bit formats
const QString kNothing = QStringLiteral("\u2013");

QVariant alignment(Qt::AlignmentFlag side) {
    return QVariant::fromValue(Qt::AlignVCenter | side);
}

/// Aligns exponents and mantissas of each format, so that they can be compared down the column.
QString alignedBits(const NumberBits& number) {
    const DtypeFacts& format = facts(number.dtype);
    const int widest = facts(Dtype::F32).exponentBits;
    QStringList groups = QString::fromStdString(bitText(format, number.bits)).split(u' ');
    if (!format.isSigned) groups.prepend(QStringLiteral(" "));
    return groups[0] + u' ' + groups[1].rightJustified(widest) + (groups.size() > 2 ? u' ' + groups[2] : QString());
}

QVariant formatAlignment(int column) {
    return alignment(column == FormatsModel::FormatColumn || column == FormatsModel::BitsColumn ? Qt::AlignLeft
                     : column == FormatsModel::ClassColumn                                      ? Qt::AlignHCenter
                                                                                                : Qt::AlignRight);
}

}  // namespace

QVariant ElementsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const Element& each = row(index.row());
    if (role == Qt::TextAlignmentRole) return alignment(index.column() == TensorColumn ? Qt::AlignLeft : Qt::AlignRight);
    if (role == Qt::ForegroundRole && index.column() == ValueColumn && !std::isfinite(each.value)) return Theme::current().danger;
    if (role == Qt::ToolTipRole)
        return tr("%1 %2, stored in %3 as %4%5")
            .arg(QString::fromStdString(each.tensor), indexText(each.index), formatText(each.storage),
                 QString::fromStdString(bitText(facts(each.storage), each.bits)),
                 each.isScaled ? tr(", with the loss scale in it") : QString());
    if (role != Qt::DisplayRole) return {};
    switch (index.column()) {
        case TensorColumn:
            return QString::fromStdString(each.tensor);
        case StorageColumn:
            return formatText(each.storage);
        case IndexColumn:
            return indexText(each.index);
        case ValueColumn:
            return numberText(each.value, kValueDigits);
        default:
            return std::isnan(each.wide) ? kNothing : numberText(each.wide, kValueDigits);
    }
}

QVariant ElementsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Horizontal && role == Qt::TextAlignmentRole)
        return alignment(section == TensorColumn ? Qt::AlignLeft : Qt::AlignRight);
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    const QString heads[] = {tr("tensor"), tr("stored"), tr("index"), tr("value"), tr("in FP32")};
    return section >= 0 && section < ColumnCount ? heads[section] : QVariant();
}

QFont FormatsModel::bitFont() {
    return pixelFont(QFontDatabase::systemFont(QFontDatabase::FixedFont), kTagPixels);
}

void FormatsModel::show(std::optional<float> value, Dtype storage) {
    beginResetModel();
    m_rows.clear();
    m_storage = storage;
    m_value = value.value_or(0);
    if (value)
        for (const Dtype dtype : kAllDtypes) m_rows.push_back(numberBits(dtype, *value));
    endResetModel();
}

QString FormatsModel::text(const NumberBits& number, int column) const {
    const auto orNothing = [](double value, int digits) { return std::isfinite(value) ? numberText(value, digits) : kNothing; };
    const auto neighbourText = [](float value) {
        return std::isnan(value) ? kNothing : numberText(static_cast<double>(value), kValueDigits);
    };
    switch (column) {
        case FormatColumn:
            return formatText(number.dtype);
        case BitsColumn:
            return alignedBits(number);
        case ValueColumn:
            return numberText(static_cast<double>(number.rounded), kValueDigits);
        case ErrorColumn:
            return orNothing(number.error, 3);
        case RelativeColumn:
            return m_value == 0 ? kNothing : orNothing(number.relativeError(m_value), 3);
        case UlpColumn:
            return !std::isfinite(number.ulps)    ? kNothing
                   : std::abs(number.ulps) < 1000 ? fixedText(number.ulps, 3)
                                                  : numberText(number.ulps, 4);
        case ClassColumn:
            return engineText(std::string(numberClass(number)));
        default:
            return neighbourText(column == BelowColumn ? number.below : number.above);
    }
}

QVariant FormatsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const NumberBits& each = row(index.row());
    const int column = index.column();
    if (role == Qt::DisplayRole) return text(each, column);
    if (role == Qt::TextAlignmentRole) return formatAlignment(column);
    if (role == Qt::FontRole && column == BitsColumn) return bitFont();
    const bool isBroken = !std::isfinite(each.rounded) && (column == ValueColumn || column == ClassColumn);
    if (role == Qt::ForegroundRole && isBroken) return Theme::current().danger;
    if (role == Qt::BackgroundRole && each.dtype == m_storage) return Theme::current().accentWeak;
    if (role == Qt::AccessibleTextRole)
        return tr("%1: %2").arg(headerData(column, Qt::Horizontal, Qt::DisplayRole).toString(), text(each, column));
    return {};
}

QVariant FormatsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Horizontal && role == Qt::TextAlignmentRole) return formatAlignment(section);
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    const QString heads[] = {
        tr("format"), tr("sign exponent mantissa"), tr("rounded"), tr("error"), tr("relative"), tr("ulp"), tr("class"), tr("below"),
        tr("above")};
    return section >= 0 && section < ColumnCount ? heads[section] : QVariant();
}

}  // namespace mantissa::gui
