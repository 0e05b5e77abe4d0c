// SPDX-License-Identifier: Apache-2.0
// Column sums. A block sums a tile of columns over a part of the rows: each thread with a stride, in ascending order, then all of them
// pairwise. With many rows, a tile's last block to finish sums the parts in ascending order. The order depends only on the shape.
#include "kernels/cuda/operations.h"
#include "kernels/cuda/rows.h"

namespace mantissa::cuda {
namespace {

constexpr unsigned kBiasThreads = 256;

/// lanesX threads per row, a chunk of columns each; kBiasThreads / lanesX rows at a time.
struct Tiling {
    std::int64_t rows = 0, cols = 0, rowsOfPart = 0;
    unsigned lanesX = 1, tiles = 1, parts = 1;
};

Tiling tilingFor(const BiasGradDesc& d) {
    constexpr unsigned kMostLanes = 8, kMostBlocks = 1024;
    constexpr std::int64_t kRowsOfThread = 16;  // minimum work for a separate part
    Tiling t{.rows = d.rows, .cols = d.cols};
    while (t.lanesX < kMostLanes && t.lanesX * kChunk < d.cols) t.lanesX *= 2;
    const auto ceilOfQuotient = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
    const std::int64_t rowsAtATime = kBiasThreads / t.lanesX, tiles = ceilOfQuotient(d.cols, t.lanesX * kChunk);
    const std::int64_t wanted = ceilOfQuotient(d.rows, rowsAtATime * kRowsOfThread);
    t.tiles = static_cast<unsigned>(tiles);
    t.parts = static_cast<unsigned>(std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(kMostBlocks / tiles, 1)));
    t.rowsOfPart = ceilOfQuotient(d.rows, t.parts);
    return t;
}

/// Blocks: tiles, parts (y). `partial` [parts, cols] and `arrived` [tiles] if there are several parts.
template <typename Access>
__global__ void sumColumns(Tiling t, Dtype dtype, const void* gradOutput, Dtype out, void* gradBias, float* partial, unsigned* arrived) {
    __shared__ Chunk sums[kBiasThreads];
    const unsigned rowLanes = kBiasThreads / t.lanesX, rowLane = threadIdx.x / t.lanesX;
    const std::int64_t column = (static_cast<std::int64_t>(blockIdx.x) * t.lanesX + threadIdx.x % t.lanesX) * kChunk;
    const int n = static_cast<int>(t.cols - column < kChunk ? t.cols - column : kChunk);
    const std::int64_t begin = blockIdx.y * t.rowsOfPart, end = begin + t.rowsOfPart < t.rows ? begin + t.rowsOfPart : t.rows;
    Chunk sum{};
    if (n > 0) {
        constexpr int kAhead = 4;  // rows loaded together
        const auto load = [&](std::int64_t row) { return Access::load(dtype, gradOutput, row * t.cols + column, n); };
        const auto add = [&](const Chunk& chunk) { MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) sum.x[i] += chunk.x[i]; };
        std::int64_t row = begin + rowLane;
        for (; row + (kAhead - 1) * rowLanes < end; row += kAhead * rowLanes) {
            Chunk chunks[kAhead];
            MANTISSA_UNROLL for (int i = 0; i < kAhead; ++i) chunks[i] = load(row + i * rowLanes);
            MANTISSA_UNROLL for (int i = 0; i < kAhead; ++i) add(chunks[i]);
        }
        for (; row < end; row += rowLanes) add(load(row));
    }
    sums[threadIdx.x] = sum;
    for (unsigned half = rowLanes / 2; half > 0; half /= 2) {
        __syncthreads();
        if (rowLane >= half) continue;
        const Chunk other = sums[threadIdx.x + half * t.lanesX];
        for (int i = 0; i < kChunk; ++i) sum.x[i] += other.x[i];
        sums[threadIdx.x] = sum;
    }
    if (t.parts == 1) {
        if (rowLane == 0 && n > 0) storeChunk(out, gradBias, column, n, sum);
        return;
    }
    if (rowLane == 0 && n > 0) storeChunk(Dtype::F32, partial, blockIdx.y * t.cols + column, n, sum);
    if (!isLastBlock(arrived + blockIdx.x, t.parts)) return;
    const std::int64_t width = t.lanesX * kChunk, own = blockIdx.x * width + threadIdx.x;
    if (threadIdx.x >= width || own >= t.cols) return;
    float total = 0;
    for (unsigned part = 0; part < t.parts; ++part) total += partial[part * t.cols + own];
    storeElement(out, gradBias, own, total);
}

}  // namespace

std::unique_ptr<Operation> makeBiasGrad(const BiasGradDesc& desc) {
    const Tiling t = tilingFor(desc);
    const bool isInParts = t.parts > 1;
    return makeFunction([desc, t, partial = Scratch(isInParts ? static_cast<std::size_t>(t.parts * t.cols) * sizeof(float) : 0),
                         arrived = Scratch(isInParts ? t.tiles * sizeof(unsigned) : 0)](cudaStream_t stream, Operands operands) {
        withAccess({desc.dtype}, {operands[0]}, desc.cols, [&](auto access) {
            launch(Grid{.blocks = t.tiles, .threads = kBiasThreads, .blocksY = t.parts}, stream, sumColumns<decltype(access)>, t, desc.dtype,
                   operands[0], desc.out, operands[1], partial.template as<float>(), arrived.template as<unsigned>());
        });
    });
}

}  // namespace mantissa::cuda
