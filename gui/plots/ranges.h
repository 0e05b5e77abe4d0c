// SPDX-License-Identifier: GPL-3.0-or-later
// Maps values to axis coordinates and computes ranges from finite values, with outliers clipped and reported. Pure functions; any thread.
#pragma once

#include <limits>
#include <vector>

#include "engine/telemetry/series.h"
#include "gui/plots/view_state.h"

namespace mantissa::gui {

/// Stands for a missing position or value.
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// The scales of axes, which are linear in their coordinate: the value or its logarithm. Symlog: linear from -1 to 1, which represent minus
/// and plus the threshold, and a decade for each 1 beyond on both sides.
enum class AxisScale { Linear, Log10, Log2, Symlog };

/// Returns the axis coordinate; NaN if there is none (non-finite; zero and below on a logarithmic axis). `threshold`: limit of symlog's
/// linear part.
double toAxis(AxisScale scale, double value, double threshold = 1);
double fromAxis(AxisScale scale, double coordinate, double threshold = 1);
/// Returns a symlog threshold for the values, a power of ten: a tenth to a hundredth of the median's magnitude. NaN is ignored; the vector
/// is used up.
double symlogThreshold(std::vector<double>& values);
/// Replaces the points' values, divided by `unit`, by their coordinates. Logarithms are accurate to 1e-12 and several times as fast as
/// single calls; values below 1e-307 count as zero.
void toAxis(AxisScale scale, double unit, double threshold, std::vector<SeriesPoint>& points);

struct RobustRange {
    Span span;
    bool isEmpty = true;
    bool clipsAbove = false, clipsBelow = false;  // values lie outside on purpose
    /// Includes the finite values.
    void add(const std::vector<double>& values);
};

/// Returns the range of `values` (axis coordinates; NaN is ignored; the vector is used up). Tails far beyond the middle 98 % are excluded,
/// so that one outlier never compresses the rest: beyond 1.5 times the spread of the middle, on logarithmic axes 3 times (a loss that falls
/// by decades is not an outlier).
RobustRange robustRange(std::vector<double>& values, AxisScale scale);

/// Returns the range with a margin, rounded outwards to stable bounds, so that the axis does not move with every step. A constant gets a
/// margin relative to its value.
Span calmBounds(const Span& span, AxisScale scale);

/// Returns the share of `span` covered by the visible values of a series, of steps [0, shownSteps) only; at most 1.
double coveredShare(const Series& series, const Span& span, std::int64_t shownSteps);

/// Returns the visible points of a series in `span` for so many pixel columns, of steps [0, shownSteps) only. Values are unscaled; NaN: a
/// gap.
std::vector<SeriesPoint> visiblePoints(const Series& series, const Span& span, double columns, std::int64_t shownSteps,
                                       Series::ColumnMemory* memory = nullptr);

/// Steps whose values are below or above a range, ascending, at most `most` on each side. Found through the series' pyramid.
struct StepsBeyond {
    std::vector<std::int64_t> below, above;
};
StepsBeyond stepsBeyond(const Series& series, const Span& span, std::int64_t shownSteps, const Span& values, std::size_t most);

/// Returns the number of values of 0 and less in `span`, which a logarithmic axis cannot show.
std::int64_t countNotPositive(const Series& series, const Span& span, std::int64_t shownSteps);

}  // namespace mantissa::gui
