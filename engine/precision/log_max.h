// SPDX-License-Identifier: Apache-2.0
// OpenSeq2Seq's LogMaxScaler: models x = log2(max |gradient|) as a normal variable and proposes the scale at which x overflows fp16 once in
// a thousand steps. Arithmetic in fp32, as in its source, open_seq2seq/optimizers/automatic_loss_scaler.py.
#pragma once

#include <array>

namespace mantissa {

class LogMax {
public:
    /// Adds one step and returns the proposed scale, not clipped. `absMax`: of the unscaled gradients. A step whose largest gradient is 0
    /// has x = -Inf and makes every later proposal NaN; both are as in the source.
    float propose(bool foundInf, float absMax);

    /// The complete state, for `restore`.
    using State = std::array<float, 5>;
    State state() const { return {m_mean, m_slowMean, m_square, m_bias, m_slowBias}; }
    void restore(const State& state) {
        m_mean = state[0];
        m_slowMean = state[1];
        m_square = state[2];
        m_bias = state[3];
        m_slowBias = state[4];
    }

private:
    float m_mean = 0;                    // running mean of x
    float m_slowMean = 0, m_square = 0;  // slower running means of x and x^2, for the variance
    float m_bias = 1, m_slowBias = 1;    // remaining weight of the initial zeros in the running means
};

}  // namespace mantissa
