// SPDX-License-Identifier: Apache-2.0
// The scales of blocks as cuBLASLt reads them: its modes, which pairs of them a card multiplies, and a scale's place in memory (cuBLAS 13,
// "Narrow Precision Data Types Usage").
#pragma once

#include <cublasLt.h>

#include <cstdint>

namespace mantissa::emulation {

/// A matrix of `rows` rows (columns, for B) of k numbers, with its scales.
struct BlockScales {
    std::int32_t mode = CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F;
    const void* memory = nullptr;
    std::int64_t rows = 0, k = 0;

    /// Numbers along k that share a scale.
    std::int64_t length() const;
    float at(std::int64_t row, std::int64_t block) const;
    /// Whether what lies in tiles outside the matrix is 0, as it must be.
    bool isPadded() const;

private:
    std::int64_t blocks() const { return (k + length() - 1) / length(); }
    std::uint8_t byteAt(std::int64_t row, std::int64_t block) const;
};

bool isOfBlocks(std::int32_t mode);

/// Whether a card of this capability multiplies matrices of these types with these modes.
bool takesScales(int capability, cudaDataType a, std::int32_t modeA, cudaDataType b, std::int32_t modeB);

}  // namespace mantissa::emulation
