// SPDX-License-Identifier: Apache-2.0
// Operands in block formats as cuBLASLt reads them (internal): scales in the order of its scale modes, and matrices of 4-bit codes
// transposed. Matrices of 8-bit codes are transposed by turnMatrices (product.h).
#pragma once

#include <cstdint>

#include "kernels/cuda/product.h"
#include "kernels/dtype/block_format.h"

namespace mantissa::cuda {

/// The order of a matrix's scales; "rows" are those of a, or the columns of b.
enum class ScaleOrder : std::uint8_t {
    Tiles,        // a byte each, in tiles of 128 rows by 4 scales along k; outside the matrix 0
    RowsThenK,    // fp32, all rows of one block along k after the other
    KThenRows128  // fp32, a line for each 128 rows: its scales along k, and zeros up to a multiple of 4
};

/// One operand's scales, copied into such an order. Scale (row, i) is that of the numbers [i * length, (i + 1) * length) of a row; where a
/// stored block is larger its scale is repeated.
struct ScaleCopy {
    const std::uint8_t* stored = nullptr;  // one byte a scale, or four, not aligned, if `format` is fp32
    void* dst = nullptr;
    ScaleOrder order = ScaleOrder::Tiles;
    Dtype format = Dtype::E8M0;                         // of the stored scales
    std::int64_t rows = 0, blocks = 0;                  // of the matrix, and along k
    std::int64_t length = 1;                            // of a block along k
    std::int64_t across = 1, along = 1, scaleCols = 1;  // a stored block over rows and over k; the columns of the stored matrix of scales
    bool isTransposed = false;                          // stored as [k, rows]

    ScaleCopy(const BlockFormat& block, MatrixShape shape, bool transposed, ScaleOrder order, std::int64_t length);
};

/// The factors of a product's sums, alpha and beta, in device memory: the product of both operands' factors, and 0.
struct AlphaCopy {
    const float *inverseA = nullptr, *inverseB = nullptr;
    float *alpha = nullptr, *beta = nullptr;
};

/// Copies both operands' scales and alpha in one launch.
void copyScales(cudaStream_t stream, const ScaleCopy& a, const ScaleCopy& b, const AlphaCopy& alpha);

/// turnMatrices for codes of 4 bits, two in a byte: rows and columns must be even.
void turnNibbles(cudaStream_t stream, const Turn& first, const Turn& second);

}  // namespace mantissa::cuda
