// SPDX-License-Identifier: GPL-3.0-or-later
// What a screen reader is told without being asked. GUI thread only.
#pragma once

class QString;
class QWidget;

namespace mantissa::gui {

/// `text` becomes the name of `widget`, a label that shows it or stands for it, and is said at once.
void sayAloud(QWidget* widget, const QString& text);

}  // namespace mantissa::gui
