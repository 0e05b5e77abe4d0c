// SPDX-License-Identifier: GPL-3.0-or-later
// The two cursors A and B: their steps, whether they are locked, and their lines and tabs on the plots. They are fixed to steps, so they do
// not move during training. GUI thread only.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "gui/plots/plot_item.h"

namespace mantissa::gui {

enum class CursorName { A, B };

struct CursorPair {
    std::array<std::int64_t, 2> steps{-1, -1};  // of A and B; -1: not set
    bool isLocked = false;                      // neither mouse nor keys move them

    std::int64_t at(CursorName name) const { return steps[static_cast<std::size_t>(name)]; }
    bool isEmpty() const { return steps[0] < 0 && steps[1] < 0; }
    bool isWhole() const { return steps[0] >= 0 && steps[1] >= 0; }
    std::int64_t distance() const { return steps[1] - steps[0]; }
    bool operator==(const CursorPair&) const = default;
};

/// Clears space below an axis for a label at `box`: tick labels that it would partly cover are removed completely. The region `kept` is not
/// cleared.
void clearTicks(QCPPainter* painter, const QCPAxis* axis, const QRectF& box, const QRegion& kept = {});

/// Draws for each cursor a line through all panels, and a tab below them with its letter and step: A's is filled and square, B's a round
/// outline. It is on the crosshair's layer, so moving a cursor redraws no plot.
class CursorLines : public PlotItem {
public:
    explicit CursorLines(QCustomPlot* plot) : PlotItem(plot, QStringLiteral("overlay")) {}
    CursorPair pair;
    std::vector<QCPAxisRect*> rects;              // from top to bottom
    std::function<double(std::int64_t)> placeOf;  // a step's axis coordinate

    /// Returns the rectangles of the tabs of A and B; null: out of view.
    std::array<QRectF, 2> tabs() const;
    /// Returns the cursor that can be dragged at this position; -1: none.
    int nearest(QPointF position) const;

protected:
    void draw(QCPPainter* painter) override;

private:
    double pixelOf(std::size_t index, const QCPAxisRect* rect) const;  // each panel may have a separate x axis; NaN: out of view
    QString textOf(std::size_t index) const;
    static constexpr double kReach = 5;  // pixels beside a line where it can still be dragged
};

}  // namespace mantissa::gui
