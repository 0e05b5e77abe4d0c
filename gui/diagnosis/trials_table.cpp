// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/diagnosis/trials_table.h"

#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <algorithm>

#include "gui/app/icon.h"
#include "gui/controls/engine_text.h"
#include "gui/controls/number_text.h"
#include "gui/diagnosis/card_parts.h"
#include "gui/diagnosis/examination_text.h"

namespace mantissa::gui {
namespace {

constexpr int kTrialPixels = 25, kTrialHeadPixels = 36;
constexpr int kTrialNumberWidth[] = {0, 64, 60, 72, 76};

}  // namespace

void TrialsModel::show(const Examination& examination) {
    beginResetModel();
    m_rows = examination.trials;
    // in the order of the search, except that scales of one format descend
    for (auto first = m_rows.begin(); first != m_rows.end();) {
        const auto isOther = [&](const Trial& each) {
            return each.policy != first->policy || each.overriddenLayer != first->overriddenLayer;
        };
        const auto end = std::find_if(first, m_rows.end(), isOther);
        std::stable_sort(first, end, [](const Trial& a, const Trial& b) { return a.scale > b.scale; });
        first = end;
    }
    m_skips = examination.wasSkipped;
    endResetModel();
}

QString TrialsModel::text(const Trial& trial, int column) const {
    if (column == LabelColumn) return engineText(trial.label);
    if (!trial.failure.empty()) return column == OutcomeColumn ? tr("not run") : QStringLiteral("–");
    switch (column) {
        case NonFiniteColumn:
            return groupedText(trial.nonFinite);
        case FlushedColumn:
            return trial.isReference ? QStringLiteral("–") : percentText(trial.flushedShare);
        case DifferenceColumn:
            return trial.isReference ? tr("reference") : percentText(trial.difference);
        case OutcomeColumn:
            return trial.isFinite() ? tr("finite") : m_skips ? tr("skip") : tr("non-finite");
        default:
            return {};
    }
}

QVariant TrialsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const Trial& each = row(index.row());
    switch (role) {
        case Qt::DisplayRole:
            return text(each, index.column());
        case Qt::TextAlignmentRole:
            return QVariant::fromValue(Qt::AlignVCenter |
                                       (index.column() == LabelColumn || index.column() == OutcomeColumn ? Qt::AlignLeft : Qt::AlignRight));
        case Qt::ToolTipRole:
            if (!each.failure.empty()) return QString::fromStdString(each.failure);
            if (!each.isForwardFinite) return tr("The forward pass was not finite.");
            return engineText(each.label);
        default:
            return {};
    }
}

QVariant TrialsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 || section >= ColumnCount) return {};
    const QString heads[] = {tr("trial"), tr("non-finite\ngradients"), tr("flushed\nto zero"), tr("differs\nfrom FP32"), tr("outcome")};
    return heads[section];
}

namespace {

/// Paints numbers of a failure in red, with a sign and a word.
class TrialsDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const Theme& theme = Theme::current();
        const auto* model = static_cast<const TrialsModel*>(index.model());
        const Trial& trial = model->row(index.row());
        const bool isBroken = trial.failure.empty() && !trial.isFinite();
        painter->save();
        if (option.state.testFlag(QStyle::State_Selected)) painter->fillRect(option.rect, theme.accentWeak);
        painter->fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1), theme.grid);
        QRect place = option.rect.adjusted(index.column() == TrialsModel::LabelColumn ? 2 : 0, 0, -4, 0);
        painter->setFont(pixelFont(option.font, kTickPixels, index.column() == TrialsModel::LabelColumn && trial.isAsUsed));
        painter->setPen(theme.ink);
        if (index.column() == TrialsModel::NonFiniteColumn && trial.nonFinite > 0) painter->setPen(theme.danger);
        if (index.column() == TrialsModel::OutcomeColumn) {
            const QRect icon(place.left() + 8, place.center().y() - 5, 12, 12);
            if (isBroken)
                drawGlyph(*painter, model->skips() ? Glyph::Skipped : Glyph::NaN, QRectF(icon).center(), 11, theme.danger, theme.raised);
            else if (trial.failure.empty())
                themedIcon(QStringLiteral("check"), IconInk::Ink2).paint(painter, icon);
            place.setLeft(icon.right() + 8);
            painter->setPen(isBroken ? theme.danger : theme.ink);
        }
        const QString text = painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideMiddle, place.width());
        painter->drawText(place, static_cast<int>(index.data(Qt::TextAlignmentRole).value<Qt::Alignment>()), text);
        if (option.state.testFlag(QStyle::State_HasFocus)) {
            painter->setPen(QPen(theme.accent, 1));
            painter->drawRect(option.rect.adjusted(0, 0, -1, -2));
        }
        painter->restore();
    }
};

class TrialsHeader : public QHeaderView {
public:
    explicit TrialsHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) { setSectionsClickable(false); }

protected:
    void paintSection(QPainter* painter, const QRect& rect, int section) const override {
        const Theme& theme = Theme::current();
        painter->save();
        painter->setFont(pixelFont(font(), kTagPixels));
        painter->setPen(theme.ink2);
        const bool isLeft = section == TrialsModel::LabelColumn || section == TrialsModel::OutcomeColumn;
        const QRect place = rect.adjusted(section == TrialsModel::OutcomeColumn ? 8 : 2, 0, -4, -4);
        painter->drawText(place, Qt::AlignBottom | (isLeft ? Qt::AlignLeft : Qt::AlignRight),
                          model()->headerData(section, Qt::Horizontal, Qt::DisplayRole).toString());
        painter->fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), theme.line);
        painter->restore();
    }
};

}  // namespace

TrialsTable::TrialsTable(TrialsModel* model, QWidget* parent)
    : CopyTable(tr("Trials: the step repeated in other ways"), kTrialPixels, parent) {
    setObjectName(QStringLiteral("trialsTable"));
    setHorizontalHeader(new TrialsHeader(this));
    setModel(model);
    setItemDelegate(new TrialsDelegate(this));
    fixColumns(this, kTrialHeadPixels, TrialsModel::LabelColumn);
    const QFontMetrics metrics(pixelFont(font(), kTagPixels));  // the header's font
    int least = 0;
    for (int column = 0; column < TrialsModel::ColumnCount; ++column) {
        const QString head = model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        int width = std::max(kTrialNumberWidth[column], metrics.size(0, head).width() + 16);
        if (column == TrialsModel::OutcomeColumn)
            for (const QString& outcome :
                 {TrialsModel::tr("finite"), TrialsModel::tr("skip"), TrialsModel::tr("non-finite"), TrialsModel::tr("not run")})
                width = std::max(width, QFontMetrics(pixelFont(font(), kTickPixels)).horizontalAdvance(outcome) + 36);
        if (column != TrialsModel::LabelColumn) setColumnWidth(column, width);
        least += width;
    }
    setMinimumWidth(least);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(model, &QAbstractItemModel::modelReset, this, &TrialsTable::fitHeight);
    fitHeight();
}

void TrialsTable::fitHeight() {
    setFixedHeight(kTrialHeadPixels + model()->rowCount() * kTrialPixels + 2);
}

}  // namespace mantissa::gui
