// SPDX-License-Identifier: Apache-2.0
// Limits of what network_operations.h describes, beside those of tolerance.h and in its notation.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/backend.h"

namespace mantissa::conformance {

/// k products each of `products` heads, scaled, of which the magnitudes add up to `sumOfMagnitudes` after scaling.
double batchedProductLimit(const BatchedMatmulDesc& desc, double sumOfMagnitudes, double y);

/// y = exp(x - largest) / sum; `distance` = largest - x.
double softmaxLimit(Dtype out, std::int64_t cols, double distance, double y);

/// y = exp(x) / sum, each rounded to `format`; exponentials are normal there, or overflow.
double naiveSoftmaxLimit(Dtype format, std::int64_t cols, double y);

/// y (g - sum g y); `sumOfMagnitudes` = sum |g y|.
double softmaxGradLimit(Dtype out, std::int64_t cols, double gradOutput, double y, double sumOfMagnitudes, double gradInput);

/// What a row's statistics err by in fp32, and from them its elements.
struct NormErrors {
    double mean = 0;     // absolute
    double inverse = 0;  // relative
    double result(Dtype out, double difference, double inverseDeviation, double weight, double bias, double y) const;
};
NormErrors normErrors(std::span<const double> x, double mean, double epsilon);

/// gradInput = inverse (h - mean h - n mean hn); `magnitude`: the same with all terms' magnitudes added up.
double normGradLimit(Dtype out, std::int64_t cols, double magnitude, double gradInput);

/// What a column's statistics err by: sums in double, stored in fp32.
struct BatchNormErrors {
    NormErrors norm;                // of what is stored
    double mean = 0, variance = 0;  // in double: absolute, relative
};
BatchNormErrors batchNormErrors(std::span<const double> x, double mean, double epsilon);

/// (1 - momentum) * before + momentum * batch, `batch` with its error.
double runningLimit(double before, double batch, double batchError, double y);

/// A sum in double of terms that are `roundings` fp32 operations each, stored as fp32 and then rounded to `out`.
double doubleSumLimit(Dtype out, std::int64_t terms, double roundings, double sumOfMagnitudes, double y);

/// weight inverse (g - mean g - n mean gn); `magnitude`: the same with all terms' magnitudes added up.
double batchNormGradLimit(Dtype out, double magnitude, double gradInput);

/// Two products with a rounded sine and cosine, added.
double rotaryLimit(Dtype out, double left, double right, double y);

/// Attention. `scores`: of a row, its largest sum of |q k| * scale and its range. `magnitude`: of what the result is a sum of; `narrow`: 0,
/// or narrowFactorError where probabilities, or the gradients of scores, may have been rounded to the format.
double attentionLimit(const FusedAttentionDesc& desc, double scores, double magnitude, double narrow, double y);
double logSumExpLimit(const FusedAttentionDesc& desc, double scores, double y);
/// Of gradients, from saved logarithms: `scores` the largest of all rows, with the logarithms.
double attentionGradLimit(const FusedAttentionDesc& desc, double scores, double magnitude, double narrow, double gradient);
/// What rounding one factor of each product to 16 bits adds; in other formats 0. `others`: of what the factors are multiplied with, added
/// up.
double narrowFactorError(const FusedAttentionDesc& desc, double magnitude, double others);
/// What it adds when the gradients of heads that share their keys are rounded to 16 bits before they are summed; in other formats 0.
double sharedHeadsError(const FusedAttentionDesc& desc, double magnitude);

double swiGluLimit(Dtype out, double gate, double y);
/// gradOutput * up * silu'(gate)
double swiGluGateLimit(Dtype out, double gradOutputUp, double gate, double gradGate);

}  // namespace mantissa::conformance
