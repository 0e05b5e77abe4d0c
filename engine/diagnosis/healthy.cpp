// SPDX-License-Identifier: Apache-2.0
// Criteria for healthy steps, and for a loss that is better than guessing.
#include <algorithm>
#include <cmath>

#include "engine/diagnosis/verdict.h"

namespace mantissa {

double lossOfGuessing(std::int64_t classes) {
    return classes > 1 ? std::log(static_cast<double>(classes)) : NAN;
}

bool beatsGuessing(std::int64_t classes, double loss, double accuracy) {
    const double chance = 1 / static_cast<double>(classes);
    return loss <= kBelowGuessing * lossOfGuessing(classes) || accuracy >= chance + kAboveChance * (1 - chance);
}

namespace {

/// Number of steps that a dynamic scaler may skip in the last quarter of these steps.
std::int64_t skipsOfGrowth(const StepsTried& tried) {
    constexpr std::int64_t kOfEachGrowth = 3;
    if (tried.growthInterval <= 0 || tried.growthInterval > tried.steps) return 1;
    const std::int64_t last = tried.steps / 4;
    return std::min(std::max<std::int64_t>(2, 1 + kOfEachGrowth * last / tried.growthInterval), last / 4);
}

}  // namespace

bool isHealthy(const StepsTried& tried, std::int64_t skipsAllowed, double before) {
    if (tried.steps == 0 || !std::isfinite(tried.loss)) return false;
    const std::int64_t atTheEnd = std::max<std::int64_t>(1, skipsAllowed >= tried.steps ? skipsOfGrowth(tried) : skipsAllowed / 2);
    if (tried.skips != tried.nonFinite || tried.nonFinite > skipsAllowed || tried.nonFiniteAtTheEnd > atTheEnd) return false;
    return std::isnan(before) || tried.loss <= 1.1 * before;
}

}  // namespace mantissa
