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

void round(const MatmulDesc& desc, float* values, std::int64_t count) {
    if (desc.result != Dtype::F32) roundArray(desc.result, values, values, static_cast<std::size_t>(count));
}

}  // namespace

void finishProduct(const MatmulDesc& desc, const Tile& tile, const float* sums, float factor, const float* bias, void* out) {
    if (factor == 1 && bias == nullptr) {
        if (desc.resultFormat() == Dtype::F32) return;
        return tile.forRuns([&](std::int64_t first, std::int64_t count) {
            if (desc.out == Dtype::F32) return round(desc, static_cast<float*>(out) + first, count);
            encodeArray(desc.out, sums + first, elementAt(desc.out, out, first), static_cast<std::size_t>(count));
        });
    }
    const auto finish = [&](std::int64_t begin, std::int64_t total) {
        const std::int64_t row = begin / tile.width * tile.width;
        forBlocks(begin, total, [&](std::int64_t first, std::int64_t count) {
            Block block;
            float* values = resultBlock(desc.out, out, first, block);
            if (bias != nullptr) {
                scaleAndAdd(sums + first, bias + (first - row), values, count, factor);
            } else {
                scale(sums + first, values, count, factor);
            }
            if (desc.out == Dtype::F32) round(desc, values, count);
            storeBlock(desc.out, out, first, count, block);
        });
    };
    if (bias != nullptr) return tile.forRows(finish);
    tile.forRuns(finish);
}

}  // namespace mantissa::cpu
