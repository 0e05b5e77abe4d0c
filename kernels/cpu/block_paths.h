// SPDX-License-Identifier: Apache-2.0
// Inside of block_array: its loops, once for each instruction set. All give the bits of kernels/dtype/block_scaling.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/cpu/round_paths.h"
#include "kernels/dtype/block_format.h"

namespace mantissa::cpu {

inline constexpr std::size_t kBlockColumns = 1024;  // at most, in each of these loops: what is known of them stays in the L1 cache

/// Magnitudes are fp32's bits without the sign. `width`: the columns of a block (1, 16 or 32); the last block of a row may be shorter.
struct BlockPath {
    const RoundPath* rounding;
    /// The largest magnitude; NaN is passed over.
    std::uint32_t (*largest)(const float* values, std::size_t count);
    /// The largest magnitude of each column of a strip: `rows` rows, `stride` numbers apart. A NaN is the largest; in llama.cpp's dialect
    /// it is passed over.
    void (*columnMagnitudes)(const BlockFormat& format, const float* strip, std::size_t rows, std::size_t stride, std::uint32_t* magnitudes,
                             std::size_t cols);
    /// Of each block from those of its columns.
    void (*blockMagnitudes)(const std::uint32_t* columns, std::size_t width, std::uint32_t* blocks, std::size_t cols);
    void (*scaleCodes)(const BlockFormat& format, float tensorScale, const std::uint32_t* magnitudes, std::uint8_t* codes,
                       std::size_t blocks);
    /// What elements are scaled with, from the scales and their codes.
    void (*factors)(const BlockFormat& format, float tensorScale, const float* scales, const std::uint8_t* codes, float* factors,
                    std::size_t blocks);
    /// Numbers of one row in the range of the element, saturated; NaN is positive.
    void (*scale)(const BlockFormat& format, float tensorScale, const float* factors, const float* row, float* scaled, std::size_t cols);
    /// The elements of llama.cpp, which are not rounded but searched.
    void (*search)(const BlockFormat& format, const float* scales, const float* row, std::uint8_t* codes, std::size_t cols);
    /// One row's elements as the numbers that they stand for; in place.
    void (*numbers)(const BlockFormat& format, float tensorScale, const float* scales, float* elements, std::size_t cols);
};

/// Those that this processor can run, in the order of roundPaths().
const std::vector<BlockPath>& blockPaths();

/// What block_array.h promises, by the loops of one path.
void quantizeOn(const BlockPath& path, const BlockFormat& format, MatrixShape shape, const float* values, float tensorScale,
                std::uint8_t* elements, std::uint8_t* scales, const RoundingMode& mode, std::uint64_t firstIndex);
void dequantizeOn(const BlockPath& path, const BlockFormat& format, MatrixShape shape, const std::uint8_t* elements,
                  const std::uint8_t* scales, float tensorScale, float* values);
void roundBlocksOn(const BlockPath& path, const BlockFormat& format, MatrixShape shape, const float* src, float tensorScale, float* dst,
                   const RoundingMode& mode, std::uint64_t firstIndex);

}  // namespace mantissa::cpu
