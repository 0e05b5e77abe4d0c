// SPDX-License-Identifier: GPL-3.0-or-later
// What the application does for users of the keyboard, in every widget. GUI thread only.
#pragma once

class QApplication;

namespace mantissa::gui {

/// Lets single-key shortcuts (Space, letters, digits, PageUp) yield to the focused widget: Space and Enter press a focused button, a text
/// field takes letters; function keys stay with the window. Draws a ring around a list or a table that has received the focus by a key; a
/// style sheet's border would take space from the view.
void installKeyFilters(QApplication* application);

}  // namespace mantissa::gui
