// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/bits/number_line_view.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "gui/app/theme.h"
#include "gui/bits/bits_text.h"
#include "gui/diagnosis/examination_text.h"
#include "gui/plots/marks.h"

namespace mantissa::gui {
namespace {

constexpr double kLineSide = 72, kLineY = 78, kTickReach = 10, kClickReach = 9;  // px

}  // namespace

NumberLineView::NumberLineView(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Number line"));
}

void NumberLineView::show(Dtype format, NumberLine line, const RoundingMode& mode, const QString& sentence) {
    m_format = format;
    m_line = std::move(line);
    m_mode = mode;
    setAccessibleDescription(tr("%1 Left and right arrow step to the neighbours.").arg(sentence));
    update();
}

void NumberLineView::setZoom(double zoom) {
    m_zoom = zoom;
    updateGeometry();
    update();
}

double NumberLineView::place(double value) const {
    if (m_line.ticks.size() < 2) return lineWidth() / 2;
    const double first = m_line.ticks.front().value, last = m_line.ticks.back().value;
    return kLineSide + std::clamp((value - first) / (last - first), 0.0, 1.0) * (lineWidth() - 2 * kLineSide);
}

/// Tick of the rounded value; the tick beyond the format's range after an overflow; -1: none.
int NumberLineView::roundedTick() const {
    const auto rounded = static_cast<double>(m_line.rounded);
    for (int i = 0; i < static_cast<int>(m_line.ticks.size()); ++i) {
        const LineTick& tick = m_line.ticks[static_cast<std::size_t>(i)];
        if (tick.isBeyond ? !std::isfinite(rounded) && (tick.value > 0) == (m_line.value > 0) : tick.value == rounded) return i;
    }
    return -1;
}

void NumberLineView::drawTicks(QPainter& painter) const {
    const Theme& theme = Theme::current();
    const int chosen = roundedTick(), count = static_cast<int>(m_line.ticks.size());
    painter.setPen(QPen(theme.axis, 1));
    painter.drawLine(QPointF(kLineSide - 30, kLineY), QPointF(lineWidth() - kLineSide + 30, kLineY));
    // The chosen tick and the two around the value come first; other labels are left out where they would overlap.
    std::vector<int> order;
    for (const int i : {chosen, m_line.lower, m_line.upper})
        if (i >= 0 && std::find(order.begin(), order.end(), i) == order.end()) order.push_back(i);
    for (int i = 0; i < count; ++i)
        if (std::find(order.begin(), order.end(), i) == order.end()) order.push_back(i);
    std::vector<QRectF> taken;
    for (const int i : order) {
        const LineTick& tick = m_line.ticks[static_cast<std::size_t>(i)];
        const double x = place(tick.value);
        painter.setPen(QPen(theme.ink2, i == chosen ? 2 : 1, tick.isBeyond ? Qt::DotLine : Qt::SolidLine));
        painter.drawLine(QPointF(x, kLineY - kTickReach), QPointF(x, kLineY + kTickReach));
        const bool overflows = i == chosen && tick.isBeyond;
        painter.setFont(pixelFont(font(), kTickPixels, i == chosen));
        const QString text = overflows ? valueText(static_cast<double>(m_line.rounded)) : valueText(tick.value);
        const double textWidth = painter.fontMetrics().horizontalAdvance(text);
        const QRectF box(x - textWidth / 2, kLineY + kTickReach + 3, textWidth, 16);
        if (std::any_of(taken.begin(), taken.end(), [&](const QRectF& each) { return each.intersects(box.adjusted(-6, 0, 6, 0)); }))
            continue;
        taken.push_back(box);
        painter.setPen(overflows ? theme.danger : i == chosen ? theme.ink : theme.ink2);
        painter.drawText(box, Qt::AlignCenter | Qt::TextDontClip, text);
        if (!tick.isBeyond) continue;
        painter.setFont(pixelFont(font(), kTagPixels));
        painter.setPen(theme.ink2);
        painter.drawText(QRectF(x - 70, kLineY + kTickReach + 18, 140, 15), Qt::AlignCenter, tr("not in %1").arg(formatText(m_format)));
    }
}

void NumberLineView::drawValue(QPainter& painter) const {
    const Theme& theme = Theme::current();
    const double x = place(m_line.value);
    const bool isBetween = m_line.lower >= 0 && m_line.upper > m_line.lower;
    const bool isNearest = m_mode.rounding == Rounding::NearestEven || m_mode.rounding == Rounding::NearestAway;
    painter.setFont(pixelFont(font(), kTagPixels));
    if (isBetween && isNearest && !m_line.isOffLine) {
        const double from = place(m_line.ticks[static_cast<std::size_t>(m_line.lower)].value);
        const double half = (from + place(m_line.ticks[static_cast<std::size_t>(m_line.upper)].value)) / 2;
        painter.setPen(QPen(theme.axis, 1, Qt::DashLine));
        painter.drawLine(QPointF(half, kLineY - 26), QPointF(half, kLineY + kTickReach));
        painter.setPen(theme.ink2);
        // At a tie, beside the value's own line and opposite the arrow.
        const int chosen = roundedTick();
        const bool goesUp = chosen < 0 || m_line.ticks[static_cast<std::size_t>(chosen)].value > m_line.value;
        if (m_line.isTie)
            painter.drawText(QRectF(goesUp ? half - 168 : half + 8, kLineY - 41, 160, 15),
                             (goesUp ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter, tr("halfway: a tie"));
        else if (std::abs(half - x) > 34)
            painter.drawText(QRectF(half - 60, kLineY - 41, 120, 15), Qt::AlignCenter, tr("halfway"));
    }
    // The value and its arrow.
    const int chosen = roundedTick();
    painter.setPen(QPen(theme.accent, 2));
    painter.setBrush(theme.accent);
    painter.drawLine(QPointF(x, m_line.isTie ? kLineY - 44 : kLineY - 30), QPointF(x, kLineY));
    painter.drawEllipse(QPointF(x, kLineY), 3.5, 3.5);
    painter.setFont(pixelFont(font(), kTitlePixels, true));
    QString text = valueText(m_line.value);
    if (m_line.isOffLine) text = m_line.value > 0 ? text + QStringLiteral(" →") : QStringLiteral("← ") + text;
    const double textWidth = painter.fontMetrics().horizontalAdvance(text) + 4;
    painter.setPen(theme.accentText);
    painter.drawText(QRectF(std::clamp(x - textWidth / 2, 0.0, std::max(0.0, lineWidth() - textWidth)), 6, textWidth, 18), Qt::AlignCenter,
                     text);
    painter.setPen(QPen(theme.accent, 1));
    painter.drawLine(QPointF(x, 26), QPointF(x, m_line.isTie ? kLineY - 44 : kLineY - 30));
    if (chosen < 0 || m_line.isOffLine) return;
    const double to = place(m_line.ticks[static_cast<std::size_t>(chosen)].value), way = to - x;
    if (std::abs(way) < 3) return;
    const double y = kLineY - 17, sign = way > 0 ? 1 : -1;
    QPainterPath path(QPointF(x, y));
    path.lineTo(to, y);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.accent, 1.6));
    painter.drawPath(path);
    painter.drawLine(QPointF(to, y), QPointF(to, kLineY - kTickReach));
    painter.drawLine(QPointF(to, y), QPointF(to - sign * std::min(5.0, std::abs(way)), y - 4));
    painter.drawLine(QPointF(to, y), QPointF(to - sign * std::min(5.0, std::abs(way)), y + 4));
}

void NumberLineView::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.scale(m_zoom, m_zoom);
    const QRectF whole(0, 0, lineWidth(), height() / m_zoom);
    if (hasFocus()) {
        painter.setPen(QPen(theme.accent, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(whole.adjusted(1, 1, -1, -1), 4, 4);
    }
    if (m_line.ticks.empty()) {
        painter.setFont(pixelFont(font(), kTitlePixels));
        painter.setPen(theme.ink2);
        painter.drawText(whole, Qt::AlignCenter, tr("Only finite numbers lie on a number line"));
        return;
    }
    drawTicks(painter);
    drawValue(painter);
}

int NumberLineView::tickAt(QPointF at) const {
    if (at.y() < kLineY - kTickReach - 4) return -1;
    for (int i = 0; i < static_cast<int>(m_line.ticks.size()); ++i) {
        const LineTick& tick = m_line.ticks[static_cast<std::size_t>(i)];
        if (!tick.isBeyond && std::abs(place(tick.value) - at.x()) <= kClickReach) return i;
    }
    return -1;
}

void NumberLineView::mousePressEvent(QMouseEvent* event) {
    const int tick = tickAt(event->position() / m_zoom);
    if (event->button() == Qt::LeftButton && tick >= 0) emit chosen(static_cast<float>(m_line.ticks[static_cast<std::size_t>(tick)].value));
}

void NumberLineView::mouseMoveEvent(QMouseEvent* event) {
    setCursor(tickAt(event->position() / m_zoom) >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void NumberLineView::step(int direction) {
    if (m_line.ticks.empty()) return;
    const int next = direction < 0 ? (m_line.lower == m_line.upper ? m_line.lower - 1 : m_line.lower)
                                   : (m_line.lower == m_line.upper ? m_line.upper + 1 : m_line.upper);
    if (next < 0 || next >= static_cast<int>(m_line.ticks.size())) return;
    const LineTick& tick = m_line.ticks[static_cast<std::size_t>(next)];
    if (!tick.isBeyond) emit chosen(static_cast<float>(tick.value));
}

void NumberLineView::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right) return step(event->key() == Qt::Key_Left ? -1 : 1);
    QWidget::keyPressEvent(event);
}

}  // namespace mantissa::gui
