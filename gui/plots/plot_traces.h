// SPDX-License-Identifier: GPL-3.0-or-later
// The traces of all runs, smoothed with one factor and updated before each frame, and the frames that panels draw from them. The line of
// a run that a lesson reveals is drawn step by step. GUI thread only.
#pragma once

#include <QElapsedTimer>

#include "gui/plots/plot_axes.h"

namespace mantissa::gui {

class PlotTraces : public QObject {
    Q_OBJECT
public:
    PlotTraces(const SessionModel* session, const ShownSteps& steps, const PlotPanels& panels)
        : m_session(session), m_steps(steps), m_panels(panels) {}

    /// Sets the factor of the exponential average, 0 (none) to 0.999.
    void setSmoothing(double factor);
    double smoothing() const { return m_smoothing; }
    /// Returns the smoothing of a metric's lines on their current axis.
    Smoothing smoothingOf(std::string_view key) const;
    /// Sets the duration of the animation of a run that a lesson reveals; 0: none.
    void setDrawingTime(double milliseconds) { m_drawingMs = milliseconds; }
    /// Begins the animation of a run's line.
    void reveal(RunId run) { m_drawing[run].start(); }
    bool isDrawing() const { return !m_drawing.empty(); }

    const RunTrace& of(RunId run) const { return *m_traces.at(run); }
    /// Creates the traces of new runs and removes those of runs that no longer exist.
    void rebuild();
    /// Recomputes a run's trace after its series have changed.
    void restart(RunId run);
    /// Removes all traces; `rebuild` creates them again.
    void clear();
    /// Takes in the new steps of all runs.
    void update();
    /// Returns whether the panels still smooth as they did in the last update.
    bool isSmoothedAsShown() const { return panelSmoothings() == m_smoothings; }
    /// Returns the data of a frame with the shared range of x.
    PlotFrame frame(const PlotAxes& axes, RunId highlighted) const;
    /// Returns the memory in bytes that the traces use beside the lab's data: smoothed series, positions of non-finite values.
    std::size_t memoryBytes() const;

signals:
    void smoothingChanged(double factor);
    void linesSmoothed();  // the smoothing of lines has changed: another factor, or another axis
    void chosen();         // smoothing() has changed; after smoothingChanged

private:
    /// Returns how many steps of a run's line the animation shows.
    std::int64_t drawnSteps(const RunTrace& trace);
    std::vector<Smoothing> panelSmoothings() const;

    const SessionModel* m_session;
    const ShownSteps& m_steps;
    const PlotPanels& m_panels;
    std::map<RunId, std::unique_ptr<RunTrace>> m_traces;
    double m_smoothing = 0.9;
    std::vector<Smoothing> m_smoothings;       // of each panel, as last drawn
    std::map<RunId, QElapsedTimer> m_drawing;  // animated lines, since when
    double m_drawingMs = 1500;
};

}  // namespace mantissa::gui
