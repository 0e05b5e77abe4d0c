// SPDX-License-Identifier: Apache-2.0
// kernels/dtype/rounding.h over arrays, one thread, at about the speed of memory. Same bits as the scalar functions.
// `src` and `dst` may be the same array where their elements have the same size; other overlaps are not allowed.
#pragma once

#include <cstddef>

#include "kernels/dtype/dtype.h"

namespace mantissa {

/// dst[i] = the nearest value of the format, as fp32. fp32 itself is copied.
void roundArray(Dtype dtype, const float* src, float* dst, std::size_t count);

/// fp32 to the format's storage: 16-bit codes, or fp32 containers for fp32 and tf32 (rounded).
void encodeArray(Dtype dtype, const float* src, void* dst, std::size_t count);

/// The format's storage to fp32; exact.
void decodeArray(Dtype dtype, const void* src, float* dst, std::size_t count);

}  // namespace mantissa
