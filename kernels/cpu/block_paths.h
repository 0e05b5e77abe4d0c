// SPDX-License-Identifier: Apache-2.0
// The loops of block_array (internal), once per instruction set. All give the bits of kernels/dtype/block_scaling.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/cpu/round_paths.h"
#include "kernels/dtype/block_format.h"

namespace mantissa::cpu {

inline constexpr std::size_t kBlockColumns = 1024;  // upper limit in each of these loops: their working set stays in the L1 cache

/// The loops of one instruction set. Magnitudes are fp32 bits without the sign. `width`: the columns of a block (fastest: 1, 16 and 32);
/// the last block of a row may be shorter.
struct BlockPath {
    const RoundPath* rounding;
    /// The largest magnitude; NaN is ignored.
    std::uint32_t (*largest)(const float* values, std::size_t count);
    /// The largest magnitude of each column of a strip of `rows` rows with distance `stride`. NaN counts as the largest; in llama.cpp's
    /// dialect it is ignored.
    void (*columnMagnitudes)(const BlockFormat& format, const float* strip, std::size_t rows, std::size_t stride, std::uint32_t* magnitudes,
                             std::size_t cols);
    /// The magnitudes of blocks from those of their columns.
    void (*blockMagnitudes)(const std::uint32_t* columns, std::size_t width, std::uint32_t* blocks, std::size_t cols);
    /// The stored scales, a byte each, or four if they are fp32.
    void (*scaleCodes)(const BlockFormat& format, float tensorScale, const std::uint32_t* magnitudes, std::uint8_t* codes,
                       std::size_t blocks);
    /// The factors of elements: of e8m0 scales from their codes, of e4m3 ones from the scales, of fp32 ones from the magnitudes.
    void (*factors)(const BlockFormat& format, float tensorScale, const float* scales, const std::uint8_t* codes,
                    const std::uint32_t* magnitudes, float* factors, std::size_t blocks);
    /// Scales one row to the element's range, saturated; NaN becomes positive.
    void (*scale)(const BlockFormat& format, float tensorScale, const float* factors, const float* row, float* scaled, std::size_t cols);
    /// Elements of llama.cpp, found by search instead of rounding.
    void (*search)(const BlockFormat& format, const float* scales, const float* row, std::uint8_t* codes, std::size_t cols);
    /// Converts one row's elements to their values, in place.
    void (*numbers)(const BlockFormat& format, float tensorScale, const float* scales, float* elements, std::size_t cols);
};

/// The paths that this processor supports, in the order of roundPaths().
const std::vector<BlockPath>& blockPaths();

/// Implements block_array.h with the loops of one path.
void quantizeOn(const BlockPath& path, const BlockFormat& format, MatrixShape shape, const float* values, float tensorScale,
                std::uint8_t* elements, std::uint8_t* scales, const RoundingMode& mode, std::uint64_t firstIndex);
void dequantizeOn(const BlockPath& path, const BlockFormat& format, MatrixShape shape, const std::uint8_t* elements,
                  const std::uint8_t* scales, float tensorScale, float* values);
void roundBlocksOn(const BlockPath& path, const BlockFormat& format, MatrixShape shape, const float* src, float tensorScale, float* dst,
                   const RoundingMode& mode, std::uint64_t firstIndex);

}  // namespace mantissa::cpu
