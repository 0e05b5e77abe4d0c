// SPDX-License-Identifier: Apache-2.0
// Batch norm over columns, and its gradient: one kernel sums pieces of rows, one combines the sums, and one applies them. Sums are in
// double. One pass sums the differences from the column's first number, and their squares. Since that number belongs to the column, the
// relative error by cancellation is at most the number of rows times double's unit roundoff (Chan, Golub, LeVeque 1983, The American
// Statistician 37(3), "shifted data").
#include "kernels/cuda/operations.h"
#include "kernels/cuda/tile.h"

namespace mantissa::cuda {
namespace {

/// Workspace: two rows of sums for each piece, then two rows of means in fp32.
struct Sums {
    double* ofPieces;
    float* means;

    Sums(void* workspace, const ColumnTiles& tiles)
        : ofPieces(static_cast<double*>(workspace)), means(reinterpret_cast<float*>(ofPieces + 2 * tiles.pieces * tiles.cols)) {}
    static std::size_t bytes(const ColumnTiles& tiles) {
        return static_cast<std::size_t>(2 * tiles.cols) * (static_cast<std::size_t>(tiles.pieces) * sizeof(double) + sizeof(float));
    }
    __device__ double* of(const ColumnTiles& tiles, std::int64_t piece, int which) const {
        return ofPieces + (2 * piece + which) * tiles.cols;
    }
};

/// Both sums of a column over all pieces. Blocks of kWarp columns; one thread per column has the result.
struct TwoSums {
    std::int64_t col;
    double first = 0, second = 0;
    bool isMine = false;

    __device__ TwoSums(const ColumnTiles& tiles, const Sums& sums)
        : col(std::int64_t{blockIdx.x} * kWarp + static_cast<int>(threadIdx.x) % kWarp) {
        constexpr int kParts = kTileThreads / kWarp;
        __shared__ double partial[2][kParts][kWarp];
        const int part = static_cast<int>(threadIdx.x) / kWarp, lane = static_cast<int>(threadIdx.x) % kWarp;
        if (col < tiles.cols) {
            for (std::int64_t piece = part; piece < tiles.pieces; piece += kParts) {
                first += sums.of(tiles, piece, 0)[col];
                second += sums.of(tiles, piece, 1)[col];
            }
        }
        partial[0][part][lane] = first;
        partial[1][part][lane] = second;
        __syncthreads();
        isMine = part == 0 && col < tiles.cols;
        if (!isMine) return;
        for (int other = 1; other < kParts; ++other) {
            first += partial[0][other][lane];
            second += partial[1][other][lane];
        }
    }
    static Grid grid(const ColumnTiles& tiles) {
        return {.blocks = static_cast<unsigned>((tiles.cols + kWarp - 1) / kWarp), .threads = kTileThreads};
    }
};

__device__ float finiteOr0(float value) {
    return fabsf(value) < floatFromBits(kFloatInf) ? value : 0.0f;
}

__device__ double inverseDeviation(double variance, double epsilon) {
    return 1 / sqrt(variance + epsilon);
}

// ---- Forward ----

struct BatchNormOperands {
    const void *x, *weight, *bias;
    float *runningMean, *runningVariance;  // may be null
    void* y;
    float *mean, *inverse;  // null except in training
};

/// For each piece, sums the differences from the column's first number, and their squares.
template <typename Access>
__global__ void __launch_bounds__(kTileThreads, 2) takeStatistics(BatchNormDesc d, BatchNormOperands o, ColumnTiles tiles, Sums sums) {
    const TilePlace place(tiles, blockIdx.x);
    const auto load = [&](std::int64_t row) { return Access::load(d.from, o.x, row * d.channels + place.firstCol, place.cols); };
    Chunk shift = place.cols > 0 ? load(0) : Chunk{};
    MANTISSA_UNROLL for (float& x : shift.x) x = finiteOr0(x);
    ColumnSums<double> sum, squares;
    place.forLoadedRows(load, [&](std::int64_t, const Chunk& x) {
        for (int i = 0; i < kChunk; ++i) {
            const double difference = static_cast<double>(x.x[i]) - static_cast<double>(shift.x[i]);
            sum.of[i] += difference;
            squares.of[i] = fma(difference, difference, squares.of[i]);
        }
    });
    sum.foldRows(place);
    squares.foldRows(place);
    sum.store(place, sums.of(tiles, place.piece, 0));
    squares.store(place, sums.of(tiles, place.piece, 1));
}

__global__ void finishStatistics(BatchNormDesc d, BatchNormOperands o, ColumnTiles tiles, Sums sums) {
    const TwoSums all(tiles, sums);
    if (!all.isMine) return;
    const auto n = static_cast<double>(d.rows), shift = static_cast<double>(finiteOr0(loadElement(d.from, o.x, all.col)));
    const double ofShifted = all.first / n, mean = shift + ofShifted, left = all.second - all.first * ofShifted;
    const double squares = left < 0 ? 0 : left;  // NaN stays NaN
    const auto follow = [&](float* running, double batch) {
        if (running == nullptr) return;
        running[all.col] = static_cast<float>((1 - d.momentum) * static_cast<double>(running[all.col]) + d.momentum * batch);
    };
    o.mean[all.col] = static_cast<float>(mean);
    o.inverse[all.col] = static_cast<float>(inverseDeviation(squares / n, d.epsilon));
    follow(o.runningMean, mean);
    follow(o.runningVariance, squares / (n - 1));
}

/// What follows a batch norm in one pass: relu of its result, or of its sum with another tensor, all in the format of the result.
enum class BatchNormTail { None, Relu, AddRelu };

struct NormRow {
    Chunk x, added;
};

/// With a tail, `o.y` is its result.
template <typename Access, BatchNormTail tail>
__global__ void __launch_bounds__(kTileThreads, 3) normalise(BatchNormDesc d, BatchNormOperands o, ColumnTiles tiles, const void* added) {
    const TilePlace place(tiles, blockIdx.x);
    const auto channels = [&](Dtype dtype, const void* row) { return loadChunk(dtype, row, place.firstCol, place.cols); };
    const Chunk mean = channels(Dtype::F32, d.training ? o.mean : o.runningMean);
    Chunk inverse = channels(Dtype::F32, d.training ? o.inverse : o.runningVariance);
    if (!d.training) {
        for (float& v : inverse.x) v = static_cast<float>(inverseDeviation(static_cast<double>(v), d.epsilon));
    }
    const Chunk weight = channels(d.parameters, o.weight), bias = channels(d.parameters, o.bias);
    const auto placeOf = [&](std::int64_t row) { return row * d.channels + place.firstCol; };
    const auto load = [&](std::int64_t row) {
        NormRow at;
        at.x = Access::load(d.from, o.x, placeOf(row), place.cols);
        if constexpr (tail == BatchNormTail::AddRelu) at.added = Access::load(d.to, added, placeOf(row), place.cols);
        return at;
    };
    place.forLoadedRows(load, [&](std::int64_t row, NormRow at) {
        MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) {
            float& x = at.x.x[i];
            x = (x - mean.x[i]) * inverse.x[i] * weight.x[i] + bias.x[i];
            if constexpr (tail != BatchNormTail::None) x = Access::stored(d.to, x);
            if constexpr (tail == BatchNormTail::AddRelu) x = Access::stored(d.to, x + at.added.x[i]);
            if constexpr (tail != BatchNormTail::None) x = x <= 0 ? 0 : x;
        }
        Access::store(d.to, o.y, placeOf(row), place.cols, at.x);
    });
}

// ---- Gradient ----

struct BatchNormGradOperands {
    const void *gradOutput, *x, *weight;
    const float *mean, *inverse;
    void *gradInput, *gradWeight, *gradBias;
};

struct GradRow {
    Chunk g, x;
};
template <typename Access>
__device__ GradRow loadRow(const BatchNormGradDesc& d, const BatchNormGradOperands& o, const TilePlace& place, std::int64_t row) {
    const std::int64_t first = row * d.channels + place.firstCol;
    return {Access::load(d.gradOutput, o.gradOutput, first, place.cols), Access::load(d.x, o.x, first, place.cols)};
}

/// Values per channel that a thread needs.
struct GradColumns {
    Chunk mean, inverse;

    __device__ GradColumns(const BatchNormGradOperands& o, const TilePlace& place)
        : mean(loadChunk(Dtype::F32, o.mean, place.firstCol, place.cols)),
          inverse(loadChunk(Dtype::F32, o.inverse, place.firstCol, place.cols)) {}
    __device__ float norm(int i, float x) const { return (x - mean.x[i]) * inverse.x[i]; }
};

template <typename Access>
__global__ void __launch_bounds__(kTileThreads, 2)
    sumGradients(BatchNormGradDesc d, BatchNormGradOperands o, ColumnTiles tiles, Sums sums) {
    const TilePlace place(tiles, blockIdx.x);
    const GradColumns columns(o, place);
    ColumnSums<double> sum, products;
    place.forLoadedRows([&](std::int64_t row) { return loadRow<Access>(d, o, place, row); },
                        [&](std::int64_t, const GradRow& at) {
                            for (int i = 0; i < kChunk; ++i) {
                                const auto g = static_cast<double>(at.g.x[i]);
                                sum.of[i] += g;
                                products.of[i] = fma(g, static_cast<double>(columns.norm(i, at.x.x[i])), products.of[i]);
                            }
                        });
    sum.foldRows(place);
    products.foldRows(place);
    sum.store(place, sums.of(tiles, place.piece, 0));
    products.store(place, sums.of(tiles, place.piece, 1));
}

__global__ void finishGradients(BatchNormGradDesc d, BatchNormGradOperands o, ColumnTiles tiles, Sums sums) {
    const TwoSums all(tiles, sums);
    if (!all.isMine) return;
    const auto finish = [&](double sum, void* gradParameter, float* means) {
        storeElement(d.gradParameters, gradParameter, all.col, static_cast<float>(sum));
        means[all.col] = static_cast<float>(sum / static_cast<double>(d.rows));
    };
    finish(all.first, o.gradBias, sums.means);
    finish(all.second, o.gradWeight, sums.means + d.channels);
}

template <typename Access>
__global__ void __launch_bounds__(kTileThreads, 2) gradInput(BatchNormGradDesc d, BatchNormGradOperands o, ColumnTiles tiles, Sums sums) {
    const TilePlace place(tiles, blockIdx.x);
    const GradColumns columns(o, place);
    Chunk factor = loadChunk(d.parameters, o.weight, place.firstCol, place.cols);
    for (int i = 0; i < kChunk; ++i) factor.x[i] = factor.x[i] * columns.inverse.x[i];
    const Chunk meanG = loadChunk(Dtype::F32, sums.means, place.firstCol, place.cols),
                meanGn = loadChunk(Dtype::F32, sums.means + d.channels, place.firstCol, place.cols);
    place.forLoadedRows([&](std::int64_t row) { return loadRow<Access>(d, o, place, row); },
                        [&](std::int64_t row, GradRow at) {
                            MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) at.g.x[i] =
                                factor.x[i] * (at.g.x[i] - meanG.x[i] - columns.norm(i, at.x.x[i]) * meanGn.x[i]);
                            Access::store(d.gradInput, o.gradInput, row * d.channels + place.firstCol, place.cols, at.g);
                        });
}

Grid gridOf(const ColumnTiles& tiles) {
    return {.blocks = static_cast<unsigned>(tiles.blocks()), .threads = kTileThreads};
}

template <BatchNormTail tail>
void launchBatchNorm(const BatchNormDesc& desc, const ColumnTiles& tiles, cudaStream_t stream, Operands operands, void* y,
                     const void* added) {
    const auto floats = [&](std::size_t index) { return static_cast<float*>(operands[index]); };
    const BatchNormOperands o{operands[0], operands[1], operands[2], floats(3), floats(4), y, floats(6), floats(7)};
    withAccess({desc.from, desc.to}, {o.x, o.y, added}, desc.channels, [&](auto access) {
        using Access = decltype(access);
        const Sums sums(operands[8], tiles);
        if (desc.training) {
            launch(gridOf(tiles), stream, takeStatistics<Access>, desc, o, tiles, sums);
            launch(TwoSums::grid(tiles), stream, finishStatistics, desc, o, tiles, sums);
        }
        launch(gridOf(tiles), stream, normalise<Access, tail>, desc, o, tiles, added);
    });
}

}  // namespace

std::unique_ptr<Operation> makeBatchNorm(const BatchNormDesc& desc) {
    return makeFunction([desc, tiles = ColumnTiles(desc.rows, desc.channels)](cudaStream_t stream, Operands operands) {
        launchBatchNorm<BatchNormTail::None>(desc, tiles, stream, operands, operands[5], nullptr);
    });
}

std::unique_ptr<Operation> makeBatchNormRelu(const BatchNormDesc& desc, bool adds) {
    return makeFunction([desc, adds, tiles = ColumnTiles(desc.rows, desc.channels)](cudaStream_t stream, Operands operands) {
        void* const y = operands.back();
        if (!adds) return launchBatchNorm<BatchNormTail::Relu>(desc, tiles, stream, operands, y, nullptr);
        void* const added = operands[9] == operands[5] ? operands[10] : operands[9];
        launchBatchNorm<BatchNormTail::AddRelu>(desc, tiles, stream, operands, y, added);
    });
}

std::unique_ptr<Operation> makeBatchNormGrad(const BatchNormGradDesc& desc) {
    const ColumnTiles tiles(desc.rows, desc.channels);
    return makeFunction([desc, tiles](cudaStream_t stream, Operands operands) {
        const BatchNormGradOperands o{
            operands[0], operands[1], operands[2], static_cast<const float*>(operands[3]), static_cast<const float*>(operands[4]),
            operands[5], operands[6], operands[7]};
        withAccess({desc.gradOutput, desc.x, desc.gradInput}, {o.gradOutput, o.x, o.gradInput}, desc.channels, [&](auto access) {
            using Access = decltype(access);
            const Sums sums(operands[8], tiles);
            launch(gridOf(tiles), stream, sumGradients<Access>, desc, o, tiles, sums);
            launch(TwoSums::grid(tiles), stream, finishGradients, desc, o, tiles, sums);
            launch(gridOf(tiles), stream, gradInput<Access>, desc, o, tiles, sums);
        });
    });
}

std::size_t batchNormWorkspaceBytes(std::int64_t rows, std::int64_t channels) {
    return Sums::bytes(ColumnTiles(rows, channels));
}

}  // namespace mantissa::cuda
