// SPDX-License-Identifier: Apache-2.0
// Loss and gradient norm of a run's past steps, for comparison with repeated ones. Only the latest steps of a long run are kept. One thread
// at a time.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace mantissa {

struct PastStep {
    double loss = 0, gradNorm = 0;
};

class PastSteps {
public:
    /// The latest steps that are always kept; at most twice as many are, which take 16 MiB.
    static constexpr std::int64_t kKept = 1 << 19;

    explicit PastSteps(std::int64_t firstStep = 0) : m_firstStep(firstStep), m_keptFrom(firstStep) {}

    void add(const PastStep& step) {
        if (end() == m_firstStep) m_firstLoss = step.loss;
        if (!m_firstNonFinite && !std::isfinite(step.loss)) m_firstNonFinite = end();
        m_steps.push_back(step);
        if (static_cast<std::int64_t>(m_steps.size()) < 2 * kKept) return;
        m_steps.erase(m_steps.begin(), m_steps.end() - kKept);
        m_keptFrom += kKept;
    }
    /// Removes the steps from `step` on.
    void truncate(std::int64_t step) {
        if (step >= end()) return;
        m_keptFrom = std::min(m_keptFrom, step);
        m_steps.resize(static_cast<std::size_t>(step - m_keptFrom));
        if (m_firstNonFinite && *m_firstNonFinite >= step) m_firstNonFinite.reset();
        if (step <= m_firstStep) m_firstLoss = kUnknown;
    }

    std::int64_t firstStep() const { return m_firstStep; }
    std::int64_t keptFrom() const { return m_keptFrom; }
    /// The step after the last one.
    std::int64_t end() const { return m_keptFrom + static_cast<std::int64_t>(m_steps.size()); }
    bool isEmpty() const { return end() == m_firstStep; }
    bool has(std::int64_t step) const { return m_keptFrom <= step && step < end(); }
    /// Requires has(step).
    const PastStep& at(std::int64_t step) const { return m_steps[static_cast<std::size_t>(step - m_keptFrom)]; }
    /// The first step's loss, also if that step is no longer kept; NaN: unknown.
    double firstLoss() const { return m_firstLoss; }
    /// The first step with a non-finite loss, also if it is no longer kept.
    std::optional<std::int64_t> firstNonFinite() const { return m_firstNonFinite; }

private:
    static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
    std::int64_t m_firstStep, m_keptFrom;
    double m_firstLoss = kUnknown;
    std::optional<std::int64_t> m_firstNonFinite;
    std::vector<PastStep> m_steps;  // from m_keptFrom on
};

}  // namespace mantissa
