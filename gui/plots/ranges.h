// SPDX-License-Identifier: GPL-3.0-or-later
// From values to an axis: logarithms once, ranges from finite values only, outliers clipped and said so. Pure functions; any thread.
#pragma once

#include <limits>
#include <vector>

#include "engine/telemetry/series.h"
#include "gui/plots/view_state.h"

namespace mantissa::gui {

/// A place or a value that is not there.
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// All axes are linear in their coordinate, which is the value or its logarithm. Symlog: linear from -1 to 1, which stand for a threshold's
/// negative and itself, and a decade for each 1 beyond on both sides.
enum class AxisScale { Linear, Log10, Log2, Symlog };

/// The axis coordinate; NaN where the axis has no place for the value (non-finite; zero and below on a logarithmic axis). `threshold`: up
/// to where symlog is linear.
double toAxis(AxisScale scale, double value, double threshold = 1);
double fromAxis(AxisScale scale, double coordinate, double threshold = 1);
/// A threshold for such values, a power of ten: a tenth to a hundredth of the middle one's magnitude. NaN is ignored; the vector is used up.
double symlogThreshold(std::vector<double>& values);
/// The coordinates of the points' values divided by `unit`, in their place. Logarithms are good to 1e-12 and several times as fast as one
/// by one; values below 1e-307 count as zero.
void toAxis(AxisScale scale, double unit, double threshold, std::vector<SeriesPoint>& points);

struct RobustRange {
    Span span;
    bool isEmpty = true;
    bool clipsAbove = false, clipsBelow = false;   // values lie outside on purpose
};

/// The range of `values` (axis coordinates; NaN is ignored; the vector is used up). A tail that reaches far beyond the middle 98 % is left
/// outside, so that one outlier never squashes the rest: 1.5 times the spread of the middle, on logarithmic axes 3 times (a loss that
/// falls by decades is no outlier).
RobustRange robustRange(std::vector<double>& values, AxisScale scale);
/// The range of all of them, whatever lies outside.
RobustRange wholeRange(const std::vector<double>& values);

/// A little air, then outwards to calm bounds, so that the axis does not move with every step. A constant gets room relative to its value.
Span calmBounds(const Span& span, AxisScale scale);

/// How much of `span` the values cover that it shows of a series, of steps [0, shownSteps) only; at most 1.
double coveredShare(const Series& series, const Span& span, std::int64_t shownSteps);

/// The points that one series shows of `span` in so many pixel columns, of steps [0, shownSteps) only. Values as they are; NaN: a gap.
std::vector<SeriesPoint> visiblePoints(const Series& series, const Span& span, double columns, std::int64_t shownSteps,
                                       Series::ColumnMemory* memory = nullptr);

/// Steps there whose values lie below or above `values`, ascending, `most` of them on each side at most: found through the series' pyramid.
struct StepsBeyond {
    std::vector<std::int64_t> below, above;
};
StepsBeyond stepsBeyond(const Series& series, const Span& span, std::int64_t shownSteps, const Span& values, std::size_t most);

/// Values of 0 and less there, which a logarithmic axis cannot show.
std::int64_t countNotPositive(const Series& series, const Span& span, std::int64_t shownSteps);

}  // namespace mantissa::gui
