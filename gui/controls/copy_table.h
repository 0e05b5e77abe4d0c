// SPDX-License-Identifier: GPL-3.0-or-later
// Tables to be read. In a CopyTable rows are chosen as a whole, and Ctrl+C copies them with their heads as lines with tabs; all of them
// where none is chosen. GUI thread only.
#pragma once

#include <QTableView>

namespace mantissa::gui {

class CopyTable : public QTableView {
    Q_OBJECT
public:
    CopyTable(const QString& accessibleName, int rowPixels, QWidget* parent);
    /// What Ctrl+C copies.
    QString selectedText() const;

protected:
    void keyPressEvent(QKeyEvent* event) override;
};

/// Numbers without frame, grid, corner or a bar beside them, which the caller gives room for all rows. Its headers are set already.
void makeBare(QTableView* table, int rowPixels, int headPixels);

}  // namespace mantissa::gui
