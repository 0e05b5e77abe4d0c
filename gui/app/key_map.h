// SPDX-License-Identifier: GPL-3.0-or-later
// The keys of the window's actions: the defaults and the user's changes, saved between sessions by the actions' names. GUI thread only.
#pragma once

#include <QAction>
#include <QKeySequence>
#include <QObject>
#include <QSettings>
#include <memory>
#include <vector>

class QMenuBar;

namespace mantissa::gui {

class KeyMap : public QObject {
    Q_OBJECT
public:
    struct Entry {
        QString group;  // the menu that contains it
        QAction* action;
        QList<QKeySequence> usual;
    };
    /// Maps all actions of `window`, in the order of the menus. `file`: stores the user's keys; empty: they are not saved.
    KeyMap(QWidget* window, const QMenuBar* bar, const QString& file);

    const std::vector<Entry>& entries() const { return m_entries; }
    bool isChanged(const QAction* action) const { return action->shortcuts() != entryOf(action).usual; }
    /// Makes `key` the only key of an action; an empty one removes its keys. Returns a sentence with the reason if this is not possible,
    /// and then changes nothing; empty: done.
    QString assign(QAction* action, const QKeySequence& key);
    /// Restores the action's default keys. Returns a sentence as `assign` does.
    QString reset(QAction* action);
    void resetAll() {
        for (const Entry& entry : m_entries) set(entry.action, entry.usual);
    }

    /// Returns the keys as displayed ("Ctrl+Shift+Z"), separated by commas.
    static QString shown(const QList<QKeySequence>& keys);

signals:
    void changed();

private:
    const Entry& entryOf(const QAction* action) const;
    QString whyNot(const QAction* action, const QKeySequence& key) const;
    void set(QAction* action, const QList<QKeySequence>& keys);

    std::vector<Entry> m_entries;
    std::unique_ptr<QSettings> m_kept;  // null: not saved
};

}  // namespace mantissa::gui
