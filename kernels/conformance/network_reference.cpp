// SPDX-License-Identifier: Apache-2.0
#include "kernels/conformance/network_reference.h"

#include <cmath>
#include <limits>

#include "kernels/dtype/rounding.h"

namespace mantissa::conformance::reference {

Values softmax(std::span<const double> x) {
    double largest = x[0], sum = 0;
    for (const double v : x) largest = v > largest || std::isnan(largest) ? v : largest;
    Values y;
    for (const double v : x) sum += y.emplace_back(std::exp(v - largest));
    for (double& v : y) v /= sum;
    return y;
}

Values naiveSoftmax(std::span<const double> x, double overflowFrom) {
    double sum = 0;
    Values y;
    for (const double v : x) sum += y.emplace_back(std::exp(v) >= overflowFrom ? std::numeric_limits<double>::infinity() : std::exp(v));
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

namespace {

/// Rounds an elementary result of a norm.
struct Rounder {
    std::optional<Dtype> format;
    double operator()(double value) const { return format ? static_cast<double>(roundTo(*format, static_cast<float>(value))) : value; }
};

}  // namespace

NormRow layerNorm(const Norm& norm, std::span<const double> x, std::span<const double> weight, std::span<const double> bias) {
    const Rounder rounded{norm.everyResult};
    const auto n = static_cast<double>(x.size());
    NormRow row;
    double sum = 0, squares = 0;
    for (const double v : x) sum += v;
    row.mean = norm.centres ? rounded(sum / n) : 0;
    for (const double v : x) {
        const double difference = rounded(v - row.mean);
        squares += rounded(difference * difference);
    }
    const double root = std::sqrt(rounded(rounded(squares / n) + norm.epsilon));
    row.inverseDeviation = rounded(1 / (norm.everyResult ? static_cast<double>(static_cast<float>(root)) : root));
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double scaled = rounded(rounded(rounded(x[i] - row.mean) * row.inverseDeviation) * weight[i]);
        row.y.push_back(bias.empty() ? scaled : rounded(scaled + bias[i]));
    }
    return row;
}

NormGradient layerNormGrad(const Norm& norm, std::span<const double> gradOutput, std::span<const double> x, std::span<const double> weight,
                           double mean, double inverseDeviation) {
    const Rounder rounded{norm.everyResult};
    const auto n = static_cast<double>(x.size());
    Values h, normed;
    double sumH = 0, sumHn = 0;
    NormGradient gradient;
    for (std::size_t i = 0; i < x.size(); ++i) {
        normed.push_back(rounded(rounded(x[i] - mean) * inverseDeviation));
        h.push_back(rounded(gradOutput[i] * weight[i]));
        sumH += h[i];
        sumHn += rounded(h[i] * normed[i]);
        gradient.weight.push_back(rounded(gradOutput[i] * normed[i]));
    }
    const double meanH = norm.centres ? rounded(sumH / n) : 0, meanHn = rounded(sumHn / n);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double centred = rounded(h[i] - meanH);
        gradient.input.push_back(rounded(rounded(centred - rounded(normed[i] * meanHn)) * inverseDeviation));
    }
    return gradient;
}

Values rotate(std::span<const double> head, std::int64_t position, double base, double direction) {
    const std::size_t half = head.size() / 2;
    Values rotated(head.size());
    for (std::size_t i = 0; i < half; ++i) {
        const double frequency = std::pow(base, -2 * static_cast<double>(i) / static_cast<double>(head.size()));
        const double angle = direction * static_cast<double>(position) * frequency;
        rotated[i] = head[i] * std::cos(angle) - head[i + half] * std::sin(angle);
        rotated[i + half] = head[i + half] * std::cos(angle) + head[i] * std::sin(angle);
    }
    return rotated;
}

namespace {

/// A query row of a head, and the keys that it attends to.
struct AttentionRow {
    std::size_t query, keys;  // indices of the first elements
    std::int64_t seen;
};
template <typename Use>
void forAttentionRows(const AttentionShape& s, Use&& use) {
    for (std::int64_t i = 0; i < s.outer * s.heads * s.length; ++i) {
        const std::int64_t head = i / s.length, row = i % s.length;
        const std::int64_t keyHead = head / s.heads * s.keyHeads + head % s.heads / (s.heads / s.keyHeads);
        use(static_cast<std::size_t>(i),
            AttentionRow{static_cast<std::size_t>(i * s.headDim), static_cast<std::size_t>(keyHead * s.length * s.headDim),
                         s.causal ? row + 1 : s.length});
    }
}

Sums dot(std::span<const double> a, std::span<const double> b) {
    Sums sums{{0}, {0}};
    for (std::size_t i = 0; i < a.size(); ++i) {
        sums.values[0] += a[i] * b[i];
        sums.magnitudes[0] += std::fabs(a[i] * b[i]);
    }
    return sums;
}

/// to += factor * from
void addTimes(double factor, std::span<const double> from, std::span<double> to) {
    for (std::size_t i = 0; i < from.size(); ++i) to[i] += factor * from[i];
}
void addMagnitudes(double factor, std::span<const double> from, std::span<double> to) {
    for (std::size_t i = 0; i < from.size(); ++i) to[i] += std::fabs(factor * from[i]);
}

}  // namespace

Attention attention(const AttentionShape& s, std::span<const double> q, std::span<const double> k, std::span<const double> v) {
    const auto width = static_cast<std::size_t>(s.headDim);
    Attention result{Values(q.size()), Values(q.size()), {}, {}};
    forAttentionRows(s, [&](std::size_t, const AttentionRow& row) {
        Values scores;
        double magnitude = 0, lowest = 0, largest = 0, sum = 0;
        for (std::int64_t j = 0; j < row.seen; ++j) {
            const Sums product = dot(q.subspan(row.query, width), k.subspan(row.keys + static_cast<std::size_t>(j) * width, width));
            scores.push_back(s.scale * product.values[0]);
            magnitude = std::max(magnitude, s.scale * product.magnitudes[0]);
            lowest = j == 0 ? scores[0] : std::min(lowest, scores.back());
            largest = j == 0 ? scores[0] : std::max(largest, scores.back());
        }
        const Values probabilities = softmax(scores);
        for (const double score : scores) sum += std::exp(score - largest);
        result.logSumExp.push_back(largest + std::log(sum));
        result.scoreMagnitudes.push_back(magnitude + largest - lowest);
        for (std::size_t j = 0; j < scores.size(); ++j) {
            addTimes(probabilities[j], v.subspan(row.keys + j * width, width), std::span(result.out).subspan(row.query, width));
            addMagnitudes(probabilities[j], v.subspan(row.keys + j * width, width),
                          std::span(result.outMagnitudes).subspan(row.query, width));
        }
    });
    return result;
}

AttentionGradient attentionGrad(const AttentionShape& s, std::span<const double> gradOut, std::span<const double> q,
                                std::span<const double> k, std::span<const double> v, std::span<const double> out,
                                std::span<const double> logSumExp) {
    const auto width = static_cast<std::size_t>(s.headDim);
    AttentionGradient result{Values(q.size()), Values(k.size()), Values(v.size()), Values(q.size()), Values(k.size()), Values(v.size())};
    const auto at = [width](Values& values, std::size_t first) { return std::span(values).subspan(first, width); };
    forAttentionRows(s, [&](std::size_t index, const AttentionRow& row) {
        const auto gradient = gradOut.subspan(row.query, width), query = q.subspan(row.query, width);
        const Sums outDot = dot(gradient, out.subspan(row.query, width));
        for (std::int64_t j = 0; j < row.seen; ++j) {
            const std::size_t other = row.keys + static_cast<std::size_t>(j) * width;
            const double probability = std::exp(s.scale * dot(query, k.subspan(other, width)).values[0] - logSumExp[index]);
            const Sums gradProbability = dot(gradient, v.subspan(other, width));
            const double gradScore = probability * (gradProbability.values[0] - outDot.values[0]) * s.scale;
            const double size = probability * (gradProbability.magnitudes[0] + outDot.magnitudes[0]) * s.scale;
            addTimes(gradScore, k.subspan(other, width), at(result.q, row.query));
            addMagnitudes(size, k.subspan(other, width), at(result.qMagnitudes, row.query));
            addTimes(gradScore, query, at(result.k, other));
            addMagnitudes(size, query, at(result.kMagnitudes, other));
            addTimes(probability, gradient, at(result.v, other));
            addMagnitudes(probability, gradient, at(result.vMagnitudes, other));
        }
    });
    return result;
}

double swiGlu(double gate, double up) {
    return activation(Activation::Silu, gate) * up;
}

SwiGluGradient swiGluGrad(double gradOutput, double gate, double up) {
    return {activationGrad(Activation::Silu, gradOutput * up, gate, 0), gradOutput * activation(Activation::Silu, gate)};
}

}  // namespace mantissa::conformance::reference
