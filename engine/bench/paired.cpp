// SPDX-License-Identifier: Apache-2.0
#include "engine/bench/paired.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

namespace mantissa {

std::vector<double> timeUnits(int count, const std::function<void()>& unit) {
    using Clock = std::chrono::steady_clock;
    std::vector<double> seconds(static_cast<std::size_t>(count));
    for (double& s : seconds) {
        const auto start = Clock::now();
        unit();
        s = std::chrono::duration<double>(Clock::now() - start).count();
    }
    return seconds;
}

double percentile(std::vector<double> values, double share) {
    if (values.empty()) return std::nan("");
    const auto rank = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5);
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(rank), values.end());
    return values[rank];
}

double median(std::vector<double> values) {
    return percentile(std::move(values), 0.5);
}

PairedTimes runPaired(const TimedBlock& ours, const TimedBlock& rival, int pairs) {
    ours();
    rival();
    std::vector<double> allOurs, allRival, ratios;
    std::mt19937 coin(7);
    for (int i = 0; i < pairs; ++i) {
        std::vector<double> a, b;
        if (coin() % 2 == 0) {
            a = ours();
            b = rival();
        } else {
            b = rival();
            a = ours();
        }
        ratios.push_back(median(a) / median(b));
        allOurs.insert(allOurs.end(), a.begin(), a.end());
        allRival.insert(allRival.end(), b.begin(), b.end());
    }
    return {median(allOurs), percentile(allOurs, 0.99), median(allRival), percentile(allRival, 0.99), median(ratios)};
}

}  // namespace mantissa
