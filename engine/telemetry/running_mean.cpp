// SPDX-License-Identifier: Apache-2.0
#include "engine/telemetry/running_mean.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace mantissa {

void RunningMean::add(double value) {
    if (!std::isfinite(value)) {
        ++m_missing;
        return;
    }
    if (std::exchange(m_missing, 0) >= kInARow) beginAgain();
    takeIn(value);
    if (!hasJumped()) return;
    std::array<double, kInARow> last{};
    for (std::size_t back = 0; back < kInARow; ++back) last[kInARow - 1 - back] = latest(back);
    beginAgain();
    for (const double each : last) takeIn(each);
}

void RunningMean::takeIn(double value) {
    m_weight = m_factor * m_weight + (1 - m_factor);         // 1 - factor^n
    m_mean += (1 - m_factor) / m_weight * (value - m_mean);  // sum / weight; in this form a constant stays exact
    m_latest[m_count++ % kLatest] = value;
}

bool RunningMean::hasJumped() const {
    if (m_count < kLatest) return false;
    double least = latest(0), greatest = least;
    for (std::size_t back = 1; back < kInARow; ++back) {
        least = std::min(least, latest(back));
        greatest = std::max(greatest, latest(back));
    }
    if (least <= latest(kInARow) && greatest >= latest(kInARow)) return false;  // mostly: not all on one side
    double low = latest(kInARow), high = low;
    for (std::size_t back = kInARow + 1; back < kLatest; ++back) {
        low = std::min(low, latest(back));
        high = std::max(high, latest(back));
    }
    return least > high + (high - low) || greatest < low - (high - low);
}

void RunningMean::beginAgain() {
    m_mean = m_weight = 0;
    m_count = 0;
}

double RunningMean::value() const {
    return m_weight > 0 ? m_mean : std::numeric_limits<double>::quiet_NaN();
}

std::size_t RunningMean::reach() const {
    constexpr double kNegligible = 1e-12;
    return static_cast<std::size_t>(m_factor > 0 ? std::log(kNegligible) / std::log(m_factor) : 0) + 1 + kLatest;
}

}  // namespace mantissa
