// SPDX-License-Identifier: GPL-3.0-or-later
// The project's own icons (resources/icons), tinted with the theme in force each time they are drawn: no icon is made anew on a switch.
// GUI thread only.
#pragma once

#include <QIcon>
#include <QString>

namespace mantissa::gui {

/// What an icon is drawn with. Disabled icons are always in ink 3.
enum class IconInk { Ink, Ink2, OnAccent, AccentText, Frozen, Danger };

/// `name` is a file of resources/icons without ".svg".
QIcon themedIcon(const QString& name, IconInk ink = IconInk::Ink);

/// One icon as pixels, for labels; made for a device pixel ratio.
QPixmap themedPixmap(const QString& name, int size, IconInk ink, qreal devicePixelRatio);

/// The program's own sign, as a file for the desktop has it too.
QIcon windowIcon();

}  // namespace mantissa::gui
