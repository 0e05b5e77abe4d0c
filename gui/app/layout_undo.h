// SPDX-License-Identifier: GPL-3.0-or-later
// Layouts on the undo stack: panels that a hand has moved, floated, tabbed, closed or shown, edges that it has dragged, a layout that was
// chosen, a reset. What the program does by itself, as when the window changes its size, does not come there. GUI thread only.
#pragma once

#include <QObject>

#include "gui/app/layouts.h"

class QUndoCommand;
class QUndoStack;

namespace mantissa::gui {

class LayoutUndo : public QObject {
    Q_OBJECT
public:
    LayoutUndo(Layouts* layouts, PanelHost* host, const Actions& actions, QUndoStack* stack);
    /// Whether an entry of the stack is of this kind: it needs no engine.
    static bool isLayoutEntry(const QUndoCommand* entry);

private:
    void note() { m_known = m_layouts->state(); }
    void begin();
    void push(LayoutDeed deed);

    Layouts* m_layouts;
    QUndoStack* m_stack;
    LayoutState m_known;  // what the next deed goes back to
    bool m_isInHand = false;
    bool m_isOwn = false;
};

}  // namespace mantissa::gui
