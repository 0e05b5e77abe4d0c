// SPDX-License-Identifier: Apache-2.0
// Scales and 4-bit codes in the layouts of cuBLASLt (cuBLAS manual, narrow precision data types usage).
#include "kernels/cuda/block_layout.h"
#include "kernels/cuda/device.h"

namespace mantissa::cuda {
namespace {

constexpr std::int64_t kScaleRows = 128, kTileScales = 4, kTileWords = 128;  // a word: the 4 scales of a row

MANTISSA_HD std::int64_t rounded(std::int64_t count, std::int64_t of) {
    return (count + of - 1) / of * of;
}

/// Threads' worth of work: words of tiles, or fp32 numbers.
MANTISSA_HD std::int64_t unitsOf(const ScaleCopy& c) {
    if (c.order == ScaleOrder::Tiles)
        return rounded(c.rows, kScaleRows) / kScaleRows * (rounded(c.blocks, kTileScales) / kTileScales) * kTileWords;
    if (c.order == ScaleOrder::RowsThenK) return c.rows * c.blocks;
    return rounded(c.blocks, 4) * (rounded(c.rows, kScaleRows) / kScaleRows);
}

__device__ std::uint32_t scaleCodeAt(const ScaleCopy& c, std::int64_t row, std::int64_t block) {
    const std::int64_t atRow = Quotient(row, c.across).whole, atK = Quotient(block * c.length, c.along).whole;
    const std::int64_t index = c.isTransposed ? atK * c.scaleCols + atRow : atRow * c.scaleCols + atK;
    if (c.format != Dtype::F32) return c.stored[index];
    std::uint32_t code = 0;
    for (int i = 0; i < 4; ++i) code |= std::uint32_t{c.stored[4 * index + i]} << (8 * i);
    return code;
}

/// The word of one row in one tile. Its place in the tile is row % 32 * 4 + row / 32, so that neighbouring threads write neighbouring
/// words.
__device__ void copyWord(const ScaleCopy& c, std::int64_t index) {
    const Quotient place(index, kTileWords);
    const Quotient tile(place.whole, rounded(c.blocks, kTileScales) / kTileScales);
    const std::int64_t row = tile.whole * kScaleRows + place.rest % 4 * 32 + place.rest / 4;
    std::uint32_t word = 0;
    for (int i = 0; i < kTileScales; ++i) {
        const std::int64_t block = tile.rest * kTileScales + i;
        if (row < c.rows && block < c.blocks) word |= scaleCodeAt(c, row, block) << (8 * i);
    }
    static_cast<std::uint32_t*>(c.dst)[index] = word;
}

__device__ void widenScale(const ScaleCopy& c, std::int64_t index) {
    const bool areRowsTogether = c.order == ScaleOrder::RowsThenK;
    const Quotient place(index, areRowsTogether ? c.rows : rounded(c.blocks, 4));
    const std::int64_t row = areRowsTogether ? place.rest : place.whole * kScaleRows, block = areRowsTogether ? place.whole : place.rest;
    static_cast<float*>(c.dst)[index] = block < c.blocks ? decodeBits(c.format, scaleCodeAt(c, row, block)) : 0.0f;
}

__global__ void copyBoth(ScaleCopy a, ScaleCopy b, AlphaCopy alpha) {
    if (globalThread() == 0) {
        *alpha.alpha = *alpha.inverseA * *alpha.inverseB;
        *alpha.beta = 0;
    }
    const std::int64_t before = unitsOf(a), all = before + unitsOf(b);
    for (std::int64_t i = globalThread(); i < all; i += allThreads()) {
        const ScaleCopy& copy = i < before ? a : b;
        const std::int64_t index = i < before ? i : i - before;
        if (copy.order == ScaleOrder::Tiles) {
            copyWord(copy, index);
        } else {
            widenScale(copy, index);
        }
    }
}

constexpr int kCodeSide = 32, kPairs = kCodeSide / 2;  // codes and bytes of a tile's line

MANTISSA_HD std::int64_t nibbleTilesOf(const Turn& turn) {
    return (turn.rows + kCodeSide - 1) / kCodeSide * ((turn.cols + kCodeSide - 1) / kCodeSide);
}

__device__ void turnNibbleTile(const Turn& turn, std::int64_t at) {
    __shared__ std::uint8_t tile[kCodeSide][kCodeSide + 4];  // a code each
    const auto* const src = static_cast<const std::uint8_t*>(turn.src);
    auto* const dst = static_cast<std::uint8_t*>(turn.dst);
    const Quotient place(at, (turn.cols + kCodeSide - 1) / kCodeSide);
    const std::int64_t row = place.whole * kCodeSide, col = place.rest * kCodeSide;
    const int x = static_cast<int>(threadIdx.x) % kPairs * 2, y = static_cast<int>(threadIdx.x) / kPairs;
    const int step = static_cast<int>(blockDim.x) / kPairs;
    for (int i = y; i < kCodeSide; i += step) {
        if (row + i >= turn.rows || col + x >= turn.cols) continue;
        const std::uint32_t pair = src[((row + i) * turn.cols + col + x) / 2];
        tile[i][x] = static_cast<std::uint8_t>(pair & 0xFu);
        tile[i][x + 1] = static_cast<std::uint8_t>(pair >> 4);
    }
    __syncthreads();
    for (int i = y; i < kCodeSide; i += step) {
        if (col + i >= turn.cols || row + x >= turn.rows) continue;
        dst[((col + i) * turn.rows + row + x) / 2] = static_cast<std::uint8_t>(tile[x][i] | tile[x + 1][i] << 4);
    }
    __syncthreads();
}

__global__ void turnBothOfNibbles(Turn first, Turn second) {
    const std::int64_t before = nibbleTilesOf(first), all = before + nibbleTilesOf(second);
    for (std::int64_t at = blockIdx.x; at < all; at += gridDim.x)
        turnNibbleTile(at < before ? first : second, at < before ? at : at - before);
}

}  // namespace

ScaleCopy::ScaleCopy(const BlockFormat& block, MatrixShape shape, bool transposed, ScaleOrder inOrder, std::int64_t ofLength)
    : order(inOrder),
      format(block.scale),
      rows(transposed ? shape.cols : shape.rows),
      blocks(((transposed ? shape.rows : shape.cols) + ofLength - 1) / ofLength),
      length(ofLength),
      across(transposed ? block.block.cols : block.block.rows),
      along(transposed ? block.block.rows : block.block.cols),
      scaleCols(block.scales(shape).cols),
      isTransposed(transposed) {}

void copyScales(cudaStream_t stream, const ScaleCopy& a, const ScaleCopy& b, const AlphaCopy& alpha) {
    launch(gridFor(unitsOf(a) + unitsOf(b), 256), stream, copyBoth, a, b, alpha);
}

void turnNibbles(cudaStream_t stream, const Turn& first, const Turn& second) {
    const std::int64_t tiles = nibbleTilesOf(first) + nibbleTilesOf(second);
    if (tiles > 0) launch(gridFor(tiles, 1), stream, turnBothOfNibbles, first, second);
}

}  // namespace mantissa::cuda
