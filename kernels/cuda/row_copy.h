// SPDX-License-Identifier: Apache-2.0
// Rows moved as they are, bit for bit.
#pragma once

#include "kernels/cuda/runtime.h"

namespace mantissa::cuda {

/// Row i of dst = row i of src, or row indices[i] where there are any. Sizes in bytes.
struct RowCopy {
    std::int64_t rows = 0, rowBytes = 0, srcStride = 0, dstStride = 0;
};

void enqueueRowCopy(cudaStream_t stream, const RowCopy& copy, const void* src, const std::int32_t* indices, void* dst);

}  // namespace mantissa::cuda
