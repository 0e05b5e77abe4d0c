// SPDX-License-Identifier: GPL-3.0-or-later
// A plot on the clipboard: as a picture for a text, as a table for a spreadsheet, or as both at once, of which each program takes what it
// can. GUI thread only.
#pragma once

#include <QString>

#include "gui/app/theme.h"
#include "gui/link/lab.h"

namespace mantissa::gui {

class PlotBoard;

enum class CopyAs { Both, Picture, Table };

/// Of what `board` shows: all panels (-1) or one; the picture in this theme and `scale` times as large. Returns what was done, in a
/// sentence.
QString copyPlot(Lab* lab, const PlotBoard& board, int panel, CopyAs as, ThemeKind theme = ThemeKind::Light, double scale = 2);

}  // namespace mantissa::gui
