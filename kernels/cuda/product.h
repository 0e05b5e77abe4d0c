// SPDX-License-Identifier: Apache-2.0
// Matrix products of the CUDA backend (internal): one type for both descriptions, and the kernels before, after and in place of the
// library's: conversion of operands, rounding of sums, and a product that supports everything.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "kernels/backend.h"
#include "kernels/cuda/runtime.h"
#include "kernels/dtype/host_device.h"

namespace mantissa::cuda {

inline bool holdsEveryValue(Dtype wide, Dtype narrow) {
    return facts(wide).exponentBits >= facts(narrow).exponentBits && facts(wide).mantissaBits >= facts(narrow).mantissaBits;
}

/// The matrices of a batch in memory; each group of `divisor` inner indices shares a matrix.
struct Matrices {
    std::int64_t rows = 0, cols = 0, divisor = 1;
    BatchStrides strides;

    MANTISSA_HD std::int64_t at(std::int64_t outer, std::int64_t inner) const {
        return outer * strides.outer + inner / divisor * strides.inner;
    }
};

/// MatmulDesc or BatchedMatmulDesc: members of only one of them have their default in the other.
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

    /// The format to which an operand is rounded if it is narrower than its storage.
    Dtype computeOf(Dtype stored) const { return isScaled ? stored : compute; }
    /// The format of the numbers that the product multiplies.
    Dtype formatOf(Dtype stored) const { return holdsEveryValue(computeOf(stored), stored) ? stored : computeOf(stored); }
};

/// A product's operands. Scales are QuantScale::inverse, null without scales.
struct ProductOperands {
    const void *a = nullptr, *b = nullptr, *bias = nullptr;
    const float *inverseA = nullptr, *inverseB = nullptr;
    void *out = nullptr, *workspace = nullptr;
};

/// The operands of a product's operation, in the order of MatmulDesc.
ProductOperands operandsOf(const Product& product, std::span<void* const> operands);

/// An operand rounded to `compute` and stored as `to`, packed: all its matrices contiguously.
struct Conversion {
    const void* src = nullptr;
    void* dst = nullptr;
    Matrices from;
    std::int64_t matrices = 0, inner = 1;  // number of matrices, in all and per outer index
    Dtype stored = Dtype::F32, compute = Dtype::F32, to = Dtype::F32;
    Rounding rounding = Rounding::NearestEven;
    std::int64_t elements() const { return matrices * from.rows * from.cols; }
};
/// Converts one or two operands in one launch; one without elements is skipped.
void convertOperands(cudaStream_t stream, const Conversion& first, const Conversion& second);

/// A transposition: dst [cols, rows] = src [rows, cols]', for elements of one byte.
struct Turn {
    const void* src = nullptr;
    void* dst = nullptr;
    std::int64_t rows = 0, cols = 0;
};
/// Transposes one or two matrices in one launch; one without rows is skipped.
void turnMatrices(cudaStream_t stream, const Turn& first, const Turn& second);

/// Alignment of a scale's address in bytes: cuBLASLt refuses a product with less (13.1, on an H200).
inline constexpr std::size_t kLtScaleAlignment = 16;
/// Copies two numbers to places kLtScaleAlignment bytes apart.
void placeScales(cudaStream_t stream, const float* first, const float* second, void* places);

/// Rounds fp32 sums, laid out as in `from`, into the product's `out`, times the scales, plus the bias. `out` may be the memory of the sums.
void finishProduct(cudaStream_t stream, const Product& product, bool addsBias, const Matrices& from, const void* sums,
                   const ProductOperands& operands);

/// Runs any product by Mantissa's own kernel: every format, rounding, accumulator and layout, sums in order of k.
void multiplyPlainly(cudaStream_t stream, const Product& product, const ProductOperands& operands);

}  // namespace mantissa::cuda
