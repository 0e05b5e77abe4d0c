// SPDX-License-Identifier: Apache-2.0
#include "kernels/conformance/network_reference.h"

#include <cmath>

namespace mantissa::conformance::reference {

Values softmax(std::span<const double> x) {
    double largest = x[0], sum = 0;
    for (const double v : x) largest = v > largest || std::isnan(largest) ? v : largest;
    Values y;
    for (const double v : x) sum += y.emplace_back(std::exp(v - largest));
    for (double& v : y) v /= sum;
    return y;
}

Values softmaxGrad(std::span<const double> gradOutput, std::span<const double> y) {
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) sum += gradOutput[i] * y[i];
    Values gradInput;
    for (std::size_t i = 0; i < y.size(); ++i) gradInput.push_back(y[i] * (gradOutput[i] - sum));
    return gradInput;
}

NormRow layerNorm(const Norm& norm, std::span<const double> x, std::span<const double> weight, std::span<const double> bias) {
    const auto n = static_cast<double>(x.size());
    NormRow row;
    double squares = 0;
    if (norm.centres) {
        for (const double v : x) row.mean += v / n;
    }
    for (const double v : x) squares += (v - row.mean) * (v - row.mean);
    row.inverseDeviation = 1 / std::sqrt(squares / n + norm.epsilon);
    for (std::size_t i = 0; i < x.size(); ++i) {
        row.y.push_back((x[i] - row.mean) * row.inverseDeviation * weight[i] + (bias.empty() ? 0 : bias[i]));
    }
    return row;
}

NormGradient layerNormGrad(const Norm& norm, std::span<const double> gradOutput, std::span<const double> x, std::span<const double> weight,
                           double mean, double inverseDeviation) {
    const auto n = static_cast<double>(x.size());
    Values h, normed;
    double meanH = 0, meanHn = 0;
    NormGradient gradient;
    for (std::size_t i = 0; i < x.size(); ++i) {
        normed.push_back((x[i] - mean) * inverseDeviation);
        h.push_back(gradOutput[i] * weight[i]);
        meanH += norm.centres ? h[i] / n : 0;
        meanHn += h[i] * normed[i] / n;
        gradient.weight.push_back(gradOutput[i] * normed[i]);
    }
    for (std::size_t i = 0; i < x.size(); ++i) gradient.input.push_back(inverseDeviation * (h[i] - meanH - normed[i] * meanHn));
    return gradient;
}

Values rotate(std::span<const double> head, std::int64_t position, double base, double direction) {
    const std::size_t half = head.size() / 2;
    Values turned(head.size());
    for (std::size_t i = 0; i < half; ++i) {
        const double frequency = std::pow(base, -2 * static_cast<double>(i) / static_cast<double>(head.size()));
        const double angle = direction * static_cast<double>(position) * frequency;
        turned[i] = head[i] * std::cos(angle) - head[i + half] * std::sin(angle);
        turned[i + half] = head[i + half] * std::cos(angle) + head[i] * std::sin(angle);
    }
    return turned;
}

double swiGlu(double gate, double up) {
    return activation(Activation::Silu, gate) * up;
}

SwiGluGradient swiGluGrad(double gradOutput, double gate, double up) {
    return {activationGrad(Activation::Silu, gradOutput * up, gate, 0), gradOutput * activation(Activation::Silu, gate)};
}

}  // namespace mantissa::conformance::reference
