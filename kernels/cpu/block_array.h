// SPDX-License-Identifier: Apache-2.0
// Quantises and dequantises matrices in block formats. Applies kernels/dtype/block_scaling.h to arrays, with identical bits; one thread.
//
// A matrix is row-major; its blocks are those of format.block, from the upper left corner; blocks at the right and lower edge may be
// shorter. Elements have one code per byte, in the order of the numbers; scales one code per byte, or four bytes if they are fp32
// (little-endian, not aligned), as the matrix format.scales(shape). A block with more than 1024 columns must have all columns of the
// matrix. Multiples of format.block.rows rows can be quantised separately, on several threads: number 0 of such a piece is number
// `firstIndex` of the stream of random bits.
//
// `mode` is the rounding of the elements, which always saturate; the format defines the rounding of scales. Requires an empty refusalOf().
// `src` and `dst` may be the same array.
#pragma once

#include <cstdint>

#include "kernels/dtype/block_format.h"

namespace mantissa {

/// The largest magnitude; NaN is ignored.
float largestMagnitude(const float* values, std::int64_t count);

/// NVFP4's factor of a tensor, S, in the format's dialect; 1 if the format has none. `largest` is the tensor's largest magnitude.
float tensorScaleOf(const BlockFormat& format, float largest);

void quantizeBlocks(const BlockFormat& format, MatrixShape shape, const float* values, float tensorScale, std::uint8_t* elements,
                    std::uint8_t* scales, const RoundingMode& mode = {}, std::uint64_t firstIndex = 0);
void dequantizeBlocks(const BlockFormat& format, MatrixShape shape, const std::uint8_t* elements, const std::uint8_t* scales,
                      float tensorScale, float* values);

/// Quantises and dequantises without storing codes: the format's values as fp32.
void roundBlocks(const BlockFormat& format, MatrixShape shape, const float* src, float tensorScale, float* dst,
                 const RoundingMode& mode = {}, std::uint64_t firstIndex = 0);

}  // namespace mantissa
