// SPDX-License-Identifier: GPL-3.0-or-later
// Plots relative error against length, both logarithmic: the chosen way emphasised, the others behind it. Non-finite errors are at the
// upper edge, exact results at the lower one. GUI thread only.
#pragma once

#include <QWidget>
#include <vector>

#include "gui/bits/dot_model.h"
#include "gui/plots/view_state.h"

namespace mantissa::gui {

class DotPlot : public QWidget {
    Q_OBJECT
public:
    explicit DotPlot(QWidget* parent);
    void show(std::vector<DotRow> rows, int chosen);
    /// Returns the position of a point in pixels.
    QPointF place(const DotError& error) const;
    /// Returns the axis of errors as log10.
    Span axis() const { return m_axis; }
    QSize minimumSizeHint() const override { return {360, 220}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QRectF area() const;
    void drawGrid(QPainter& painter) const;
    void drawWay(QPainter& painter, const DotRow& row, bool isChosen) const;
    void drawNames(QPainter& painter) const;

    std::vector<DotRow> m_rows;
    int m_chosen = 0;
    Span m_axis{-8, 0};
    int m_longest = 1;
};

}  // namespace mantissa::gui
