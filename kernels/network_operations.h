// SPDX-License-Identifier: Apache-2.0
// Operations of architectures in addition to linear layers: attention, embeddings, norms, gates. For the conventions see operations.h:
// operands in order in the comment; an unused operand is null. Each result is rounded once, to its own format.
#pragma once

#include <cstdint>
#include <limits>

#include "kernels/dtype/accumulator.h"
#include "kernels/dtype/dtype.h"
#include "kernels/dtype/rounding_mode.h"

namespace mantissa {

// ---- Attention ----

/// Strides of the matrices of a batch, in elements: from one stored row to the next, from one outer index (sample) to the next, and from
/// one inner index (head) to the next. So heads side by side in rows of [B * T, width] and score matrices [B, H, T, T] need no copy.
struct BatchStrides {
    std::int64_t row = 0, outer = 0, inner = 0;
};

/// Batched product: for each outer and inner index, C[m,n] = scale * op(A) op(B), as MatmulDesc, on matrices in place.
/// An operand's matrix is the one at (outer, inner / its divisor): heads can share keys and values. Products that share a matrix of
/// `out`, by its divisor, are summed in fp32, in ascending order, before the one rounding: the gradient of shared heads.
/// `scale` multiplies the sums in fp32. Elements between the rows of `out` are not written.
struct BatchedMatmulDesc {  // a, b, c, workspace
    static constexpr bool kNamesWorkspace = true;
    std::int64_t outer = 1, inner = 1;
    std::int64_t m = 0, n = 0, k = 0;
    bool transposeA = false, transposeB = false;
    BatchStrides aStrides, bStrides, outStrides;
    std::int64_t aDivisor = 1, bDivisor = 1, outDivisor = 1;  // divisors of the inner index; each divides `inner`
    float scale = 1;
    Dtype a = Dtype::F32, b = Dtype::F32, out = Dtype::F32, compute = Dtype::F32;
    Rounding operandRounding = Rounding::NearestEven;
    Accumulator accumulator = Accumulator::Fp32;
    std::int64_t promoteEvery = 0;
};

/// Causal mask of contiguous square matrices [length, length]: elements right of the diagonal become `value`, rounded to the format (-Inf
/// becomes NaN in e4m3, which has no Inf). dst may be src.
struct CausalMaskDesc {  // src, dst
    std::int64_t matrices = 0, length = 0;
    Dtype dtype = Dtype::F32;
    float value = -std::numeric_limits<float>::infinity();
};

/// Softmax along rows. A row with only -Inf, or with a NaN or +Inf, becomes NaN, as in PyTorch.
/// subtractsMax false: exp(x) / sum exp(x) literally; every exponential, the sum and the quotient are rounded to `compute`; the sum is
/// accumulated in fp32. In fp16 exponentials overflow from 11.094 on; a row with one of them has NaN there and 0 elsewhere.
struct SoftmaxDesc {  // src, dst
    std::int64_t rows = 0, cols = 0;
    Dtype from = Dtype::F32, to = Dtype::F32;
    bool subtractsMax = true;
    Dtype compute = Dtype::F32;  // used if the maximum is not subtracted
};

/// Gradient of softmax: gradInput = y * (gradOutput - sum over the row of gradOutput * y), y the stored output.
struct SoftmaxGradDesc {  // gradOutput, y, gradInput
    std::int64_t rows = 0, cols = 0;
    Dtype from = Dtype::F32, to = Dtype::F32;  // of gradOutput and y; of gradInput
};

/// Rotary position embedding (Su et al. 2021, arXiv 2104.09864), halves paired as in Hugging Face's Llama: elements i and i + headDim / 2
/// of a head are rotated by the angle position * base^(-2 i / headDim). Row r has position r % length. inverse: rotates by the negative
/// angle, which is the gradient.
struct RotaryDesc {  // src, dst
    std::int64_t rows = 0, length = 0, heads = 0, headDim = 0;
    std::int64_t srcStride = 0, dstStride = 0;  // from row to row, in elements; heads lie side by side
    double base = 10000;
    bool inverse = false;
    bool roundsProducts = false;  // the products with cosines and with sines are rounded to `to` before they are added
    Dtype from = Dtype::F32, to = Dtype::F32;
};

/// Sums groups of `group` adjacent heads of src into one head of dst, in ascending order: the gradient of heads shared by queries.
struct SumHeadsDesc {  // src [rows, heads * group * headDim], dst [rows, heads * headDim]
    std::int64_t rows = 0, heads = 0, group = 1, headDim = 0;
    Dtype from = Dtype::F32, to = Dtype::F32;
};

/// Fused attention: out = softmax(scale * q k') v for each sample and head; scores use the workspace at most, no persistent memory. fp32
/// inside, except that in 16-bit formats the operands of products (probabilities, and the gradients of scores) may be rounded to the
/// format, before or after the division by their sum and the factor `scale`: tensor cores take no wider operands.
/// Heads share keys and values in groups of heads / keyHeads. `causal`: a row attends to itself and the rows before it; masked
/// probabilities are 0, so an infinite value at a masked position may give NaN.
///
/// `compute` narrower than F32: flash attention in tensors of that format, as in arXiv 2510.04212. With R its rounding, s = scale * q k' a
/// row's scores in fp32 and m their maximum: p = R(exp(s - m)), u = R(sum of p v), l = sum of p, out = u / l, logSumExp = m + log(l); sums
/// and quotient in fp32. `shiftsTies`: the remedy of that paper with beta = 2. Where more than one p of a row rounds to 1, m is 2 m if it
/// is positive and 0 if it is negative, so every p is below 1; from a maximum of about +-93 on every p is then 0 and the row NaN. The
/// gradient does not depend on either: it computes probabilities in fp32 from logSumExp.
struct FusedAttentionDesc {  // q, k, v, out, logSumExp F32 [outer, heads, length], workspace
    static constexpr bool kNamesWorkspace = true;
    std::int64_t outer = 1, heads = 1, keyHeads = 1;
    std::int64_t length = 0, headDim = 0;
    bool causal = true;
    float scale = 1;
    BatchStrides q, k, v, out;  // of matrices [length, headDim]
    Dtype dtype = Dtype::F32;
    Dtype compute = Dtype::F32;  // F32, F16 or BF16
    bool shiftsTies = false;     // with a narrow `compute` only
};

/// Gradient of fused attention. Each gradient has the strides of its tensor.
struct FusedAttentionGradDesc {  // gradOut, q, k, v, out, logSumExp, gradQ, gradK, gradV, workspace
    static constexpr bool kNamesWorkspace = true;
    FusedAttentionDesc forward;
};

// ---- Embeddings and norms ----

/// Embedding: dst row i = table row indices[i].
struct EmbeddingDesc {  // table [tableRows, cols], indices int32 [rows], dst [rows, cols]
    std::int64_t rows = 0, cols = 0, tableRows = 0;
    Dtype table = Dtype::F32, out = Dtype::F32;
};

/// Gradient of an embedding: gradTable row j = the sum of gradOutput's rows i with indices[i] = j, in ascending order; 0 if there are none.
struct EmbeddingGradDesc {  // gradOutput [rows, cols], indices int32 [rows], gradTable [tableRows, cols], workspace
    static constexpr bool kNamesWorkspace = true;
    std::int64_t rows = 0, cols = 0, tableRows = 0;
    Dtype dtype = Dtype::F32, out = Dtype::F32;
};

/// Layer norm along rows: y = (x - mean) * inverseDeviation * weight + bias, inverseDeviation = 1 / sqrt(mean of (x - mean)^2 + epsilon).
/// centres false: RMS norm (Zhang and Sennrich 2019, arXiv 1910.07467), with mean 0 and a null mean operand.
/// `compute` F32: fp32 throughout. Narrower: every elementary result (the mean, a difference, its square, the mean of squares, its sum with
/// epsilon, the reciprocal root, each product, the sum with the bias) is rounded to that format, as in PyTorch code that computes the norm
/// step by step in tensors of that format. In fp16, squares overflow where |x - mean| >= 256. Sums over a row are accumulated in fp32.
struct LayerNormDesc {  // x, weight, bias (or null), y, mean F32 [rows] (or null), inverseDeviation F32 [rows]
    std::int64_t rows = 0, cols = 0;
    double epsilon = 1e-5;
    bool centres = true, hasBias = true;
    Dtype from = Dtype::F32, parameters = Dtype::F32, to = Dtype::F32;  // of x; of weight and bias; of y
    Dtype compute = Dtype::F32;
};

/// Gradient of layer norm. With h = gradOutput * weight and n = (x - mean) * inverseDeviation:
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

/// Linear combination; b repeats if it is shorter: sum[i] = aFactor a[i] + bFactor b[i % bCount].
struct AddDesc {  // a [count], b [bCount], sum [count]
    std::int64_t count = 0;
    Dtype a = Dtype::F32, b = Dtype::F32, out = Dtype::F32;
    std::int64_t bCount = 0;  // 0: count
    float aFactor = 1, bFactor = 1;
};

/// Copies columns [srcFirst, srcFirst + cols) of src to columns [dstFirst, dstFirst + cols) of dst, bit for bit; dst's other columns are
/// unchanged.
struct CopyColumnsDesc {  // src [rows, srcWidth], dst [rows, dstWidth]
    std::int64_t rows = 0, cols = 0;
    std::int64_t srcWidth = 0, srcFirst = 0, dstWidth = 0, dstFirst = 0;
    Dtype dtype = Dtype::F32;
};

/// Scaling: dst = src * factor.
struct ScaleDesc {  // src, dst
    std::int64_t count = 0;
    float factor = 1;
    Dtype from = Dtype::F32, to = Dtype::F32;
};

/// Dropout: dst = src * (kept ? fp32(1 / (1 - probability)) : 0), so a non-finite value stays so or becomes NaN, as in PyTorch. Element i
/// is kept if its random bits (RandomUse::Dropout, `seed`, `stream`, number dropoutStep * 2^34 + i) are at least probability * 2^32.
/// Its own gradient: gradOutput as src gives gradInput as dst.
struct DropoutDesc {  // src, StepScalars, dst
    std::int64_t count = 0;
    double probability = 0.1;  // of an element becoming 0; below 1
    std::uint64_t seed = 0;
    std::uint32_t stream = 0;  // one for each dropout of a network
    Dtype dtype = Dtype::F32;
};

/// SwiGLU: y = silu(gate) * up, silu(x) = x / (1 + exp(-x)) (Shazeer 2020, arXiv 2002.05202). isFused: one rounding of the result;
/// otherwise silu(gate) is rounded to the format before the product, as by two operations.
struct SwiGluDesc {  // gate, up, y
    std::int64_t count = 0;
    Dtype dtype = Dtype::F32;
    bool isFused = false;
};

/// Gradient of SwiGLU: gradGate = gradOutput * up * silu'(gate), gradUp = gradOutput * silu(gate). Not fused: gradOutput * up and
/// silu(gate) are first rounded to the format.
struct SwiGluGradDesc {  // gradOutput, gate, up, gradGate, gradUp
    std::int64_t count = 0;
    Dtype dtype = Dtype::F32;
    bool isFused = false;
};

}  // namespace mantissa
