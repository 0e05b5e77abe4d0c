// SPDX-License-Identifier: Apache-2.0
// The average behind smoothed lines. Pure; one thread at a time.
#pragma once

#include <array>
#include <cstddef>

namespace mantissa {

/// Debiased exponential average: s = factor * s + (1 - factor) * v, divided by 1 - factor^n. A constant stays that constant. It averages
/// what is drawn: on a logarithmic axis the logarithms, so that one outlier does not lift the line by decades.
///
/// Values that are not finite are left out. The average begins again after five of them in a row, and with the last five values where
/// all of these lie further outside the range of the 20 before them, on one side, than that range is wide.
class RunningMean {
public:
    /// `factor`: from 0, which is no smoothing, to below 1.
    explicit RunningMean(double factor) : m_factor(factor) {}
    void add(double value);
    /// NaN before the first.
    double value() const;
    /// How many of the latest values count: those before them weigh less than 1e-12 in all.
    std::size_t reach() const;

private:
    static constexpr std::size_t kInARow = 5, kBefore = 20, kLatest = kBefore + kInARow;

    double m_factor;
    double m_mean = 0, m_weight = 0;
    std::array<double, kLatest> m_latest{};  // a ring
    std::size_t m_count = 0;                 // of values since it began
    std::size_t m_missing = 0;               // values in a row that were left out

    double latest(std::size_t back) const { return m_latest[(m_count - 1 - back) % kLatest]; }
    void takeIn(double value);
    bool hasJumped() const;
    void beginAgain();
};

}  // namespace mantissa
