// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/key_map.h"

#include <QMenu>
#include <QMenuBar>
#include <algorithm>

namespace mantissa::gui {
namespace {

/// Collects the actions and those of their submenus, in order.
void collect(const QList<QAction*>& actions, const QString& group, std::vector<KeyMap::Entry>& entries, const QList<QAction*>& wanted) {
    for (QAction* action : actions) {
        if (action->menu())
            collect(action->menu()->actions(), group, entries, wanted);
        else if (wanted.contains(action))
            entries.push_back({group, action, action->shortcuts()});
    }
}

QString nameOf(const QAction* action) {
    return action->text().remove(u'\u2026').remove(u'&');
}

/// Keys that parts of the window handle before actions: no action may use them.
bool isFixed(const QKeySequence& key) {
    const QKeyCombination first = key[0];
    const int code = first.key();
    if (code == Qt::Key_Escape || code == Qt::Key_Tab || code == Qt::Key_Backtab || code == Qt::Key_Return || code == Qt::Key_Enter)
        return true;
    const bool isArrow = code == Qt::Key_Left || code == Qt::Key_Right || code == Qt::Key_Up || code == Qt::Key_Down;
    const Qt::KeyboardModifiers modifiers = first.keyboardModifiers();
    if (isArrow) return !(modifiers & ~Qt::KeyboardModifiers(Qt::ShiftModifier));
    return modifiers == Qt::NoModifier && code >= Qt::Key_1 && code <= Qt::Key_9;
}

QString settingOf(const QAction* action) {
    return QStringLiteral("keys/%1").arg(action->objectName());
}

}  // namespace

KeyMap::KeyMap(QWidget* window, const QMenuBar* bar, const QString& file) : QObject(window) {
    for (const QAction* top : bar->actions())
        if (top->menu()) collect(top->menu()->actions(), top->text().remove(u'&'), m_entries, window->actions());
    for (QAction* action : window->actions())
        if (std::ranges::none_of(m_entries, [action](const Entry& entry) { return entry.action == action; }))
            m_entries.push_back({tr("Other"), action, action->shortcuts()});
    if (file.isEmpty()) return;
    m_kept = std::make_unique<QSettings>(file, QSettings::IniFormat);
    // Clears the default keys of changed actions first: another action may use them now.
    const auto isKept = [this](const Entry& entry) { return m_kept->contains(settingOf(entry.action)); };
    for (const Entry& entry : m_entries)
        if (isKept(entry)) entry.action->setShortcuts(QList<QKeySequence>());
    for (const Entry& entry : m_entries) {
        if (!isKept(entry)) continue;
        const QKeySequence key = QKeySequence::fromString(m_kept->value(settingOf(entry.action)).toString(), QKeySequence::PortableText);
        if (!key.isEmpty()) entry.action->setShortcuts(whyNot(entry.action, key).isEmpty() ? QList{key} : entry.usual);
    }
}

const KeyMap::Entry& KeyMap::entryOf(const QAction* action) const {
    return *std::ranges::find(m_entries, action, &Entry::action);
}

QString KeyMap::shown(const QList<QKeySequence>& keys) {
    QStringList texts;
    for (const QKeySequence& key : keys) texts << key.toString(QKeySequence::NativeText);
    return texts.join(QStringLiteral(", "));
}

QString KeyMap::whyNot(const QAction* action, const QKeySequence& key) const {
    if (key.isEmpty()) return {};
    if (isFixed(key) && !entryOf(action).usual.contains(key))
        return tr("%1 is used by the window's own controls and cannot be assigned.").arg(shown({key}));
    for (const Entry& entry : m_entries)
        if (entry.action != action && entry.action->shortcuts().contains(key))
            return tr("%1 is the key of \u201C%2\u201D: give that another one first.").arg(shown({key}), nameOf(entry.action));
    return {};
}

void KeyMap::set(QAction* action, const QList<QKeySequence>& keys) {
    action->setShortcuts(keys);
    if (m_kept) {
        if (isChanged(action))
            m_kept->setValue(settingOf(action), keys.isEmpty() ? QString() : keys.front().toString(QKeySequence::PortableText));
        else
            m_kept->remove(settingOf(action));
    }
    emit changed();
}

QString KeyMap::assign(QAction* action, const QKeySequence& key) {
    const QString problem = whyNot(action, key);
    if (problem.isEmpty()) set(action, key.isEmpty() ? QList<QKeySequence>() : QList{key});
    return problem;
}

QString KeyMap::reset(QAction* action) {
    const QList<QKeySequence>& usual = entryOf(action).usual;
    for (const QKeySequence& key : usual)
        if (const QString problem = whyNot(action, key); !problem.isEmpty()) return problem;
    set(action, usual);
    return {};
}

}  // namespace mantissa::gui
