// SPDX-License-Identifier: Apache-2.0
// Matrix products inside of the CUDA backend: one value for both descriptions, and the kernels that stand before, after and in place of the
// library's: operands brought to the format that is multiplied, sums on their way out, and a product that does everything.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/backend.h"
#include "kernels/cuda/runtime.h"
#include "kernels/dtype/host_device.h"

namespace mantissa::cuda {

inline bool holdsEveryValue(Dtype wide, Dtype narrow) {
    return facts(wide).exponentBits >= facts(narrow).exponentBits && facts(wide).mantissaBits >= facts(narrow).mantissaBits;
}

/// Matrices of a batch as they lie; what comes after `divisor` inner indices is the next one.
struct Matrices {
    std::int64_t rows = 0, cols = 0, divisor = 1;
    BatchStrides strides;

    MANTISSA_HD std::int64_t at(std::int64_t outer, std::int64_t inner) const {
        return outer * strides.outer + inner / divisor * strides.inner;
    }
};

/// MatmulDesc or BatchedMatmulDesc: what only one of them has is plain in the other.
struct Product {
    std::int64_t outer = 1, inner = 1;
    std::int64_t m = 0, n = 0, k = 0;
    bool transposeA = false, transposeB = false, hasBias = false, isScaled = false;
    Matrices aMatrices, bMatrices, outMatrices;
    float scale = 1;
    Dtype a = Dtype::F32, b = Dtype::F32, out = Dtype::F32, compute = Dtype::F32, result = Dtype::F32;
    Rounding operandRounding = Rounding::NearestEven;
    Accumulator accumulator = Accumulator::Fp32;
    std::int64_t promoteEvery = 0;

    explicit Product(const MatmulDesc& desc);
    explicit Product(const BatchedMatmulDesc& desc);

    /// What an operand is rounded to where that is narrower than its storage.
    Dtype computeOf(Dtype stored) const { return isScaled ? stored : compute; }
    /// The format whose numbers the product sees.
    Dtype formatOf(Dtype stored) const { return holdsEveryValue(computeOf(stored), stored) ? stored : computeOf(stored); }
};

/// Scales are of QuantScale::inverse, null without them.
struct ProductOperands {
    const void *a = nullptr, *b = nullptr, *bias = nullptr;
    const float *inverseA = nullptr, *inverseB = nullptr;
    void *out = nullptr, *workspace = nullptr;
};

/// An operand rounded to `compute` and stored as `to`, packed: all its matrices, one after the other.
struct Conversion {
    const void* src = nullptr;
    void* dst = nullptr;
    Matrices from;
    std::int64_t matrices = 0, inner = 1;  // how many there are, and how many of them to an outer index
    Dtype stored = Dtype::F32, compute = Dtype::F32, to = Dtype::F32;
    Rounding rounding = Rounding::NearestEven;
    std::int64_t elements() const { return matrices * from.rows * from.cols; }
};
/// One or two of them in one launch; one without elements is none.
void convertOperands(cudaStream_t stream, const Conversion& first, const Conversion& second);

/// dst [cols, rows] = src [rows, cols]' of elements of one byte.
struct Turn {
    const void* src = nullptr;
    void* dst = nullptr;
    std::int64_t rows = 0, cols = 0;
};
/// One or two of them in one launch; one without rows is none.
void turnMatrices(cudaStream_t stream, const Turn& first, const Turn& second);

/// What cuBLASLt asks of a scale's address, in bytes: with another one it refuses the product (13.1, on an H200).
inline constexpr std::size_t kLtScaleAlignment = 16;
/// Two numbers, each to a place of kLtScaleAlignment bytes.
void placeScales(cudaStream_t stream, const float* first, const float* second, void* places);

/// Sums in fp32, which lie as `from` says, times the scales, plus the bias, rounded into the product's `out`, which may be the same memory.
void finishProduct(cudaStream_t stream, const Product& product, bool addsBias, const Matrices& from, const void* sums,
                   const ProductOperands& operands);

/// The product by a kernel of its own, whatever it is: every format, rounding, accumulator and layout, sums in order of k.
void multiplyPlainly(cudaStream_t stream, const Product& product, const ProductOperands& operands);

}  // namespace mantissa::cuda
