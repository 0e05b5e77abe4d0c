// SPDX-License-Identifier: GPL-3.0-or-later
// What the window is arranged for, and the switch for it at the right of the menu bar. GUI thread only.
#pragma once

#include <QWidget>

class QAction;

namespace mantissa::gui {

enum class WindowLayout { Explore, Diagnose, Present };

class LayoutSwitch : public QWidget {
    Q_OBJECT
public:
    /// Each action is one layout; a button presses it and shows whether it is checked.
    LayoutSwitch(const QList<QAction*>& layouts, QWidget* parent);
};

}  // namespace mantissa::gui
