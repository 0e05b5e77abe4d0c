// SPDX-License-Identifier: Apache-2.0
// What architectures are made of beside linear layers: attention, embeddings, norms, gates. Descriptions as those of operations.h: operands
// in order in the comment; an operand that a description does not want is null. Each result is rounded once, to its own format.
#pragma once

#include <cstdint>
#include <limits>

#include "kernels/dtype/accumulator.h"
#include "kernels/dtype/dtype.h"
#include "kernels/dtype/rounding_mode.h"

namespace mantissa {

// ---- Attention ----

/// Where the matrices of a batch lie, in elements: from row to row as stored, from one outer index (sample) and from one inner index (head)
/// to the next. So heads side by side in rows of [B * T, width], and score matrices [B, H, T, T], are used as they lie.
struct BatchStrides {
    std::int64_t row = 0, outer = 0, inner = 0;
};

/// For each outer and inner index: C[m,n] = scale * op(A) op(B), as MatmulDesc, on matrices in place.
/// An operand's matrix is the one at (outer, inner / its divisor): heads that share keys and values. Products that meet in one matrix of
/// `out`, by its divisor, are added up in fp32, in ascending order, before the one rounding: the gradient of what heads share.
/// `scale` multiplies the sums in fp32. What lies between the rows of `out` is left alone.
struct BatchedMatmulDesc {  // a, b, c, workspace
    static constexpr bool kNamesWorkspace = true;
    std::int64_t outer = 1, inner = 1;
    std::int64_t m = 0, n = 0, k = 0;
    bool transposeA = false, transposeB = false;
    BatchStrides aStrides, bStrides, outStrides;
    std::int64_t aDivisor = 1, bDivisor = 1, outDivisor = 1;  // of the inner index; each divides `inner`
    float scale = 1;
    Dtype a = Dtype::F32, b = Dtype::F32, out = Dtype::F32, compute = Dtype::F32;
    Rounding operandRounding = Rounding::NearestEven;
    Accumulator accumulator = Accumulator::Fp32;
    std::int64_t promoteEvery = 0;
};

/// Square matrices [length, length], one after the other: elements right of the diagonal become `value`, rounded to the format (-Inf is NaN
/// in e4m3, which has none). dst may be src.
struct CausalMaskDesc {  // src, dst
    std::int64_t matrices = 0, length = 0;
    Dtype dtype = Dtype::F32;
    float value = -std::numeric_limits<float>::infinity();
};

/// Along rows. A row of -Inf alone, or with a NaN or +Inf, becomes NaN, as in PyTorch.
/// subtractsMax false: exp(x) / sum exp(x) as the formula says, every exponential, the sum and the quotient rounded to `compute` on the
/// way; the sum itself is formed in fp32. In fp16 exponentials overflow from 11.094 on, and a row with one of them has NaN there and 0
/// elsewhere.
struct SoftmaxDesc {  // src, dst
    std::int64_t rows = 0, cols = 0;
    Dtype from = Dtype::F32, to = Dtype::F32;
    bool subtractsMax = true;
    Dtype compute = Dtype::F32;  // where the maximum is not subtracted
};

/// gradInput = y * (gradOutput - sum over the row of gradOutput * y), y the stored output.
struct SoftmaxGradDesc {  // gradOutput, y, gradInput
    std::int64_t rows = 0, cols = 0;
    Dtype from = Dtype::F32, to = Dtype::F32;  // of gradOutput and y; of gradInput
};

/// Rotary position embedding (Su et al. 2021, arXiv 2104.09864), halves paired as in Hugging Face's Llama: elements i and i + headDim / 2
/// of a head turn by the angle position * base^(-2 i / headDim). Row r holds position r % length. inverse: by the negative angle, which
/// is the gradient.
struct RotaryDesc {  // src, dst
    std::int64_t rows = 0, length = 0, heads = 0, headDim = 0;
    std::int64_t srcStride = 0, dstStride = 0;  // from row to row, in elements; heads lie side by side
    double base = 10000;
    bool inverse = false;
    bool roundsProducts = false;  // the products with cosines and with sines are rounded to `to` before they are added
    Dtype from = Dtype::F32, to = Dtype::F32;
};

/// Heads of dst are sums of `group` heads of src that lie side by side, in ascending order: the gradient of what heads of queries share.
struct SumHeadsDesc {  // src [rows, heads * group * headDim], dst [rows, heads * headDim]
    std::int64_t rows = 0, heads = 0, group = 1, headDim = 0;
    Dtype from = Dtype::F32, to = Dtype::F32;
};

/// out = softmax(scale * q k') v for each sample and head; scores take up the workspace at most, never memory that lives on. fp32 inside,
/// but that in formats of 16 bits probabilities, and the gradients of scores, may be rounded to the format (before or after the division by
/// their sum, the factor `scale`) where they enter a product: tensor cores multiply nothing wider.
/// Heads share keys and values in groups of heads / keyHeads. `causal`: a row sees itself and rows before it; what it does not see counts
/// 0, so that an infinite value there may give NaN.
struct FusedAttentionDesc {  // q, k, v, out, logSumExp F32 [outer, heads, length], workspace
    static constexpr bool kNamesWorkspace = true;
    std::int64_t outer = 1, heads = 1, keyHeads = 1;
    std::int64_t length = 0, headDim = 0;
    bool causal = true;
    float scale = 1;
    BatchStrides q, k, v, out;  // of matrices [length, headDim]
    Dtype dtype = Dtype::F32;
};

/// Gradients lie as what they are gradients of.
struct FusedAttentionGradDesc {  // gradOut, q, k, v, out, logSumExp, gradQ, gradK, gradV, workspace
    static constexpr bool kNamesWorkspace = true;
    FusedAttentionDesc forward;
};

// ---- Embeddings and norms ----

/// dst row i = table row indices[i].
struct EmbeddingDesc {  // table [tableRows, cols], indices int32 [rows], dst [rows, cols]
    std::int64_t rows = 0, cols = 0, tableRows = 0;
    Dtype table = Dtype::F32, out = Dtype::F32;
};

/// gradTable row j = the sum of gradOutput's rows i with indices[i] = j, in ascending order, 0 where there are none.
struct EmbeddingGradDesc {  // gradOutput [rows, cols], indices int32 [rows], gradTable [tableRows, cols], workspace
    static constexpr bool kNamesWorkspace = true;
    std::int64_t rows = 0, cols = 0, tableRows = 0;
    Dtype dtype = Dtype::F32, out = Dtype::F32;
};

/// y = (x - mean) * inverseDeviation * weight + bias along rows, inverseDeviation = 1 / sqrt(mean square of x - mean, + epsilon).
/// centres false: RMS norm (Zhang and Sennrich 2019, arXiv 1910.07467), with 0 for the mean, which has no operand then.
/// `compute` F32: fp32 throughout. Narrower: every elementary result (the mean, a difference, its square, the mean of squares, its sum with
/// epsilon, the reciprocal root, each product, the sum with the bias) is rounded to that format, as in PyTorch code that writes the norm
/// out in tensors of that format. In fp16, squares overflow where |x - mean| >= 256. Sums over a row are formed in fp32.
struct LayerNormDesc {  // x, weight, bias (or null), y, mean F32 [rows] (or null), inverseDeviation F32 [rows]
    std::int64_t rows = 0, cols = 0;
    double epsilon = 1e-5;
    bool centres = true, hasBias = true;
    Dtype from = Dtype::F32, parameters = Dtype::F32, to = Dtype::F32;  // of x; of weight and bias; of y
    Dtype compute = Dtype::F32;
};

/// With h = gradOutput * weight and n = (x - mean) * inverseDeviation:
/// gradInput = inverseDeviation * (h - mean of h - n * mean of h n); without centring the mean of h is left out.
/// gradWeight = sum over rows of gradOutput * n; gradBias = sum over rows of gradOutput. `compute` narrower than F32: h, n, h n, both
/// means, both differences, the product with inverseDeviation and gradOutput * n are rounded to that format. Not in place: gradInput may be
/// written while gradOutput and x are still read.
struct LayerNormGradDesc {  // gradOutput, x, weight, mean (or null), inverseDeviation, gradInput, gradWeight, gradBias (or null), workspace
    static constexpr bool kNamesWorkspace = true;
    std::int64_t rows = 0, cols = 0;
    bool centres = true, hasBias = true;
    Dtype gradOutput = Dtype::F32, x = Dtype::F32, parameters = Dtype::F32;
    Dtype gradInput = Dtype::F32, gradParameters = Dtype::F32;
    Dtype compute = Dtype::F32;
};

// ---- Elementwise ----

/// sum = a + b, where b repeats when it is shorter: sum[i] = a[i] + b[i % bCount].
struct AddDesc {  // a [count], b [bCount], sum [count]
    std::int64_t count = 0;
    Dtype a = Dtype::F32, b = Dtype::F32, out = Dtype::F32;
    std::int64_t bCount = 0;  // 0: count
};

/// Columns [srcFirst, srcFirst + cols) of src become columns [dstFirst, dstFirst + cols) of dst, bit for bit; dst's others are left alone.
struct CopyColumnsDesc {  // src [rows, srcWidth], dst [rows, dstWidth]
    std::int64_t rows = 0, cols = 0;
    std::int64_t srcWidth = 0, srcFirst = 0, dstWidth = 0, dstFirst = 0;
    Dtype dtype = Dtype::F32;
};

/// dst = src * factor
struct ScaleDesc {  // src, dst
    std::int64_t count = 0;
    float factor = 1;
    Dtype from = Dtype::F32, to = Dtype::F32;
};

/// dst = src * (kept ? fp32(1 / (1 - probability)) : 0), so what is not finite stays so or becomes NaN, as in PyTorch. Element i is kept
/// when its random bits (RandomUse::Dropout, `seed`, `stream`, number dropoutStep * 2^34 + i) are at least probability * 2^32.
/// The same description turns gradOutput into gradInput.
struct DropoutDesc {  // src, StepScalars, dst
    std::int64_t count = 0;
    double probability = 0.1;  // of 0; below 1
    std::uint64_t seed = 0;
    std::uint32_t stream = 0;  // one for each dropout of a network
    Dtype dtype = Dtype::F32;
};

/// y = silu(gate) * up, silu(x) = x / (1 + exp(-x)) (Shazeer 2020, arXiv 2002.05202). isFused: one rounding of the result; else silu(gate)
/// is rounded to the format before it is multiplied, as by two operations.
struct SwiGluDesc {  // gate, up, y
    std::int64_t count = 0;
    Dtype dtype = Dtype::F32;
    bool isFused = false;
};

/// gradGate = gradOutput * up * silu'(gate), gradUp = gradOutput * silu(gate). Not fused: gradOutput * up and silu(gate) are rounded to the
/// format first.
struct SwiGluGradDesc {  // gradOutput, gate, up, gradGate, gradUp
    std::int64_t count = 0;
    Dtype dtype = Dtype::F32;
    bool isFused = false;
};

}  // namespace mantissa
