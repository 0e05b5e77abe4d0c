// SPDX-License-Identifier: GPL-3.0-or-later
// Base of what is drawn on the canvas's layers beside QCustomPlot's own axes. GUI thread only.
#pragma once

#include <qcustomplot.h>

#include "gui/plots/marks.h"

namespace mantissa::gui {

class PlotItem : public QCPLayerable {
public:
    /// `rect`: the panel that it belongs to, with which it is hidden; null: none.
    PlotItem(QCustomPlot* plot, const QString& layer, QCPAxisRect* rect = nullptr, bool isAntialiased = true)
        : QCPLayerable(plot, layer, rect), m_rect(rect), m_isAntialiased(isAntialiased) {}
    /// Redraws its layer only.
    void redraw() { layer()->replot(); }

protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override { painter->setAntialiasing(m_isAntialiased); }
    QFont font(int pixels, bool isBold = false) const { return pixelFont(mParentPlot->font(), pixels, isBold); }

    QCPAxisRect* m_rect;

private:
    bool m_isAntialiased;
};

}  // namespace mantissa::gui
