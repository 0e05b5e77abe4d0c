// SPDX-License-Identifier: Apache-2.0
// Assigns threads to rows: a group of threads per row if each element is read once; a warp or a block per row if the row is folded and read
// again. For .cu files only.
#pragma once

#include <algorithm>
#include <utility>

#include "kernels/cuda/device.h"

namespace mantissa::cuda {

// ---- Rows whose items are read once ----

/// Threads that share a row of `items`: a power of two.
inline unsigned lanesFor(std::int64_t items) {
    unsigned lanes = 1;
    while (lanes < 256 && lanes < items) lanes *= 2;
    return lanes;
}

/// Threads of a block for this many items: 32 at least, 1024 at most.
inline unsigned wholeWarps(std::int64_t items) {
    return static_cast<unsigned>(std::clamp<std::int64_t>((items + kWarp - 1) / kWarp, 1, 32)) * kWarp;
}

/// The launch for `forRowItems`. Few but long rows are shared by several blocks each (y).
inline Grid gridOfRows(std::int64_t rows, std::int64_t items, unsigned lanes) {
    constexpr std::int64_t kEnoughBlocks = 2048;
    Grid grid = gridFor(rows, 256 / lanes);
    grid.blocksY = static_cast<unsigned>(
        std::clamp<std::int64_t>((items + lanes - 1) / lanes, 1, std::max<std::int64_t>(kEnoughBlocks / grid.blocks, 1)));
    return grid;
}

/// Calls work(row, item) for this thread's items of this thread's rows.
template <typename Work>
__device__ inline void forRowItems(std::int64_t rows, std::int64_t items, unsigned lanes, Work work) {
    const std::int64_t lane = threadIdx.x % lanes, step = static_cast<std::int64_t>(gridDim.y) * lanes, rowsOfBlock = blockDim.x / lanes;
    for (std::int64_t row = blockIdx.x * rowsOfBlock + threadIdx.x / lanes; row < rows; row += gridDim.x * rowsOfBlock) {
        for (std::int64_t item = blockIdx.y * static_cast<std::int64_t>(lanes) + lane; item < items; item += step) work(row, item);
    }
}

// ---- Rows that are folded ----

/// Assigns a warp to each row.
struct WarpCrew {
    static constexpr int kThreads = 256;
    static Grid grid(std::int64_t rows) { return gridFor(rows, kThreads / kWarp, kThreads); }
    __device__ static std::int64_t firstRow() { return globalThread() / kWarp; }
    __device__ static std::int64_t rowStep() { return allThreads() / kWarp; }
    __device__ static std::int64_t lane() { return threadIdx.x % kWarp; }
    __device__ static std::int64_t lanes() { return kWarp; }
    template <typename T, typename Fold>
    __device__ static T fold(T value, T, Fold fold) {
        return foldWarp(value, fold);
    }
};

/// Assigns a block to each row.
template <int kBlockThreads>
struct BlockCrew {
    static constexpr int kThreads = kBlockThreads;
    static Grid grid(std::int64_t rows) { return gridFor(rows, 1, kThreads); }
    __device__ static std::int64_t firstRow() { return blockIdx.x; }
    __device__ static std::int64_t rowStep() { return gridDim.x; }
    __device__ static std::int64_t lane() { return threadIdx.x; }
    __device__ static std::int64_t lanes() { return kBlockThreads; }
    template <typename T, typename Fold>
    __device__ static T fold(T value, T neutral, Fold fold) {
        return foldBlock(value, neutral, fold);
    }
};

/// The threads of a row, and how many chunks each holds in registers between passes; 0: none, the row is read again.
template <typename CrewType, int kChunksHeld>
struct RowPlan {
    using Crew = CrewType;
    static constexpr int kThreads = Crew::kThreads;
    static constexpr int kHeld = kChunksHeld;
};

/// Calls use(plan) with the plan for rows of that length. A row that is not aligned for wide accesses has one chunk more.
template <typename Use>
void withRowPlan(std::int64_t cols, Use use) {
    constexpr auto most = [](int threads, int held) { return static_cast<std::int64_t>(threads * held - 1) * kChunk; };
    if (cols <= most(kWarp, 1)) return use(RowPlan<WarpCrew, 1>{});
    if (cols <= most(kWarp, 5)) return use(RowPlan<WarpCrew, 5>{});
    if (cols <= most(256, 4)) return use(RowPlan<BlockCrew<256>, 4>{});
    use(RowPlan<BlockCrew<512>, 0>{});
}

/// A row in chunks that are aligned for wide accesses to `array`: the first one may be shorter.
struct RowChunks {
    std::int64_t first, cols;  // of the array's elements
    int shift = 0;             // number of elements that the first chunk lacks

    __device__ RowChunks(Dtype dtype, const void* array, std::int64_t firstElement, std::int64_t count) : first(firstElement), cols(count) {
        const int bytes = bytesOf(dtype), perAccess = dtype == Dtype::F32 ? 4 : kChunk;
        const auto address = reinterpret_cast<std::uintptr_t>(array) + static_cast<std::uintptr_t>(first * bytes);
        shift = static_cast<int>(address % 16) / bytes % perAccess;
    }

    __device__ std::int64_t column(std::int64_t chunk) const { return chunk == 0 ? 0 : chunk * kChunk - shift; }
    __device__ int count(std::int64_t chunk) const {
        const std::int64_t begin = column(chunk), end = (chunk + 1) * kChunk - shift;
        return static_cast<int>((end < cols ? end : cols) - begin);
    }
};

/// Calls use(slot, column, count) for this thread's chunks; `slot` numbers the held ones. The steps are unrolled by hand, since in a loop
/// the held values leave the registers.
template <typename Plan, typename Use>
__device__ inline void forRowChunks(const RowChunks& chunks, Use use) {
    using Crew = typename Plan::Crew;
    const auto step = [&](int slot, std::int64_t chunk) {
        const int count = chunks.count(chunk);
        if (count > 0) use(slot, chunks.column(chunk), count);
    };
    if constexpr (Plan::kHeld > 0) {
        [&]<int... slot>(std::integer_sequence<int, slot...>) {
            (step(slot, Crew::lane() + slot * Crew::lanes()), ...);
        }
        (std::make_integer_sequence<int, Plan::kHeld>{});
    } else {
        for (std::int64_t chunk = Crew::lane(); chunks.column(chunk) < chunks.cols; chunk += Crew::lanes()) step(0, chunk);
    }
}

/// A row's numbers, held in registers or read again.
template <typename Plan, typename Access = AnyAccess>
class Row {
public:
    static constexpr bool kIsHeld = Plan::kHeld > 0;

    __device__ Row(Dtype dtype, const void* array, const RowChunks& chunks) : m_dtype(dtype), m_array(array), m_chunks(chunks) {
        if constexpr (kIsHeld) {
            withConstant(dtype, [&](auto tag) {
                forRowChunks<Plan>(chunks, [&](int slot, std::int64_t column, int count) {
                    m_held[slot] = loadChunkOf<decltype(tag)::value>(array, m_chunks.first + column, count);
                });
            });
        }
    }
    __device__ Chunk get(int slot, std::int64_t column, int count) const {
        if constexpr (kIsHeld) return m_held[slot];
        return Access::load(m_dtype, m_array, m_chunks.first + column, count);
    }
    /// Keeps a chunk for the next `get`; no effect if nothing is held.
    __device__ void keep(int slot, const Chunk& chunk) {
        if constexpr (kIsHeld) m_held[slot] = chunk;
    }

    /// Stores result(slot, column, count), a chunk, for each of this thread's chunks; held values are then lost.
    template <typename Result>
    __device__ void store(Dtype dtype, void* array, Result result) {
        if constexpr (kIsHeld) {
            forRowChunks<Plan>(m_chunks, [&](int slot, std::int64_t column, int count) { m_held[slot] = result(slot, column, count); });
            withConstant(dtype, [&](auto tag) {
                forRowChunks<Plan>(m_chunks, [&](int slot, std::int64_t column, int count) {
                    storeChunkOf<decltype(tag)::value>(array, m_chunks.first + column, count, m_held[slot]);
                });
            });
        } else {
            forRowChunks<Plan>(m_chunks, [&](int slot, std::int64_t column, int count) {
                Access::store(dtype, array, m_chunks.first + column, count, result(slot, column, count));
            });
        }
    }

private:
    Dtype m_dtype;
    const void* m_array;
    RowChunks m_chunks;
    Chunk m_held[kIsHeld ? Plan::kHeld : 1];
};

template <typename Plan>
__device__ inline float sumOfRow(float ownSum) {
    return Plan::Crew::fold(ownSum, 0.0f, [](float a, float b) { return a + b; });
}

struct RowPowers {
    float largest, sum;
};

/// A row's largest number, NaN ignored, and the sum of exp(x - largest): NaN if the row has a NaN or +Inf, or only -Inf. Held rows keep the
/// exponentials. Other rows are read once: partial sums are rescaled when a larger number appears (Milakov and Gimelshein 2018, arXiv
/// 1805.02867). observe(chunk, column, count) receives each chunk.
template <typename Plan, typename Access, typename Observe>
__device__ inline RowPowers powersOfRow(Row<Plan, Access>& row, const RowChunks& chunks, Observe observe) {
    const auto larger = [](float a, float b) { return b > a ? b : a; };
    const float none = floatFromBits(kFloatSign | kFloatInf);
    float own = none, sum = 0;
    if constexpr (Row<Plan, Access>::kIsHeld) {
        forRowChunks<Plan>(chunks, [&](int slot, std::int64_t column, int count) {
            const Chunk chunk = row.get(slot, column, count);
            observe(chunk, column, count);
            for (int i = 0; i < kChunk; ++i) own = i < count ? larger(own, chunk.x[i]) : own;
        });
        const float largest = Plan::Crew::fold(own, none, larger);
        forRowChunks<Plan>(chunks, [&](int slot, std::int64_t column, int count) {
            Chunk chunk = row.get(slot, column, count);
            for (int i = 0; i < kChunk; ++i) {
                chunk.x[i] = expf(chunk.x[i] - largest);
                sum += i < count ? chunk.x[i] : 0.0f;
            }
            row.keep(slot, chunk);
        });
        return {largest, sumOfRow<Plan>(sum)};
    } else {
        forRowChunks<Plan>(chunks, [&](int slot, std::int64_t column, int count) {
            const Chunk chunk = row.get(slot, column, count);
            observe(chunk, column, count);
            const float before = own;
            forElements(count, [&](int i) { own = fmaxf(own, chunk.x[i]); });  // which ignores NaN
            if (own != before && before != none) sum *= expf(before - own);
            if (own == none) {
                forElements(count, [&](int i) { sum += chunk.x[i] == chunk.x[i] ? 0.0f : chunk.x[i]; });
            } else {
                forElements(count, [&](int i) { sum += expf(chunk.x[i] - own); });
            }
        });
        const float largest = Plan::Crew::fold(own, none, larger);
        // A row of only -Inf or NaN has sum 0 or NaN here. If the largest is infinite, its difference to itself is NaN.
        return {largest, sumOfRow<Plan>(own == none ? sum : sum * expf(own - largest)) + (largest - largest)};
    }
}
template <typename Plan, typename Access>
__device__ inline RowPowers powersOfRow(Row<Plan, Access>& row, const RowChunks& chunks) {
    return powersOfRow(row, chunks, [](const Chunk&, std::int64_t, int) {});
}

}  // namespace mantissa::cuda
