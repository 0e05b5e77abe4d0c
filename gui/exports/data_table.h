// SPDX-License-Identifier: GPL-3.0-or-later
// What the plots show, to be read as numbers and copied in full: the steps on screen, with the crosshair's step as the chosen row, both
// ways. It stands beside the plots and not before them. GUI thread only.
#pragma once

#include <QDialog>

#include "gui/exports/data_table_model.h"

class QLabel;
class QTableView;
class QTimer;

namespace mantissa::gui {

class PlotBoard;
class PlotBox;

class DataTable : public QDialog {
    Q_OBJECT
public:
    /// `panel`: of which plot; -1: of all.
    DataTable(Lab* lab, PlotBoard* board, int panel, QWidget* parent);

    /// The chosen rows with their heads as lines with tabs, at full precision; all that are on screen where none is chosen.
    QString selectedText() const;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void schedule();
    void refresh();
    void showCursor();
    void copy();

    static constexpr int kRefreshMs = 250;

    Lab* m_lab;
    PlotBoard* m_board;
    DataTableModel* m_model;
    PlotBox* m_panel;
    QLabel* m_range;
    QTableView* m_table;
    QTimer* m_timer;
    bool m_isFollowing = false;  // the row follows the crosshair just now, not the other way round
};

}  // namespace mantissa::gui
