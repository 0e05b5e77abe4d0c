// SPDX-License-Identifier: GPL-3.0-or-later
// Where a run stands among the others and how it looks, as menus offer it: in the menu of its card, of its row, and of the window.
// GUI thread only.
#pragma once

#include "gui/link/engine_client.h"

class QMenu;

namespace mantissa::gui {

/// Colour and marker of an identity (0..5) in words: "Blue, disc".
QString identityName(int identity);

/// One entry for each identity; choosing another swaps the two runs' looks. Empties the menu first.
void fillLookMenu(QMenu* menu, Lab* lab, EngineClient* engine, RunId run);

/// Asks for the run one place higher (-1) or lower (1), among those of its own level.
void moveRun(Lab* lab, EngineClient* engine, RunId run, int by);
bool canMoveRun(const Lab& lab, RunId run, int by);

}  // namespace mantissa::gui
