// SPDX-License-Identifier: GPL-3.0-or-later
// What moves with the hand, on a layer of its own so that plots are not drawn again for it: the step line through all panels with a dot on
// each run's line, the step's label on the axis, and the rubber band. GUI thread only.
#pragma once

#include <qcustomplot.h>

#include <vector>

namespace mantissa::gui {

class CursorLines;

class Crosshair : public QCPLayerable {
public:
    explicit Crosshair(QCustomPlot* plot);

    struct Dot {
        QCPAxisRect* rect;
        double x, y;                 // axis coordinates
        int identity;
    };
    std::int64_t step = -1;          // -1: none
    double x = 0;                    // where it stands, as axis coordinate
    QString label;                   // on the axis
    std::vector<QCPAxisRect*> rects; // from top to bottom
    std::vector<Dot> dots;
    QRectF band;                     // null: none
    const CursorLines* cursors = nullptr;  // whose tabs its label makes way for

    /// Draws this layer alone.
    void redraw();

protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override;
    void draw(QCPPainter* painter) override;
};

}  // namespace mantissa::gui
