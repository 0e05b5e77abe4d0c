// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/diagnosis/comparison_record.h"

#include <algorithm>

namespace mantissa::gui {
namespace {

std::int64_t dividedUp(std::int64_t value, std::int64_t by) {
    return (value + by - 1) / by;
}

}  // namespace

void ComparisonRecord::begin(RunId run, RunId other, ComparisonRange range) {
    m_run = run;
    m_other = other;
    m_range = range;
    m_stride = 1;
    m_comparisons.clear();
    m_note.clear();
}

void ComparisonRecord::take(const RunsCompared& compared) {
    if (!isOf(compared.run, compared.other)) return;
    m_note = QString::fromStdString(compared.note);
    const auto place = std::ranges::lower_bound(m_comparisons, compared.comparison.step, {}, &StepComparison::step);
    if (place != m_comparisons.end() && place->step == compared.comparison.step) {
        *place = compared.comparison;
    } else {
        m_comparisons.insert(place, compared.comparison);
    }
}

void ComparisonRecord::rewind(std::int64_t step) {
    std::erase_if(m_comparisons, [step](const StepComparison& each) { return each.step >= step; });
}

CompareRuns ComparisonRecord::question(std::int64_t from, std::int64_t count, std::int64_t every) const {
    return {.run = m_run, .other = m_other, .firstStep = from, .count = count, .every = every};
}

/// Steps between the first divergent step and the known step before it: the first divergence is there.
std::optional<CompareRuns> ComparisonRecord::questionBetween() const {
    const auto found = apart();
    if (!found || found->comparison == 0) return std::nullopt;
    const std::int64_t before = m_comparisons[found->comparison - 1].step, missing = m_comparisons[found->comparison].step - before - 1;
    if (missing <= 0) return std::nullopt;
    const std::int64_t every = dividedUp(missing, kPoints);
    return question(before + every, missing / every, every);
}

/// Halves the points when the run has grown, except around the first divergence.
void ComparisonRecord::thinOut(std::int64_t first, std::int64_t end) {
    const std::int64_t wanted = dividedUp(end - first, kPoints);
    if (m_comparisons.empty()) m_stride = wanted;
    if (wanted < 2 * m_stride) return;
    while (wanted >= 2 * m_stride) m_stride *= 2;
    const auto found = apart();
    std::vector<StepComparison> kept;
    std::int64_t next = first;  // start of the next interval, of which one step is kept; a watched run has sketches of some steps only
    for (std::size_t i = 0; i < m_comparisons.size(); ++i) {
        const bool isWhereTheyPart = found && i + 1 >= found->comparison && i <= found->comparison;
        const std::int64_t step = m_comparisons[i].step;
        const bool isFirstOfStretch = step >= next;
        if (isFirstOfStretch) next = first + ((step - first) / m_stride + 1) * m_stride;
        if (isWhereTheyPart || isFirstOfStretch) kept.push_back(std::move(m_comparisons[i]));
    }
    m_comparisons = std::move(kept);
}

std::optional<CompareRuns> ComparisonRecord::nextQuestion(std::int64_t first, std::int64_t end) {
    if (end <= first) return std::nullopt;
    if (m_range == ComparisonRange::LastSteps) {
        const std::int64_t from = std::max(first, end - kLastSteps);
        std::erase_if(m_comparisons, [from](const StepComparison& each) { return each.step < from; });
        const std::int64_t next = m_comparisons.empty() ? from : m_comparisons.back().step + 1;
        return next < end ? std::optional(question(next, end - next, 1)) : std::nullopt;
    }
    thinOut(first, end);
    if (const auto between = questionBetween()) return between;
    const std::int64_t next = m_comparisons.empty() ? first : first + ((m_comparisons.back().step - first) / m_stride + 1) * m_stride;
    return next < end ? std::optional(question(next, dividedUp(end - next, m_stride), m_stride)) : std::nullopt;
}

}  // namespace mantissa::gui
