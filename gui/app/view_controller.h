// SPDX-License-Identifier: GPL-3.0-or-later
// The view of the plots: freezing, following, axes and smoothing, the crosshair, the cursors A and B, and the values as a table.
// GUI thread only.
#pragma once

#include <QObject>
#include <QPointer>

#include "gui/app/window_parts.h"
#include "gui/exports/data_table.h"

namespace mantissa::gui {

/// Returns the keys of the plots that an earlier window has saved, by key or by the index of a default plot.
std::vector<std::string> keptPlotKeys(const QVariant& noted);

class ViewController : public QObject, WindowParts {
    Q_OBJECT
public:
    explicit ViewController(const WindowParts& parts);
    /// Restores the axes of an earlier window, and saves them from now on.
    void keepAxes();

private:
    void connectFollowing();
    void connectCrosshair();
    void connectAxes();
    void connectCursors();
    void setFrozen(bool frozen);
    void showDataTable();

    double m_smoothing = 0;           // the last factor other than none
    QPointer<DataTable> m_dataTable;  // null while it is closed
};

}  // namespace mantissa::gui
