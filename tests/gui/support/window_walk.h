// SPDX-License-Identifier: Apache-2.0
// A walk through all that the window can show: both layouts with runs, skips and a captured step, every page of its own, and the banner of
// a lost engine.
#pragma once

#include <functional>
#include <string>

#include "tests/gui/support/live_window.h"

namespace mantissa::gui {

/// Called with the name of what is shown and its window. Fails the test where something does not open.
void walkWindow(QSize size, const std::function<void(const std::string& name, QWidget* shown)>& look);

/// Of `shown`, what one sees of the labels, buttons, boxes and heads whose words have too little room or lie over each other, in words; and
/// what needs more width than there is.
std::vector<std::string> cutTexts(QWidget* shown);

}  // namespace mantissa::gui
