// SPDX-License-Identifier: GPL-3.0-or-later
// Copies a plot to the clipboard: as a picture, as a table for a spreadsheet, or both; each program takes the form that it supports. GUI
// thread only.
#pragma once

#include <QString>

#include "gui/app/theme.h"
#include "gui/link/session_model.h"

namespace mantissa::gui {

class PlotBoard;

enum class CopyAs { Both, Picture, Table };

/// Copies all panels of `board` (-1) or one; the picture in this theme and `scale` times as large. Returns a sentence with the result.
QString copyPlot(SessionModel* session, const PlotBoard& board, int panel, CopyAs as, ThemeKind theme = ThemeKind::Light, double scale = 2);

}  // namespace mantissa::gui
