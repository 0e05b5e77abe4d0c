// SPDX-License-Identifier: Apache-2.0
// The reference implementation of the operations, in double, with which backends' results are compared. Written from the formulas, without
// code of any backend. Central differences verify the gradients (gradient_check.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/backend.h"

namespace mantissa::conformance::reference {

using Values = std::vector<double>;

double activation(Activation kind, double x);
/// gradOutput * f'(x). relu, gelu and silu use x; tanh and sigmoid use y as it was stored. relu passes NaN where x > 0 or NaN.
double activationGrad(Activation kind, double gradOutput, double x, double y);

/// Sums and the sums of their terms' magnitudes, which error limits need.
struct Sums {
    Values values, magnitudes;
};

/// The shape of a product. Matrices are stored row-major; op(A) is the transpose if requested.
struct Shape {
    std::int64_t m = 0, n = 0, k = 0;
    bool transposeA = false, transposeB = false;
};
/// op(A) [m,k] times op(B) [k,n], plus bias [n] when it is not empty.
Sums product(const Shape& shape, std::span<const double> a, std::span<const double> b, std::span<const double> bias);

/// Sums of gradOutput [rows, cols] over its rows.
Sums columnSums(std::int64_t rows, std::int64_t cols, std::span<const double> gradOutput);

struct CrossEntropy {
    double loss = 0;
    std::int32_t correct = 0;
};
CrossEntropy crossEntropy(std::int64_t classes, std::span<const double> logits, std::span<const std::int32_t> labels,
                          double labelSmoothing = 0);
Values crossEntropyGrad(std::int64_t classes, std::span<const double> logits, std::span<const std::int32_t> labels, double lossGrad,
                        double labelSmoothing = 0);

/// The log-probabilities of each row; then the loss of rounded ones, and its gradient with respect to the logits.
Values logProbabilities(std::int64_t classes, std::span<const double> logits);
double lossOfLogProbabilities(std::int64_t classes, std::span<const double> rounded, std::span<const std::int32_t> labels,
                              double labelSmoothing);
Values narrowCrossEntropyGrad(Dtype format, std::int64_t classes, std::span<const double> rounded, std::span<const std::int32_t> labels,
                              double lossGrad, double labelSmoothing);

double meanSquaredError(std::span<const double> prediction, std::span<const double> target);
Values meanSquaredErrorGrad(std::span<const double> prediction, std::span<const double> target, double lossGrad);

}  // namespace mantissa::conformance::reference
