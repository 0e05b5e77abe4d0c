// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/diagnosis/chain_table.h"

#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <algorithm>
#include <cmath>

#include "gui/app/theme.h"
#include "gui/controls/number_text.h"
#include "gui/diagnosis/card_parts.h"
#include "gui/diagnosis/examination_text.h"
#include "gui/plots/ranges.h"
#include "kernels/dtype/dtype.h"

namespace mantissa::gui {
namespace {

constexpr int kLinkPixels = 22, kLimitPixels = 22, kLeastName = 140, kLargestWidth = 74;
constexpr int kBarEdge = 6;         // px left and right of the axis
constexpr double kDeepest = 160;    // largest length of the axis in powers of two
constexpr double kFarLimit = 40;    // powers of two: a limit farther from the largest number is not drawn
constexpr double kBeyondLimit = 3;  // powers of two: least part of the axis beyond the format's limit

QString phaseHead(const Examination& examination, const std::string& phase) {
    if (phase == "forward") return QObject::tr("Forward");
    if (phase == "backward")
        return examination.lossScale == 1 ? QObject::tr("Backward")
                                          : QObject::tr("Backward, loss × %1").arg(scaleText(examination.lossScale));
    return phase == "optimizer" ? QObject::tr("Update") : QString::fromStdString(phase);
}

bool isWhereItBegan(const ChainLink& link, const ProvenanceCard& card) {
    return link.nonFinite > 0 && link.layer == card.layer && link.operation == card.operation && link.phase == card.phase;
}

double onAxis(double power, const Span& axis, const QRect& place) {
    return place.left() + kBarEdge + (power - axis.first) / axis.length() * (place.width() - 2 * kBarEdge);
}

/// Three digits; whole numbers from 100 on.
QString magnitudeText(double value) {
    return value >= 100 && value < 1e9 ? groupedText(std::llround(value)) : numberText(value, 3);
}

/// Powers of two between labels of the axis.
int powersApart(const Span& axis, int width) {
    int apart = 5;
    while (axis.length() / apart > std::max(2, width / 44)) apart *= 2;
    return apart;
}

}  // namespace

void ChainModel::show(const Examination& examination) {
    const ProvenanceCard& card = examination.card;
    beginResetModel();
    m_rows.clear();
    m_culprit = -1;
    std::string phase;
    for (const ChainLink& link : card.chain) {
        if (link.phase != phase) m_rows.push_back({phaseHead(examination, phase = link.phase), {}});
        ChainRow row{{}, link, link.absMax};
        if (m_culprit < 0 && isWhereItBegan(link, card)) {
            row.isCulprit = true;
            if (std::isfinite(card.wideMax) && card.wideMax > row.largest) row.largest = card.wideMax;
            m_culprit = static_cast<int>(m_rows.size());
        }
        m_rows.push_back(std::move(row));
    }
    const auto dtype = dtypeFromName(card.formatMax > 0 ? card.format : examination.policy);
    m_limit = dtype ? std::log2(facts(*dtype).maxFinite) : kNaN;
    m_limitText =
        dtype ? tr("%1 limit %2").arg(formatText(std::string(facts(*dtype).name)), numberText(facts(*dtype).maxFinite, 5)) : QString();
    m_cls = QString::fromStdString(card.cls);
    fitAxis();
    endResetModel();
}

void ChainModel::fitAxis() {
    double low = kNaN, largest = kNaN, high = m_limit + kBeyondLimit;
    for (const ChainRow& row : m_rows) {
        if (!(row.largest > 0) || !std::isfinite(row.largest)) continue;
        low = std::fmin(low, std::log2(row.largest));
        largest = std::fmax(largest, std::log2(row.largest));
        high = std::fmax(high, std::log2(row.largest) + 1);
    }
    // A limit far beyond all values would compress the rest of the axis.
    if (m_culprit < 0 && m_limit - largest > kFarLimit) {
        m_limit = kNaN;
        m_limitText.clear();
        high = largest + 1;
    }
    if (std::isnan(high)) high = 16;
    if (std::isnan(low)) low = high - 16;
    m_axis.last = std::ceil(high);
    m_axis.first = std::max(std::floor(std::min(low, m_axis.last - 8)) - 1, m_axis.last - kDeepest);
}

QVariant ChainModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const ChainRow& each = row(index.row());
    if (!each.head.isEmpty()) return role == Qt::DisplayRole && index.column() == NameColumn ? QVariant(each.head) : QVariant();
    const QString broken = each.link.nonFinite > 0 ? tr(", %1 not finite").arg(groupedText(each.link.nonFinite)) : QString();
    switch (role) {
        case Qt::DisplayRole:
            if (index.column() == NameColumn) return QString::fromStdString(each.link.tensor);
            if (index.column() == ValueColumn)
                return each.largest == 0 && each.link.nonFinite > 0 ? tr("none finite") : magnitudeText(each.largest);
            return {};
        case Qt::ToolTipRole:
        case Qt::AccessibleTextRole:
            return tr("%1 of %2, %3: largest magnitude %4%5")
                .arg(QString::fromStdString(each.link.tensor), QString::fromStdString(each.link.operation), formatText(each.link.format),
                     numberText(each.largest, 6), broken);
        case Qt::TextAlignmentRole:
            return QVariant::fromValue(Qt::AlignVCenter | (index.column() == ValueColumn ? Qt::AlignRight : Qt::AlignLeft));
        default:
            return {};
    }
}

QVariant ChainModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || (role != Qt::DisplayRole && role != Qt::ToolTipRole)) return {};
    return section == NameColumn ? tr("tensor") : section == ValueColumn ? tr("largest magnitude") : QString();
}

namespace {

class ChainDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const Theme& theme = Theme::current();
        const auto* model = static_cast<const ChainModel*>(index.model());
        const ChainRow& row = model->row(index.row());
        painter->save();
        if (option.state.testFlag(QStyle::State_Selected)) painter->fillRect(option.rect, theme.accentWeak);
        if (index.column() == ChainModel::BarColumn) {
            paintBar(painter, option.rect, row, *model);
        } else {
            const bool isHead = !row.head.isEmpty(), isName = index.column() == ChainModel::NameColumn;
            painter->setFont(pixelFont(option.font, isHead ? kTagPixels : kTickPixels, row.isCulprit));
            painter->setPen(row.link.nonFinite > 0 ? theme.danger : isHead ? theme.ink2 : theme.ink);
            const QRect place = option.rect.adjusted(isName && !isHead ? 8 : 0, 0, -4, 0);
            const QString text = painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideMiddle, place.width());
            painter->drawText(place, Qt::AlignVCenter | (isName ? Qt::AlignLeft : Qt::AlignRight), text);
        }
        painter->restore();
    }

private:
    static void paintBar(QPainter* painter, const QRect& cell, const ChainRow& row, const ChainModel& model) {
        const Theme& theme = Theme::current();
        const Span axis = model.axis();
        painter->setPen(QPen(theme.grid, 1));
        const int apart = powersApart(axis, cell.width());
        for (int power = static_cast<int>(std::ceil(axis.first / apart)) * apart; power <= axis.last; power += apart) {
            const int x = static_cast<int>(onAxis(power, axis, cell));
            painter->drawLine(x, cell.top(), x, cell.bottom());
        }
        const double limit = model.limit();
        if (std::isfinite(limit)) {
            const int x = static_cast<int>(onAxis(limit, axis, cell));
            painter->fillRect(QRect(x, cell.top(), cell.right() - x + 1, cell.height()), theme.dangerFill);
        }
        const bool isBroken = row.link.nonFinite > 0;
        const double start = onAxis(axis.first, axis, cell);
        double end = start;
        if (row.head.isEmpty() && row.largest > 0) {
            end = std::max(start + 2, onAxis(std::log2(std::min(row.largest, 1e300)), axis, cell));
            QColor fill = isBroken ? theme.danger : theme.neutralBar;
            if (isBroken && !row.isCulprit) fill.setAlphaF(0.55F);
            painter->fillRect(QRectF(start, cell.center().y() - 4, end - start, 8), fill);
        }
        if (std::isfinite(limit)) {
            const int x = static_cast<int>(onAxis(limit, axis, cell));
            painter->setPen(QPen(theme.danger, 1));
            painter->drawLine(x, cell.top(), x, cell.bottom());
        }
        if (!row.isCulprit) return;
        painter->setRenderHint(QPainter::Antialiasing);
        const double place = std::min(end + 10, cell.right() - 7.0);
        drawGlyph(*painter, classGlyph(model.cls().toStdString()), {place, cell.center().y() + 0.5}, 11, theme.danger, theme.raised);
    }
};

/// Names the limit above its line.
class ChainHeader : public QHeaderView {
public:
    using QHeaderView::QHeaderView;

protected:
    void paintSection(QPainter* painter, const QRect&, int section) const override {
        // Across all sections: the text may be wider than the column.
        const auto& chain = *static_cast<const ChainModel*>(model());
        if (section != ChainModel::ColumnCount - 1 || !std::isfinite(chain.limit())) return;
        const Theme& theme = Theme::current();
        const QRect bars(sectionViewportPosition(ChainModel::BarColumn), 0, sectionSize(ChainModel::BarColumn), height());
        painter->save();
        painter->setClipping(false);
        painter->setFont(pixelFont(font(), kTagPixels));
        painter->setPen(theme.danger);
        const int limit = static_cast<int>(onAxis(chain.limit(), chain.axis(), bars));
        const int width = painter->fontMetrics().horizontalAdvance(chain.limitText());
        const int left = std::clamp(limit - width / 2, 0, std::max(0, this->width() - width - 2));
        painter->drawText(QRect(left, 0, width + 2, height() - 3), Qt::AlignLeft | Qt::AlignBottom, chain.limitText());
        painter->restore();
    }
};

}  // namespace

ChainTable::ChainTable(ChainModel* model, QWidget* parent)
    : CopyTable(tr("Largest magnitude of each tensor, in order of execution"), kLinkPixels, parent), m_model(model) {
    setObjectName(QStringLiteral("chainTable"));
    setHorizontalHeader(new ChainHeader(Qt::Horizontal, this));
    setModel(model);
    setItemDelegate(new ChainDelegate(this));
    fixColumns(this, kLimitPixels, ChainModel::BarColumn);
    setColumnWidth(ChainModel::ValueColumn, kLargestWidth);
    connect(model, &QAbstractItemModel::modelReset, this, [this] {
        setMaximumHeight(kLimitPixels + m_model->rowCount() * kLinkPixels + 2);
        updateGeometry();
        fitNames();
        QMetaObject::invokeMethod(this, &ChainTable::showCulprit, Qt::QueuedConnection);
    });
}

void ChainTable::showCulprit() {
    if (m_model->culprit() < 0) return;
    // Also shows a few later links if there is space.
    const int visible = std::max(1, viewport()->height() / kLinkPixels);
    scrollTo(m_model->index(std::max(0, m_model->culprit() - visible * 2 / 3), 0), PositionAtTop);
}

void ChainTable::fitNames() {
    const QFontMetrics metrics(pixelFont(font(), kTickPixels, true));
    int widest = kLeastName;
    for (int row = 0; row < m_model->rowCount(); ++row)
        widest = std::max(widest, metrics.horizontalAdvance(m_model->index(row, ChainModel::NameColumn).data().toString()) + 16);
    setColumnWidth(ChainModel::NameColumn, std::min(widest, std::max(kLeastName, viewport()->width() * 45 / 100)));
}

QSize ChainTable::sizeHint() const {
    return {kLeastName + kLargestWidth + 240, minimumSizeHint().height()};  // expands into the available space
}

QSize ChainTable::minimumSizeHint() const {
    constexpr int kLeastRows = 8;
    return {kLeastName + kLargestWidth + 80, kLimitPixels + std::min(m_model->rowCount(), kLeastRows) * kLinkPixels + 2};
}

void ChainTable::resizeEvent(QResizeEvent* event) {
    CopyTable::resizeEvent(event);
    fitNames();
    showCulprit();
}

ChainAxis::ChainAxis(const ChainModel* model, const ChainTable* table, QWidget* parent) : QWidget(parent), m_model(model), m_table(table) {
    setFixedHeight(18);
    connect(model, &QAbstractItemModel::modelReset, this, qOverload<>(&QWidget::update));
}

void ChainAxis::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.setFont(pixelFont(font(), kTagPixels));
    painter.setPen(theme.ink2);
    const Span axis = m_model->axis();
    const QRect bars(m_table->columnViewportPosition(ChainModel::BarColumn), 0, m_table->columnWidth(ChainModel::BarColumn), height());
    const int apart = powersApart(axis, bars.width());
    for (int power = static_cast<int>(std::ceil(axis.first / apart)) * apart; power <= axis.last; power += apart) {
        const int x = static_cast<int>(onAxis(power, axis, bars));
        painter.drawText(QRect(x - 24, 1, 48, height()), Qt::AlignHCenter | Qt::AlignTop, powerOfTwoText(power));
    }
}

}  // namespace mantissa::gui
