// SPDX-License-Identifier: GPL-3.0-or-later
// The axes of the plots: what x counts, the mapping between steps and coordinates, the visible part of x with its history, and the scales
// of the values. Panels are given by their index in PlotPanels. GUI thread only.
#pragma once

#include "gui/plots/plot_panels.h"
#include "gui/plots/shown_steps.h"

namespace mantissa::gui {

class PlotAxes : public QObject {
    Q_OBJECT
public:
    PlotAxes(const SessionModel* session, const ShownSteps& steps, PlotPanels& panels)
        : m_session(session), m_steps(steps), m_panels(panels) {}

    /// Sets the quantity of the x axis. The visible steps stay.
    void setXAxis(const XAxis& axis);
    const XAxis& xAxis() const { return m_xAxis; }
    /// Returns the coordinates of a run's steps.
    StepPlaces placesOf(const RunState& run) const { return {run, m_xAxis}; }
    /// Returns a step's coordinate on the x axis for the reference run.
    double xOf(std::int64_t step) const;
    /// Returns the step with a sample that is nearest to a coordinate.
    std::int64_t stepAt(double x) const;
    /// Returns a lost step within a few pixels of a coordinate; without one, as stepAt.
    std::int64_t clickedStep(double x) const;
    /// Returns the step with a sample that is `by` samples after this one; 0: the nearest.
    std::int64_t sampleBeside(std::int64_t step, std::int64_t by) const;
    /// Returns a sentence with the names of runs that are not on the x axis; empty: none.
    QString absentRuns() const;

    const ViewState& view() const { return m_view; }
    /// Returns the visible range of x of a panel; -1: of the panels that share it.
    Span range(int panel = -1) const { return panel < 0 ? m_view.x(reach()) : m_view.xOf(panel, reach()); }
    /// Returns the visible steps of any run in that range: first and one past the last.
    std::pair<std::int64_t, std::int64_t> stepsInView(int panel = -1) const;
    void setFollow(FollowMode mode);
    /// Saves the current view for previousView. Call once per gesture, before its first change.
    void remember() { m_view.remember(reach()); }
    /// Shows this range of the x axis, as if set by the user; `panel`: where, if it is unlinked.
    void showX(const Span& x, int panel = -1);
    void showY(int panel, const Span& y);
    /// Moves the visible range so that a step is in its middle, unless it is visible.
    void scrollTo(std::int64_t step);
    void fitAll();
    /// Resets the panel's axes to automatic ranges.
    void fitPanel(int panel);
    void previousView();
    void nextView();
    /// Sets whether a panel shares the x axis of the others.
    void setLinked(int panel, bool linked);
    /// Follows everything, without history.
    void reset();
    /// Copies quantity and view of another board, with the same panels.
    void take(const PlotAxes& other);

    void setScale(int panel, AxisScale scale);
    /// Toggles logarithmic and linear; -1: the loss. Returns false if there is no choice.
    bool toggleLog(int panel);
    /// Sets whether the range includes outliers, or only most of the values.
    void setFitsEverything(int panel, bool everything);

signals:
    void viewMoved();  // other steps are visible
    void followChanged(mantissa::gui::FollowMode mode);
    void chosen();  // another quantity of x, or another scale of a panel

private:
    Reach reach() const;                   // the extent of the data on the x axis
    const RunState* referenceRun() const;  // whose steps the crosshair shows; null: none can be placed
    std::int64_t sampleNear(double step) const;
    std::int64_t nearestSample(std::int64_t step, int by) const;  // of any visible run, as sampleOf; -1: none
    void viewChanged();

    const SessionModel* m_session;
    const ShownSteps& m_steps;
    PlotPanels& m_panels;
    ViewState m_view;
    FollowMode m_mode = m_view.mode();  // as last emitted
    XAxis m_xAxis;
};

}  // namespace mantissa::gui
