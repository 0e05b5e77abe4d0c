// SPDX-License-Identifier: GPL-3.0-or-later
// The one QCustomPlot of the board: its layers, and a way to know the geometry before drawing. GUI thread only.
#pragma once

#include <qcustomplot.h>

#include <vector>

namespace mantissa::gui {

/// Heights of the panels' axes and the space between them, in pixels, for a board of `total` pixels; `shares`: of the axes' heights, by
/// panel.
struct BoardLayout {
    int firstTop, top, bottom;  // above the first panel's axes, above each other one's, below the last one's
    std::vector<int> heights;   // of the axes
};
BoardLayout boardLayout(int total, bool isCompact, const std::vector<double>& shares);

/// A panel as a screen reader sees it.
struct SpokenPanel {
    QString name, description;
    QRect place;
};

class Canvas : public QCustomPlot {
    Q_OBJECT
public:
    explicit Canvas(QWidget* parent);
    /// Gives every element its place now, so that marks can be put on pixels before `replot`.
    void layOut() { updateLayout(); }
    /// The panels' fixed heights follow the window's, not the other way round.
    QSize minimumSizeHint() const override { return {320, 320}; }
    std::vector<SpokenPanel> spokenPanels;  // from top to bottom

    /// Enlarges all that is drawn, type and lines alike, as for a projector. What is laid out in pixels stays as it is: `viewport` is the
    /// smaller for it, and events come in its pixels.
    void setZoom(double zoom);
    double zoom() const { return m_zoom; }
    /// A place of the widget in the pixels that are laid out.
    QPointF toPlot(QPointF place) const { return place / m_zoom; }

signals:
    void resized();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    void fitViewport();
    void useOwnBuffers();
    QMouseEvent inPlot(const QMouseEvent& event) const;
    double m_zoom = 1;
};

/// Below the last panel: what the glyphs mean, and the name of the x axis.
class GlyphLegend : public QCPLayerable {
public:
    explicit GlyphLegend(QCustomPlot* plot);
    QCPAxisRect* rect = nullptr;  // the last panel
    bool isCompact = false;
    bool hasHint = true;   // where nothing else takes its place
    QString xName;         // empty where a button has it
    double rightRoom = 0;  // px that belong to others, at the right end
    QString absent;        // who is not on this axis, in words; empty: nobody

protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override;
    void draw(QCPPainter* painter) override;
};

}  // namespace mantissa::gui
