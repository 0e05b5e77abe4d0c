// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the memory of each run as a stacked bar of six greys with numbers; a thin bar shows the memory before the last switch. GUI thread
// only.
#pragma once

#include <QWidget>

#include "gui/link/session_model.h"

class QLabel;
class QListView;

namespace mantissa::gui {

class Delay;
class MemoryModel;

class MemoryPanel : public QWidget {
    Q_OBJECT
public:
    explicit MemoryPanel(SessionModel* session, QWidget* parent = nullptr);
    /// Folds the panel to the totals in one line.
    void setFolded(bool folded);

signals:
    void headClicked();

protected:
    void changeEvent(QEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void refresh();
    void fitNote();

    const SessionModel* m_session;
    MemoryModel* m_model;
    QListView* m_list;
    QLabel* m_title;
    QLabel* m_unit;
    QWidget* m_legend;
    QLabel* m_note;
    Delay* m_timer;
    bool m_isFolded = false;
};

}  // namespace mantissa::gui
