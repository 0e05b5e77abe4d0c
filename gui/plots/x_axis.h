// SPDX-License-Identifier: GPL-3.0-or-later
// What the x axis counts, and where a run's steps lie on it. Series stay in steps; what is drawn is placed at the last moment, and pixels
// find their steps by search. Pure: any thread, while the runs stay as they are.
#pragma once

#include <QString>

#include "gui/link/run_state.h"
#include "gui/plots/ranges.h"
#include "gui/plots/view_state.h"

namespace mantissa::gui {

struct XAxis {
    XQuantity quantity = XQuantity::Step;
    bool isLog = false;
    bool isTime() const { return quantity == XQuantity::WallTime || quantity == XQuantity::TrainingTime; }
    bool operator==(const XAxis&) const = default;
};

/// "wall time"
QString quantityName(XQuantity quantity);
/// What it counts, in a sentence.
QString quantityMeaning(XQuantity quantity);
/// What stands below the plots: "epoch, log".
QString axisName(const XAxis& axis);

/// Axis coordinates of one run's steps: of the quantity, or of its logarithm. The run must outlive it.
class StepPlaces {
public:
    StepPlaces(const RunState& run, const XAxis& axis) : m_progress(&run.progress), m_axis(axis) {}
    /// Steps as they are.
    StepPlaces() = default;

    /// Whether the run can be placed at all: imported ones may know steps only.
    bool isKnown() const { return !m_progress || m_progress->has(m_axis.quantity); }
    /// Whether coordinates are the steps themselves.
    bool isPlain() const { return !m_progress || m_axis == XAxis{}; }
    /// Whether columns of the same width can hold very different numbers of steps.
    bool isUneven() const { return m_progress && (m_axis.isLog || m_axis.isTime()); }
    /// -inf where a logarithmic axis has no place for the step.
    double x(double step) const;
    /// The inverse: between two steps where x is.
    double step(double x) const;
    Span steps(const Span& x) const { return {step(x.first), step(x.last)}; }

private:
    const Progress* m_progress = nullptr;
    XAxis m_axis;
};

/// The points that one series shows of the x range `span` in so many pixel columns, of steps [0, shownSteps) only. Their x is the step.
std::vector<SeriesPoint> visiblePoints(const Series& series, const StepPlaces& places, const Span& span, int columns, std::int64_t shownSteps);
/// The same for a line that moves: a series that covers a part of the span gets that part of the columns, which so keep their width while it
/// scrolls out of view.
std::vector<SeriesPoint> linePoints(const Series& series, const StepPlaces& places, const Span& span, int columns, std::int64_t shownSteps,
                                    Series::ColumnMemory& memory);
/// Points whose x is a step, placed on the axis. What has no place there is left out.
void placeOn(const StepPlaces& places, std::vector<SeriesPoint>& points);

/// A time as people write it: "0.25 s", "12 s", "1:30", "1:05:00", "2 h", "3 d". `resolution`: the difference that must be seen.
QString durationText(double seconds, double resolution);
/// A coordinate of the axis as it is written at the axis; `resolution` as above, in the quantity.
QString axisText(const XAxis& axis, double coordinate, double resolution);

}  // namespace mantissa::gui
