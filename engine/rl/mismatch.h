// SPDX-License-Identifier: Apache-2.0
// How far the policies of sampler and trainer differ on sampled symbols. Pure; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace mantissa {

/// Log-probabilities of every symbol at each sampled position, in double. NaN where the model's output was not finite.
struct LogProbabilities {
    std::int64_t vocabulary = 0;
    std::vector<double> values{};  // [positions, vocabulary]; positions are [sequences, digits]

    std::size_t positions() const { return values.size() / static_cast<std::size_t>(vocabulary); }
    std::span<const double> at(std::size_t position) const {
        const auto width = static_cast<std::size_t>(vocabulary);
        return std::span(values).subspan(position * width, width);
    }
};

/// Writes log softmax(logits) into `out`, with the maximum subtracted; NaN everywhere if a logit is not finite.
void logSoftmax(std::span<const float> logits, std::span<double> out);

/// A bin of log(pi_trainer / pi_sampler): from <= x < to below 0, from < x <= to above it; from = to = 0 counts ratios that are exactly 1.
struct RatioBin {
    double from, to;
};

/// Bins by sign and decade: magnitudes up to 1e-6, 1e-5, ... 1, and beyond, on both sides of the bin of exact ones.
inline constexpr std::size_t kRatioBins = 17;
const std::array<RatioBin, kRatioBins>& ratioBins();

/// With r = pi_trainer / pi_sampler of a sampled symbol. All figures are over positions at which both policies are finite, and NaN if
/// there is none.
struct PolicyMismatch {
    std::int64_t tokens = 0;     // sampled symbols
    std::int64_t nonFinite = 0;  // those whose probability is not finite in either policy
    double kl = 0;               // KL(sampler || trainer): summed over the vocabulary, the mean over positions
    double sampledKl = 0;        // its estimate from the sampled symbols alone, as frameworks log it: the mean of r - 1 - log r (Schulman's
                                 // k3), which is never negative, and unbiased if the sampler drew the symbols
    double meanAbsLogRatio = 0, maxAbsLogRatio = 0;
    std::array<std::int64_t, kRatioBins> histogram{};  // of log r, in `ratioBins`

    double nonFiniteShare() const { return tokens == 0 ? 0 : static_cast<double>(nonFinite) / static_cast<double>(tokens); }
};

/// log(pi_trainer / pi_sampler) of each sampled symbol.
std::vector<double> logRatios(const LogProbabilities& sampler, const LogProbabilities& trainer, std::span<const std::int32_t> symbols);

/// min(pi_trainer / pi_sampler, 2): the truncated importance weight that corrects for symbols drawn by the sampler's policy (Ionides 2008;
/// in RL frameworks: truncated importance sampling). NaN stays NaN.
double importanceWeight(double logRatio);

/// Compares two policies at the positions of `symbols`.
PolicyMismatch mismatchOf(const LogProbabilities& sampler, const LogProbabilities& trainer, std::span<const std::int32_t> symbols);

}  // namespace mantissa
