// SPDX-License-Identifier: Apache-2.0
// The mean for smoothed lines. Pure; one thread at a time.
#pragma once

#include <array>
#include <cstddef>

namespace mantissa {

/// Debiased exponential mean: s = factor * s + (1 - factor) * v, divided by 1 - factor^n. A constant series stays constant. Its input is
/// the drawn value: on a logarithmic axis the logarithm, so that one outlier does not raise the line by decades.
///
/// Non-finite values are ignored. The mean restarts after five consecutive ones. It also restarts with the last five values if all of them
/// are outside the range of the 20 values before, on one side, by more than that range's width.
class RunningMean {
public:
    /// `factor`: from 0 (no smoothing) to below 1.
    explicit RunningMean(double factor) : m_factor(factor) {}
    void add(double value);
    /// The mean; NaN before the first value.
    double value() const;
    /// The number of latest values that matter: all earlier ones together weigh less than 1e-12.
    std::size_t reach() const;

private:
    static constexpr std::size_t kInARow = 5, kBefore = 20, kLatest = kBefore + kInARow;

    double m_factor;
    double m_mean = 0, m_weight = 0;
    std::array<double, kLatest> m_latest{};  // a ring
    std::size_t m_count = 0;                 // number of values since the start
    std::size_t m_missing = 0;               // consecutive ignored values

    double latest(std::size_t back) const { return m_latest[(m_count - 1 - back) % kLatest]; }
    void takeIn(double value);
    bool hasJumped() const;
    void beginAgain();
};

}  // namespace mantissa
