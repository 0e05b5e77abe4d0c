// SPDX-License-Identifier: GPL-3.0-or-later
// The read-out of the cursors: the distance of A and B, and their values. Hidden while there are no cursors. GUI thread only.
#pragma once

#include <QWidget>

#include "gui/plots/cursor_pair.h"

class QLabel;
class QTableView;

namespace mantissa::gui {

class CheckBox;
class ComboBox;
class CursorModel;
class Delay;
class SessionModel;
class ReadoutModel;

class CursorPanel : public QWidget {
    Q_OBJECT
public:
    CursorPanel(SessionModel* session, const ReadoutModel* values, QWidget* parent);
    void setPair(const CursorPair& pair);
    const CursorModel* model() const { return m_model; }
    void refresh();

signals:
    void lockRequested(bool locked);
    void removalRequested();

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void fitTable();

    CursorModel* m_model;
    QLabel* m_distance;
    ComboBox* m_quantity;
    QTableView* m_table;
    CheckBox* m_lock;
    Delay* m_timer;
};

}  // namespace mantissa::gui
