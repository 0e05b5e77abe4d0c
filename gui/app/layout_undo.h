// SPDX-License-Identifier: GPL-3.0-or-later
// Puts the user's changes of layouts on the undo stack: panels moved, floated, tabbed, closed or shown, edges dragged, a layout chosen or
// reset. Automatic changes, such as those after a resize of the window, are not recorded. GUI thread only.
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
    /// Returns whether an entry of the stack changes the layout, so that undoing it needs no engine.
    static bool isLayoutEntry(const QUndoCommand* entry);

private:
    void note() { m_known = m_layouts->state(); }
    void begin();
    void push(LayoutAction action);

    Layouts* m_layouts;
    QUndoStack* m_stack;
    LayoutState m_known;  // the state that undo of the next change restores
    bool m_isInHand = false;
    bool m_isOwn = false;
};

}  // namespace mantissa::gui
