// SPDX-License-Identifier: Apache-2.0
#include "kernels/conformance/reference.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/dtype/rounding.h"

namespace mantissa::conformance::reference {
namespace {

/// The standard normal distribution function and density.
double Phi(double x) {
    return std::erfc(-x / std::numbers::sqrt2) / 2;
}
double phi(double x) {
    return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
}

std::size_t at(std::int64_t index) {
    return static_cast<std::size_t>(index);
}

/// Row-major [rows, cols] of a matrix that is stored as its transpose.
Values transposed(std::span<const double> stored, std::int64_t rows, std::int64_t cols) {
    Values matrix(stored.size());
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t col = 0; col < cols; ++col) matrix[at(row * cols + col)] = stored[at(col * rows + row)];
    }
    return matrix;
}

/// A row's softmax is exp(x - largest) / sum. The largest is subtracted first, so finite numbers never overflow.
struct SoftmaxRow {
    double largest = 0, sum = 0;
};
SoftmaxRow softmaxOf(std::span<const double> x) {
    SoftmaxRow row{.largest = *std::max_element(x.begin(), x.end())};
    for (const double value : x) row.sum += std::exp(value - row.largest);
    return row;
}

}  // namespace

double activation(Activation kind, double x) {
    switch (kind) {
        case Activation::Relu:
            return x <= 0 ? 0 : x;
        case Activation::Gelu:
            return x * Phi(x);
        case Activation::Tanh:
            return std::tanh(x);
        case Activation::Silu:
            return x / (1 + std::exp(-x));
        case Activation::Sigmoid:
            break;
    }
    return 1 / (1 + std::exp(-x));
}

double activationGrad(Activation kind, double gradOutput, double x, double y) {
    switch (kind) {
        case Activation::Relu:
            return x <= 0 ? 0 : gradOutput;
        case Activation::Gelu:
            return gradOutput * (Phi(x) + x * phi(x));
        case Activation::Tanh:
            return gradOutput * (1 - y * y);
        case Activation::Silu:
            return gradOutput * (1 + x * std::exp(-x) / (1 + std::exp(-x))) / (1 + std::exp(-x));
        case Activation::Sigmoid:
            break;
    }
    return gradOutput * (1 - y) * y;
}

Sums product(const Shape& shape, std::span<const double> a, std::span<const double> b, std::span<const double> bias) {
    const auto [m, n, k, transposeA, transposeB] = shape;
    const Values left = transposeA ? transposed(a, m, k) : Values(a.begin(), a.end());
    const Values right = transposeB ? transposed(b, k, n) : Values(b.begin(), b.end());
    Sums sums{Values(at(m * n)), Values(at(m * n))};
    for (std::int64_t row = 0; row < m; ++row) {
        double* const values = sums.values.data() + row * n;
        double* const magnitudes = sums.magnitudes.data() + row * n;
        for (std::int64_t i = 0; i < k; ++i) {
            const double factor = left[at(row * k + i)];
            const double* const other = right.data() + i * n;
            for (std::int64_t col = 0; col < n; ++col) {
                values[col] += factor * other[col];
                magnitudes[col] += std::fabs(factor * other[col]);
            }
        }
        for (std::size_t col = 0; col < bias.size(); ++col) {
            values[col] += bias[col];
            magnitudes[col] += std::fabs(bias[col]);
        }
    }
    return sums;
}

Sums columnSums(std::int64_t rows, std::int64_t cols, std::span<const double> gradOutput) {
    Sums sums{Values(at(cols)), Values(at(cols))};
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t col = 0; col < cols; ++col) {
            sums.values[at(col)] += gradOutput[at(row * cols + col)];
            sums.magnitudes[at(col)] += std::fabs(gradOutput[at(row * cols + col)]);
        }
    }
    return sums;
}

CrossEntropy crossEntropy(std::int64_t classes, std::span<const double> logits, std::span<const std::int32_t> labels,
                          double labelSmoothing) {
    CrossEntropy result;
    for (std::size_t row = 0; row < labels.size(); ++row) {
        const auto x = logits.subspan(row * at(classes), at(classes));
        const SoftmaxRow softmax = softmaxOf(x);
        const double atLabel = std::log(softmax.sum) - (x[at(labels[row])] - softmax.largest);
        double smoothed = 0;  // the mean over all classes
        for (const double value : x) smoothed += (std::log(softmax.sum) - (value - softmax.largest)) / static_cast<double>(classes);
        result.loss += labelSmoothing == 0 ? atLabel : (1 - labelSmoothing) * atLabel + labelSmoothing * smoothed;
        const bool hasNan = std::any_of(x.begin(), x.end(), [](double value) { return std::isnan(value); });
        const auto first = std::max_element(x.begin(), x.end()) - x.begin();  // the first of equals
        result.correct += !hasNan && first == labels[row] ? 1 : 0;
    }
    result.loss /= static_cast<double>(labels.size());
    return result;
}

Values crossEntropyGrad(std::int64_t classes, std::span<const double> logits, std::span<const std::int32_t> labels, double lossGrad,
                        double labelSmoothing) {
    Values gradients;
    const double factor = lossGrad / static_cast<double>(labels.size());
    for (std::size_t row = 0; row < labels.size(); ++row) {
        const auto x = logits.subspan(row * at(classes), at(classes));
        const SoftmaxRow softmax = softmaxOf(x);
        for (std::int64_t i = 0; i < classes; ++i) {
            const double probability = std::exp(x[at(i)] - softmax.largest) / softmax.sum;
            const double target = (i == labels[row] ? 1 - labelSmoothing : 0) + labelSmoothing / static_cast<double>(classes);
            gradients.push_back((probability - target) * factor);
        }
    }
    return gradients;
}

Values logProbabilities(std::int64_t classes, std::span<const double> logits) {
    Values result;
    for (std::size_t first = 0; first < logits.size(); first += at(classes)) {
        const auto x = logits.subspan(first, at(classes));
        const SoftmaxRow softmax = softmaxOf(x);
        for (const double value : x) result.push_back(value - softmax.largest - std::log(softmax.sum));
    }
    return result;
}

double lossOfLogProbabilities(std::int64_t classes, std::span<const double> rounded, std::span<const std::int32_t> labels,
                              double labelSmoothing) {
    double ofLabels = 0, ofAll = 0;
    for (std::size_t row = 0; row < labels.size(); ++row) {
        ofLabels -= rounded[row * at(classes) + at(labels[row])];
        for (std::size_t i = 0; labelSmoothing != 0 && i < at(classes); ++i) ofAll -= rounded[row * at(classes) + i];
    }
    const auto rows = static_cast<double>(labels.size());
    return (1 - labelSmoothing) * ofLabels / rows + labelSmoothing / static_cast<double>(classes) * ofAll / rows;
}

Values narrowCrossEntropyGrad(Dtype format, std::int64_t classes, std::span<const double> rounded, std::span<const std::int32_t> labels,
                              double lossGrad, double labelSmoothing) {
    const auto narrow = [format](double value) { return static_cast<double>(roundTo(format, static_cast<float>(value))); };
    const auto rows = static_cast<double>(labels.size()), classCount = static_cast<double>(classes);
    Values gradients;
    for (std::size_t row = 0; row < labels.size(); ++row) {
        Values g(at(classes), narrow(-labelSmoothing / classCount * lossGrad / rows));
        double& atLabel = g[at(labels[row])];
        atLabel = narrow(narrow(-(1 - labelSmoothing) * lossGrad / rows) + atLabel);
        double sum = 0;
        for (const double value : g) sum += value;
        for (std::size_t i = 0; i < g.size(); ++i) gradients.push_back(g[i] - std::exp(rounded[row * g.size() + i]) * sum);
    }
    return gradients;
}

double meanSquaredError(std::span<const double> prediction, std::span<const double> target) {
    double sum = 0;
    for (std::size_t i = 0; i < target.size(); ++i) sum += (prediction[i] - target[i]) * (prediction[i] - target[i]);
    return sum / static_cast<double>(target.size());
}

Values meanSquaredErrorGrad(std::span<const double> prediction, std::span<const double> target, double lossGrad) {
    Values gradients;
    for (std::size_t i = 0; i < target.size(); ++i) {
        gradients.push_back(2 * (prediction[i] - target[i]) * lossGrad / static_cast<double>(target.size()));
    }
    return gradients;
}

}  // namespace mantissa::conformance::reference
