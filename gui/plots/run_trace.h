// SPDX-License-Identifier: GPL-3.0-or-later
// What the plots derive from a run and keep beside it: smoothed series, and where the non-finite values are. Follows the run's series as
// they grow; only new steps are looked at. GUI thread only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/telemetry/running_mean.h"
#include "gui/link/lab.h"
#include "gui/plots/ranges.h"

namespace mantissa::gui {

/// How a line is smoothed: by a running mean of what is drawn, which is the value, or on a logarithmic axis its logarithm.
struct Smoothing {
    double factor = 0.9;  // 0: not at all; below 1
    AxisScale scale = AxisScale::Linear;
    double threshold = 1;  // of symlog
    bool operator==(const Smoothing&) const = default;
};

/// The smoothed value of `series` at a step that it has, as its Smoother has it; `before`: see there.
double smoothedAt(const Smoothing& how, const Series& series, std::int64_t step, const Series* before = nullptr);

/// The running mean as a series of values. A value that the axis has no place for leaves its step empty.
class Smoother {
public:
    explicit Smoother(const Smoothing& how = {}) : m_how(how), m_mean(how.factor) {}
    /// Takes in what `source` has gained. It goes on from the values of `before`, if there are any: a fork from its parent's.
    void follow(const Series& source, const Series* before = nullptr);
    /// Another one makes it begin again.
    void setSmoothing(const Smoothing& how);
    void restart() { m_series.clear(); }
    const Series& series() const { return m_series; }

private:
    Smoothing m_how;
    RunningMean m_mean;
    Series m_series;
};

/// Steps of one class of non-finite values, ascending.
struct NonFiniteSteps {
    std::vector<std::int64_t> positiveInf, negativeInf, nan;
    std::size_t scanned = 0;  // values looked at
    void follow(const Series& source);
    std::size_t count() const { return positiveInf.size() + negativeInf.size() + nan.size(); }
};

struct RunTrace {
    const RunState* run = nullptr;     // owned by Lab; replaced whenever the runs change
    const RunTrace* parent = nullptr;  // whose lines this one's go on from; null: none
    std::int64_t shownSteps = 0;       // its steps before this one may be seen: fewer than there are while the view is frozen
    std::int64_t drawnSteps = std::numeric_limits<std::int64_t>::max();  // of these, while its line draws itself

    /// From now on the series of that key is smoothed so.
    void smooth(std::string_view key, const Smoothing& how);
    /// From now on the non-finite values of that series are looked for.
    void watch(std::string_view key);
    /// What `smooth` and `watch` have asked for; empty where that was not, or the run has no such series.
    const Series& smoothed(std::string_view key) const;
    const NonFiniteSteps& nonFinite(std::string_view key) const;
    /// The run's series of that key; an empty one where it has none.
    const Series& raw(std::string_view key) const;

    /// The steps that its lines and glyphs show.
    std::int64_t lineSteps() const { return std::min(shownSteps, drawnSteps); }

    /// What the line of a series of this run showed last. Not for two threads at once; what it gives out may be used by one each.
    Series::ColumnMemory& columnsOf(const Series& series) const { return m_columns[&series]; }
    void follow();
    /// Everything anew: the run's series are not what they were.
    void restart();
    /// What grows with the run.
    std::size_t memoryBytes() const;

private:
    std::map<std::string, Smoother, std::less<>> m_smoothers;
    std::map<std::string, NonFiniteSteps, std::less<>> m_nonFinite;
    mutable std::map<const Series*, Series::ColumnMemory> m_columns;
};

}  // namespace mantissa::gui
