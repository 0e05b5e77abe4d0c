// SPDX-License-Identifier: Apache-2.0
// What looking at tensors costs a run, from its own steps: those with looks against those without. One thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "engine/diagnosis/tensor_stats.h"

namespace mantissa {

class LookCost {
public:
    /// `level`: the run's, at that step.
    void add(Instrumentation level, bool looked, double stepMs) {
        (!looked ? m_plain : level == Instrumentation::Blocks ? m_blocks : m_whole).add(stepMs);
    }

    /// Of a step at this level over one without looks, on average; nothing before both kinds were seen.
    std::optional<double> ratio(Instrumentation level) const;

private:
    /// The last so many; their median, as one stall would move a mean.
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
