// SPDX-License-Identifier: GPL-3.0-or-later
// Data that the plots derive from a run: smoothed series, and positions of non-finite values. Updated as the run's series grow; only new
// steps are processed. GUI thread only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/telemetry/running_mean.h"
#include "gui/link/session_model.h"
#include "gui/plots/ranges.h"

namespace mantissa::gui {

/// The smoothing of a line: a running mean of the values, or on a logarithmic axis of their logarithms.
struct Smoothing {
    double factor = 0.9;  // 0: none; below 1
    AxisScale scale = AxisScale::Linear;
    double threshold = 1;  // of symlog
    bool operator==(const Smoothing&) const = default;
};

/// Returns the smoothed value of `series` at a step that it has, equal to that of a Smoother; `before`: as there.
double smoothedAt(const Smoothing& how, const Series& series, std::int64_t step, const Series* before = nullptr);

/// The running mean as a series of values. Values without an axis coordinate leave their step empty.
class Smoother {
public:
    explicit Smoother(const Smoothing& how = {}) : m_how(how), m_mean(how.factor) {}
    /// Processes the new values of `source`. The mean continues from the values of `before`, if there are any: a fork's from its parent's.
    void follow(const Series& source, const Series* before = nullptr);
    /// Sets the smoothing; a change clears the series.
    void setSmoothing(const Smoothing& how);
    void restart() { m_series.clear(); }
    const Series& series() const { return m_series; }

private:
    Smoothing m_how;
    RunningMean m_mean;
    Series m_series;
};

/// The steps of non-finite values by class, ascending.
struct NonFiniteSteps {
    std::vector<std::int64_t> positiveInf, negativeInf, nan;
    std::size_t scanned = 0;  // number of values processed
    void follow(const Series& source);
    std::size_t count() const { return positiveInf.size() + negativeInf.size() + nan.size(); }
};

struct RunTrace {
    const RunState* run = nullptr;     // owned by SessionModel; replaced whenever the runs change
    const RunTrace* parent = nullptr;  // whose lines this run's lines continue; null: none
    std::int64_t shownSteps = 0;       // its steps before this one are visible: fewer than it has while the view is frozen
    std::int64_t drawnSteps = std::numeric_limits<std::int64_t>::max();  // of these, during the animation of its line

    /// Smooths the series of that key from now on.
    void smooth(std::string_view key, const Smoothing& how) {
        m_smoothers.try_emplace(std::string(key), how).first->second.setSmoothing(how);
    }
    /// Collects the non-finite values of that series from now on.
    void watch(std::string_view key) { m_nonFinite.try_emplace(std::string(key)); }
    /// Return the results of `smooth` and `watch`; empty if not requested, or the run has no such series.
    const Series& smoothed(std::string_view key) const;
    const NonFiniteSteps& nonFinite(std::string_view key) const;
    /// Returns the run's series of that key; an empty one if it has none.
    const Series& raw(std::string_view key) const;

    /// Returns the number of steps that its lines and glyphs show.
    std::int64_t lineSteps() const { return std::min(shownSteps, drawnSteps); }

    /// Returns the cached columns of a series' line. Not thread-safe; each returned object may be used by one thread.
    Series::ColumnMemory& columnsOf(const Series& series) const { return m_columns[&series]; }
    void follow();
    /// Recomputes everything after the run's series have changed.
    void restart();
    /// Returns the memory in bytes that grows with the run.
    std::size_t memoryBytes() const;

private:
    std::map<std::string, Smoother, std::less<>> m_smoothers;
    std::map<std::string, NonFiniteSteps, std::less<>> m_nonFinite;
    mutable std::map<const Series*, Series::ColumnMemory> m_columns;
};

}  // namespace mantissa::gui
