// SPDX-License-Identifier: GPL-3.0-or-later
// Read-only tables. In a CopyTable whole rows are selected, and Ctrl+C copies them with the headers as tab-separated lines; all rows if
// none is selected. GUI thread only.
#pragma once

#include <QTableView>

namespace mantissa::gui {

class CopyTable : public QTableView {
    Q_OBJECT
public:
    CopyTable(const QString& accessibleName, int rowPixels, QWidget* parent);
    /// Returns the text that Ctrl+C copies.
    QString selectedText() const;

protected:
    void keyPressEvent(QKeyEvent* event) override;
};

/// Removes the grid and the row headers of a read-only table with rows of so many pixels; Tab leaves it.
void makePlain(QTableView* table, int rowPixels);
/// Removes frame, grid, corner and scroll bars of a table; the caller provides space for all rows. Set its headers before.
void makeBare(QTableView* table, int rowPixels, int headPixels);

}  // namespace mantissa::gui
