// SPDX-License-Identifier: GPL-3.0-or-later
// The crosshair, on a separate layer so that plots are not redrawn for it: the step line through all panels with a dot on each run's line,
// the step's label on the axis, and the rubber band. GUI thread only.
#pragma once

#include <vector>

#include "gui/plots/plot_item.h"

namespace mantissa::gui {

class CursorLines;

class Crosshair : public PlotItem {
public:
    explicit Crosshair(QCustomPlot* plot) : PlotItem(plot, QStringLiteral("overlay")) {}

    struct Dot {
        QCPAxisRect* rect;
        double x, y;  // axis coordinates
        int identity;
    };
    std::int64_t step = -1;           // -1: none
    double x = 0;                     // its position as axis coordinate
    QString label;                    // on the axis
    std::vector<QCPAxisRect*> rects;  // from top to bottom
    std::vector<Dot> dots;
    QRectF band;                           // null: none
    const CursorLines* cursors = nullptr;  // its label avoids their tabs

protected:
    void draw(QCPPainter* painter) override;
};

}  // namespace mantissa::gui
