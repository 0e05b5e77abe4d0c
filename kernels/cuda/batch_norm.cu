// SPDX-License-Identifier: Apache-2.0
// Batch norm over columns, and its gradient: a kernel that takes sums and one that uses them. Sums are made in double, of pieces of rows;
// the last block of a tile of columns brings them together. A piece's squares are summed from differences from its own mean, and pieces
// meet by their means' differences (Chan, Golub, LeVeque 1979, Stanford STAN-CS-79-773), so nothing cancels.
#include "kernels/cuda/operations.h"
#include "kernels/cuda/tile.h"

namespace mantissa::cuda {
namespace {

/// In the workspace: two rows of sums for each piece, then two rows of means in fp32.
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

__device__ double inverseDeviation(double variance, double epsilon) {
    return 1 / sqrt(variance + epsilon);
}

// ---- Forward ----

struct NormOperands {
    const void *x, *weight, *bias;
    float *runningMean, *runningVariance;  // may be null
    void* y;
    float *mean, *inverse;  // null outside of training
};

/// The mean of the batch and the sum of squares of the differences from it, of each piece; of the last one of a tile, of all.
__global__ void takeStatistics(BatchNormDesc d, NormOperands o, ColumnTiles tiles, Sums sums, unsigned* arrived) {
    const TilePlace place(tiles, blockIdx.x);
    const auto load = [&](std::int64_t row) { return loadChunk(d.from, o.x, row * d.channels + place.firstCol, place.cols); };
    const auto rowsOf = [&](std::int64_t piece) {
        const std::int64_t left = d.rows - piece * tiles.pieceRows;
        return static_cast<double>(left < tiles.pieceRows ? left : tiles.pieceRows);
    };
    ColumnSums<double> sum, squares;
    place.forRows([&](std::int64_t row) {
        const Chunk x = load(row);
        for (int i = 0; i < kChunk; ++i) sum.of[i] += static_cast<double>(x.x[i]);
    });
    sum.foldRows(place);
    double ownMean[kChunk];
    for (int i = 0; i < kChunk; ++i) ownMean[i] = sum.of[i] / rowsOf(place.piece);
    place.forRows([&](std::int64_t row) {
        const Chunk x = load(row);
        for (int i = 0; i < kChunk; ++i) {
            const double difference = static_cast<double>(x.x[i]) - ownMean[i];
            squares.of[i] += difference * difference;
        }
    });
    squares.foldRows(place);
    const auto n = static_cast<double>(d.rows);
    if (tiles.pieces > 1) {
        sum.store(place, sums.of(tiles, place.piece, 0));
        squares.store(place, sums.of(tiles, place.piece, 1));
        if (!isLastBlock(arrived + place.tile, tiles.pieces)) return;
        sum = {}, squares = {};
        for (std::int64_t piece = place.threadRow; piece < tiles.pieces; piece += place.threadRows)
            sum.add(place, sums.of(tiles, piece, 0));
        sum.foldRows(place);
        for (std::int64_t piece = place.threadRow; piece < tiles.pieces; piece += place.threadRows) {
            squares.add(place, sums.of(tiles, piece, 1));
            ColumnSums<double> own;
            own.add(place, sums.of(tiles, piece, 0));
            const double rows = rowsOf(piece);
            for (int i = 0; i < kChunk; ++i) {
                const double apart = own.of[i] / rows - sum.of[i] / n;
                squares.of[i] += rows * apart * apart;
            }
        }
        squares.foldRows(place);
    }
    if (place.threadRow != 0) return;
    const auto follow = [&](float& running, double batch) {
        running = static_cast<float>((1 - d.momentum) * static_cast<double>(running) + d.momentum * batch);
    };
    for (int i = 0; i < kChunk; ++i) {
        if (i >= place.cols) break;
        const std::int64_t channel = place.firstCol + i;
        const double mean = sum.of[i] / n;
        o.mean[channel] = static_cast<float>(mean);
        o.inverse[channel] = static_cast<float>(inverseDeviation(squares.of[i] / n, d.epsilon));
        if (o.runningMean != nullptr) follow(o.runningMean[channel], mean);
        if (o.runningVariance != nullptr) follow(o.runningVariance[channel], squares.of[i] / (n - 1));
    }
}

__global__ void __launch_bounds__(kTileThreads, 4) normalise(BatchNormDesc d, NormOperands o, ColumnTiles tiles) {
    const TilePlace place(tiles, blockIdx.x);
    const auto channels = [&](Dtype dtype, const void* row) { return loadChunk(dtype, row, place.firstCol, place.cols); };
    const Chunk mean = channels(Dtype::F32, d.training ? o.mean : o.runningMean);
    Chunk inverse = channels(Dtype::F32, d.training ? o.inverse : o.runningVariance);
    if (!d.training) {
        for (float& v : inverse.x) v = static_cast<float>(inverseDeviation(static_cast<double>(v), d.epsilon));
    }
    const Chunk weight = channels(d.parameters, o.weight), bias = channels(d.parameters, o.bias);
    place.forRows([&](std::int64_t row) {
        const std::int64_t first = row * d.channels + place.firstCol;
        Chunk x = loadChunk(d.from, o.x, first, place.cols);
        for (int i = 0; i < kChunk; ++i) x.x[i] = (x.x[i] - mean.x[i]) * inverse.x[i] * weight.x[i] + bias.x[i];
        storeChunk(d.to, o.y, first, place.cols, x);
    });
}

// ---- Gradient ----

struct GradOperands {
    const void *gradOutput, *x, *weight;
    const float *mean, *inverse;
    void *gradInput, *gradWeight, *gradBias;
};

/// What a thread needs of its channels.
struct GradColumns {
    Chunk mean, inverse;

    __device__ GradColumns(const GradOperands& o, const TilePlace& place)
        : mean(loadChunk(Dtype::F32, o.mean, place.firstCol, place.cols)),
          inverse(loadChunk(Dtype::F32, o.inverse, place.firstCol, place.cols)) {}
    __device__ float norm(int i, float x) const { return (x - mean.x[i]) * inverse.x[i]; }
};

__global__ void __launch_bounds__(kTileThreads, 3)
    sumGradients(BatchNormGradDesc d, GradOperands o, ColumnTiles tiles, Sums sums, unsigned* arrived) {
    const TilePlace place(tiles, blockIdx.x);
    const GradColumns columns(o, place);
    ColumnSums<double> sum, products;
    place.forRows([&](std::int64_t row) {
        const std::int64_t first = row * d.channels + place.firstCol;
        const Chunk g = loadChunk(d.gradOutput, o.gradOutput, first, place.cols), x = loadChunk(d.x, o.x, first, place.cols);
        for (int i = 0; i < kChunk; ++i) {
            sum.of[i] += static_cast<double>(g.x[i]);
            products.of[i] += static_cast<double>(g.x[i]) * static_cast<double>(columns.norm(i, x.x[i]));
        }
    });
    sum.foldRows(place);
    products.foldRows(place);
    if (tiles.pieces > 1) {
        sum.store(place, sums.of(tiles, place.piece, 0));
        products.store(place, sums.of(tiles, place.piece, 1));
        if (!isLastBlock(arrived + place.tile, tiles.pieces)) return;
        sum = {}, products = {};
        for (std::int64_t piece = place.threadRow; piece < tiles.pieces; piece += place.threadRows) {
            sum.add(place, sums.of(tiles, piece, 0));
            products.add(place, sums.of(tiles, piece, 1));
        }
        sum.foldRows(place);
        products.foldRows(place);
    }
    if (place.threadRow != 0 || place.cols == 0) return;
    const auto finish = [&](const ColumnSums<double>& all, void* gradParameter, float* means) {
        Chunk sumOfAll, mean;
        for (int i = 0; i < kChunk; ++i) {
            sumOfAll.x[i] = static_cast<float>(all.of[i]);
            mean.x[i] = static_cast<float>(all.of[i] / static_cast<double>(d.rows));
        }
        storeChunk(d.gradParameters, gradParameter, place.firstCol, place.cols, sumOfAll);
        storeChunk(Dtype::F32, means, place.firstCol, place.cols, mean);
    };
    finish(sum, o.gradBias, sums.means);
    finish(products, o.gradWeight, sums.means + d.channels);
}

__global__ void __launch_bounds__(kTileThreads, 3) gradInput(BatchNormGradDesc d, GradOperands o, ColumnTiles tiles, Sums sums) {
    const TilePlace place(tiles, blockIdx.x);
    const GradColumns columns(o, place);
    Chunk factor = loadChunk(d.parameters, o.weight, place.firstCol, place.cols);
    for (int i = 0; i < kChunk; ++i) factor.x[i] = factor.x[i] * columns.inverse.x[i];
    const Chunk meanG = loadChunk(Dtype::F32, sums.means, place.firstCol, place.cols),
                meanGn = loadChunk(Dtype::F32, sums.means + d.channels, place.firstCol, place.cols);
    place.forRows([&](std::int64_t row) {
        const std::int64_t first = row * d.channels + place.firstCol;
        Chunk g = loadChunk(d.gradOutput, o.gradOutput, first, place.cols);
        const Chunk x = loadChunk(d.x, o.x, first, place.cols);
        for (int i = 0; i < kChunk; ++i) g.x[i] = factor.x[i] * (g.x[i] - meanG.x[i] - columns.norm(i, x.x[i]) * meanGn.x[i]);
        storeChunk(d.gradInput, o.gradInput, first, place.cols, g);
    });
}

Grid gridOf(const ColumnTiles& tiles) {
    return {.blocks = static_cast<unsigned>(tiles.blocks()), .threads = kTileThreads};
}
Scratch arrivals(const ColumnTiles& tiles) {
    return Scratch(static_cast<std::size_t>(tiles.tiles) * sizeof(unsigned));
}

}  // namespace

std::unique_ptr<Operation> makeBatchNorm(const BatchNormDesc& desc) {
    const ColumnTiles tiles(desc.rows, desc.channels);
    return makeFunction([desc, tiles, arrived = arrivals(tiles)](cudaStream_t stream, Operands operands) {
        const auto floats = [&](std::size_t index) { return static_cast<float*>(operands[index]); };
        const NormOperands o{operands[0], operands[1], operands[2], floats(3), floats(4), operands[5], floats(6), floats(7)};
        if (desc.training) launch(gridOf(tiles), stream, takeStatistics, desc, o, tiles, Sums(operands[8], tiles), arrived.as<unsigned>());
        launch(gridOf(tiles), stream, normalise, desc, o, tiles);
    });
}

std::unique_ptr<Operation> makeBatchNormGrad(const BatchNormGradDesc& desc) {
    const ColumnTiles tiles(desc.rows, desc.channels);
    return makeFunction([desc, tiles, arrived = arrivals(tiles)](cudaStream_t stream, Operands operands) {
        const GradOperands o{
            operands[0], operands[1], operands[2], static_cast<const float*>(operands[3]), static_cast<const float*>(operands[4]),
            operands[5], operands[6], operands[7]};
        const Sums sums(operands[8], tiles);
        launch(gridOf(tiles), stream, sumGradients, desc, o, tiles, sums, arrived.as<unsigned>());
        launch(gridOf(tiles), stream, gradInput, desc, o, tiles, sums);
    });
}

std::size_t batchNormWorkspaceBytes(std::int64_t rows, std::int64_t channels) {
    return Sums::bytes(ColumnTiles(rows, channels));
}

}  // namespace mantissa::cuda
