// SPDX-License-Identifier: Apache-2.0
#include "engine/precision/log_max.h"

#include <cmath>

namespace mantissa {
namespace {

constexpr double kKeep = 0.99, kSlowKeep = 0.999;
constexpr float kDeviations = 3.09f;  // of a normal variable: exceeded once in a thousand
constexpr float kLogMax = 16;         // about log2 of the largest fp16 number

void decay(float& average, double keep, float x) {
    average = static_cast<float>(keep) * average + static_cast<float>(1 - keep) * x;
}

}  // namespace

float LogMax::propose(bool foundInf, float absMax) {
    // the source uses 2^16 for x, though 16 must be meant: one overflow then keeps the scale at its minimum for hundreds of steps
    const float x = foundInf || !std::isfinite(absMax) ? std::exp2(kLogMax) : std::log(absMax) / std::log(2.0f);
    decay(m_mean, kKeep, x);
    decay(m_slowMean, kSlowKeep, x);
    decay(m_square, kSlowKeep, x * x);
    m_bias *= static_cast<float>(kKeep);
    m_slowBias *= static_cast<float>(kSlowKeep);
    const float mean = m_mean / (1 - m_bias);
    const float slowMean = m_slowMean / (1 - m_slowBias);
    const float variance = m_square / (1 - m_slowBias) - slowMean * slowMean;
    const float deviation = std::sqrt(variance < 0 ? 0 : variance);  // NaN stays NaN
    return std::exp2(kLogMax - (deviation * kDeviations + mean));
}

}  // namespace mantissa
