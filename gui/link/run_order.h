// SPDX-License-Identifier: GPL-3.0-or-later
// Computes orders and styles of runs to request from the engine; its answer RunsArranged sets them in all views. A fork stays below its
// parent. GUI thread only.
#pragma once

#include <vector>

#include "gui/link/runs_model.h"

namespace mantissa::gui {

/// Returns the runs' order and styles, with a pending request applied.
std::vector<RunStyle> stylesOf(const RunsModel& session);
/// Returns the arrangement with a run and its forks moved one place up (-1) or down (1) among those of its level; empty: it is at the end.
std::vector<RunStyle> stylesMoved(const RunsModel& session, RunId run, int by);
/// Returns the arrangement with another identity (0..5) for a run; the run that has it gets this one's, so identities stay distinct.
std::vector<RunStyle> stylesRecoloured(const RunsModel& session, RunId run, int identity);
/// Adapts an earlier arrangement to the current runs: runs that it lacks keep their style, or get a free one, if any, when a run of the
/// arrangement has theirs.
std::vector<RunStyle> stylesWithOtherRuns(const RunsModel& session, std::vector<RunStyle> styles);
/// Returns whether this is the default arrangement: in the order of ids, with consecutive identities.
bool areDefaults(const std::vector<RunStyle>& styles);
/// Returns the run with an identity, except what-ifs; null: none.
const RunState* wearerOf(const RunsModel& session, int identity);

}  // namespace mantissa::gui
