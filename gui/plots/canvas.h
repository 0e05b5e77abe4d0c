// SPDX-License-Identifier: GPL-3.0-or-later
// The board's QCustomPlot: its layers, and access to the geometry before drawing. GUI thread only.
#pragma once

#include <qcustomplot.h>

#include <vector>

#include "gui/plots/plot_item.h"

namespace mantissa::gui {

/// Computes heights of the panels' axes and the space between them, in pixels, for a board of `total` pixels; `shares`: of the axes'
/// heights, by panel.
struct BoardLayout {
    int firstTop, top, bottom;  // above the first panel's axes, above those of each other panel, below the last one's
    std::vector<int> heights;   // of the axes
};
BoardLayout boardLayout(int total, bool isCompact, const std::vector<double>& shares);

/// A panel as exposed to screen readers.
struct SpokenPanel {
    QString name, description;
    QRect place;
};

class Canvas : public QCustomPlot {
    Q_OBJECT
public:
    explicit Canvas(QWidget* parent);
    /// Lays out all elements now, so that marks can be placed in pixels before `replot`.
    void layOut() { updateLayout(); }
    /// Fixed, as the panels' heights follow the window's and not vice versa.
    QSize minimumSizeHint() const override { return {320, 320}; }
    std::vector<SpokenPanel> spokenPanels;  // from top to bottom

    /// Scales all drawing, type and lines alike, as for a projector. Layout in pixels is unchanged: `viewport` is smaller by the factor,
    /// and events are converted to its pixels.
    void setZoom(double zoom);
    double zoom() const { return m_zoom; }
    bool isEnlarged() const { return m_zoom != 1; }
    /// Converts a position in the widget to layout pixels.
    QPointF toPlot(QPointF place) const { return place / m_zoom; }

signals:
    void resized();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;  // the mouse's, in layout pixels
    void wheelEvent(QWheelEvent* event) override;

private:
    static void installAccessibility();
    void fitViewport();
    void useOwnBuffers();
    double m_zoom = 1;
};

/// The legend below the last panel: the glyphs' meanings, and the name of the x axis.
class GlyphLegend : public PlotItem {
public:
    explicit GlyphLegend(QCustomPlot* plot) : PlotItem(plot, QStringLiteral("glyphs")) {}
    QCPAxisRect* rect = nullptr;  // the last panel
    bool isCompact = false;
    bool hasHint = true;   // if nothing else is in its place
    QString xName;         // empty if a button shows it
    double rightRoom = 0;  // px reserved for others at the right end
    QString absent;        // names of runs that are not on this axis; empty: none

protected:
    void draw(QCPPainter* painter) override;
};

}  // namespace mantissa::gui
