// SPDX-License-Identifier: GPL-3.0-or-later
// What can be chosen at the plots' edges, as menus: beside the axes and in the menu bar alike. GUI thread only.
#pragma once

class QMenu;

namespace mantissa::gui {

class PlotBoard;

/// What the x axis counts, and how.
void fillXAxisMenu(QMenu* menu, PlotBoard* board);
/// Scale, range and x axis of one panel.
void fillPanelMenu(QMenu* menu, PlotBoard* board, int panel);
/// A slider and the usual factors, from none to 0.999.
void fillSmoothingMenu(QMenu* menu, PlotBoard* board);
/// Which plots are shown.
void fillChoiceMenu(QMenu* menu, PlotBoard* board);
/// The same, and a menu for each plot that is shown.
void fillPlotsMenu(QMenu* menu, PlotBoard* board);

}  // namespace mantissa::gui
