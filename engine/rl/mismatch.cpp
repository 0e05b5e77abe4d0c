// SPDX-License-Identifier: Apache-2.0
#include "engine/rl/mismatch.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mantissa {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::array kDecades{1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0};
constexpr std::size_t kExactBin = kRatioBins / 2;

std::array<RatioBin, kRatioBins> makeRatioBins() {
    std::array<RatioBin, kRatioBins> bins{};
    for (std::size_t i = 0; i <= kDecades.size(); ++i) {
        const double near = i == 0 ? 0 : kDecades[i - 1], far = i == kDecades.size() ? kInfinity : kDecades[i];
        bins[kExactBin + 1 + i] = {near, far};
        bins[kExactBin - 1 - i] = {0 - far, 0 - near};  // no -0
    }
    return bins;
}

std::size_t ratioBinOf(double logRatio) {
    if (logRatio == 0) return kExactBin;
    const double magnitude = std::abs(logRatio);
    const auto steps = static_cast<std::size_t>(std::lower_bound(kDecades.begin(), kDecades.end(), magnitude) - kDecades.begin()) + 1;
    return logRatio > 0 ? kExactBin + steps : kExactBin - steps;
}

/// sum over symbols of p log(p / q), from logarithms.
double divergence(std::span<const double> logP, std::span<const double> logQ) {
    double sum = 0;
    for (std::size_t i = 0; i < logP.size(); ++i) sum += std::exp(logP[i]) * (logP[i] - logQ[i]);
    return sum;
}

}  // namespace

void logSoftmax(std::span<const float> logits, std::span<double> out) {
    if (!std::all_of(logits.begin(), logits.end(), [](float logit) { return std::isfinite(logit); })) {
        std::fill(out.begin(), out.end(), std::numeric_limits<double>::quiet_NaN());
        return;
    }
    const auto largest = static_cast<double>(*std::max_element(logits.begin(), logits.end()));
    double sum = 0;
    for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - largest);
    for (std::size_t i = 0; i < logits.size(); ++i) out[i] = static_cast<double>(logits[i]) - largest - std::log(sum);
}

const std::array<RatioBin, kRatioBins>& ratioBins() {
    static const std::array<RatioBin, kRatioBins> kBins = makeRatioBins();
    return kBins;
}

std::vector<double> logRatios(const LogProbabilities& sampler, const LogProbabilities& trainer, std::span<const std::int32_t> symbols) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < symbols.size(); ++i) {
        const auto symbol = static_cast<std::size_t>(symbols[i]);
        ratios.push_back(trainer.at(i)[symbol] - sampler.at(i)[symbol]);
    }
    return ratios;
}

double importanceWeight(double logRatio) {
    constexpr double kLargest = 2;
    const double ratio = std::exp(logRatio);
    return ratio > kLargest ? kLargest : ratio;
}

PolicyMismatch mismatchOf(const LogProbabilities& sampler, const LogProbabilities& trainer, std::span<const std::int32_t> symbols) {
    PolicyMismatch found{.tokens = static_cast<std::int64_t>(symbols.size())};
    const std::vector<double> ratios = logRatios(sampler, trainer, symbols);
    for (std::size_t i = 0; i < ratios.size(); ++i) {
        const double logRatio = ratios[i];
        if (!std::isfinite(logRatio)) {
            ++found.nonFinite;
            continue;
        }
        found.kl += divergence(sampler.at(i), trainer.at(i));
        found.sampledKl += std::expm1(logRatio) - logRatio;
        found.meanAbsLogRatio += std::abs(logRatio);
        found.maxAbsLogRatio = std::max(found.maxAbsLogRatio, std::abs(logRatio));
        ++found.histogram[ratioBinOf(logRatio)];
    }
    const auto finite = static_cast<double>(found.tokens - found.nonFinite);
    for (double* sum : {&found.kl, &found.sampledKl, &found.meanAbsLogRatio}) *sum /= finite;
    if (finite == 0) found.maxAbsLogRatio = std::numeric_limits<double>::quiet_NaN();
    return found;
}

}  // namespace mantissa
