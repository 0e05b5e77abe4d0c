// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/product.h"

#include "kernels/cpu/vector_loop.h"

namespace mantissa::cpu {
namespace {

MANTISSA_LOOP void scale(const float* sums, float* values, std::int64_t count, float factor) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) values[i] = sums[i] * factor;
}

MANTISSA_LOOP void scaleAndAdd(const float* sums, const float* bias, float* values, std::int64_t count, float factor) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) values[i] = sums[i] * factor + bias[i];
}

}  // namespace

void finishProduct(const MatmulDesc& desc, const float* sums, float factor, const float* bias, void* out) {
    if (factor == 1 && bias == nullptr) {
        if (desc.out != Dtype::F32) encodeArray(desc.out, sums, out, static_cast<std::size_t>(desc.m * desc.n));
        return;
    }
    // Without a bias rows do not matter: the whole is one.
    const std::int64_t rows = bias != nullptr ? desc.m : 1, cols = bias != nullptr ? desc.n : desc.m * desc.n;
    for (std::int64_t row = 0; row < rows; ++row) {
        forBlocks(cols, [&](std::int64_t first, std::int64_t count) {
            Block block;
            const std::int64_t at = row * cols + first;
            float* values = resultBlock(desc.out, out, at, block);
            if (bias != nullptr) {
                scaleAndAdd(sums + at, bias + first, values, count, factor);
            } else {
                scale(sums + at, values, count, factor);
            }
            storeBlock(desc.out, out, at, count, block);
        });
    }
}

}  // namespace mantissa::cpu
