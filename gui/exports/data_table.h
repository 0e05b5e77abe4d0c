// SPDX-License-Identifier: GPL-3.0-or-later
// A table of the plotted values, which can be copied in full: the visible steps, with the crosshair's step as the selected row, in both
// directions. A non-modal window. GUI thread only.
#pragma once

#include <QDialog>

#include "gui/exports/data_table_model.h"

class QLabel;
class QTableView;

namespace mantissa::gui {

class Delay;
class PlotBoard;
class PlotBox;

class DataTable : public QDialog {
    Q_OBJECT
public:
    /// `panel`: index of the plot; -1: all.
    DataTable(SessionModel* session, PlotBoard* board, int panel, QWidget* parent);

    /// Returns the selected rows with headers as tab-separated lines, at full precision; all visible rows if none is selected.
    QString selectedText() const;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refresh();
    void showCursor();
    void copy();

    static constexpr int kRefreshMs = 250;

    SessionModel* m_session;
    PlotBoard* m_board;
    DataTableModel* m_model;
    PlotBox* m_panel;
    QLabel* m_range;
    QTableView* m_table;
    Delay* m_timer;
    bool m_isFollowing = false;  // the selection is being set by the crosshair
};

}  // namespace mantissa::gui
