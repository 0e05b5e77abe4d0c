// SPDX-License-Identifier: GPL-3.0-or-later
// The window's sizes are in pixels for the text that desktops come with. Who has set larger text, in points or in dots an inch
// (QT_FONT_DPI), gets the whole window larger in the same proportion: nothing is cut, as everything grows alike.
#pragma once

#include <QSize>

namespace mantissa::gui {

/// 1 for text up to `kUsualPoints` at 96 dots an inch; in proportion above, as far as a window of `least` still fits `screen`.
double textScale(double points, double dotsPerInch, QSize screen, QSize least);
inline constexpr double kUsualPoints = 11;

/// Starts the program anew with that factor where it is not 1: Qt reads factors once, and knows the system's font only then. Before the
/// application's font is set; `arguments` are all of main's, a null at their end.
void followSystemText(char* const* arguments);

}  // namespace mantissa::gui
