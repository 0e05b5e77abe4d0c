// SPDX-License-Identifier: Apache-2.0
#include "engine/training/scale_search.h"

#include <algorithm>
#include <cmath>

#include "engine/diagnosis/race.h"

namespace mantissa {

void ScaleSearch::searchUp() {
    for (int power = 16; power >= 0 && !m_isLate(); power -= 4) {
        tryAt(std::ldexp(1, power));
        if (m_tried.back().isFinite()) return;
    }
}

void ScaleSearch::searchDown() {
    isFiniteAt(1) ? search(m_trials.usedScale(), 1) : search(std::min(m_trials.usedScale(), 1.0), 0);
}

const Trial* ScaleSearch::trialAt(double scale) const {
    const std::string& policy = m_tried.front().policy;  // the step as it was used
    const auto found = std::find_if(m_tried.begin(), m_tried.end(), [&](const Trial& trial) {
        return !trial.isReference && trial.policy == policy && trial.overriddenLayer.empty() && trial.scale == scale;
    });
    return found == m_tried.end() ? nullptr : &*found;
}

void ScaleSearch::search(double high, double low) {
    constexpr int kHalvings = 4, kStride = 4, kLowest = 64;
    if (!std::isfinite(static_cast<float>(high))) high = 2 * kHighestLossScale;
    const double from = high;
    for (int below = 1; below <= kLowest && !m_isLate(); below += below < kHalvings ? 1 : kStride) {
        const double scale = std::ldexp(from, -below);
        if (scale <= low || (low > 0 && below > kHalvings)) break;  // scales in between are bisected
        tryAt(scale);
        if (m_tried.back().isFinite()) {
            low = scale;
            break;
        }
        high = scale;
    }
    while (low > 0 && high / low > 2 && !m_isLate()) {
        const double middle = low * std::exp2(std::floor(std::log2(high / low) / 2));
        if (!hasTried(middle)) tryAt(middle);
        (isFiniteAt(middle) ? low : high) = middle;
    }
    if (low > 0 && !m_isLate() && !hasTried(low / 2)) tryAt(low / 2);
}

}  // namespace mantissa
