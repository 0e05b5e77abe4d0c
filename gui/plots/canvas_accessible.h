// SPDX-License-Identifier: GPL-3.0-or-later
// Lets screen readers see the canvas as what it draws: a chart for each panel, with name, description and place. GUI thread only.
#pragma once

namespace mantissa::gui {

/// Once is enough; further calls do nothing.
void installCanvasAccessibility();

}  // namespace mantissa::gui
