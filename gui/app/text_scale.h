// SPDX-License-Identifier: GPL-3.0-or-later
// Scales the whole window in proportion to the system's text. The window's sizes are pixels for the default text of desktops; larger text,
// in points or in dots per inch (QT_FONT_DPI), would be cut otherwise.
#pragma once

#include <QSize>

namespace mantissa::gui {

/// Returns the factor: 1 for text up to `kUsualPoints` at 96 dots per inch, in proportion above, limited so that a window of `least` still
/// fits `screen`.
double textScale(double points, double dotsPerInch, QSize screen, QSize least);
inline constexpr double kUsualPoints = 11;

/// Restarts the program with the factor if it is not 1: Qt reads factors once, and knows the system's font only after that. Call before the
/// application's font is set; `arguments` are all of main's, null-terminated.
void followSystemText(char* const* arguments);

}  // namespace mantissa::gui
