// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a line that is a function of x, column by column, in time proportional to its points and pixels. Qt's stroker takes time
// quadratic in the points of a noisy, dashed, antialiased line: half a second a frame for six runs, where this takes milliseconds.
// Dashes follow x, so they stand still while a line grows. Pure functions; any thread.
#pragma once

#include <QColor>
#include <QImage>
#include <QList>
#include <QPointF>
#include <QPolygonF>
#include <vector>

namespace mantissa::gui {

struct LineStyle {
    QColor color;
    double width = 1;       // pixels
    QList<qreal> dash;      // on, off, on, off ... in pixels along x; empty: solid
    double dashOffset = 0;  // pixels by which the pattern is ahead
};

/// Draws `points` (pixels of `image`, x ascending, NaN in y: a gap) onto an ARGB32_Premultiplied image.
/// A point between two gaps is drawn as a dot.
void drawLine(QImage& image, const std::vector<QPointF>& points, const LineStyle& style);

/// The same line for a drawing that knows no pixels (SVG, PDF): solid pieces, cut at the ends of the dashes and at the edges of `area`.
std::vector<QPolygonF> linePieces(const std::vector<QPointF>& points, const LineStyle& style, const QRectF& area);

}  // namespace mantissa::gui
