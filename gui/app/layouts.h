// SPDX-License-Identifier: GPL-3.0-or-later
// The window's named layouts: the current one, the panels of each, and their menus. A layout is restored as it was left; Reset restores a
// built-in layout's default, or the saved form of a user's layout. New data changes none. GUI thread only.
#pragma once

#include <QObject>

#include "gui/app/actions.h"
#include "gui/app/layout_memory.h"
#include "gui/app/panel_host.h"

namespace mantissa::gui {

/// A layout and its arrangement, for undo.
struct LayoutState {
    QString id;
    bool isSlim = false;
    Arrangement arrangement;
    bool isTextClosed = false;  // by the user: the panel that appears with a language model
    QVariantMap axes;           // as saved, by key; empty: not restored
    bool operator==(const LayoutState&) const = default;
};

class Layouts : public QObject {
    Q_OBJECT
public:
    Layouts(PanelHost* host, const Actions& actions, QSettings* notes, QWidget* window);

    LayoutMemory& memory() { return m_memory; }
    const QString& current() const { return m_current; }
    WindowLayout base() const { return m_memory.baseOf(m_current); }
    /// Returns whether the right panels align with the plots beside them.
    bool isLevel() const { return m_isLevel; }

    /// Shows a layout.
    void show(const QString& id);
    /// Shows a built-in layout, unless the current one is based on it.
    void show(WindowLayout layout) {
        if (base() != layout) show(LayoutMemory::idOf(layout));
    }
    /// Shows a layout as a user action, with an entry for undo.
    void choose(const QString& id);
    /// Shows the previous layout, as a user action.
    void goBack() { choose(QString(m_previous)); }  // a copy: showing it makes another one the previous
    /// Sets the form of the window. The first call arranges the panels.
    void setSlim(bool slim);
    bool isSlim() const { return m_isSlim; }
    void reset();
    /// Saves the current arrangement by a name; replaces a layout of that name.
    void saveAs(const QString& name);
    /// Saves the current arrangement of the panels.
    void keep();
    /// Sets whether another widget occupies the place of some panels; meanwhile arrangements are not saved.
    void setLent(bool lent);
    bool isLent() const { return m_isLent; }

    LayoutState state() const;
    /// Restores a state. Returns false and changes nothing if the layout no longer exists or the place of some panels is lent.
    bool restore(const LayoutState& state);

signals:
    /// Emitted when another layout becomes current, before its panels are arranged.
    void entered(mantissa::gui::WindowLayout base);
    void arranging();  // before the panels are arranged: their contents should take their places
    void arranged();
    void wasReset();
    void axesRestored();  // in the memory
    void saved();         // by a name, which is now current
    /// Emitted before and after the user chooses or resets a layout.
    void actionBegan();
    void actionEnded(mantissa::gui::LayoutAction action);
    void said(const QString& sentence);

private:
    void arrange(const Arrangement& arrangement);
    void refreshMenu();
    void askName();
    void askNewName();
    void removeCurrent();
    Arrangement present() const { return {m_host->arrangement(), m_isLevel}; }

    PanelHost* m_host;
    const Actions& m_actions;
    LayoutMemory m_memory;
    QWidget* m_window;
    QString m_current, m_previous;
    bool m_isSlim = false;
    bool m_isArranged = false;  // at least once
    bool m_isLevel = true;
    bool m_isLent = false;
};

}  // namespace mantissa::gui
