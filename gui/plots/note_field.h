// SPDX-License-Identifier: GPL-3.0-or-later
// The input field for a note: a line at its step, over the plots. Enter saves, Escape cancels. It is not modal: training and plots
// continue. GUI thread only.
#pragma once

#include <QFrame>

#include "gui/link/session_model.h"

class QLabel;
class QLineEdit;
class QPushButton;

namespace mantissa::gui {

class ComboBox;

class NoteField : public QFrame {
    Q_OBJECT
public:
    NoteField(const SessionModel* session, QWidget* parent);
    /// Opens the field for a note, at `left` pixels of the parent; a new note has no number yet.
    void open(const Note& note, double left);
    const Note& note() const { return m_note; }

signals:
    void kept(const mantissa::Note& note);
    void removalRequested(int note);
    void closed();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void keep();
    void close();

    const SessionModel* m_session;
    Note m_note;
    QLabel* m_step;
    QLineEdit* m_text;
    ComboBox* m_run;
    QPushButton* m_remove;
};

}  // namespace mantissa::gui
