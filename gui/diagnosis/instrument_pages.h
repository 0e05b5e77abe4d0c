// SPDX-License-Identifier: GPL-3.0-or-later
// The lower part of the Diagnose layout: a page of instruments for each question, one of which is shown. GUI thread only.
#pragma once

#include <QButtonGroup>
#include <QStackedWidget>
#include <QWidget>

class QHBoxLayout;

namespace mantissa::gui {

class InstrumentPages : public QWidget {
    Q_OBJECT
public:
    explicit InstrumentPages(QWidget* parent);
    /// `hint`: what the page answers, a sentence.
    void add(QWidget* page, const QString& title, const QString& hint);
    QWidget* current() const { return m_stack->currentWidget(); }
    void setCurrent(QWidget* page);

signals:
    void currentChanged();

private:
    void fitToCurrent();  // a page that is not shown takes no room
    QHBoxLayout* m_row;
    QButtonGroup* m_buttons;
    QStackedWidget* m_stack;
};

}  // namespace mantissa::gui
