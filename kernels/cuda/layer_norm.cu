// SPDX-License-Identifier: Apache-2.0
// Layer norm and RMS norm along rows, and their gradients. A warp computes a short row, a block a long one. Passes over a row that stays in
// the cache: the mean, then the differences from it, to avoid cancellation. Every kernel has two versions: fp32, and with every elementary
// result rounded to a narrower format, in which a block computes each row. One kernel computes the whole gradient: some blocks along rows,
// the others down columns, in pieces whose sums the last block of a column adds. Short rows in fp32: held_norms.cu.
#include "kernels/cuda/layer_norm.h"

namespace mantissa::cuda {
namespace {

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

bool isNarrow(Dtype compute) {
    return compute != Dtype::F32;
}
}  // namespace

LayerNormOperands normOperands(const LayerNormDesc& desc, Operands operands) {
    return {operands[0],
            operands[1],
            desc.hasBias ? operands[2] : nullptr,
            operands[3],
            static_cast<float*>(operands[4]),
            static_cast<float*>(operands[5])};
}

LayerNormGradOperands normGradOperands(Operands operands, unsigned* arrived) {
    return {operands[0], operands[1], operands[2], static_cast<const float*>(operands[3]), static_cast<const float*>(operands[4]),
            operands[5], operands[6], operands[7], static_cast<float*>(operands[8]),       arrived};
}

std::unique_ptr<Operation> makeLayerNorm(const LayerNormDesc& desc) {
    const auto kernel = isNarrow(desc.compute) ? normRows<true, true> : isOfWarps(desc) ? normRows<false, false> : normRows<false, true>;
    return makeFunction([desc, kernel](cudaStream_t stream, Operands operands) {
        const LayerNormOperands o = normOperands(desc, operands);
        if (!launchHeldRows(desc, stream, o)) launch(gridOfRowTiles(desc), stream, kernel, desc, o);
    });
}

std::unique_ptr<Operation> makeLayerNormGrad(const LayerNormGradDesc& desc) {
    const auto kernel = isNarrow(desc.compute) ? normGrad<true, true> : isOfWarps(desc) ? normGrad<false, false> : normGrad<false, true>;
    const ColumnTiles tiles(desc.rows, desc.cols);
    return makeFunction([desc, kernel, tiles, arrived = Scratch(static_cast<std::size_t>(tiles.tiles) * sizeof(unsigned))](
                            cudaStream_t stream, Operands operands) {
        const LayerNormGradOperands o = normGradOperands(operands, arrived.as<unsigned>());
        if (launchGradOfHeldRows(desc, stream, o)) return;
        Grid grid = gridOfRowTiles(desc);
        const std::int64_t rowBlocks = grid.blocks;
        grid.blocks += static_cast<unsigned>(tiles.blocks());
        launch(grid, stream, kernel, desc, o, tiles, rowBlocks);
    });
}

std::size_t layerNormGradWorkspaceBytes(const LayerNormGradDesc& desc) {
    const ColumnTiles tiles(desc.rows, desc.cols);
    const std::int64_t parts = std::max(tiles.pieces > 1 ? tiles.pieces : 0, blocksOfHeldGrad(desc));
    return static_cast<std::size_t>(2 * parts * desc.cols) * sizeof(float);
}

}  // namespace mantissa::cuda
