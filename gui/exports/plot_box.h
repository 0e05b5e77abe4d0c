// SPDX-License-Identifier: GPL-3.0-or-later
// A combo box for one of the board's plots, or all of them. GUI thread only.
#pragma once

#include "gui/controls/parts.h"

namespace mantissa::gui {

class PlotBoard;

class PlotBox : public ComboBox {
    Q_OBJECT
public:
    /// `all`: the text for all plots.
    PlotBox(const QString& name, const QString& all, const PlotBoard* board, QWidget* parent);
    /// Returns the index in PlotBoard::panels; -1: all.
    int panel() const { return currentData().toInt(); }

private:
    void fill();
    const PlotBoard* m_board;
    QString m_all;
};

}  // namespace mantissa::gui
