// SPDX-License-Identifier: GPL-3.0-or-later
// Menus of the plots' edges, used at the axes and in the menu bar. GUI thread only.
#pragma once

class QMenu;

namespace mantissa::gui {

class PlotBoard;

/// Fills a menu with the quantities and scales of the x axis.
void fillXAxisMenu(QMenu* menu, PlotBoard* board);
/// Fills a menu with scale, range and x axis of one panel.
void fillPanelMenu(QMenu* menu, PlotBoard* board, int panel);
/// Fills a menu with a slider and common smoothing factors, from none to 0.999.
void fillSmoothingMenu(QMenu* menu, PlotBoard* board);
/// Fills a menu to choose the visible plots.
void fillChoiceMenu(QMenu* menu, PlotBoard* board);
/// Fills a menu to choose the visible plots, with a submenu for each of them.
void fillPlotsMenu(QMenu* menu, PlotBoard* board);

}  // namespace mantissa::gui
