// SPDX-License-Identifier: GPL-3.0-or-later
// The lines of one panel, drawn in order, directly into the frame's pixels if possible. GUI thread only.
#pragma once

#include <vector>

#include "engine/telemetry/series.h"
#include "gui/plots/plot_item.h"

namespace mantissa::gui {

class LineLayer : public PlotItem {
public:
    LineLayer(QCustomPlot* plot, QCPAxisRect* rect) : PlotItem(plot, QStringLiteral("main"), rect, false) {}

    struct Line {
        LineStyle style;
        std::vector<SeriesPoint> points;  // axis coordinates; NaN in y: a gap
        bool isStepped = false;           // a value holds until the next point
        int run = -1;                     // highlighted when the line is pointed at; -1: none
    };
    std::vector<Line> lines;  // later ones are above

protected:
    void draw(QCPPainter* painter) override;

private:
    /// Returns the lines in pixels, `scale` of them per pixel of the rect, with the rect's corner at `corner`.
    std::vector<PixelLine> placedLines(double scale, QPointF corner) const;
    void drawAsVectors(QCPPainter* painter) const;
};

}  // namespace mantissa::gui
