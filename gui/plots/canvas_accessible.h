// SPDX-License-Identifier: GPL-3.0-or-later
// Exposes the canvas to screen readers: a chart for each panel, with name, description and rectangle. GUI thread only.
#pragma once

namespace mantissa::gui {

/// Installs the accessibility interface; further calls do nothing.
void installCanvasAccessibility();

}  // namespace mantissa::gui
