// SPDX-License-Identifier: Apache-2.0
// The cost of tensor statistics, from a run's own steps with and without them. One thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "engine/diagnosis/tensor_stats.h"

namespace mantissa {

class StatisticsCost {
public:
    /// Adds a step; `level` is the run's at this step.
    void add(Instrumentation level, bool isMeasured, double stepMs) {
        (!isMeasured ? m_plain : level == Instrumentation::Blocks ? m_blocks : m_whole).add(stepMs);
    }

    /// The mean time of a step at this level over one without statistics; nothing until both kinds of steps are known.
    std::optional<double> ratio(Instrumentation level) const;

private:
    /// The latest step times. Their median is used, because one stall would change the mean.
    class Recent {
    public:
        void add(double ms) { m_ms[m_count++ % m_ms.size()] = ms; }
        std::optional<double> median() const;

    private:
        std::array<double, 63> m_ms{};
        std::size_t m_count = 0;
    };
    Recent m_plain, m_whole, m_blocks;
};

}  // namespace mantissa
