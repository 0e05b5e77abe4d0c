// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/panel.h"

#include <algorithm>
#include <cmath>

#include "gui/controls/number_text.h"

namespace mantissa::gui {
namespace {

constexpr int kTitleRowPixels = 24;      // the title row
constexpr int kTickDistance = 18;   // between tick labels at least

}  // namespace

PanelTitle::PanelTitle(QCustomPlot* plot, QCPAxisRect* rect) : QCPLayerable(plot, QStringLiteral("glyphs"), rect) {}

void PanelTitle::applyDefaultAntialiasingHint(QCPPainter* painter) const {
    painter->setAntialiasing(true);
}

double PanelTitle::drawLineKey(QCPPainter* painter, double right, double middle) const {
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
    return right;
}

void PanelTitle::draw(QCPPainter* painter) {
    const auto* rect = static_cast<const QCPAxisRect*>(parentLayerable());
    const Theme& theme = Theme::current();
    const double middle = rect->top() - raise - kTitleRowPixels / 2.0 - 2;
    double left = rect->left();
    const auto write = [&](const QString& text, const QFont& font, const QColor& ink) {
        const double width = QFontMetricsF(font).horizontalAdvance(text);
        painter->setFont(font);
        painter->setPen(ink);
        painter->drawText(QRectF(left, middle - 10, width + 2, 20), Qt::AlignVCenter | Qt::AlignLeft, text);
        left += width + 8;
    };
    write(title, pixelFont(mParentPlot->font(), kTitlePixels, true), theme.ink);
    const QFont small = pixelFont(mParentPlot->font(), kTickPixels);
    write(unit, small, theme.ink2);

    // The note gives way to the title where there is no room for both.
    double right = rect->right() + 1;
    painter->setFont(small);
    const QString shown = QFontMetricsF(small).elidedText(note, Qt::ElideRight, std::max(0.0, right - left - 8));
    if (shown.size() > 8 || shown == note) {
        painter->setPen(theme.ink2);
        painter->drawText(QRectF(left, middle - 10, right - left, 20), Qt::AlignVCenter | Qt::AlignRight, shown);
        right -= QFontMetricsF(small).horizontalAdvance(shown) + (shown.isEmpty() ? 0 : 24);
    }
    if (hasLineKey && right - left > 200) drawLineKey(painter, right, middle);
}

Panel::Panel(QCustomPlot* plot, QCPMarginGroup* margins, const QString& title) : m_rect(new QCPAxisRect(plot, false)) {
    // Top and bottom margins are ours; left and right are shared by all panels, so that steps stand above each other to the pixel.
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
    xAxis()->setTicker(QSharedPointer<StepTicker>::create());
    m_ticker = QSharedPointer<ValueTicker>::create();
    yAxis()->setTicker(m_ticker);
    m_lines = new LineLayer(plot, m_rect);
    m_glyphs = new GlyphRow(plot, m_rect);
    m_title = new PanelTitle(plot, m_rect);
    m_title->title = title;
    setShowsStepLabels(false);
}

void Panel::setMargins(int top, int bottom, int extra) {
    m_rect->setMargins({m_rect->margins().left(), top, m_rect->margins().right(), bottom});
    m_title->raise = extra;
}

void Panel::setShowsStepLabels(bool on) {
    xAxis()->setTickLabels(on);
}

void Panel::applyTheme() {
    const Theme& theme = Theme::current();
    for (QCPAxis* axis : {xAxis(), yAxis()}) {
        axis->setTickLabelFont(pixelFont(plot()->font(), kTickPixels));
        axis->setTickLabelColor(theme.ink2);
        axis->setTickPen(QPen(Qt::transparent));  // a tick of no length would be a dot in a drawing
        axis->grid()->setPen(QPen(theme.grid, 1));
    }
    xAxis()->setBasePen(QPen(theme.axis, 1));
}

int Panel::columns() const {
    return std::max(m_rect->width(), 16);
}

void Panel::refresh(const PlotFrame& frame, const std::optional<Span>& byHand) {
    xAxis()->setRange(frame.x.first, frame.x.last);
    m_ticker->setTickCount(std::max(2, m_rect->height() / kTickDistance));
    static_cast<StepTicker*>(xAxis()->ticker().data())->setTickCount(std::max(2, m_rect->width() / 130));
    m_lines->lines.clear();
    m_glyphs->clear();
    const Span automatic = refreshRuns(frame);
    m_glyphs->arrange();
    const Span y = byHand.value_or(automatic);
    yAxis()->setRange(y.first, y.last);
}

void Panel::joinParent(std::vector<SeriesPoint>& points, const RunTrace& trace, const Series& parents) {
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
