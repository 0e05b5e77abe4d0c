// SPDX-License-Identifier: GPL-3.0-or-later
// Draws lines that are functions of x, column by column, in time proportional to their points and pixels. Qt's stroker takes time quadratic
// in the points of a noisy, dashed, antialiased line: half a second a frame for six runs, where this takes milliseconds. Dashes follow x,
// so they do not move while a line grows. Pure functions; any thread.
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
    double dashOffset = 0;  // pixels by which the pattern is advanced
};

/// A line in pixels of the target: x ascending, NaN in y is a gap. A point between two gaps is drawn as a dot.
struct PixelLine {
    std::vector<QPointF> points;
    LineStyle style;
};

/// Draws lines onto `area`, which must be within a 32-bit image, premultiplied or opaque; later lines are above. Points are relative to the
/// area's corner. Uses all cores; the result does not depend on their number.
void drawLines(QImage& image, const QRect& area, const std::vector<PixelLine>& lines);

/// Returns a line for vector formats (SVG, PDF): solid pieces, cut at the ends of the dashes and at the edges of `area`.
std::vector<QPolygonF> linePieces(const std::vector<QPointF>& points, const LineStyle& style, const QRectF& area);

}  // namespace mantissa::gui
