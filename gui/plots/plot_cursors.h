// SPDX-License-Identifier: GPL-3.0-or-later
// The crosshair, which follows the pointer or is held at a step, and the two cursors A and B. GUI thread only.
#pragma once

#include "gui/plots/crosshair.h"
#include "gui/plots/cursor_pair.h"
#include "gui/plots/plot_traces.h"

namespace mantissa::gui {

/// The modes of the crosshair: off; the line only; the line with the read-out.
enum class CrosshairMode { Off, Crosshair, Values };

class PlotCursors : public QObject {
    Q_OBJECT
public:
    /// `axes`: they scroll to a step that the crosshair is set to. The rest is read for the marks on the runs' lines.
    PlotCursors(QCustomPlot* plot, const SessionModel* session, const ShownSteps& steps, const PlotPanels& panels, const PlotTraces& traces,
                PlotAxes& axes);

    void setMode(CrosshairMode mode);
    CrosshairMode mode() const { return m_mode; }
    void cycleMode();
    /// Sets the crosshair to a step and holds it there, and scrolls to it; -1 removes it.
    void setStep(std::int64_t step);
    std::int64_t step() const { return m_crosshair->step; }
    /// Returns the crosshair's step while it is held there; -1 if it follows the pointer.
    std::int64_t heldStep() const { return m_isHeld ? m_crosshair->step : -1; }
    /// Moves the crosshair by so many samples, from the last step if there is none.
    void moveBy(std::int64_t samples);
    /// The pointer moved to a coordinate; NaN: it left.
    void pointAt(double x);
    /// A click holds the crosshair there, and another one at the same step releases it.
    void click(double x);
    /// Draws the rubber band; null: none.
    void setBand(const QRectF& band);

    const CursorPair& pair() const { return m_lines->pair; }
    /// Sets a cursor to a step; -1: the crosshair's, or without it the last step in view. Returns false if they are locked, or there is no
    /// step.
    bool place(CursorName name, std::int64_t step = -1);
    void lockPair(bool locked);
    /// Removes both, locked or not.
    void removePair();
    /// Removes the crosshair, or if it follows the pointer the cursors; locked cursors stay.
    void removeLatest();
    /// Returns the cursor that can be dragged at a position of the canvas; -1: none.
    int cursorAt(QPointF place) const { return m_lines->pair.isLocked ? -1 : m_lines->nearest(place); }
    /// Copies the cursors A and B of another board.
    void takePair(const PlotCursors& other) { m_lines->pair = other.m_lines->pair; }

    /// Draws on the panels that are visible now.
    void moveToPanels();
    /// Places the crosshair and its marks on the runs' lines for the next drawing.
    void refresh();
    /// Emits cursorMoved if the step for the read-out is another one.
    void sendStep();

signals:
    void modeChanged(mantissa::gui::CrosshairMode mode);
    /// Emitted with the step for the read-out: the crosshair's, the frozen one, or -1 for the latest.
    void cursorMoved(qint64 step);
    void heldChanged(bool held);  // whether the crosshair stays at its step
    void pairChanged();           // A or B

private:
    void moveTo(std::int64_t step);
    void setHeld(bool held);

    const SessionModel* m_session;
    const ShownSteps& m_steps;
    const PlotPanels& m_panels;
    const PlotTraces& m_traces;
    PlotAxes& m_axes;
    CursorLines* m_lines;  // owned by the canvas, as is the next one
    Crosshair* m_crosshair;
    CrosshairMode m_mode = CrosshairMode::Values;
    bool m_isHeld = false;  // the crosshair stays when the pointer leaves
    std::int64_t m_sent = -1;
};

}  // namespace mantissa::gui
