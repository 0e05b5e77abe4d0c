// SPDX-License-Identifier: Apache-2.0
// How a matrix in a block format is stored as an operand of products: the codes of its elements, packed, in the order of the numbers, then
// its scales, one byte each, or four if they are fp32. Little-endian: element i has bits [i * b, (i + 1) * b) of the packed codes, b = 8, 6
// or 4. NVFP4's low nibble is the even element, as in Transformer Engine. One thread; threads may work on different elements.
#pragma once

#include "kernels/dtype/block_format.h"

namespace mantissa::cpu {

/// Packs the codes, one byte each, of elements [first, first + count). `first` must be a multiple of 4.
void packElements(const BlockFormat& format, const std::uint8_t* codes, void* stored, std::int64_t first, std::int64_t count);

/// Decodes elements [first, first + count): element times scale, without the tensor's factor. These numbers are exact in format.numbers(),
/// rounded to fp32 if scales are fp32.
void decodeStored(const BlockFormat& format, MatrixShape shape, const void* stored, std::int64_t first, std::int64_t count, float* values);

}  // namespace mantissa::cpu
