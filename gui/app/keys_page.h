// SPDX-License-Identifier: GPL-3.0-or-later
// The list of keys: every action by menu, searchable, with keys that the user can change. GUI thread only.
#pragma once

#include <QWidget>

#include "gui/app/key_map.h"

class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace mantissa::gui {

/// Records the next key that is pressed, with its modifiers. Escape and the loss of the focus cancel.
class KeyRecorder : public QWidget {
    Q_OBJECT
public:
    explicit KeyRecorder(QWidget* parent);

signals:
    void recorded(const QKeySequence& key);
    void cancelled();

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
};

class KeysPage : public QWidget {
    Q_OBJECT
public:
    KeysPage(KeyMap* map, QWidget* parent);
    /// Records a key for the chosen row's action.
    void record();
    QString word() const;  // the last message

private:
    void fill();
    void search(const QString& text);
    void refreshRow(QTreeWidgetItem* item);
    void refreshButtons();
    void endRecording();
    QAction* chosen() const;  // null: none, or a fixed key
    void say(const QString& sentence);

    KeyMap* m_map;
    QLineEdit* m_search;
    QTreeWidget* m_list;
    QLabel* m_word;
    QPushButton *m_change, *m_clear, *m_reset, *m_resetAll;
    QTreeWidgetItem* m_recording = nullptr;
};

}  // namespace mantissa::gui
