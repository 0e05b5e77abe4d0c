// SPDX-License-Identifier: Apache-2.0
// Layer norm and RMS norm along rows, and their gradients. A warp computes a short row, a block a long one. Passes over a row that stays in
// the cache: the mean, then the differences from it, to avoid cancellation. Every kernel has two versions: fp32, and with every elementary
// result rounded to a narrower format, in which a block computes each row. The fp32 gradient of short rows reads every number once: a warp
// holds a row and the sums of its columns in registers, and a second kernel combines the sums. Otherwise one kernel computes the whole
// gradient: some blocks along rows, the others down columns, in pieces whose sums the last block of a column adds.
#include "kernels/cuda/operations.h"
#include "kernels/cuda/tile.h"

namespace mantissa::cuda {
namespace {

constexpr int kLayerNormThreads = kTileThreads;
constexpr std::int64_t kLongestOfWarp = 1024;

/// Rounds an elementary result.
template <bool isNarrow>
struct Rounder {
    Dtype compute;
    __device__ float operator()(float value) const {
        if constexpr (!isNarrow) return value;
        return compute == Dtype::F16 ? F16Format::round<Rounding::NearestEven>(value) : Bf16Format::round<Rounding::NearestEven>(value);
    }
};

/// The threads that share a row.
template <bool isBlock>
struct Team {
    static constexpr int kSize = isBlock ? kLayerNormThreads : kWarp, kTeams = kLayerNormThreads / kSize;

    __device__ static int index() { return static_cast<int>(threadIdx.x) / kSize; }
    __device__ static int rank() { return static_cast<int>(threadIdx.x) % kSize; }
    __device__ static float sum(float value) {
        if constexpr (isBlock) {
            return sumBlock(value);
        } else {
            return foldWarp(value, [](float a, float b) { return a + b; });
        }
    }

    /// Calls work(first, count) for this thread's chunks of a row.
    template <typename Work>
    __device__ static void forRow(std::int64_t cols, Work work) {
        for (std::int64_t first = std::int64_t{rank()} * kChunk; first < cols; first += kSize * kChunk)
            work(first, cols - first < kChunk ? static_cast<int>(cols - first) : kChunk);
    }
};

struct LayerNormOperands {
    const void *x, *weight, *bias;  // bias may be null
    void* y;
    float *mean, *inverse;  // mean may be null
};

/// Without centring the mean is 0, and x - 0 is exactly x.
template <bool isNarrow, bool isBlock>
__global__ void normRows(LayerNormDesc d, LayerNormOperands o) {
    using Rows = Team<isBlock>;
    const Rounder<isNarrow> rounded{d.compute};
    const auto n = static_cast<float>(d.cols);
    for (std::int64_t row = std::int64_t{blockIdx.x} * Rows::kTeams + Rows::index(); row < d.rows; row += gridDim.x * Rows::kTeams) {
        const std::int64_t begin = row * d.cols;
        const auto read = [&](std::int64_t first, int count) { return loadChunk(d.from, o.x, begin + first, count); };
        float own = 0;
        if (d.centres) {
            Rows::forRow(d.cols,
                         [&](std::int64_t first, int count) { MANTISSA_UNROLL for (const float x : read(first, count).x) own += x; });
        }
        const float mean = d.centres ? rounded(Rows::sum(own) / n) : 0;
        own = 0;
        Rows::forRow(d.cols, [&](std::int64_t first, int count) {
            const Chunk chunk = read(first, count);
            MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) {
                const float difference = rounded(chunk.x[i] - mean);
                own += i < count ? rounded(difference * difference) : 0;
            }
        });
        const float variance = rounded(Rows::sum(own) / n);
        const float inverse = rounded(1 / sqrtf(rounded(variance + static_cast<float>(d.epsilon))));
        Rows::forRow(d.cols, [&](std::int64_t first, int count) {
            Chunk chunk = read(first, count);
            const Chunk weight = loadChunk(d.parameters, o.weight, first, count);
            MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) {
                float& x = chunk.x[i];
                x = rounded(rounded(rounded(x - mean) * inverse) * weight.x[i]);
            }
            if (o.bias != nullptr) {
                const Chunk bias = loadChunk(d.parameters, o.bias, first, count);
                MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) chunk.x[i] = rounded(chunk.x[i] + bias.x[i]);
            }
            storeChunk(d.to, o.y, begin + first, count, chunk);
        });
        if (Rows::rank() != 0) continue;
        if (d.centres) o.mean[row] = mean;
        o.inverse[row] = inverse;
    }
}

/// A sum whose rows are normed, or to which gradients of rows are added.
struct RowSum {
    AddDesc d;
    const void *a, *b;  // b is null if it is held in registers
    void* sum;

    __device__ Chunk of(const Chunk& x, const Chunk& y) const {
        Chunk chunk;
        MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) chunk.x[i] = storedValue(d.out, d.aFactor * x.x[i] + d.bFactor * y.x[i]);
        return chunk;
    }
};

/// normRows for fp32 and warps, on aligned rows of up to kSlots * 256 columns: reads each row once. With isSum, x is the sum, which is
/// written, too.
template <int kSlots, bool isSum>
__global__ void __launch_bounds__(kLayerNormThreads) normHeldRows(LayerNormDesc d, LayerNormOperands o, RowSum rowSum) {
    constexpr int kWarps = kLayerNormThreads / kWarp;
    const int warp = static_cast<int>(threadIdx.x) / kWarp, lane = static_cast<int>(threadIdx.x) % kWarp;
    const auto n = static_cast<float>(d.cols);
    for (std::int64_t row = std::int64_t{blockIdx.x} * kWarps + warp; row < d.rows; row += std::int64_t{gridDim.x} * kWarps) {
        const std::int64_t begin = row * d.cols;
        RawChunk raw[kSlots], rawB[isSum ? kSlots : 1];
        Chunk sums[isSum ? kSlots : 1];
        const auto forOwn = [&](auto use) {
            MANTISSA_UNROLL for (int slot = 0; slot < kSlots; ++slot) {
                const int col = (slot * kWarp + lane) * kChunk;
                if (col < d.cols) use(slot, col);
            }
        };
        if constexpr (isSum) {
            forOwn([&](int slot, int col) {
                raw[slot] = loadRaw(rowSum.d.a, rowSum.a, begin + col);
                rawB[slot] = loadRaw(rowSum.d.b, rowSum.b, begin + col);
            });
            forOwn([&](int slot, int col) {
                sums[slot] = rowSum.of(valuesOf(rowSum.d.a, raw[slot]), valuesOf(rowSum.d.b, rawB[slot]));
                storeChunk(rowSum.d.out, rowSum.sum, begin + col, kChunk, sums[slot]);
            });
        } else {
            forOwn([&](int slot, int col) { raw[slot] = loadRaw(d.from, o.x, begin + col); });
        }
        const auto valuesAt = [&](int slot) {
            if constexpr (isSum) {
                return sums[slot];
            } else {
                return valuesOf(d.from, raw[slot]);
            }
        };
        float own = 0;
        if (d.centres) {
            forOwn([&](int slot, int) {
                const Chunk x = valuesAt(slot);
                MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) own += x.x[i];
            });
        }
        const float mean = d.centres ? Team<false>::sum(own) / n : 0;
        own = 0;
        forOwn([&](int slot, int) {
            const Chunk x = valuesAt(slot);
            MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) own += (x.x[i] - mean) * (x.x[i] - mean);
        });
        const float inverse = 1 / sqrtf(Team<false>::sum(own) / n + static_cast<float>(d.epsilon));
        forOwn([&](int slot, int col) {
            Chunk x = valuesAt(slot);
            const Chunk weight = loadChunk(d.parameters, o.weight, col, kChunk);
            MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) x.x[i] = (x.x[i] - mean) * inverse * weight.x[i];
            if (o.bias != nullptr) {
                const Chunk bias = loadChunk(d.parameters, o.bias, col, kChunk);
                MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) x.x[i] += bias.x[i];
            }
            storeChunk(d.to, o.y, begin + col, kChunk, x);
        });
        if (lane != 0) continue;
        if (d.centres) o.mean[row] = mean;
        o.inverse[row] = inverse;
    }
}

struct LayerNormGradOperands {
    const void *gradOutput, *x, *weight;
    const float *mean, *inverse;              // mean may be null
    void *gradInput, *gradWeight, *gradBias;  // gradBias may be null
    float* sums;                              // [pieces][2][cols]: of gradWeight and of gradBias
    unsigned* arrived;                        // per tile
};

/// Subtracts the mean and multiplies by the inverse deviation, in place.
template <bool isNarrow>
__device__ void norm(const Rounder<isNarrow>& rounded, Chunk& x, float mean, float inverse) {
    MANTISSA_UNROLL for (float& v : x.x) v = rounded(rounded(v - mean) * inverse);
}

template <bool isNarrow, bool isBlock>
__device__ void gradRows(const LayerNormGradDesc& d, const LayerNormGradOperands& o, std::int64_t block, std::int64_t blocks) {
    using Rows = Team<isBlock>;
    const Rounder<isNarrow> rounded{d.compute};
    const auto n = static_cast<float>(d.cols);
    for (std::int64_t row = block * Rows::kTeams + Rows::index(); row < d.rows; row += blocks * Rows::kTeams) {
        const std::int64_t begin = row * d.cols;
        const float mean = d.centres ? o.mean[row] : 0, inverse = o.inverse[row];
        const auto read = [&](std::int64_t first, int count, Chunk& h, Chunk& normed) {
            h = loadChunk(d.gradOutput, o.gradOutput, begin + first, count);
            normed = loadChunk(d.x, o.x, begin + first, count);
            const Chunk weight = loadChunk(d.parameters, o.weight, first, count);
            MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) h.x[i] = rounded(h.x[i] * weight.x[i]);
            norm(rounded, normed, mean, inverse);
        };
        float sumH = 0, sumHn = 0;
        Rows::forRow(d.cols, [&](std::int64_t first, int count) {
            Chunk h, normed;
            read(first, count, h, normed);
            MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) {
                sumH += h.x[i];
                sumHn += i < count ? rounded(h.x[i] * normed.x[i]) : 0;  // beyond `count`, the norm of 0 may be infinite
            }
        });
        const float meanH = d.centres ? rounded(Rows::sum(sumH) / n) : 0;
        const float meanHn = rounded(Rows::sum(sumHn) / n);
        Rows::forRow(d.cols, [&](std::int64_t first, int count) {
            Chunk h, normed;
            read(first, count, h, normed);
            MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) {
                const float centred = rounded(h.x[i] - meanH);
                h.x[i] = rounded(rounded(centred - rounded(normed.x[i] * meanHn)) * inverse);
            }
            storeChunk(d.gradInput, o.gradInput, begin + first, count, h);
        });
    }
}

template <bool isNarrow>
__device__ void gradColumns(const LayerNormGradDesc& d, const LayerNormGradOperands& o, const ColumnTiles& tiles, std::int64_t block) {
    const Rounder<isNarrow> rounded{d.compute};
    const TilePlace place(tiles, block);
    ColumnSums<float> weight, bias;
    place.forRows([&](std::int64_t row) {
        const std::int64_t first = row * d.cols + place.firstCol;
        const Chunk g = loadChunk(d.gradOutput, o.gradOutput, first, place.cols);
        Chunk normed = loadChunk(d.x, o.x, first, place.cols);
        norm(rounded, normed, d.centres ? o.mean[row] : 0, o.inverse[row]);
        MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) {
            weight.of[i] += rounded(g.x[i] * normed.x[i]);
            bias.of[i] += g.x[i];
        }
    });
    weight.foldRows(place);
    bias.foldRows(place);
    if (tiles.pieces > 1) {
        const auto sumsOf = [&](std::int64_t piece) { return o.sums + 2 * piece * d.cols; };
        weight.store(place, sumsOf(place.piece));
        bias.store(place, sumsOf(place.piece) + d.cols);
        if (!isLastBlock(o.arrived + place.tile, tiles.pieces)) return;
        weight = {}, bias = {};
        for (std::int64_t piece = place.threadRow; piece < tiles.pieces; piece += place.threadRows) {
            weight.add(place, sumsOf(piece));
            bias.add(place, sumsOf(piece) + d.cols);
        }
        weight.foldRows(place);
        bias.foldRows(place);
    }
    if (place.threadRow != 0 || place.cols == 0) return;
    const auto write = [&](const ColumnSums<float>& sums, void* to) {
        Chunk chunk;
        MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) chunk.x[i] = sums.of[i];
        storeChunk(d.gradParameters, to, place.firstCol, place.cols, chunk);
    };
    write(weight, o.gradWeight);
    if (d.hasBias) write(bias, o.gradBias);
}

/// The first `rowBlocks` blocks compute along rows.
template <bool isNarrow, bool isBlock>
__global__ void normGrad(LayerNormGradDesc d, LayerNormGradOperands o, ColumnTiles tiles, std::int64_t rowBlocks) {
    const std::int64_t block = blockIdx.x;
    if (block < rowBlocks) {
        gradRows<isNarrow, isBlock>(d, o, block, rowBlocks);
    } else {
        gradColumns<isNarrow>(d, o, tiles, block - rowBlocks);
    }
}

/// What is computed with the gradient of a norm: its sum with another gradient, a conversion of the result, or both.
struct GradTail {
    RowSum rowSum;  // `sum` is null if there is none, and then gradInput is written
    void* copy;     // null if there is no conversion
    Dtype copyFormat;
};

/// A warp holds rows of up to kSlots * 256 columns. `sums`: [blocks][2][cols].
template <int kSlots, bool hasTail>
__global__ void __launch_bounds__(kLayerNormThreads, kSlots < 4 ? 2 : 1)
    normGradOfRows(LayerNormGradDesc d, LayerNormGradOperands o, GradTail tail) {
    constexpr int kWarps = kLayerNormThreads / kWarp;
    __shared__ float partial[kWarps][kSlots * kWarp * kChunk];
    const int warp = static_cast<int>(threadIdx.x) / kWarp, lane = static_cast<int>(threadIdx.x) % kWarp;
    const auto colOf = [&](int slot) { return (slot * kWarp + lane) * kChunk; };
    const auto n = static_cast<float>(d.cols);
    Chunk weightSums[kSlots]{}, biasSums[kSlots]{};
    for (std::int64_t row = std::int64_t{blockIdx.x} * kWarps + warp; row < d.rows; row += std::int64_t{gridDim.x} * kWarps) {
        const std::int64_t begin = row * d.cols;
        const float mean = d.centres ? o.mean[row] : 0, inverse = o.inverse[row];
        RawChunk rawG[kSlots], rawX[kSlots];
        MANTISSA_UNROLL for (int slot = 0; slot < kSlots; ++slot) {
            if (colOf(slot) >= d.cols) continue;
            rawG[slot] = loadRaw(d.gradOutput, o.gradOutput, begin + colOf(slot));
            rawX[slot] = loadRaw(d.x, o.x, begin + colOf(slot));
        }
        // Holds x as stored, reads the gradient again from the cache, and computes the rest twice, to leave registers for the sums.
        const auto forOwn = [&](auto gradientAt, auto use) {
            MANTISSA_UNROLL for (int slot = 0; slot < kSlots; ++slot) {
                if (colOf(slot) >= d.cols) continue;
                const Chunk g = valuesOf(d.gradOutput, gradientAt(slot)), weight = loadChunk(d.parameters, o.weight, colOf(slot), kChunk);
                Chunk normed = valuesOf(d.x, rawX[slot]);
                MANTISSA_UNROLL for (float& x : normed.x) x = (x - mean) * inverse;
                use(slot, g, normed, weight);
            }
        };
        float sumH = 0, sumHn = 0;
        forOwn([&](int slot) { return rawG[slot]; },
               [&](int slot, const Chunk& g, const Chunk& normed, const Chunk& weight) {
                   MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) {
                       const float h = g.x[i] * weight.x[i];
                       sumH += h;
                       sumHn += h * normed.x[i];
                       weightSums[slot].x[i] += g.x[i] * normed.x[i];
                       biasSums[slot].x[i] += g.x[i];
                   }
               });
        const float meanH = d.centres ? Team<false>::sum(sumH) / n : 0, meanHn = Team<false>::sum(sumHn) / n;
        forOwn([&](int slot) { return loadRaw(d.gradOutput, o.gradOutput, begin + colOf(slot)); },
               [&](int slot, Chunk g, const Chunk& normed, const Chunk& weight) {
                   const std::int64_t first = begin + colOf(slot);
                   MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) g.x[i] =
                       (g.x[i] * weight.x[i] - meanH - normed.x[i] * meanHn) * inverse;
                   if constexpr (hasTail) {
                       MANTISSA_UNROLL for (float& x : g.x) x = storedValue(d.gradInput, x);
                       if (tail.rowSum.sum != nullptr) {
                           g = tail.rowSum.of(valuesOf(tail.rowSum.d.a, loadRaw(tail.rowSum.d.a, tail.rowSum.a, first)), g);
                           storeChunk(tail.rowSum.d.out, tail.rowSum.sum, first, kChunk, g);
                       } else {
                           storeChunk(d.gradInput, o.gradInput, first, kChunk, g);
                       }
                       if (tail.copy != nullptr) storeChunk(tail.copyFormat, tail.copy, first, kChunk, g);
                   } else {
                       storeChunk(d.gradInput, o.gradInput, first, kChunk, g);
                   }
               });
    }
    const auto bringTogether = [&](const Chunk(&own)[kSlots], int which) {
        __syncthreads();
        MANTISSA_UNROLL for (int slot = 0; slot < kSlots; ++slot) {
            MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) partial[warp][colOf(slot) + i] = own[slot].x[i];
        }
        __syncthreads();
        for (std::int64_t col = threadIdx.x; col < d.cols; col += kLayerNormThreads) {
            float sum = 0;
            MANTISSA_UNROLL for (int w = 0; w < kWarps; ++w) sum += partial[w][col];
            o.sums[(2 * std::int64_t{blockIdx.x} + which) * d.cols + col] = sum;
        }
    };
    bringTogether(weightSums, 0);
    bringTogether(biasSums, 1);
}

/// Blocks of kWarp columns; y selects the weight or bias gradient.
__global__ void sumBlocks(LayerNormGradDesc d, LayerNormGradOperands o, std::int64_t blocks) {
    constexpr int kParts = kLayerNormThreads / kWarp;
    __shared__ float partial[kParts][kWarp];
    const int part = static_cast<int>(threadIdx.x) / kWarp, lane = static_cast<int>(threadIdx.x) % kWarp;
    const std::int64_t col = std::int64_t{blockIdx.x} * kWarp + lane;
    float sum = 0;
    for (std::int64_t block = part; block < blocks && col < d.cols; block += kParts) sum += o.sums[(2 * block + blockIdx.y) * d.cols + col];
    partial[part][lane] = sum;
    __syncthreads();
    if (part != 0 || col >= d.cols) return;
    for (int p = 1; p < kParts; ++p) sum += partial[p][lane];
    void* const to = blockIdx.y == 0 ? o.gradWeight : o.gradBias;
    if (to != nullptr) storeElement(d.gradParameters, to, col, sum);
}

bool isNarrow(Dtype compute) {
    return compute != Dtype::F32;
}
/// Whether a warp computes a row.
template <typename Desc>
bool isOfWarps(const Desc& d) {
    return d.cols <= kLongestOfWarp && !isNarrow(d.compute);
}
/// Number of blocks of normGradOfRows.
std::int64_t blocksOf(const LayerNormGradDesc& d) {
    constexpr std::int64_t kMostBlocks = 256;  // two per multiprocessor of a large GPU
    return std::clamp<std::int64_t>((d.rows + kLayerNormThreads / kWarp - 1) / (kLayerNormThreads / kWarp), 1, kMostBlocks);
}
bool isRaw(Dtype dtype) {
    return dtype == Dtype::F32 || dtype == Dtype::F16 || dtype == Dtype::BF16;
}
bool isAligned(const void* memory) {
    return reinterpret_cast<std::uintptr_t>(memory) % alignof(RawChunk) == 0;
}
bool isOfRows(const LayerNormGradDesc& d) {
    return isOfWarps(d) && d.cols % kChunk == 0 && isRaw(d.gradOutput) && isRaw(d.x);
}
/// Selects the kernel for rows of up to 256, 768 or 1024 columns.
template <typename Kernel>
Kernel forCols(std::int64_t cols, Kernel of256, Kernel of768, Kernel of1024) {
    constexpr std::int64_t kOfSlot = kWarp * kChunk;
    return cols <= kOfSlot ? of256 : cols <= 3 * kOfSlot ? of768 : of1024;
}
template <typename Desc>
Grid gridOfRowTiles(const Desc& d) {
    return gridFor(d.rows, isOfWarps(d) ? kLayerNormThreads / kWarp : 1, kLayerNormThreads);
}

LayerNormOperands normOperands(const LayerNormDesc& desc, Operands operands) {
    return {operands[0],
            operands[1],
            desc.hasBias ? operands[2] : nullptr,
            operands[3],
            static_cast<float*>(operands[4]),
            static_cast<float*>(operands[5])};
}

template <bool isSum>
void launchHeldRows(const LayerNormDesc& desc, cudaStream_t stream, const LayerNormOperands& o, const RowSum& rowSum) {
    launch(gridOfRowTiles(desc), stream, forCols(desc.cols, normHeldRows<1, isSum>, normHeldRows<3, isSum>, normHeldRows<4, isSum>), desc,
           o, rowSum);
}

template <bool hasTail>
void launchGradOfRows(const LayerNormGradDesc& desc, cudaStream_t stream, const LayerNormGradOperands& o, const GradTail& tail) {
    const auto ofRows = forCols(desc.cols, normGradOfRows<1, hasTail>, normGradOfRows<3, hasTail>, normGradOfRows<4, hasTail>);
    const std::int64_t blocks = blocksOf(desc);
    launch(Grid{.blocks = static_cast<unsigned>(blocks), .threads = kLayerNormThreads}, stream, ofRows, desc, o, tail);
    const auto columns = static_cast<unsigned>((desc.cols + kWarp - 1) / kWarp);
    launch(Grid{.blocks = columns, .threads = kLayerNormThreads, .blocksY = 2}, stream, sumBlocks, desc, o, blocks);
}

LayerNormGradOperands normGradOperands(Operands operands, unsigned* arrived) {
    return {operands[0], operands[1], operands[2], static_cast<const float*>(operands[3]), static_cast<const float*>(operands[4]),
            operands[5], operands[6], operands[7], static_cast<float*>(operands[8]),       arrived};
}

}  // namespace

std::unique_ptr<Operation> makeLayerNorm(const LayerNormDesc& desc) {
    const auto kernel = isNarrow(desc.compute) ? normRows<true, true> : isOfWarps(desc) ? normRows<false, false> : normRows<false, true>;
    return makeFunction([desc, kernel](cudaStream_t stream, Operands operands) {
        const LayerNormOperands o = normOperands(desc, operands);
        const bool isHeld = isOfWarps(desc) && desc.cols % kChunk == 0 && isRaw(desc.from) && isAligned(o.x);
        if (isHeld) return launchHeldRows<false>(desc, stream, o, {});
        launch(gridOfRowTiles(desc), stream, kernel, desc, o);
    });
}

std::unique_ptr<Operation> makeAddNorm(const AddDesc& add, const LayerNormDesc& desc) {
    return makeFunction([add, desc](cudaStream_t stream, Operands operands) {
        launchHeldRows<true>(desc, stream, normOperands(desc, operands.subspan(3)), {add, operands[0], operands[1], operands[2]});
    });
}

std::unique_ptr<Operation> makeLayerNormGrad(const LayerNormGradDesc& desc) {
    const auto kernel = isNarrow(desc.compute) ? normGrad<true, true> : isOfWarps(desc) ? normGrad<false, false> : normGrad<false, true>;
    const ColumnTiles tiles(desc.rows, desc.cols);
    return makeFunction([desc, kernel, tiles, arrived = Scratch(static_cast<std::size_t>(tiles.tiles) * sizeof(unsigned))](
                            cudaStream_t stream, Operands operands) {
        const LayerNormGradOperands o = normGradOperands(operands, arrived.as<unsigned>());
        if (isOfRows(desc) && isAligned(o.gradOutput) && isAligned(o.x)) return launchGradOfRows<false>(desc, stream, o, {});
        Grid grid = gridOfRowTiles(desc);
        const std::int64_t rowBlocks = grid.blocks;
        grid.blocks += static_cast<unsigned>(tiles.blocks());
        launch(grid, stream, kernel, desc, o, tiles, rowBlocks);
    });
}

std::unique_ptr<Operation> makeNormGradAdd(std::span<const OperationDesc> parts) {
    const auto& desc = std::get<LayerNormGradDesc>(parts[0]);
    const auto* const add = std::get_if<AddDesc>(&parts[1]);
    const auto* const cast = std::get_if<CastDesc>(&parts.back());
    return makeFunction([desc, add = add != nullptr ? *add : AddDesc{}, adds = add != nullptr, copies = cast != nullptr,
                         copyFormat = cast != nullptr ? cast->to : Dtype::F32](cudaStream_t stream, Operands operands) {
        constexpr std::size_t kSum = 9;  // the operands of the sum begin
        const GradTail tail{.rowSum = {add, adds ? operands[kSum] : nullptr, nullptr, adds ? operands[kSum + 2] : nullptr},
                            .copy = copies ? operands.back() : nullptr,
                            .copyFormat = copyFormat};
        launchGradOfRows<true>(desc, stream, normGradOperands(operands, nullptr), tail);
    });
}

std::size_t layerNormGradWorkspaceBytes(const LayerNormGradDesc& desc) {
    const ColumnTiles tiles(desc.rows, desc.cols);
    const std::int64_t parts = std::max(tiles.pieces > 1 ? tiles.pieces : 0, isOfRows(desc) ? blocksOf(desc) : 0);
    return static_cast<std::size_t>(2 * parts * desc.cols) * sizeof(float);
}

}  // namespace mantissa::cuda
