// SPDX-License-Identifier: GPL-3.0-or-later
// The cursors' read-out: how far A and B are apart, and what lies between them. Away while there are none. GUI thread only.
#pragma once

#include <QWidget>

#include "gui/plots/cursor_pair.h"

class QLabel;
class QTableView;
class QTimer;

namespace mantissa::gui {

class CheckBox;
class ComboBox;
class CursorModel;
class Lab;
class ReadoutModel;

class CursorPanel : public QWidget {
    Q_OBJECT
public:
    CursorPanel(Lab* lab, const ReadoutModel* values, QWidget* parent);
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
    QTimer* m_timer;
};

}  // namespace mantissa::gui
