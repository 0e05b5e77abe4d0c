// SPDX-License-Identifier: Apache-2.0
// The reference implementation of network_operations.h, in double, from the formulas. Gradients are verified by central differences.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/conformance/reference.h"

namespace mantissa::conformance::reference {

/// Softmax of a row.
Values softmax(std::span<const double> x);
/// exp(x) / sum exp(x) of a row; exponentials are Inf from `overflowFrom` on.
Values naiveSoftmax(std::span<const double> x, double overflowFrom);
Values softmaxGrad(std::span<const double> gradOutput, std::span<const double> y);

/// Layer norm of a row, or RMS norm without centring; an empty bias means none. `everyResult`: the format to which each elementary result
/// is rounded, via fp32; sums over the row are exact.
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

/// Gradient of a norm's row, from the saved statistics; `weight` is this row's contribution to the sum.
struct NormGradient {
    Values input, weight;
};
NormGradient layerNormGrad(const Norm& norm, std::span<const double> gradOutput, std::span<const double> x, std::span<const double> weight,
                           double mean, double inverseDeviation);

/// Rotates one head at a position by `direction` (1 or -1) times its angles.
Values rotate(std::span<const double> head, std::int64_t position, double base, double direction);

/// Shapes of attention: heads are [outer, heads, length, headDim], keys and values [outer, keyHeads, length, headDim].
struct AttentionShape {
    std::int64_t outer = 1, heads = 1, keyHeads = 1, length = 0, headDim = 0;
    bool causal = true;
    double scale = 1;
};
/// Attention's results, with the sums of product magnitudes that error limits need.
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
