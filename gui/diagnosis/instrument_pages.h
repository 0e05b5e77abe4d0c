// SPDX-License-Identifier: GPL-3.0-or-later
// The lower part of the Diagnose layout: pages of instruments, one of which is shown. GUI thread only.
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
    /// Adds a page. `hint`: the question that it answers, a sentence.
    void add(QWidget* page, const QString& title, const QString& hint);
    QWidget* current() const { return m_stack->currentWidget(); }
    void setCurrent(QWidget* page);
    /// Disables the entry of a page, with the reason as its tool tip; empty: enables it. A disabled page that is shown gives way to the
    /// first one.
    void setRefusal(QWidget* page, const QString& sentence);

signals:
    void currentChanged();

private:
    void fitToCurrent();  // hidden pages take no space
    QHBoxLayout* m_row;
    QButtonGroup* m_buttons;
    QStackedWidget* m_stack;
    QStringList m_hints;  // of the pages
};

}  // namespace mantissa::gui
