// SPDX-License-Identifier: Apache-2.0
// Reductions over the rows of a matrix: blocks as tiles of columns by rows, sums over a block's rows. Orders depend only on the shape. For
// .cu files only.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cuda/device.h"

namespace mantissa::cuda {

inline constexpr int kTileThreads = 256;

/// A matrix [rows, cols] divided among blocks of kTileThreads: `lanes` adjacent threads have kChunk columns each, and the rows of threads
/// step through a piece of `pieceRows` rows.
struct ColumnTiles {
    std::int64_t rows = 0, cols = 0, tiles = 1, pieces = 1, pieceRows = 0;
    int lanes = 1;

    ColumnTiles(std::int64_t r, std::int64_t c) : rows(r), cols(c) {
        constexpr std::int64_t kLeastPasses = 4, kMostBlocks = 512;  // so that sums of pieces are few compared with their terms
        while (lanes < kWarp && lanes * kChunk < cols) lanes *= 2;
        tiles = (cols + lanes * kChunk - 1) / (lanes * kChunk);
        const std::int64_t most = std::max<std::int64_t>(kMostBlocks / tiles, 1);
        const std::int64_t wanted = std::clamp<std::int64_t>(rows * lanes / (kTileThreads * kLeastPasses), 1, most);
        pieceRows = (rows + wanted - 1) / wanted;
        pieces = (rows + pieceRows - 1) / pieceRows;
    }
    std::int64_t blocks() const { return tiles * pieces; }
};

/// This thread's place in block `block` of the tiles.
struct TilePlace {
    std::int64_t tile, piece;
    std::int64_t firstCol;
    int cols;  // of the thread; 0 beyond the last column
    std::int64_t firstRow, endRow;
    int threadRow, threadRows;

    __device__ TilePlace(const ColumnTiles& t, std::int64_t block)
        : tile(block % t.tiles),
          piece(block / t.tiles),
          firstCol((tile * t.lanes + static_cast<int>(threadIdx.x) % t.lanes) * kChunk),
          cols(firstCol >= t.cols           ? 0
               : t.cols - firstCol < kChunk ? static_cast<int>(t.cols - firstCol)
                                            : kChunk),
          firstRow(piece * t.pieceRows),
          endRow(firstRow + t.pieceRows < t.rows ? firstRow + t.pieceRows : t.rows),
          threadRow(static_cast<int>(threadIdx.x) / t.lanes),
          threadRows(kTileThreads / t.lanes) {}

    /// Calls use(row, load(row)) for this thread's rows of the piece, in order: several are loaded before the first is used, so that their
    /// loads overlap.
    template <typename Load, typename Use>
    __device__ void forLoadedRows(Load load, Use use) const {
        if (cols == 0) return;
        constexpr int kAhead = 4;
        std::int64_t row = firstRow + threadRow;
        for (; row + (kAhead - 1) * threadRows < endRow; row += kAhead * threadRows) {
            decltype(load(row)) loaded[kAhead];
            MANTISSA_UNROLL for (int i = 0; i < kAhead; ++i) loaded[i] = load(row + i * threadRows);
            MANTISSA_UNROLL for (int i = 0; i < kAhead; ++i) use(row + i * threadRows, loaded[i]);
        }
        for (; row < endRow; row += threadRows) use(row, load(row));
    }
    /// Calls work(row) for this thread's rows of the piece.
    template <typename Work>
    __device__ void forRows(Work work) const {
        if (cols == 0) return;
        for (std::int64_t row = firstRow + threadRow; row < endRow; row += threadRows) work(row);
    }
};

template <typename T>
struct ColumnSums {
    T of[kChunk] = {};

    /// Sums over the threads of one column position; each of them gets the sums. All threads of the block must call it.
    __device__ void foldRows(const TilePlace& place) {
        __shared__ T room[kChunk][kTileThreads];
        __syncthreads();  // results of an earlier call are no longer read
        for (int i = 0; i < kChunk; ++i) room[i][threadIdx.x] = of[i];
        const int lanes = kTileThreads / place.threadRows;
        for (int half = place.threadRows / 2; half > 0; half /= 2) {
            __syncthreads();
            if (place.threadRow >= half) continue;
            for (int i = 0; i < kChunk; ++i) room[i][threadIdx.x] += room[i][static_cast<int>(threadIdx.x) + half * lanes];
        }
        __syncthreads();
        for (int i = 0; i < kChunk; ++i) of[i] = room[i][static_cast<int>(threadIdx.x) % lanes];
    }

    /// Adds a row of sums at the thread's columns.
    __device__ void add(const TilePlace& place, const T* row) {
        for (int i = 0; i < kChunk; ++i) of[i] += i < place.cols ? row[place.firstCol + i] : T(0);
    }
    /// Writes the thread's columns to a row of sums; one thread of each column writes.
    __device__ void store(const TilePlace& place, T* row) const {
        for (int i = 0; i < kChunk; ++i) {
            if (place.threadRow == 0 && i < place.cols) row[place.firstCol + i] = of[i];
        }
    }
};

}  // namespace mantissa::cuda
