// SPDX-License-Identifier: GPL-3.0-or-later
// Which keys the window's actions have: the usual ones, and what the user has made of them. Kept between sessions by the actions' names.
// GUI thread only.
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
        QString group;  // the menu it stands in
        QAction* action;
        QList<QKeySequence> usual;
    };
    /// All actions of `window`, in the order of the menus. `file`: where the user's own keys are kept; empty: nowhere.
    KeyMap(QWidget* window, const QMenuBar* bar, const QString& file);

    const std::vector<Entry>& entries() const { return m_entries; }
    bool isChanged(const QAction* action) const;
    /// Makes `key` the only one of an action; an empty one leaves it without. Where that cannot be, nothing changes, and the sentence says
    /// why; empty: it is done.
    QString assign(QAction* action, const QKeySequence& key);
    /// The usual keys; the same answers.
    QString reset(QAction* action);
    void resetAll();

    /// "Ctrl+Shift+Z", as the screen writes it; several with commas.
    static QString shown(const QList<QKeySequence>& keys);

signals:
    void changed();

private:
    const Entry& entryOf(const QAction* action) const;
    QString whyNot(const QAction* action, const QKeySequence& key) const;
    void set(QAction* action, const QList<QKeySequence>& keys);

    std::vector<Entry> m_entries;
    std::unique_ptr<QSettings> m_kept;  // null: nowhere
};

}  // namespace mantissa::gui
