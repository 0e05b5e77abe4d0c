// SPDX-License-Identifier: GPL-3.0-or-later
// The application's style sheet, generated from a theme's tokens: the one place of paddings, radii and control colours.
#pragma once

#include <QString>

#include "gui/app/theme.h"

namespace mantissa::gui {

/// `scale` enlarges type, paddings and controls, as for a projector; hairlines and rings stay as they are.
QString styleSheet(const Theme& theme, double scale = 1);

}  // namespace mantissa::gui
