// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/cursor_pair.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gui/controls/number_text.h"

namespace mantissa::gui {

void clearTicks(QCPPainter* painter, const QCPAxis* axis, const QRectF& box, const QRegion& kept) {
    constexpr double kGap = 4;  // to the next label
    const QFontMetricsF metrics(axis->tickLabelFont());
    const QRectF wanted = box.adjusted(-kGap, 0, kGap, 0);
    QRectF cleared = wanted;
    const auto& places = axis->tickVector();
    const auto& labels = axis->tickVectorLabels();
    for (qsizetype i = 0; i < std::min(places.size(), labels.size()); ++i) {
        const double half = metrics.horizontalAdvance(labels[i]) / 2 + 1;
        const QRectF label(axis->coordToPixel(places[i]) - half, box.top(), 2 * half, box.height());
        if (label.intersects(wanted)) cleared |= label;
    }
    for (const QRect& rect : QRegion(cleared.toAlignedRect()) - kept) painter->fillRect(rect, Theme::current().surface);
}

QString CursorLines::textOf(std::size_t index) const {
    return QStringLiteral("%1 %2").arg(QChar(u'A' + static_cast<char16_t>(index)), groupedText(pair.steps[index]));
}

double CursorLines::pixelOf(std::size_t index, const QCPAxisRect* rect) const {
    if (pair.steps[index] < 0) return std::numeric_limits<double>::quiet_NaN();
    const QCPAxis* axis = rect->axis(QCPAxis::atBottom);
    const double x = placeOf(pair.steps[index]);
    return axis->range().contains(x) ? std::round(axis->coordToPixel(x)) : std::numeric_limits<double>::quiet_NaN();
}

std::array<QRectF, 2> CursorLines::tabs() const {
    std::array<QRectF, 2> boxes;
    if (rects.empty()) return boxes;
    const QFontMetricsF metrics(font(kTickPixels, true));
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        const double pixel = pixelOf(i, rects.back());
        if (std::isnan(pixel)) continue;
        const double width = std::ceil(metrics.horizontalAdvance(textOf(i))) + 16;
        boxes[i] = {std::round(pixel - width / 2), rects.back()->bottom() + 4.0, width, 20};
    }
    // Overlapping labels are placed side by side, ordered by step.
    if (!boxes[0].isNull() && !boxes[1].isNull() && boxes[0].adjusted(-1, 0, 1, 0).intersects(boxes[1])) {
        const bool isAFirst = pair.steps[0] <= pair.steps[1];
        QRectF &left = boxes[isAFirst ? 0 : 1], &right = boxes[isAFirst ? 1 : 0];
        const double middle = std::round((pixelOf(0, rects.back()) + pixelOf(1, rects.back())) / 2);
        left.moveRight(middle - 1);
        right.moveLeft(middle + 1);
    }
    return boxes;
}

int CursorLines::nearest(QPointF position) const {
    const auto boxes = tabs();
    int found = -1;
    double least = kReach;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        if (boxes[i].contains(position)) return static_cast<int>(i);
        for (const QCPAxisRect* rect : rects) {
            const double distance = std::abs(position.x() - pixelOf(i, rect));
            const bool isInPanel = position.y() >= rect->top() && position.y() <= rect->bottom();
            if (!isInPanel || !(distance <= least)) continue;
            least = distance;
            found = static_cast<int>(i);
        }
    }
    return found;
}

void CursorLines::draw(QCPPainter* painter) {
    const Theme& theme = Theme::current();
    const auto boxes = tabs();
    painter->setClipping(false);
    for (const QRectF& box : boxes)
        if (!box.isNull()) clearTicks(painter, rects.back()->axis(QCPAxis::atBottom), box);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        painter->setAntialiasing(false);
        painter->setPen(QPen(theme.accent, 2));
        for (const QCPAxisRect* rect : rects)
            if (const double pixel = pixelOf(i, rect); !std::isnan(pixel))
                painter->drawLine(QPointF(pixel, rect->top()), QPointF(pixel, rect->bottom()));
        if (boxes[i].isNull()) continue;
        painter->setAntialiasing(true);
        const bool isFilled = i == 0;
        painter->setPen(QPen(theme.accent, 1.5));
        painter->setBrush(isFilled ? theme.accent : theme.surface);
        const double radius = isFilled ? 2 : 10;
        painter->drawRoundedRect(boxes[i].adjusted(0.75, 0.75, -0.75, -0.75), radius, radius);
        painter->setFont(font(kTickPixels, true));
        painter->setPen(isFilled ? theme.onAccent : theme.accentText);
        painter->drawText(boxes[i], Qt::AlignCenter, textOf(i));
    }
}

}  // namespace mantissa::gui
