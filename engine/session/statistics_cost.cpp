// SPDX-License-Identifier: Apache-2.0
#include "engine/session/statistics_cost.h"

#include <algorithm>

namespace mantissa {

std::optional<double> StatisticsCost::Recent::median() const {
    constexpr std::size_t kFewest = 3;
    const std::size_t count = std::min(m_count, m_ms.size());
    if (count < kFewest) return std::nullopt;
    std::array<double, 63> sorted = m_ms;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(count / 2);
    std::nth_element(sorted.begin(), middle, sorted.begin() + static_cast<std::ptrdiff_t>(count));
    return *middle;
}

std::optional<double> StatisticsCost::ratio(Instrumentation level) const {
    if (level == Instrumentation::Off) return 1;
    const auto measured = (level == Instrumentation::Blocks ? m_blocks : m_whole).median(), plain = m_plain.median();
    if (!measured || !plain || *plain <= 0) return std::nullopt;
    const double each = *measured / *plain;
    return level == Instrumentation::Sampled ? 1 + (each - 1) / static_cast<double>(kSampledPeriod) : each;
}

}  // namespace mantissa
