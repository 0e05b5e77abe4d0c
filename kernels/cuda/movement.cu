// SPDX-License-Identifier: Apache-2.0
// Operations that move values: cast, accumulate, gather, columns.
#include "kernels/cuda/operations.h"
#include "kernels/cuda/row_copy.h"
#include "kernels/cuda/rows.h"

namespace mantissa::cuda {
namespace {

__global__ void convert(std::int64_t count, Dtype from, const void* src, Dtype to, void* dst) {
    forChunks(count, [&](std::int64_t first, int n) { storeChunk(to, dst, first, n, loadChunk(from, src, first, n)); });
}

__global__ void accumulate(std::int64_t count, Dtype from, const void* src, Dtype to, void* accumulator) {
    forChunks(count, [&](std::int64_t first, int n) {
        Chunk sum = loadChunk(to, accumulator, first, n);
        const Chunk added = loadChunk(from, src, first, n);
        for (int i = 0; i < kChunk; ++i) sum.x[i] = sum.x[i] + added.x[i];
        storeChunk(to, accumulator, first, n, sum);
    });
}

/// Sizes in words.
template <typename Word>
__global__ void copyRows(RowCopy copy, unsigned lanes, const Word* src, const std::int32_t* indices, Word* dst) {
    forRowItems(copy.rows, copy.rowBytes, lanes, [&](std::int64_t row, std::int64_t item) {
        const std::int64_t from = indices != nullptr ? indices[row] : row;
        dst[row * copy.dstStride + item] = src[from * copy.srcStride + item];
    });
}

template <typename Word>
void enqueueWords(cudaStream_t stream, RowCopy copy, const void* src, const std::int32_t* indices, void* dst) {
    constexpr std::int64_t kBytes = sizeof(Word);
    copy.rowBytes /= kBytes, copy.srcStride /= kBytes, copy.dstStride /= kBytes;
    const unsigned lanes = lanesFor(copy.rowBytes);
    launch(gridOfRows(copy.rows, copy.rowBytes, lanes), stream, copyRows<Word>, copy, lanes, static_cast<const Word*>(src), indices,
           static_cast<Word*>(dst));
}

}  // namespace

void enqueueRowCopy(cudaStream_t stream, const RowCopy& copy, const void* src, const std::int32_t* indices, void* dst) {
    if (copy.rows == 0 || copy.rowBytes == 0) return;
    // Uses the widest words that all addresses and sizes are aligned to.
    const auto places = reinterpret_cast<std::uintptr_t>(src) | reinterpret_cast<std::uintptr_t>(dst) |
                        static_cast<std::uintptr_t>(copy.rowBytes | copy.srcStride | copy.dstStride);
    if (places % 16 == 0) return enqueueWords<uint4>(stream, copy, src, indices, dst);
    if (places % 8 == 0) return enqueueWords<uint2>(stream, copy, src, indices, dst);
    if (places % 4 == 0) return enqueueWords<std::uint32_t>(stream, copy, src, indices, dst);
    if (places % 2 == 0) return enqueueWords<std::uint16_t>(stream, copy, src, indices, dst);
    enqueueWords<std::uint8_t>(stream, copy, src, indices, dst);
}

std::unique_ptr<Operation> makeCast(const CastDesc& desc) {
    return makeFunction([desc](cudaStream_t stream, Operands operands) {
        if (desc.count == 0) return;
        if (desc.from != desc.to) {
            launch(gridOfChunks(desc.count), stream, convert, desc.count, desc.from, operands[0], desc.to, operands[1]);
            return;
        }
        const std::size_t bytes = static_cast<std::size_t>(desc.count) * facts(desc.to).storageBytes();
        check(cudaMemcpyAsync(operands[1], operands[0], bytes, cudaMemcpyDeviceToDevice, stream), "cudaMemcpyAsync");
    });
}

std::unique_ptr<Operation> makeAccumulate(const AccumulateDesc& desc) {
    return makeFunction([desc](cudaStream_t stream, Operands operands) {
        launch(gridOfChunks(desc.count), stream, accumulate, desc.count, desc.from, operands[0], desc.to, operands[1]);
    });
}

std::unique_ptr<Operation> makeGatherRows(const GatherRowsDesc& desc) {
    constexpr std::int64_t kBytes = 4;
    const RowCopy copy{.rows = desc.rows,
                       .rowBytes = desc.cols * kBytes,
                       .srcStride = (desc.stride > 0 ? desc.stride : desc.cols) * kBytes,
                       .dstStride = desc.cols * kBytes};
    return makeFunction([copy](cudaStream_t stream, Operands operands) {
        enqueueRowCopy(stream, copy, operands[0], static_cast<const std::int32_t*>(operands[1]), operands[2]);
    });
}

std::unique_ptr<Operation> makeCopyColumns(const CopyColumnsDesc& desc) {
    const auto bytes = static_cast<std::int64_t>(facts(desc.dtype).storageBytes());
    const RowCopy copy{
        .rows = desc.rows, .rowBytes = desc.cols * bytes, .srcStride = desc.srcWidth * bytes, .dstStride = desc.dstWidth * bytes};
    return makeFunction([copy, src = desc.srcFirst * bytes, dst = desc.dstFirst * bytes](cudaStream_t stream, Operands operands) {
        enqueueRowCopy(stream, copy, static_cast<const std::byte*>(operands[0]) + src, nullptr, static_cast<std::byte*>(operands[1]) + dst);
    });
}

}  // namespace mantissa::cuda
