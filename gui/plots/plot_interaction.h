// SPDX-License-Identifier: GPL-3.0-or-later
// Turns mouse and wheel events over the plots into signals: zoom, pan, rubber band, pointer position. It changes nothing itself.
//   wheel: x about the pointer    Shift+wheel: y of that panel    Ctrl+wheel: both
//   drag: pan    right drag or Ctrl+drag: rubber band    double click: fit    click: hold the crosshair there    right click: menu
//   drag of a cursor's line or tab: that cursor    drag of the lower edge of a plot: its height
// GUI thread only.
#pragma once

#include <qcustomplot.h>

#include <functional>
#include <vector>

#include "gui/plots/view_state.h"

namespace mantissa::gui {

class PlotInteraction : public QObject {
    Q_OBJECT
public:
    explicit PlotInteraction(QCustomPlot* plot);
    /// Sets the panels, from top to bottom; their index is the `panel` of the signals.
    void setRects(std::vector<QCPAxisRect*> rects) { m_rects = std::move(rects); }
    /// Sets a function that returns the movable cursor at a position; -1: none.
    void setCursorAt(std::function<int(QPointF)> cursorAt) { m_cursorAt = std::move(cursorAt); }
    /// Returns the panel under the pointer; null: none.
    const QCPAxisRect* pointedRect() const;

signals:
    void gestureBegan();  // before the first change of a gesture, to save the view for undo
    void xRequested(int panel, const mantissa::gui::Span& x);
    void yRequested(int panel, const mantissa::gui::Span& y);
    void pointed(double x, QPointF place);  // axis coordinate, pixels; NaN: the pointer left
    void clicked(double x);
    void menuRequested(double x, QPoint place);  // screen position
    void bandChanged(const QRectF& band);        // null: removed
    void cursorDragged(int cursor, double x);
    void fitRequested();
    void borderDragged(int upper, double by);  // the lower edge of a panel, by pixels from its position

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    enum class Drag { None, Armed, Pan, Band, Cursor, Border };
    void press(QMouseEvent* event);
    void move(QMouseEvent* event);
    void release(QMouseEvent* event);
    void wheel(QWheelEvent* event);
    int panelAt(QPointF position) const;        // -1 between panels
    int borderAt(QPointF position) const;       // the panel whose lower edge is there, if another panel is below; -1: none
    double xAt(int panel, double pixel) const;  // a panel may have a separate x axis
    QRectF bandTo(QPointF position) const;

    static constexpr double kZoomPerNotch = 0.85;
    static constexpr int kSameGestureMs = 600;            // wheel turns closer than this are one gesture
    static constexpr double kBorderReach = 4;             // pixels on both sides
    static constexpr double kBandLeast = 6, kBandY = 24;  // pixels; a flatter band zooms x only

    QCustomPlot* m_plot;
    std::vector<QCPAxisRect*> m_rects;
    Drag m_drag = Drag::None;
    enum class Over { Nothing, Cursor, Border } m_over = Over::Nothing;  // without a button
    bool m_isBand = false;
    std::function<int(QPointF)> m_cursorAt;
    int m_cursor = -1;  // being dragged
    int m_border = -1;  // being dragged
    QPointF m_from;
    int m_panel = -1;
    Span m_xAtPress;
    QElapsedTimer m_sinceWheel;
};

}  // namespace mantissa::gui
