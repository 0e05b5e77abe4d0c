// SPDX-License-Identifier: GPL-3.0-or-later
// Other orders and looks of the runs, as requests for the engine: what comes back as RunsArranged is the order and the look in all views.
// A fork stays below what it was forked from. GUI thread only.
#pragma once

#include <vector>

#include "gui/link/lab.h"

namespace mantissa::gui {

/// As the runs are shown, once the engine has answered what was requested last.
std::vector<RunLook> looksOf(const Lab& lab);
/// With a run one place higher (-1) or lower (1) among those of its own level, and its forks with it; empty: it stands at the end.
std::vector<RunLook> looksMoved(const Lab& lab, RunId run, int by);
/// With another identity (0..5) for a run; the run that wears it gets this one's, so that no two are alike that were not before.
std::vector<RunLook> looksRecoloured(const Lab& lab, RunId run, int identity);
/// An arrangement of an earlier time, for the runs that there are now: those it does not know keep their look beside it, and where one of
/// its runs wears that, they get a free one, if there is one.
std::vector<RunLook> looksBeside(const Lab& lab, std::vector<RunLook> looks);
/// Whether a report has these looks without being told: in the order of their numbers, one identity after the other.
bool areAsTheyCome(const std::vector<RunLook>& looks);
/// Who wears an identity, what-ifs aside; null: nobody.
const RunState* wearerOf(const Lab& lab, int identity);

}  // namespace mantissa::gui
