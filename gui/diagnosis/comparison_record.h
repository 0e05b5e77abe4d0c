// SPDX-License-Identifier: GPL-3.0-or-later
// What is known of two runs that are held against each other, and which steps to ask for next: a few of the whole run, more between the two
// where they part, and those that training adds. A value; GUI thread only.
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "engine/experiment/messages.h"

namespace mantissa::gui {

enum class ComparisonRange { WholeRun, LastSteps };

class ComparisonRecord {
public:
    /// Of the whole run, spread over it; twice as many before they thin out as it grows.
    static constexpr std::int64_t kPoints = 48;
    static constexpr std::int64_t kLastSteps = 50;

    /// Forgets what is known.
    void begin(RunId run, RunId other, ComparisonRange range);
    bool isOf(RunId run, RunId other) const { return run == m_run && other == m_other; }
    bool concerns(RunId run) const { return run == m_run || run == m_other; }
    ComparisonRange range() const { return m_range; }
    double bound() const { return m_bound; }
    void setBound(double bound) { m_bound = bound; }

    void take(const RunsCompared& compared);
    /// One of the runs goes on from before `step` in another way.
    void rewind(std::int64_t step);

    /// By step.
    const std::vector<StepComparison>& comparisons() const { return m_comparisons; }
    const QString& note() const { return m_note; }
    std::optional<FirstApart> apart() const { return firstApart(m_comparisons, m_bound); }
    /// Whether the steps between the first one apart and the one known before it are known too.
    bool isPartingKnown() const { return !questionBetween(); }
    /// Both runs have done the steps from `first` up to `end`. What to ask for next; nothing: all that is wanted is known. Lets go of what
    /// the range has left behind.
    std::optional<CompareRuns> nextQuestion(std::int64_t first, std::int64_t end);

private:
    RunId m_run = -1, m_other = -1;
    ComparisonRange m_range = ComparisonRange::WholeRun;
    double m_bound = kComparisonBound;
    std::int64_t m_stride = 1;  // of the whole run: steps from one point to the next
    std::vector<StepComparison> m_comparisons;
    QString m_note;

    CompareRuns question(std::int64_t from, std::int64_t count, std::int64_t every) const;
    std::optional<CompareRuns> questionBetween() const;
    void thinOut(std::int64_t first, std::int64_t end);
};

}  // namespace mantissa::gui
