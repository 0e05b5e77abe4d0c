// SPDX-License-Identifier: Apache-2.0
// Error limits of network_operations.h, with the notation of tolerance.h.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/backend.h"

namespace mantissa::conformance {

/// Limit of a product of k terms for each of `products` heads, scaled, whose magnitudes add up to `sumOfMagnitudes` after scaling.
double batchedProductLimit(const BatchedMatmulDesc& desc, double sumOfMagnitudes, double y);

/// Limit of y = exp(x - largest) / sum; `distance` = largest - x.
double softmaxLimit(Dtype out, std::int64_t cols, double distance, double y);

/// Limit of y = exp(x) / sum, each rounded to `format`; exponentials are normal numbers, or overflow.
double naiveSoftmaxLimit(Dtype format, std::int64_t cols, double y);

/// Limit of y (g - sum g y); `sumOfMagnitudes` = sum |g y|.
double softmaxGradLimit(Dtype out, std::int64_t cols, double gradOutput, double y, double sumOfMagnitudes, double gradInput);

/// Errors of a row's statistics in fp32, for the errors of its elements.
struct NormErrors {
    double mean = 0;     // absolute
    double inverse = 0;  // relative
    double result(Dtype out, double difference, double inverseDeviation, double weight, double bias, double y) const;
};
NormErrors normErrors(std::span<const double> x, double mean, double epsilon);

/// Limit of gradInput = inverse (h - mean h - n mean hn); `magnitude`: this sum with all terms' magnitudes.
double normGradLimit(Dtype out, std::int64_t cols, double magnitude, double gradInput);

/// Errors of a column's statistics: sums in double, stored in fp32.
struct BatchNormErrors {
    NormErrors norm;                // of the stored statistics
    double mean = 0, variance = 0;  // in double: absolute, relative
};
BatchNormErrors batchNormErrors(std::span<const double> x, double mean, double epsilon);

/// Limit of (1 - momentum) * before + momentum * batch, `batch` with its error.
double runningLimit(double before, double batch, double batchError, double y);

/// Limit of a sum in double of terms that are `roundings` fp32 operations each, stored as fp32 and then rounded to `out`.
double doubleSumLimit(Dtype out, std::int64_t terms, double roundings, double sumOfMagnitudes, double y);

/// Limit of weight inverse (g - mean g - n mean gn); `magnitude`: this sum with all terms' magnitudes.
double batchNormGradLimit(Dtype out, double magnitude, double gradInput);

/// Limit of the sum of two products with a rounded sine and cosine.
double rotaryLimit(Dtype out, double left, double right, double y);

/// Attention. `scores`: of a row, its largest sum of |q k| * scale and its range. `magnitude`: the sum of the result's term magnitudes;
/// `narrow`: 0, or narrowFactorError if probabilities, or the gradients of scores, may have been rounded to the format.
double attentionLimit(const FusedAttentionDesc& desc, double scores, double magnitude, double narrow, double y);
/// The error by the roundings of a narrow `compute`; 0 for F32. `others`: the sum of the values' magnitudes; `logSumExp`: the row's.
double narrowComputeError(const FusedAttentionDesc& desc, double magnitude, double others, double y, double logSumExp);
double logSumExpLimit(const FusedAttentionDesc& desc, double scores, double y);
/// Gradients from saved logarithms: `scores` is the largest of all rows, including the logarithms.
double attentionGradLimit(const FusedAttentionDesc& desc, double scores, double magnitude, double narrow, double gradient);
/// The error of rounding one factor of each product to 16 bits; 0 in other formats. `others`: the sum of the other factors' magnitudes.
double narrowFactorError(const FusedAttentionDesc& desc, double magnitude, double others);
/// The error of rounding the gradients of heads that share keys to 16 bits before they are summed; 0 in other formats.
double sharedHeadsError(const FusedAttentionDesc& desc, double magnitude);

double swiGluLimit(Dtype out, double gate, double y);
/// Limit of gradOutput * up * silu'(gate).
double swiGluGateLimit(Dtype out, double gradOutputUp, double gate, double gradGate);

}  // namespace mantissa::conformance
