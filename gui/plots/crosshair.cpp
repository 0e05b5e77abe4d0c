// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/crosshair.h"

#include <cmath>

#include "gui/controls/number_text.h"
#include "gui/plots/cursor_pair.h"
#include "gui/plots/marks.h"

namespace mantissa::gui {

Crosshair::Crosshair(QCustomPlot* plot) : QCPLayerable(plot, QStringLiteral("overlay")) {}

void Crosshair::redraw() {
    layer()->replot();
}

void Crosshair::applyDefaultAntialiasingHint(QCPPainter* painter) const {
    painter->setAntialiasing(true);
}

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
    const QCPAxis* x = rects.back()->axis(QCPAxis::atBottom);
    if (!x->range().contains(static_cast<double>(step))) return;
    const double pixel = std::round(x->coordToPixel(static_cast<double>(step)));
    painter->setAntialiasing(false);
    painter->setPen(QPen(theme.ink, 1));
    for (const QCPAxisRect* rect : rects) painter->drawLine(QPointF(pixel, rect->top()), QPointF(pixel, rect->bottom()));
    painter->setAntialiasing(true);
    for (const Dot& dot : dots) {
        const double y = dot.rect->axis(QCPAxis::atLeft)->coordToPixel(dot.y);
        if (!std::isfinite(y) || y < dot.rect->top() || y > dot.rect->bottom()) continue;
        painter->setPen(QPen(theme.surface, 1.2));
        painter->setBrush(theme.run(dot.identity).color);
        painter->drawEllipse(QPointF(pixel, y), 3.6, 3.6);
    }
    // The label takes the place of the tick labels that it would cover.
    const QFont font = pixelFont(mParentPlot->font(), kTickPixels, true);
    const QString text = groupedText(step);
    const double width = QFontMetricsF(font).horizontalAdvance(text) + 14;
    QRectF box(std::round(pixel - width / 2), rects.back()->bottom() + 4, width, 20);
    if (cursors) {
        if (step == cursors->pair.steps[0] || step == cursors->pair.steps[1]) return;  // which says the same
        for (const QRectF& tab : cursors->tabs())
            if (tab.intersects(box)) box.moveLeft(pixel < tab.center().x() ? tab.left() - width - 2 : tab.right() + 2);
    }
    painter->setPen(Qt::NoPen);
    painter->setBrush(theme.surface);
    painter->drawRect(box.adjusted(-6, 0, 6, 0));
    painter->setBrush(theme.ink);
    painter->drawRoundedRect(box, 3, 3);
    painter->setFont(font);
    painter->setPen(theme.surface);
    painter->drawText(box, Qt::AlignCenter, text);
}

}  // namespace mantissa::gui
