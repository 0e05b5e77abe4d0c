// SPDX-License-Identifier: GPL-3.0-or-later
// The quantity of the x axis, and the axis coordinates of a run's steps. Series are kept in steps and converted only for drawing; pixels
// are converted to steps by search. Pure: any thread, while the runs do not change.
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

/// Returns a quantity's name: "wall time".
QString quantityName(XQuantity quantity);
/// Describes a quantity in a sentence.
QString quantityMeaning(XQuantity quantity);
/// Returns the axis title below the plots: "epoch, log".
QString axisName(const XAxis& axis);

/// Converts one run's steps to axis coordinates: of the quantity, or of its logarithm. The run must outlive it.
class StepPlaces {
public:
    StepPlaces(const RunState& run, const XAxis& axis) : m_progress(&run.progress), m_axis(axis) {}
    /// Creates the identity: coordinates are steps.
    StepPlaces() = default;

    /// Returns whether the run can be placed; imported ones may have steps only.
    bool isKnown() const { return !m_progress || m_progress->has(m_axis.quantity); }
    /// Returns whether coordinates are the steps themselves.
    bool isPlain() const { return !m_progress || m_axis == XAxis{}; }
    /// Returns whether columns of equal width can contain very different numbers of steps.
    bool isUneven() const { return m_progress && (m_axis.isLog || m_axis.isTime()); }
    /// Returns the coordinate of a step; -inf if a logarithmic axis has none.
    double x(double step) const;
    /// Returns the step at a coordinate, fractional between two steps.
    double step(double x) const;
    Span steps(const Span& x) const { return {step(x.first), step(x.last)}; }

private:
    const Progress* m_progress = nullptr;
    XAxis m_axis;
};

/// Returns the visible points of a series in the x range `span` for so many pixel columns, of steps [0, shownSteps) only. Their x is the
/// step.
std::vector<SeriesPoint> visiblePoints(const Series& series, const StepPlaces& places, const Span& span, int columns,
                                       std::int64_t shownSteps);
/// Returns the visible points for a moving line: a series that covers a part of the span gets that part of the columns, so columns keep
/// their width while it scrolls out of view.
std::vector<SeriesPoint> linePoints(const Series& series, const StepPlaces& places, const Span& span, int columns, std::int64_t shownSteps,
                                    Series::ColumnMemory& memory);
/// Converts points whose x is a step to axis coordinates, and removes those that have none.
void placeOn(const StepPlaces& places, std::vector<SeriesPoint>& points);

/// Formats a time: "0.25 s", "12 s", "1:30", "1:05:00", "2 h", "3 d". `resolution`: the smallest visible difference in seconds.
QString durationText(double seconds, double resolution);
/// Formats an axis coordinate for a tick; `resolution`: the smallest visible difference, in the quantity.
QString axisText(const XAxis& axis, double coordinate, double resolution);

}  // namespace mantissa::gui
