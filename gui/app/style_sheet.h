// SPDX-License-Identifier: GPL-3.0-or-later
// The application's style sheet, generated from a theme's tokens; all paddings, radii and control colours are defined here.
#pragma once

#include <QString>

#include "gui/app/theme.h"

namespace mantissa::gui {

/// Returns the style sheet of a theme. `scale` enlarges type, paddings and controls, as for a projector; hairlines and rings keep their
/// width.
QString styleSheet(const Theme& theme, double scale = 1);

}  // namespace mantissa::gui
