// SPDX-License-Identifier: Apache-2.0
// The lower bound of a training step's time, for benchmarks: the same fp32 arithmetic with bare oneDNN products and plain loops, without
// plan, policy, checks and record. Not used by training. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace mantissa {

class BareMlp {
public:
    /// widths: features, hidden..., classes. relu between layers; AdamW with PyTorch's defaults.
    BareMlp(const std::vector<std::int64_t>& widths, std::int64_t batch);
    ~BareMlp();

    /// One training step on inputs [batch, widths.front()] and labels [batch]; returns the mean cross-entropy.
    float step(const float* inputs, const std::int32_t* labels);

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace mantissa
