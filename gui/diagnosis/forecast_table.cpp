// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/diagnosis/forecast_table.h"

#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <algorithm>
#include <cmath>

#include "gui/app/theme.h"
#include "gui/controls/number_text.h"
#include "gui/diagnosis/card_parts.h"
#include "gui/diagnosis/examination_text.h"
#include "gui/diagnosis/layer_plots.h"
#include "gui/plots/marks.h"

namespace mantissa::gui {
namespace {

constexpr int kForecastPixels = 24, kForecastHeadPixels = 42;
constexpr int kLeastLayer = 90, kMostLayer = 220;  // px: width of the column of layers' names
constexpr int kNumberEdge = 12;                    // px right of a number

/// Share of the finite values that are not 0, a dash if all are Inf or NaN; headroom in powers of two.
QString measureText(const LayerForecast& each, ForecastModel::Measure measure) {
    if (each.stored.total() == 0 && each.nonFinite > 0) return QStringLiteral("–");
    if (measure == ForecastModel::Headroom)
        return std::isfinite(each.headroom) ? fixedText(std::abs(each.headroom) < 0.05 ? 0 : each.headroom, 1) : QStringLiteral("–");
    const std::int64_t counts[] = {each.stored.flushed, each.stored.subnormal, each.stored.overflowed};
    return percentText(each.stored.share(counts[measure]));
}

QColor roomColor(double headroom) {
    StripCell cell{};
    cell[static_cast<std::size_t>(StripMeasure::Headroom)] = static_cast<float>(headroom);
    return PrecisionStrip::colorOf(StripMeasure::Headroom, cell);
}

}  // namespace

std::vector<ForecastRow> forecastRows(const std::vector<LayerForecast>& forecasts) {
    std::vector<ForecastRow> rows;
    for (const LayerForecast& each : forecasts) {
        const QString layer = QString::fromStdString(each.layer);
        const auto found = std::find_if(rows.begin(), rows.end(), [&](const ForecastRow& row) { return row.layer == layer; });
        ForecastRow& row = found == rows.end() ? rows.emplace_back(ForecastRow{layer, {}}) : *found;
        for (std::size_t g = 0; g < kStripGroups; ++g) {
            if (!isOf(static_cast<StripGroup>(g), each.role)) continue;
            auto& sum = row.groups[g];
            if (!sum) {
                sum = each;
                continue;
            }
            sum->stored.flushed += each.stored.flushed, sum->stored.subnormal += each.stored.subnormal;
            sum->stored.normal += each.stored.normal, sum->stored.overflowed += each.stored.overflowed;
            sum->zeros += each.zeros, sum->nonFinite += each.nonFinite;
            if (each.headroom < sum->headroom) sum->headroom = each.headroom, sum->tightest = each.tightest;
        }
    }
    // Weights alone get no row.
    std::erase_if(rows, [](const ForecastRow& row) {
        return std::none_of(row.groups.begin(), row.groups.end(), [](const auto& group) { return group.has_value(); });
    });
    std::reverse(rows.begin(), rows.end());
    return rows;
}

void ForecastModel::show(std::vector<ForecastRow> rows) {
    const bool hasSameLayers = std::equal(rows.begin(), rows.end(), m_rows.begin(), m_rows.end(),
                                          [](const ForecastRow& a, const ForecastRow& b) { return a.layer == b.layer; });
    if (hasSameLayers) {  // keeps selection and scroll position
        m_rows = std::move(rows);
        if (!m_rows.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
        return;
    }
    setRows(std::move(rows));
}

const LayerForecast* ForecastModel::forecastAt(const QModelIndex& index) const {
    if (!index.isValid() || index.row() >= rowCount() || index.column() == 0) return nullptr;
    const auto& group = row(index.row()).groups[static_cast<std::size_t>(groupOf(index.column()))];
    return group ? &*group : nullptr;
}

QString ForecastModel::groupName(int group) {
    const QString names[] = {tr("forward"), tr("gradients"), tr("updates")};  // in the order of StripGroup
    return names[group];
}

QString ForecastModel::measureName(Measure measure) {
    const QString names[] = {tr("flushed"), tr("subnormal"), tr("overflow"), tr("headroom")};
    return names[measure];
}

QVariant ForecastModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const QString& layer = row(index.row()).layer;
    const LayerForecast* each = forecastAt(index);
    switch (role) {
        case Qt::DisplayRole:
            if (index.column() == 0) return layer;
            return each ? measureText(*each, measureOf(index.column())) : QStringLiteral("–");
        case Qt::ToolTipRole:
        case Qt::AccessibleTextRole:
            if (!each) return index.column() == 0 ? QVariant(layer) : QVariant();
            if (each->stored.total() == 0 && each->nonFinite > 0)
                return tr("%1, %2: all %3 numbers other than 0 are Inf or NaN")
                    .arg(layer, groupName(groupOf(index.column())), groupedText(each->nonFinite));
            return tr("%1, %2: of %3 finite numbers other than 0, %4 flushed to zero, %5 subnormal, %6 overflow; %7 comes closest to the "
                      "limit")
                .arg(layer, groupName(groupOf(index.column())), groupedText(each->stored.total()), groupedText(each->stored.flushed),
                     groupedText(each->stored.subnormal), groupedText(each->stored.overflowed),
                     each->tightest.empty() ? tr("none") : QString::fromStdString(each->tightest));
        case Qt::TextAlignmentRole:
            return QVariant::fromValue(Qt::AlignVCenter | (index.column() == 0 ? Qt::AlignLeft : Qt::AlignRight));
        default:
            return {};
    }
}

QVariant ForecastModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= kColumns) return {};
    if (role == Qt::DisplayRole)
        return section == 0 ? tr("layer") : tr("%1\n%2").arg(groupName(groupOf(section)), measureName(measureOf(section)));
    if (role != Qt::ToolTipRole || section == 0) return {};
    if (measureOf(section) == Flushed && static_cast<StripGroup>(groupOf(section)) == StripGroup::Updates)
        return tr("Share of updates that would become 0: a lower bound on those that would leave a weight stored in this format unchanged");
    const QString hints[] = {tr("Share of the numbers other than 0 that would become 0"),
                             tr("Share that would keep fewer digits than the format has"), tr("Share that would leave the format"),
                             tr("How often the largest number could still double")};
    return hints[measureOf(section)];
}

namespace {

/// Red marks overflow only: in its column, and where there is no headroom.
class ForecastDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const Theme& theme = Theme::current();
        const bool isLayer = index.column() == 0;
        const LayerForecast* each = static_cast<const ForecastModel*>(index.model())->forecastAt(index);
        const bool beginsGroup = !isLayer && ForecastModel::measureOf(index.column()) == ForecastModel::Flushed;
        painter->save();
        if (option.state.testFlag(QStyle::State_Selected)) painter->fillRect(option.rect, theme.accentWeak);
        painter->fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1), theme.grid);
        if (beginsGroup) painter->fillRect(QRect(option.rect.left(), option.rect.top(), 1, option.rect.height()), theme.line);
        const QString text = index.data().toString();
        const bool isQuiet = !isLayer && (text == QStringLiteral("–") || text == QStringLiteral("0"));
        bool isBroken = false;
        if (each) {
            const auto measure = ForecastModel::measureOf(index.column());
            isBroken = each->stored.overflowed > 0 && (measure == ForecastModel::Overflow || measure == ForecastModel::Headroom);
            if (measure == ForecastModel::Headroom && std::isfinite(each->headroom)) paintRoom(*painter, option, *each);
        }
        painter->setFont(pixelFont(option.font, kTickPixels, isBroken));
        painter->setPen(isBroken ? theme.danger : isQuiet ? theme.ink3 : theme.ink);
        const QRect place = option.rect.adjusted(isLayer ? 2 : 4, 0, isLayer ? -4 : -kNumberEdge, 0);
        painter->drawText(place, Qt::AlignVCenter | (isLayer ? Qt::AlignLeft : Qt::AlignRight),
                          painter->fontMetrics().elidedText(text, Qt::ElideLeft, place.width()));
        painter->restore();
    }

private:
    /// Paints headroom in the precision strip's colour.
    static void paintRoom(QPainter& painter, const QStyleOptionViewItem& option, const LayerForecast& each) {
        const Theme& theme = Theme::current();
        const int widest = QFontMetrics(pixelFont(option.font, kTickPixels, true)).horizontalAdvance(QStringLiteral("−100.0"));
        const QRect mark(option.rect.right() - kNumberEdge - widest - 12, option.rect.center().y() - 5, 10, 10);
        painter.fillRect(mark, each.stored.overflowed > 0 ? theme.danger : roomColor(each.headroom));
    }
};

/// Header in two lines: the group above its four measures.
class ForecastHeader : public QHeaderView {
public:
    explicit ForecastHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) { setSectionsClickable(false); }

protected:
    void paintSection(QPainter* painter, const QRect& rect, int section) const override {
        const Theme& theme = Theme::current();
        const bool isLayer = section == 0, beginsGroup = !isLayer && ForecastModel::measureOf(section) == ForecastModel::Flushed;
        painter->save();
        painter->setFont(pixelFont(font(), kTagPixels));
        painter->setPen(theme.ink2);
        const QRect place = rect.adjusted(2, 0, isLayer ? -4 : -kNumberEdge, -5);
        painter->drawText(place, Qt::AlignBottom | (isLayer ? Qt::AlignLeft : Qt::AlignRight),
                          isLayer ? ForecastModel::tr("layer") : ForecastModel::measureName(ForecastModel::measureOf(section)));
        painter->fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), theme.line);
        if (beginsGroup) {
            painter->fillRect(QRect(rect.left(), rect.top(), 1, rect.height()), theme.line);
            painter->setClipping(false);  // across all four columns
            painter->setFont(pixelFont(font(), kTickPixels, true));
            painter->setPen(theme.ink);
            painter->drawText(QRect(rect.left() + 12, rect.top(), 4 * rect.width() - 12, rect.height() / 2), Qt::AlignVCenter,
                              ForecastModel::groupName(ForecastModel::groupOf(section)));
        }
        painter->restore();
    }
};

}  // namespace

ForecastTable::ForecastTable(ForecastModel* model, QWidget* parent)
    : CopyTable(tr("What the format would make of each layer"), kForecastPixels, parent) {
    setObjectName(QStringLiteral("forecastTable"));
    setHorizontalHeader(new ForecastHeader(this));
    setModel(model);
    setItemDelegate(new ForecastDelegate(this));
    fixColumns(this, kForecastHeadPixels);
    setMinimumHeight(kForecastHeadPixels + 5 * kForecastPixels);
    connect(model, &QAbstractItemModel::modelReset, this, &ForecastTable::fitColumns);
    fitColumns();
}

void ForecastTable::fitColumns() {
    const QFontMetrics metrics(pixelFont(font(), kTickPixels));
    int widest = kLeastLayer;
    for (int row = 0; row < model()->rowCount(); ++row)
        widest = std::max(widest, metrics.horizontalAdvance(model()->index(row, 0).data().toString()) + 16);
    const int numbers = ForecastModel::kColumns - 1, all = viewport()->width();
    const int names = std::clamp(std::min(widest, all / 5), kLeastLayer, kMostLayer);
    setColumnWidth(0, names);
    for (int column = 1; column <= numbers; ++column) setColumnWidth(column, (all - names) / numbers);
}

void ForecastTable::resizeEvent(QResizeEvent* event) {
    CopyTable::resizeEvent(event);
    fitColumns();
}

}  // namespace mantissa::gui
