// SPDX-License-Identifier: GPL-3.0-or-later
// The two cursors A and B: which steps they stand on, whether they are locked there, and their lines and tabs on the plots. They stand on
// steps, not on pixels, and so stay where they are while training goes on. GUI thread only.
#pragma once

#include <qcustomplot.h>

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace mantissa::gui {

enum class CursorName { A, B };

struct CursorPair {
    std::array<std::int64_t, 2> steps{-1, -1};  // of A and B; -1: it is not there
    bool isLocked = false;                      // neither hand nor key moves them

    std::int64_t at(CursorName name) const { return steps[static_cast<std::size_t>(name)]; }
    bool isEmpty() const { return steps[0] < 0 && steps[1] < 0; }
    bool isWhole() const { return steps[0] >= 0 && steps[1] >= 0; }
    std::int64_t distance() const { return steps[1] - steps[0]; }
    bool operator==(const CursorPair&) const = default;
};

/// Makes room below an axis for a label at `box`: a tick's label that it would cover in part goes whole. What is `kept` stays.
void clearTicks(QCPPainter* painter, const QCPAxis* axis, const QRectF& box, const QRegion& kept = {});

/// A line through all panels for each, and below them a tab with its letter and step: A's is filled and square, B's a round outline.
/// On the crosshair's layer, so that moving one draws no plot again.
class CursorLines : public QCPLayerable {
public:
    explicit CursorLines(QCustomPlot* plot);
    CursorPair pair;
    std::vector<QCPAxisRect*> rects;             // from top to bottom
    std::function<double(std::int64_t)> placeOf;  // a step's axis coordinate

    /// Draws this layer alone.
    void redraw() { layer()->replot(); }
    /// The places of the tabs, in the order of the names; null: it is out of view.
    std::array<QRectF, 2> tabs() const;
    /// The one that a hand at this place would take hold of; -1: none.
    int nearest(QPointF position) const;

protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override;
    void draw(QCPPainter* painter) override;

private:
    double pixelOf(std::size_t index, const QCPAxisRect* rect) const;  // each panel may have an x axis of its own; NaN: out of view
    QString textOf(std::size_t index) const;
    QFont font() const;
    static constexpr double kReach = 5;  // pixels beside a line that still take hold of it
};

}  // namespace mantissa::gui
