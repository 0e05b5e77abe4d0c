// SPDX-License-Identifier: GPL-3.0-or-later
// The lines of one panel, drawn in their order: into the frame's own pixels where they can be reached. GUI thread only.
#pragma once

#include <qcustomplot.h>

#include <vector>

#include "engine/telemetry/series.h"
#include "gui/plots/line_raster.h"

namespace mantissa::gui {

class LineLayer : public QCPLayerable {
public:
    LineLayer(QCustomPlot* plot, QCPAxisRect* rect);

    struct Line {
        LineStyle style;
        std::vector<SeriesPoint> points;  // axis coordinates; NaN in y: a gap
        bool isStepped = false;           // a value holds until the next point
        int run = -1;                     // that is pointed at with it; -1: none
    };
    std::vector<Line> lines;  // later ones lie over earlier ones

protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override;
    void draw(QCPPainter* painter) override;

private:
    /// In pixels, `scale` of them to one of the rect's, with the rect's corner at `corner`.
    std::vector<PixelLine> placedLines(double scale, QPointF corner) const;
    void drawAsVectors(QCPPainter* painter) const;

    QCPAxisRect* m_rect;
};

}  // namespace mantissa::gui
