// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/panel.h"

#include <algorithm>
#include <cmath>

namespace mantissa::gui {
namespace {

constexpr int kTitleRowPixels = 24;  // the title row
constexpr int kTickDistance = 18;    // least distance of tick labels
constexpr double kFaint = 0.25;      // opacity of lines that are not pointed at
constexpr double kPointReach = 7;    // pixels around a line in which it is pointed at
constexpr int kLargeTitlePixels = 15;

/// Draws "—— train  ···· validation", which ends at `right`.
void drawLineKey(QCPPainter* painter, double right, double middle) {
    const Theme& theme = Theme::current();
    const QFontMetricsF metrics(painter->font());
    for (const bool isValidation : {true, false}) {
        const QString name = isValidation ? QObject::tr("validation") : QObject::tr("train");
        const double left = right - metrics.horizontalAdvance(name);
        painter->setPen(theme.ink2);
        painter->drawText(QRectF(left, middle - 10, right - left + 2, 20), Qt::AlignVCenter | Qt::AlignLeft, name);
        QPen pen(theme.ink2, 1.8, Qt::SolidLine, Qt::FlatCap);
        if (isValidation) pen.setDashPattern({1, 1.4});
        painter->setPen(pen);
        painter->drawLine(QPointF(left - 28, middle), QPointF(left - 8, middle));
        right = left - 44;
    }
}

}  // namespace

double PanelTitle::drawTag(QCPPainter* painter, double left, double middle) const {
    const Theme& theme = Theme::current();
    const QString text = QObject::tr("own x axis");
    painter->setFont(font(kTagPixels));
    const QRectF box(left + 0.5, middle - 8.5, QFontMetricsF(painter->font()).horizontalAdvance(text) + 12, 17);
    painter->setPen(QPen(theme.controlBorder, 1));
    painter->setBrush(theme.surface);
    painter->drawRoundedRect(box, 3, 3);
    painter->setPen(theme.ink);
    painter->drawText(box, Qt::AlignCenter, text);
    return box.right() + 8;
}

void PanelTitle::draw(QCPPainter* painter) {
    const Theme& theme = Theme::current();
    const double middle = m_rect->top() - raise - kTitleRowPixels / 2.0 - 2;
    double left = m_rect->left();
    const auto write = [&](const QString& text, const QFont& of, const QColor& ink) {
        const double width = QFontMetricsF(of).horizontalAdvance(text);
        painter->setFont(of);
        painter->setPen(ink);
        painter->drawText(QRectF(left, middle - 10, width + 2, 20), Qt::AlignVCenter | Qt::AlignLeft, text);
        left += width + 8;
    };
    write(title, font(isLarge ? kLargeTitlePixels : kTitlePixels, true), theme.ink);
    const QFont small = font(kTickPixels);
    write(unit, small, theme.ink2);
    if (isPointed) write(QStringLiteral("\u25BE"), small, theme.ink);
    if (isUnlinked) left = drawTag(painter, left, middle);

    // The note is hidden if there is no space beside the title.
    double right = m_rect->right() + 1;
    painter->setFont(small);
    const QString shown = QFontMetricsF(small).elidedText(note, Qt::ElideRight, std::max(0.0, right - left - 8));
    if (shown.size() > 8 || shown == note) {
        painter->setPen(theme.ink2);
        painter->drawText(QRectF(left, middle - 10, right - left, 20), Qt::AlignVCenter | Qt::AlignRight, shown);
        right -= QFontMetricsF(small).horizontalAdvance(shown) + (shown.isEmpty() ? 0 : 24);
    }
    if (hasLineKey && right - left > 200) drawLineKey(painter, right, middle);
}

Panel::Panel(QCustomPlot* plot, QCPMarginGroup* margins, std::string key, const QString& title)
    : m_key(std::move(key)), m_rect(new QCPAxisRect(plot, false)) {
    // Top and bottom margins are set here; left and right are shared by all panels, so that steps align to the pixel.
    m_rect->setAutoMargins(QCP::msLeft | QCP::msRight);
    m_rect->setMarginGroup(QCP::msLeft | QCP::msRight, margins);
    m_rect->setRangeDrag({});
    m_rect->setRangeZoom({});
    for (const auto type : {QCPAxis::atBottom, QCPAxis::atLeft}) {
        QCPAxis* axis = m_rect->addAxis(type);
        axis->setTickLength(0);
        axis->setSubTicks(false);
        axis->setTickLabelPadding(8);
        axis->setLabelPadding(0);
        axis->grid()->setVisible(true);
        axis->grid()->setZeroLinePen(Qt::NoPen);
        axis->setLayer(QStringLiteral("axes"));
        axis->grid()->setLayer(QStringLiteral("grid"));
    }
    yAxis()->setBasePen(Qt::NoPen);
    m_xTicker = QSharedPointer<XTicker>::create();
    xAxis()->setTicker(m_xTicker);
    m_ticker = QSharedPointer<ValueTicker>::create();
    yAxis()->setTicker(m_ticker);
    m_lines = new LineLayer(plot, m_rect);
    m_glyphs = new GlyphRow(plot, m_rect);
    m_title = new PanelTitle(plot, m_rect);
    m_title->title = title;
    xAxis()->setTickLabels(false);
}

void Panel::setMargins(int top, int bottom, int extra) {
    m_rect->setMargins({m_rect->margins().left(), top, m_rect->margins().right(), bottom});
    m_title->raise = extra;
}

void Panel::applyTheme() {
    const Theme& theme = Theme::current();
    for (QCPAxis* axis : {xAxis(), yAxis()}) {
        axis->setTickLabelFont(pixelFont(m_rect->parentPlot()->font(), kTickPixels));
        axis->setTickLabelColor(theme.ink2);
        axis->setTickPen(QPen(Qt::transparent));  // in vector output a tick of length 0 would be a dot
        axis->grid()->setPen(QPen(theme.grid, 0));  // one device pixel even when enlarged: lighter than the data
    }
    xAxis()->setBasePen(QPen(theme.axis, 1));
}

void Panel::refresh(const PlotFrame& frame, const std::optional<Span>& byHand) {
    xAxis()->setRange(frame.x.first, frame.x.last);
    m_ticker->setTickCount(std::max(2, m_rect->height() / kTickDistance));
    m_xTicker->setTickCount(std::max(2, m_rect->width() / 130));
    m_xTicker->setAxis(frame.axis);
    m_isByHand = byHand.has_value();
    m_lines->lines.clear();
    m_glyphs->clear();
    const Span automatic = refreshRuns(frame);
    m_glyphs->arrange();
    const Span y = byHand.value_or(automatic);
    yAxis()->setRange(y.first, y.last);
}

QColor PlotFrame::colorOf(const RunTrace& trace, QColor color) const {
    if (highlighted >= 0 && trace.run->id != highlighted) color.setAlphaF(color.alphaF() * static_cast<float>(kFaint));
    return color;
}

void Panel::addLine(const RunTrace& trace, const PlotFrame& frame, LineStyle style, std::vector<SeriesPoint> points, bool isStepped,
                    bool canBePointedAt) {
    if (trace.lineSteps() < trace.shownSteps)
        std::erase_if(points, [&](const SeriesPoint& point) { return point.x >= static_cast<double>(trace.lineSteps()); });
    placeOn(frame.places(trace), points);
    style.color = frame.colorOf(trace, style.color);
    m_lines->lines.push_back({std::move(style), std::move(points), isStepped, canBePointedAt ? trace.run->id : -1});
}

QRectF Panel::header() const {
    return {static_cast<double>(m_rect->left()), static_cast<double>(m_rect->top() - m_title->raise - kTitleRowPixels - 2),
            static_cast<double>(m_rect->width()), static_cast<double>(kTitleRowPixels)};
}

RunId Panel::runAt(QPointF place) const {
    const double x = xAxis()->pixelToCoord(place.x());
    double nearest = kPointReach;
    RunId found = -1;
    for (const LineLayer::Line& line : m_lines->lines) {
        const auto after =
            std::lower_bound(line.points.begin(), line.points.end(), x, [](const SeriesPoint& point, double at) { return point.x < at; });
        if (line.run < 0 || after == line.points.begin() || after == line.points.end()) continue;
        const SeriesPoint &from = *std::prev(after), &to = *after;
        const double share = to.x > from.x ? (x - from.x) / (to.x - from.x) : 0;
        const double distance = std::abs(yAxis()->coordToPixel(line.isStepped ? from.y : std::lerp(from.y, to.y, share)) - place.y());
        if (!(distance <= nearest)) continue;  // of coinciding lines, the upper one
        nearest = distance;
        found = line.run;
    }
    return found;
}

void joinParent(std::vector<SeriesPoint>& points, const RunTrace& trace, const Series& parents) {
    const std::int64_t before = trace.run->info.firstStep - 1;
    if (points.empty() || points.front().x != static_cast<double>(before + 1) || parents.valueClass(before) != ValueClass::Finite) return;
    points.insert(points.begin(), {static_cast<double>(before), parents.value(before)});
}

QString Panel::spokenName(const PlotFrame& frame) const {
    return QObject::tr("%1, %2 runs, %3").arg(m_title->title).arg(frame.runs.size()).arg(m_title->unit);
}

QString Panel::description(const PlotFrame& frame) const {
    QStringList parts;
    for (const RunTrace* trace : frame.runs)
        if (!trace->run->isHidden) parts << QObject::tr("run %1: %2").arg(trace->run->name(), runDescription(*trace));
    if (!m_title->note.isEmpty()) parts << m_title->note;
    return parts.join(QStringLiteral("; "));
}

}  // namespace mantissa::gui
