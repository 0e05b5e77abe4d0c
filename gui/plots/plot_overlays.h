// SPDX-License-Identifier: GPL-3.0-or-later
// The widgets over the plots, and their positions: the buttons beside the x axis, the tab of a frozen view, and the text before the first
// step. GUI thread only.
#pragma once

#include "gui/plots/plot_axes.h"
#include "gui/plots/plot_choice.h"

class QPushButton;

namespace mantissa::gui {

class EmptyState;
class FrozenTab;
class GlyphLegend;

class PlotOverlays : public QObject {
    Q_OBJECT
public:
    static constexpr int kEdge = 3;  // px around the canvas for the frozen edge; always reserved, so that freezing moves nothing

    /// `board`: the widget that they and the canvas are on. `legend`: the text beside the buttons, which gets the remaining room.
    PlotOverlays(QWidget* board, Canvas* canvas, const SessionModel* session, const PlotPanels& panels, const PlotChoice& choice,
                 const PlotAxes& axes, GlyphLegend* legend);

    /// Places all of them beside the visible panels, with their current texts.
    void place();
    /// Shows or hides the button that follows the newest steps.
    void setFollowing(bool following);
    void setFrozen(bool frozen);
    /// Shows the last step of the frozen view, and the number of later ones.
    void setUnseen(std::int64_t frozenStep, std::int64_t unseen);

signals:
    void followRequested();
    void axisMenuRequested(QPoint screen);   // of the x axis
    void plotsMenuRequested(QPoint screen);  // with its lower left corner there

private:
    void placeButtons();
    void placeEmptyState();

    QWidget* m_board;
    Canvas* m_canvas;
    const SessionModel* m_session;
    const PlotPanels& m_panels;
    const PlotChoice& m_choice;
    const PlotAxes& m_axes;
    GlyphLegend* m_legend;
    QPushButton* m_followButton;
    QPushButton* m_xName;   // the x axis' name; opens a menu of quantities
    QPushButton* m_choose;  // opens the list of plots
    FrozenTab* m_frozenTab;
    EmptyState* m_empty;
};

}  // namespace mantissa::gui
