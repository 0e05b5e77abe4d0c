// SPDX-License-Identifier: GPL-3.0-or-later
// What the plots derive from a run and keep beside it: smoothed series, and where the non-finite values are. Follows the run's series as
// they grow; only new steps are looked at. GUI thread only.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "gui/link/lab.h"

namespace mantissa::gui {

/// Debiased exponential average: s = factor * s + (1 - factor) * v, divided by 1 - factor^n. A constant stays that constant.
class RunningMean {
public:
    explicit RunningMean(double factor) : m_factor(factor) {}
    RunningMean(const Series& series, std::int64_t end, double factor) : m_factor(factor) { add(series, end); }
    /// The values of `series` before `end`, as far back as they still count.
    void add(const Series& series, std::int64_t end);
    void add(double value) {
        m_weight = m_factor * m_weight + (1 - m_factor);         // 1 - factor^n
        m_mean += (1 - m_factor) / m_weight * (value - m_mean);  // the sum divided by it; in this form a constant stays one to the last bit
    }
    double value() const;  // NaN before the first

private:
    double m_factor;
    double m_mean = 0, m_weight = 0;
};

/// The running mean as a series. Non-finite values are left out and leave their own step empty.
class Smoother {
public:
    explicit Smoother(double factor = 0.9) : m_factor(factor), m_mean(factor) {}
    /// Takes in what `source` has gained. It goes on from the values of `before`, if there are any: a fork from its parent's.
    void follow(const Series& source, const Series* before = nullptr);
    void setFactor(double factor);
    void restart() { setFactor(m_factor); }
    const Series& series() const { return m_series; }

private:
    double m_factor;
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
    Smoother loss, gradNorm, samplesPerSecond;
    NonFiniteSteps lossNonFinite, gradNormNonFinite, validationNonFinite;

    /// What the line of a series of this run showed last. Not for two threads at once; what it gives out may be used by one each.
    Series::ColumnMemory& columnsOf(const Series& series) const { return m_columns[&series]; }
    void follow();
    /// Everything anew: the run's series are not what they were.
    void restart();
    void setSmoothing(double factor);
    /// What grows with the run.
    std::size_t memoryBytes() const;

private:
    mutable std::map<const Series*, Series::ColumnMemory> m_columns;
};

}  // namespace mantissa::gui
