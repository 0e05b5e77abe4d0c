// SPDX-License-Identifier: Apache-2.0
// Operations that move values: cast, accumulate, gather, columns.
#include "kernels/cuda/operations.h"
#include "kernels/cuda/row_copy.h"
#include "kernels/cuda/rows.h"
#include "kernels/fusion.h"

namespace mantissa::cuda {
namespace {

__global__ void convert(std::int64_t count, Dtype from, const void* src, Dtype to, void* dst) {
    forChunks(count, [&](std::int64_t first, int n) { storeChunk(to, dst, first, n, loadChunk(from, src, first, n)); });
}

/// Arrays that are converted together: array i by the blocks from firstBlock[i] on.
struct CastTable {
    Dtype from, to;
    int arrays = 0;
    const void* src[kMostCasts];
    void* dst[kMostCasts];
    std::int64_t counts[kMostCasts];
    unsigned firstBlock[kMostCasts + 1];
};
constexpr int kCastThreads = 256;

__global__ void convertArrays(CastTable t) {
    int i = 0;
    while (t.firstBlock[i + 1] <= blockIdx.x) ++i;
    const std::int64_t count = t.counts[i], step = std::int64_t{t.firstBlock[i + 1] - t.firstBlock[i]} * kCastThreads * kChunk;
    for (std::int64_t first = (std::int64_t{blockIdx.x - t.firstBlock[i]} * kCastThreads + threadIdx.x) * kChunk; first < count;
         first += step) {
        const int n = count - first < kChunk ? static_cast<int>(count - first) : kChunk;
        storeChunk(t.to, t.dst[i], first, n, loadChunk(t.from, t.src[i], first, n));
    }
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

std::unique_ptr<Operation> makeCasts(std::span<const OperationDesc> parts) {
    CastTable table{
        .from = std::get<CastDesc>(parts[0]).from, .to = std::get<CastDesc>(parts[0]).to, .arrays = static_cast<int>(parts.size())};
    for (std::size_t i = 0; i < parts.size(); ++i) {
        table.counts[i] = std::get<CastDesc>(parts[i]).count;
        table.firstBlock[i + 1] = table.firstBlock[i] + gridFor(table.counts[i], kCastThreads * kChunk).blocks;
    }
    return makeFunction([table](cudaStream_t stream, Operands operands) mutable {
        for (int i = 0; i < table.arrays; ++i) {
            table.src[i] = operands[static_cast<std::size_t>(2 * i)];
            table.dst[i] = operands[static_cast<std::size_t>(2 * i + 1)];
        }
        launch(Grid{.blocks = table.firstBlock[table.arrays], .threads = kCastThreads}, stream, convertArrays, table);
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
