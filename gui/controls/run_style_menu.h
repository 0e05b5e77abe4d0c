// SPDX-License-Identifier: GPL-3.0-or-later
// Menus for a run's position and style, in its card, its row, and the window. GUI thread only.
#pragma once

#include "gui/link/engine_client.h"

class QMenu;

namespace mantissa::gui {

/// Fills the menu, after clearing it, with one entry for each identity; choosing one swaps the styles of two runs.
void fillStyleMenu(QMenu* menu, SessionModel* session, EngineClient* engine, RunId run);

/// Requests to move the run one place up (-1) or down (1) among those of its level.
void moveRun(SessionModel* session, EngineClient* engine, RunId run, int by);
bool canMoveRun(const SessionModel& session, RunId run, int by);

}  // namespace mantissa::gui
