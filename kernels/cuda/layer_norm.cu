// SPDX-License-Identifier: Apache-2.0
// Layer norm and RMS norm along rows, and their gradients. A warp has a short row, a block a long one. In passes over a row that stays in
// the cache: the mean, then the differences from it, so nothing cancels. Everything is made twice: plainly in fp32, and with every
// elementary result rounded to a narrower format, where a block has any row. One kernel does the whole gradient: some of its blocks go
// along rows, the others down columns, in pieces whose sums the last one of a column adds up.
#include "kernels/cuda/operations.h"
#include "kernels/cuda/tile.h"

namespace mantissa::cuda {
namespace {

constexpr int kThreads = kTileThreads;
constexpr std::int64_t kLongestOfWarp = 1024;

/// What becomes of an elementary result.
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
    static constexpr int kSize = isBlock ? kThreads : kWarp, kTeams = kThreads / kSize;

    __device__ static int index() { return static_cast<int>(threadIdx.x) / kSize; }
    __device__ static int rank() { return static_cast<int>(threadIdx.x) % kSize; }
    __device__ static float sum(float value) {
        if constexpr (isBlock) {
            return sumBlock(value);
        } else {
            return foldWarp(value, [](float a, float b) { return a + b; });
        }
    }

    /// work(first, count) for this thread's chunks of a row.
    template <typename Work>
    __device__ static void forRow(std::int64_t cols, Work work) {
        for (std::int64_t first = std::int64_t{rank()} * kChunk; first < cols; first += kSize * kChunk)
            work(first, cols - first < kChunk ? static_cast<int>(cols - first) : kChunk);
    }
};

struct NormOperands {
    const void *x, *weight, *bias;  // bias may be null
    void* y;
    float *mean, *inverse;  // mean may be null
};

/// Without centring the mean is 0, and x - 0 is x to the bit.
template <bool isNarrow, bool isBlock>
__global__ void normRows(LayerNormDesc d, NormOperands o) {
    using Rows = Team<isBlock>;
    const Rounder<isNarrow> rounded{d.compute};
    const auto n = static_cast<float>(d.cols);
    for (std::int64_t row = std::int64_t{blockIdx.x} * Rows::kTeams + Rows::index(); row < d.rows; row += gridDim.x * Rows::kTeams) {
        const std::int64_t begin = row * d.cols;
        const auto read = [&](std::int64_t first, int count) { return loadChunk(d.from, o.x, begin + first, count); };
        float own = 0;
        if (d.centres) {
            Rows::forRow(d.cols, [&](std::int64_t first, int count) {
                for (const float x : read(first, count).x) own += x;
            });
        }
        const float mean = d.centres ? rounded(Rows::sum(own) / n) : 0;
        own = 0;
        Rows::forRow(d.cols, [&](std::int64_t first, int count) {
            const Chunk chunk = read(first, count);
            for (int i = 0; i < kChunk; ++i) {
                const float difference = rounded(chunk.x[i] - mean);
                own += i < count ? rounded(difference * difference) : 0;
            }
        });
        const float variance = rounded(Rows::sum(own) / n);
        const float inverse = rounded(1 / sqrtf(rounded(variance + static_cast<float>(d.epsilon))));
        Rows::forRow(d.cols, [&](std::int64_t first, int count) {
            Chunk chunk = read(first, count);
            const Chunk weight = loadChunk(d.parameters, o.weight, first, count);
            for (int i = 0; i < kChunk; ++i) {
                float& x = chunk.x[i];
                x = rounded(rounded(rounded(x - mean) * inverse) * weight.x[i]);
            }
            if (o.bias != nullptr) {
                const Chunk bias = loadChunk(d.parameters, o.bias, first, count);
                for (int i = 0; i < kChunk; ++i) chunk.x[i] = rounded(chunk.x[i] + bias.x[i]);
            }
            storeChunk(d.to, o.y, begin + first, count, chunk);
        });
        if (Rows::rank() != 0) continue;
        if (d.centres) o.mean[row] = mean;
        o.inverse[row] = inverse;
    }
}

struct GradOperands {
    const void *gradOutput, *x, *weight;
    const float *mean, *inverse;              // mean may be null
    void *gradInput, *gradWeight, *gradBias;  // gradBias may be null
    float* sums;                              // [pieces][2][cols]: of gradWeight and of gradBias
    unsigned* arrived;                        // of each tile
};

/// The differences from the mean, over the deviation, in place.
template <bool isNarrow>
__device__ void norm(const Rounder<isNarrow>& rounded, Chunk& x, float mean, float inverse) {
    for (float& v : x.x) v = rounded(rounded(v - mean) * inverse);
}

template <bool isNarrow, bool isBlock>
__device__ void gradRows(const LayerNormGradDesc& d, const GradOperands& o, std::int64_t block, std::int64_t blocks) {
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
            for (int i = 0; i < kChunk; ++i) h.x[i] = rounded(h.x[i] * weight.x[i]);
            norm(rounded, normed, mean, inverse);
        };
        float sumH = 0, sumHn = 0;
        Rows::forRow(d.cols, [&](std::int64_t first, int count) {
            Chunk h, normed;
            read(first, count, h, normed);
            for (int i = 0; i < kChunk; ++i) {
                sumH += h.x[i];
                sumHn += i < count ? rounded(h.x[i] * normed.x[i]) : 0;  // beyond it the norm of 0 may be infinite
            }
        });
        const float meanH = d.centres ? rounded(Rows::sum(sumH) / n) : 0;
        const float meanHn = rounded(Rows::sum(sumHn) / n);
        Rows::forRow(d.cols, [&](std::int64_t first, int count) {
            Chunk h, normed;
            read(first, count, h, normed);
            for (int i = 0; i < kChunk; ++i) {
                const float centred = rounded(h.x[i] - meanH);
                h.x[i] = rounded(rounded(centred - rounded(normed.x[i] * meanHn)) * inverse);
            }
            storeChunk(d.gradInput, o.gradInput, begin + first, count, h);
        });
    }
}

template <bool isNarrow>
__device__ void gradColumns(const LayerNormGradDesc& d, const GradOperands& o, const ColumnTiles& tiles, std::int64_t block) {
    const Rounder<isNarrow> rounded{d.compute};
    const TilePlace place(tiles, block);
    ColumnSums<float> weight, bias;
    place.forRows([&](std::int64_t row) {
        const std::int64_t first = row * d.cols + place.firstCol;
        const Chunk g = loadChunk(d.gradOutput, o.gradOutput, first, place.cols);
        Chunk normed = loadChunk(d.x, o.x, first, place.cols);
        norm(rounded, normed, d.centres ? o.mean[row] : 0, o.inverse[row]);
        for (int i = 0; i < kChunk; ++i) {
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
        for (int i = 0; i < kChunk; ++i) chunk.x[i] = sums.of[i];
        storeChunk(d.gradParameters, to, place.firstCol, place.cols, chunk);
    };
    write(weight, o.gradWeight);
    if (d.hasBias) write(bias, o.gradBias);
}

/// The first `rowBlocks` blocks go along rows.
template <bool isNarrow, bool isBlock>
__global__ void normGrad(LayerNormGradDesc d, GradOperands o, ColumnTiles tiles, std::int64_t rowBlocks) {
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
/// Whether a warp has a row.
template <typename Desc>
bool isOfWarps(const Desc& d) {
    return d.cols <= kLongestOfWarp && !isNarrow(d.compute);
}
template <typename Desc>
Grid gridOfRows(const Desc& d) {
    return gridFor(d.rows, isOfWarps(d) ? kThreads / kWarp : 1, kThreads);
}

}  // namespace

std::unique_ptr<Operation> makeLayerNorm(const LayerNormDesc& desc) {
    const auto kernel = isNarrow(desc.compute) ? normRows<true, true> : isOfWarps(desc) ? normRows<false, false> : normRows<false, true>;
    return makeFunction([desc, kernel](cudaStream_t stream, Operands operands) {
        const NormOperands o{operands[0],
                             operands[1],
                             desc.hasBias ? operands[2] : nullptr,
                             operands[3],
                             static_cast<float*>(operands[4]),
                             static_cast<float*>(operands[5])};
        launch(gridOfRows(desc), stream, kernel, desc, o);
    });
}

std::unique_ptr<Operation> makeLayerNormGrad(const LayerNormGradDesc& desc) {
    const auto kernel = isNarrow(desc.compute) ? normGrad<true, true> : isOfWarps(desc) ? normGrad<false, false> : normGrad<false, true>;
    const ColumnTiles tiles(desc.rows, desc.cols);
    return makeFunction([desc, kernel, tiles, arrived = Scratch(static_cast<std::size_t>(tiles.tiles) * sizeof(unsigned))](
                            cudaStream_t stream, Operands operands) {
        const GradOperands o{
            operands[0], operands[1], operands[2], static_cast<const float*>(operands[3]), static_cast<const float*>(operands[4]),
            operands[5], operands[6], operands[7], static_cast<float*>(operands[8]),       arrived.as<unsigned>()};
        Grid grid = gridOfRows(desc);
        const std::int64_t rowBlocks = grid.blocks;
        grid.blocks += static_cast<unsigned>(tiles.blocks());
        launch(grid, stream, kernel, desc, o, tiles, rowBlocks);
    });
}

std::size_t layerNormGradWorkspaceBytes(const LayerNormGradDesc& desc) {
    const ColumnTiles tiles(desc.rows, desc.cols);
    return tiles.pieces > 1 ? static_cast<std::size_t>(2 * tiles.pieces * desc.cols) * sizeof(float) : 0;
}

}  // namespace mantissa::cuda
