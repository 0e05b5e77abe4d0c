// SPDX-License-Identifier: GPL-3.0-or-later
// The window's named layouts: which one is in force, what each remembers of its panels, and the menus for it. A layout comes back as it
// was left; Reset takes one of ours to its default and an own one to what was saved. New data changes none. GUI thread only.
#pragma once

#include <QObject>

#include "gui/app/actions.h"
#include "gui/app/layout_memory.h"
#include "gui/app/panel_host.h"

namespace mantissa::gui {

/// Which layout is in force, and how it stands, to come back to.
struct LayoutState {
    QString id;
    bool isSlim = false;
    Arrangement arrangement;
    bool isTextClosed = false;  // by hand, the panel that comes and goes with a language model
    QVariantMap axes;           // as they are kept, by key; empty: not to be gone back to
    bool operator==(const LayoutState&) const = default;
};

class Layouts : public QObject {
    Q_OBJECT
public:
    Layouts(PanelHost* host, const Actions& actions, QSettings* notes, QWidget* window);

    LayoutMemory& memory() { return m_memory; }
    const QString& current() const { return m_current; }
    WindowLayout base() const { return m_memory.baseOf(m_current); }
    /// Whether the right panels are to follow the plots beside them.
    bool isLevel() const { return m_isLevel; }

    /// Puts a layout in force.
    void show(const QString& id);
    /// The same, by hand.
    void choose(const QString& id);
    /// The one before this, by hand.
    void goBack() { choose(QString(m_previous)); }  // a copy: showing it makes another one the previous
    /// For the window's form; panels get their first arrangement here.
    void setSlim(bool slim);
    void reset();
    /// The arrangement as it stands, by a name; one of that name is written over.
    void saveAs(const QString& name);
    /// Notes how the panels stand now.
    void keep();
    /// While something else has the room of some panels, how the rest stands is not kept.
    void setLent(bool lent);
    bool isLent() const { return m_isLent; }

    LayoutState state() const;
    /// False, and nothing is changed, where the layout is gone or the room of some panels is lent.
    bool restore(const LayoutState& state);

signals:
    /// Another layout is in force; its panels are arranged after this.
    void entered(mantissa::gui::WindowLayout base);
    void arranging();  // what stands in the panels is to take its place
    void arranged();
    void wasReset();
    void axesRestored();  // in the memory
    void saved();         // by a name, which is in force now
    /// A hand chooses a layout or resets it; and it is done.
    void deedBegan();
    void deedEnded(mantissa::gui::LayoutDeed deed);
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
