// SPDX-License-Identifier: GPL-3.0-or-later
// The session's changed settings, notes and checkpoints, placed on the x axis as lines and flags. GUI thread only.
#pragma once

#include "gui/plots/event_lines.h"
#include "gui/plots/plot_axes.h"

namespace mantissa::gui {

class PlotEvents {
public:
    PlotEvents(QCustomPlot* plot, const SessionModel* session, const ShownSteps& steps, const PlotPanels& panels, const PlotAxes& axes);

    const EventLines& lines() const { return *m_lines; }
    const FlagStrip& flags() const { return *m_flags; }
    /// Draws on the panels that are visible now.
    void moveToPanels();
    /// Places the events in the visible range of x; flags have the runs' names if there is space and `withRunNames`.
    void refresh(bool withRunNames);

private:
    const SessionModel* m_session;
    const ShownSteps& m_steps;
    const PlotPanels& m_panels;
    const PlotAxes& m_axes;
    EventLines* m_lines;  // owned by the canvas, as is the next one
    FlagStrip* m_flags;
};

}  // namespace mantissa::gui
