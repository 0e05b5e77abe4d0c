// SPDX-License-Identifier: Apache-2.0
// The plain reference of what network_operations.h describes, in double, from the formulas. Gradients are proved by central differences.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/conformance/reference.h"

namespace mantissa::conformance::reference {

/// Along a row.
Values softmax(std::span<const double> x);
/// exp(x) / sum exp(x), where exponentials are Inf from `overflowFrom` on.
Values naiveSoftmax(std::span<const double> x, double overflowFrom);
Values softmaxGrad(std::span<const double> gradOutput, std::span<const double> y);

/// A row through layer norm, or RMS norm where it does not centre; an empty bias is none. `everyResult`: a format that each elementary
/// result is rounded to, by way of fp32; sums over the row are exact.
struct Norm {
    double epsilon = 1e-5;
    bool centres = true;
    std::optional<Dtype> everyResult = std::nullopt;
};
struct NormRow {
    Values y;
    double mean = 0, inverseDeviation = 0;
};
NormRow layerNorm(const Norm& norm, std::span<const double> x, std::span<const double> weight, std::span<const double> bias);

/// Of a row, given what its forward pass saved; `weight` is this row's part of the sum.
struct NormGradient {
    Values input, weight;
};
NormGradient layerNormGrad(const Norm& norm, std::span<const double> gradOutput, std::span<const double> x, std::span<const double> weight,
                           double mean, double inverseDeviation);

/// One head at a position, turned by `direction` (1 or -1) times its angles.
Values rotate(std::span<const double> head, std::int64_t position, double base, double direction);

/// Heads of [outer, heads, length, headDim]; keys and values of [outer, keyHeads, length, headDim].
struct AttentionShape {
    std::int64_t outer = 1, heads = 1, keyHeads = 1, length = 0, headDim = 0;
    bool causal = true;
    double scale = 1;
};
/// With what errors are measured by: sums of magnitudes of the products that results are made of.
struct Attention {
    Values out, outMagnitudes;
    Values logSumExp, scoreMagnitudes;  // of a row: its largest sum of |q k| * scale, and distance between scores
};
Attention attention(const AttentionShape& shape, std::span<const double> q, std::span<const double> k, std::span<const double> v);

struct AttentionGradient {
    Values q, k, v, qMagnitudes, kMagnitudes, vMagnitudes;
};
AttentionGradient attentionGrad(const AttentionShape& shape, std::span<const double> gradOut, std::span<const double> q,
                                std::span<const double> k, std::span<const double> v, std::span<const double> out,
                                std::span<const double> logSumExp);

double swiGlu(double gate, double up);
struct SwiGluGradient {
    double gate = 0, up = 0;
};
SwiGluGradient swiGluGrad(double gradOutput, double gate, double up);

}  // namespace mantissa::conformance::reference
