// SPDX-License-Identifier: GPL-3.0-or-later
// A light theme for projectors and weak eyes: text 7:1 or better, edges and grid that a lamp does not wash out. GUI thread only.
#pragma once

#include "gui/app/theme.h"

namespace mantissa::gui {

/// Its kind is Light: runs look as on any light ground, and pictures of what is shown are light ones.
const Theme& highContrastTheme();

/// As Theme::apply, for a theme that no kind stands for.
void applyTheme(QApplication& application, const Theme& theme);

}  // namespace mantissa::gui
