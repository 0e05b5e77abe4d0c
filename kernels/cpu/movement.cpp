// SPDX-License-Identifier: Apache-2.0
// Operations that move values: cast, accumulate, gather.
#include <cstring>
#include <vector>

#include "kernels/cpu/operations.h"
#include "kernels/cpu/vector_loop.h"
#include "kernels/dtype/rounding.h"

namespace mantissa::cpu {
namespace {

MANTISSA_LOOP void addTo(const float* before, const float* src, float* after, std::int64_t count) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) after[i] = before[i] + src[i];
}

}  // namespace

namespace {

void castArray(const CastDesc& desc, WorkPool& pool, const void* src, void* dst) {
    if (desc.from == desc.to) {
        if (desc.count > 0) std::memcpy(dst, src, static_cast<std::size_t>(desc.count) * facts(desc.to).storageBytes());
    } else if (desc.to == Dtype::F32) {
        pool.runPieces(desc.count, [&](std::int64_t first, std::int64_t count) {
            decodeArray(desc.from, elementAt(desc.from, src, first), static_cast<float*>(dst) + first, static_cast<std::size_t>(count));
        });
    } else {
        forBlocks(pool, desc.count, [&](std::int64_t first, std::int64_t count) {
            Block block;
            const float* values = loadBlock(desc.from, src, first, count, block);
            encodeArray(desc.to, values, elementAt(desc.to, dst, first), static_cast<std::size_t>(count));
        });
    }
}

}  // namespace

std::unique_ptr<Operation> makeCast(const CastDesc& desc, WorkPool& pool) {
    return makeFunction([desc, &pool](Operands operands) { castArray(desc, pool, operands[0], operands[1]); });
}

std::unique_ptr<Operation> makeCasts(std::span<const OperationDesc> parts, WorkPool& pool) {
    std::vector<CastDesc> casts;
    for (const OperationDesc& part : parts) casts.push_back(std::get<CastDesc>(part));
    return makeFunction([casts = std::move(casts), &pool](Operands operands) {
        for (std::size_t i = 0; i < casts.size(); ++i) castArray(casts[i], pool, operands[2 * i], operands[2 * i + 1]);
    });
}

std::unique_ptr<Operation> makeAccumulate(const AccumulateDesc& desc, WorkPool& pool) {
    return makeFunction([desc, &pool](Operands operands) {
        forBlocks(pool, desc.count, [&](std::int64_t first, std::int64_t count) {
            Block block, sums;
            const float* before = loadBlock(desc.to, operands[1], first, count, sums);
            float* after = resultBlock(desc.to, operands[1], first, sums);
            addTo(before, loadBlock(desc.from, operands[0], first, count, block), after, count);
            storeBlock(desc.to, operands[1], first, count, sums);
        });
    });
}

std::unique_ptr<Operation> makeGatherRows(const GatherRowsDesc& desc) {
    return makeFunction([desc](Operands operands) {
        const auto rowBytes = static_cast<std::size_t>(desc.cols) * sizeof(float);
        const auto strideBytes = desc.stride > 0 ? static_cast<std::size_t>(desc.stride) * sizeof(float) : rowBytes;
        const auto* table = static_cast<const std::byte*>(operands[0]);
        const auto* indices = static_cast<const std::int32_t*>(operands[1]);
        auto* dst = static_cast<std::byte*>(operands[2]);
        for (std::int64_t row = 0; row < desc.rows; ++row) {
            std::memcpy(dst + static_cast<std::size_t>(row) * rowBytes, table + static_cast<std::size_t>(indices[row]) * strideBytes,
                        rowBytes);
        }
    });
}

std::unique_ptr<Operation> makeCopyColumns(const CopyColumnsDesc& desc, WorkPool& pool) {
    return makeFunction([desc, &pool](Operands operands) {
        const std::size_t bytes = static_cast<std::size_t>(desc.cols) * facts(desc.dtype).storageBytes();
        forRows(pool, desc.rows, desc.cols, [&](std::int64_t begin, std::int64_t rows) {
            for (std::int64_t row = begin; row < begin + rows; ++row) {
                std::memcpy(elementAt(desc.dtype, operands[1], row * desc.dstWidth + desc.dstFirst),
                            elementAt(desc.dtype, operands[0], row * desc.srcWidth + desc.srcFirst), bytes);
            }
        });
    });
}

}  // namespace mantissa::cpu
