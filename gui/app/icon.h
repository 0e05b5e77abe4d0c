// SPDX-License-Identifier: GPL-3.0-or-later
// The project's icons (resources/icons), tinted with the current theme's colours at each drawing, so a theme switch needs no new icons. GUI
// thread only.
#pragma once

#include <QIcon>
#include <QString>

namespace mantissa::gui {

/// The colour of an icon. Disabled icons are always in ink 3.
enum class IconInk { Ink, Ink2, OnAccent, AccentText, Frozen, Danger };

/// Returns the icon `name`, a file of resources/icons without ".svg".
QIcon themedIcon(const QString& name, IconInk ink = IconInk::Ink);

/// Returns one icon as pixels for labels, rendered for a device pixel ratio.
QPixmap themedPixmap(const QString& name, int size, IconInk ink, qreal devicePixelRatio);

/// Returns the program's icon, which is also installed as a file for the desktop.
QIcon windowIcon();

}  // namespace mantissa::gui
