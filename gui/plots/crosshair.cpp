// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/crosshair.h"

#include <algorithm>
#include <cmath>

#include "gui/controls/number_text.h"
#include "gui/plots/cursor_pair.h"

namespace mantissa::gui {

void Crosshair::draw(QCPPainter* painter) {
    const Theme& theme = Theme::current();
    if (!band.isNull()) {
        QColor fill = theme.accent;
        fill.setAlpha(36);
        painter->setPen(QPen(theme.accent, 1));
        painter->setBrush(fill);
        painter->drawRect(band);
    }
    if (step < 0 || rects.empty()) return;
    painter->setAntialiasing(false);
    painter->setPen(QPen(theme.ink, 1));
    // Each panel uses its own axis: an unlinked panel shows other steps.
    for (const QCPAxisRect* rect : rects) {
        const QCPAxis* axis = rect->axis(QCPAxis::atBottom);
        if (!axis->range().contains(x)) continue;
        const double pixel = std::round(axis->coordToPixel(x));
        painter->drawLine(QPointF(pixel, rect->top()), QPointF(pixel, rect->bottom()));
    }
    painter->setAntialiasing(true);
    for (const Dot& dot : dots) {
        const QCPAxis* axis = dot.rect->axis(QCPAxis::atBottom);
        if (!axis->range().contains(dot.x)) continue;
        const double pixel = axis->coordToPixel(dot.x);
        const double y = dot.rect->axis(QCPAxis::atLeft)->coordToPixel(dot.y);
        if (!std::isfinite(y) || y < dot.rect->top() || y > dot.rect->bottom()) continue;
        painter->setPen(QPen(theme.surface, 1.2));
        painter->setBrush(theme.run(dot.identity).color);
        painter->drawEllipse(QPointF(pixel, y), 3.6, 3.6);
    }
    const QCPAxisRect* last = rects.back();
    const QCPAxis* axis = last->axis(QCPAxis::atBottom);
    if (!axis->range().contains(x)) return;
    const double pixel = std::round(axis->coordToPixel(x));
    painter->setFont(font(kTickPixels, true));
    const double width = QFontMetricsF(painter->font()).horizontalAdvance(label) + 14;
    // A long label stays within the plots' width.
    const double left = width < 60 ? pixel - width / 2 : std::clamp(pixel - width / 2, last->left() - 20.0, last->right() + 12.0 - width);
    QRectF box(std::round(left), last->bottom() + 4, width, 20);
    QRegion tabs;
    if (cursors) {
        const bool isOnOne = step == cursors->pair.steps[0] || step == cursors->pair.steps[1];
        if (isOnOne && label == groupedText(step)) return;  // the cursor's tab shows this step
        for (const QRectF& tab : cursors->tabs()) {
            if (tab.intersects(box)) box.moveLeft(pixel < tab.center().x() ? tab.left() - width - 2 : tab.right() + 2);
            tabs += tab.toAlignedRect();
        }
        box.moveLeft(std::clamp(box.left(), 0.0, std::max(0.0, mParentPlot->viewport().width() - width)));
    }
    clearTicks(painter, axis, box, tabs);
    painter->setPen(Qt::NoPen);
    painter->setBrush(theme.ink);
    painter->drawRoundedRect(box, 3, 3);
    painter->setPen(theme.surface);
    painter->drawText(box, Qt::AlignCenter, label);
}

}  // namespace mantissa::gui
