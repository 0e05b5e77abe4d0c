// SPDX-License-Identifier: Apache-2.0
// Copies rows bit for bit.
#pragma once

#include "kernels/cuda/runtime.h"

namespace mantissa::cuda {

/// A copy of rows: row i of dst = row i of src, or row indices[i] if there are indices. Sizes in bytes.
struct RowCopy {
    std::int64_t rows = 0, rowBytes = 0, srcStride = 0, dstStride = 0;
};

void enqueueRowCopy(cudaStream_t stream, const RowCopy& copy, const void* src, const std::int32_t* indices, void* dst);

}  // namespace mantissa::cuda
