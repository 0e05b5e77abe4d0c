// SPDX-License-Identifier: Apache-2.0
// Shows all pages of the window: both layouts with runs, skips and a captured step, every separate page, and the banner of a lost engine.
#pragma once

#include <functional>
#include <string>

#include "tests/gui/support/live_window.h"

namespace mantissa::gui {

/// Calls `visit` with each page's name and window. Fails the test if a page does not open.
void walkWindow(QSize size, const std::function<void(const std::string& name, QWidget* shown)>& visit);

/// Returns descriptions of the visible labels, buttons, boxes and headers of `shown` whose texts have too little space or overlap, and of
/// widgets that need more width than there is.
std::vector<std::string> cutTexts(QWidget* shown);

}  // namespace mantissa::gui
