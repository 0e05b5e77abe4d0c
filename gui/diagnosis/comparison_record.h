// SPDX-License-Identifier: GPL-3.0-or-later
// The comparison of two runs so far, and the steps to request next: a few of the whole run, more around the first divergence, and new ones.
// A value type; GUI thread only.
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "engine/experiment/messages.h"

namespace mantissa::gui {

enum class ComparisonRange { WholeRun, LastSteps };

class ComparisonRecord {
public:
    /// Number of points spread over the whole run; up to twice as many before they are thinned as the run grows.
    static constexpr std::int64_t kPoints = 48;
    static constexpr std::int64_t kLastSteps = 50;

    /// Clears the comparison.
    void begin(RunId run, RunId other, ComparisonRange range);
    bool isOf(RunId run, RunId other) const { return run == m_run && other == m_other; }
    bool concerns(RunId run) const { return run == m_run || run == m_other; }
    ComparisonRange range() const { return m_range; }
    double bound() const { return m_bound; }
    void setBound(double bound) { m_bound = bound; }

    void take(const RunsCompared& compared);
    /// Removes points that are invalid because one of the runs was rewound to before `step`.
    void rewind(std::int64_t step);

    /// Returns the comparisons, by step.
    const std::vector<StepComparison>& comparisons() const { return m_comparisons; }
    const QString& note() const { return m_note; }
    std::optional<FirstApart> apart() const { return firstApart(m_comparisons, m_bound); }
    /// Returns whether all steps between the first divergence and the last equal point before it are compared.
    bool isDivergenceKnown() const { return !questionBetween(); }
    /// Returns the next request for the steps from `first` up to `end`, which both runs have done; nothing: no more are needed. Removes
    /// points outside the range.
    std::optional<CompareRuns> nextQuestion(std::int64_t first, std::int64_t end);

private:
    RunId m_run = -1, m_other = -1;
    ComparisonRange m_range = ComparisonRange::WholeRun;
    double m_bound = kComparisonBound;
    std::int64_t m_stride = 1;  // for the whole run: steps between points
    std::vector<StepComparison> m_comparisons;
    QString m_note;

    CompareRuns question(std::int64_t from, std::int64_t count, std::int64_t every) const;
    std::optional<CompareRuns> questionBetween() const;
    void thinOut(std::int64_t first, std::int64_t end);
};

}  // namespace mantissa::gui
