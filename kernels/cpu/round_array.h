// SPDX-License-Identifier: Apache-2.0
// Applies kernels/dtype/rounding.h to arrays, with identical bits, on one thread; to nearest even at about the speed of memory.
// `src` and `dst` may be the same array if their elements have the same size; other overlaps are not allowed.
// Stochastic rounding: element 0 of an array is number `firstIndex` of its mode's stream, so pieces of an array give the bits of the whole.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/dtype/rounding.h"

namespace mantissa {

/// Rounds to the format: dst[i] is its value as fp32. fp32 itself is copied.
void roundArray(Dtype dtype, const float* src, float* dst, std::size_t count, const RoundingMode& mode = {}, std::uint64_t firstIndex = 0);

/// Converts fp32 to the format's storage: codes of 16 or 8 bits (fp6 and fp4: one per byte), or rounded fp32 for fp32 and tf32.
void encodeArray(Dtype dtype, const float* src, void* dst, std::size_t count, const RoundingMode& mode = {}, std::uint64_t firstIndex = 0);

/// Converts the format's storage to fp32; exact.
void decodeArray(Dtype dtype, const void* src, float* dst, std::size_t count);

}  // namespace mantissa
