// SPDX-License-Identifier: GPL-3.0-or-later
// Announcements to screen readers. GUI thread only.
#pragma once

class QString;
class QWidget;

namespace mantissa::gui {

/// Sets `text` as the accessible name of `widget`, a label that shows or represents it, and announces it.
void sayAloud(QWidget* widget, const QString& text);

}  // namespace mantissa::gui
