// SPDX-License-Identifier: GPL-3.0-or-later
// The window's built-in layouts, and the switch for them at the right of the menu bar. GUI thread only.
#pragma once

#include <QWidget>

class QAction;

namespace mantissa::gui {

enum class WindowLayout { Explore, Diagnose, Present };

class LayoutSwitch : public QWidget {
    Q_OBJECT
public:
    /// Creates a button for each action: a click triggers it, and the button shows whether it is checked.
    LayoutSwitch(const QList<QAction*>& layouts, QWidget* parent);
};

}  // namespace mantissa::gui
