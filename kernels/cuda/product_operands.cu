// SPDX-License-Identifier: Apache-2.0
// Kernels before and after a library's product: conversion of operands, transposition of fp8 matrices, scaling and rounding of sums.
#include "kernels/cuda/device.h"
#include "kernels/cuda/product.h"

namespace mantissa::cuda {
namespace {

/// Chunks of rows; contiguous matrices are one row.
struct OperandChunks {
    std::int64_t cols = 0, perRow = 0, rows = 0, matrices = 0, inner = 1;
    Matrices from;

    OperandChunks(const Matrices& matrix, std::int64_t count, std::int64_t innerCount)
        : cols(matrix.cols), rows(matrix.rows), matrices(count), inner(innerCount), from(matrix) {
        const BatchStrides& s = matrix.strides;
        const bool rowsTouch = s.row == cols || rows == 1;
        const bool matricesTouch = count == 1 || (s.inner == rows * cols && s.outer == innerCount * rows * cols);
        if (rowsTouch && matricesTouch) cols *= rows * matrices, rows = matrices = 1;
        perRow = (cols + kChunk - 1) / kChunk;
    }
    MANTISSA_HD std::int64_t count() const { return perRow * rows * matrices; }
};

/// A chunk's position: matrix, row and column.
struct Place {
    std::int64_t matrix, row, col;
    int count;

    __device__ Place(const OperandChunks& chunks, std::int64_t index) {
        const Quotient line(index, chunks.perRow);
        const Quotient ofMatrix(line.whole, chunks.rows);
        col = line.rest * kChunk;
        matrix = ofMatrix.whole;
        row = ofMatrix.rest;
        count = chunks.cols - col < kChunk ? static_cast<int>(chunks.cols - col) : kChunk;
    }
    __device__ std::int64_t in(const BatchStrides& strides, std::int64_t inner) const {
        const Quotient outer(matrix, inner);
        return outer.whole * strides.outer + outer.rest * strides.inner + row * strides.row + col;
    }
    __device__ std::int64_t packed(const OperandChunks& chunks) const { return (matrix * chunks.rows + row) * chunks.cols + col; }
};

__device__ void convertChunk(const Conversion& conversion, const OperandChunks& chunks, std::int64_t index) {
    const Place place(chunks, index);
    Chunk chunk = loadChunk(conversion.stored, conversion.src, place.in(chunks.from.strides, chunks.inner), place.count);
    if (conversion.compute != Dtype::F32) {
        for (float& value : chunk.x) value = roundTo(conversion.compute, value, {conversion.rounding});
    }
    storeChunk(conversion.to, conversion.dst, place.packed(chunks), place.count, chunk);
}

__global__ void convert(Conversion first, OperandChunks firstChunks, Conversion second, OperandChunks secondChunks) {
    const std::int64_t before = firstChunks.count(), all = before + secondChunks.count();
    for (std::int64_t i = globalThread(); i < all; i += allThreads()) {
        if (i < before) {
            convertChunk(first, firstChunks, i);
        } else {
            convertChunk(second, secondChunks, i - before);
        }
    }
}

constexpr int kTileSide = 32;

MANTISSA_HD std::int64_t tilesOf(const Turn& turn) {
    return ((turn.rows + kTileSide - 1) / kTileSide) * ((turn.cols + kTileSide - 1) / kTileSide);
}

__device__ void turnTile(const Turn& turn, std::int64_t at) {
    __shared__ std::uint8_t tile[kTileSide][kTileSide + 4];
    const auto* const src = static_cast<const std::uint8_t*>(turn.src);
    auto* const dst = static_cast<std::uint8_t*>(turn.dst);
    const std::int64_t across = (turn.cols + kTileSide - 1) / kTileSide, row = at / across * kTileSide, col = at % across * kTileSide;
    const int x = static_cast<int>(threadIdx.x) % kTileSide, y = static_cast<int>(threadIdx.x) / kTileSide;
    const int step = static_cast<int>(blockDim.x) / kTileSide;
    for (int i = y; i < kTileSide; i += step) {
        if (row + i < turn.rows && col + x < turn.cols) tile[i][x] = src[(row + i) * turn.cols + col + x];
    }
    __syncthreads();
    for (int i = y; i < kTileSide; i += step) {
        if (col + i < turn.cols && row + x < turn.rows) dst[(col + i) * turn.rows + row + x] = tile[x][i];
    }
    __syncthreads();
}

__global__ void turnBoth(Turn first, Turn second) {
    const std::int64_t before = tilesOf(first), all = before + tilesOf(second);
    for (std::int64_t at = blockIdx.x; at < all; at += gridDim.x) turnTile(at < before ? first : second, at < before ? at : at - before);
}

__global__ void copyTwo(const float* first, const float* second, float* places) {
    if (threadIdx.x < 2) places[threadIdx.x * (kLtScaleAlignment / sizeof(float))] = threadIdx.x == 0 ? *first : *second;
}

/// Parameters of the final scaling, bias and rounding.
struct Finish {
    float scale;
    const float *inverseA, *inverseB;
    const void* bias;
    Dtype out, result;
};

__global__ void finish(Finish how, OperandChunks chunks, BatchStrides outStrides, const float* sums, void* out) {
    const float factor = how.inverseA != nullptr ? *how.inverseA * *how.inverseB : how.scale;
    for (std::int64_t i = globalThread(); i < chunks.count(); i += allThreads()) {
        const Place place(chunks, i);
        Chunk chunk = loadChunk(Dtype::F32, sums, place.in(chunks.from.strides, chunks.inner), place.count);
        if (factor != 1) {
            for (float& value : chunk.x) value *= factor;
        }
        if (how.bias != nullptr) {
            const Chunk bias = loadChunk(how.out, how.bias, place.col, place.count);
            for (int e = 0; e < kChunk; ++e) chunk.x[e] += bias.x[e];
        }
        if (how.out == Dtype::F32 && how.result != Dtype::F32) {
            MANTISSA_UNROLL for (float& value : chunk.x) value = storedValue(how.result, value);
        }
        storeChunk(how.out, out, place.in(outStrides, chunks.inner), place.count, chunk);
    }
}

}  // namespace

void convertOperands(cudaStream_t stream, const Conversion& first, const Conversion& second) {
    const OperandChunks one(first.from, first.matrices, first.inner), two(second.from, second.matrices, second.inner);
    if (one.count() + two.count() == 0) return;
    launch(gridFor(one.count() + two.count(), 256), stream, convert, first, one, second, two);
}

void turnMatrices(cudaStream_t stream, const Turn& first, const Turn& second) {
    const std::int64_t tiles = tilesOf(first) + tilesOf(second);
    if (tiles > 0) launch(gridFor(tiles, 1), stream, turnBoth, first, second);
}

void placeScales(cudaStream_t stream, const float* first, const float* second, void* places) {
    launch(Grid{.threads = kWarp}, stream, copyTwo, first, second, static_cast<float*>(places));
}

void finishProduct(cudaStream_t stream, const Product& product, bool addsBias, const Matrices& from, const void* sums,
                   const ProductOperands& operands) {
    const std::int64_t inner = product.inner / product.outMatrices.divisor;
    OperandChunks chunks(from, product.outer * inner, inner);
    const OperandChunks ofOut(product.outMatrices, product.outer * inner, inner);
    // One long row requires contiguous matrices on both sides and no bias.
    if (addsBias || chunks.cols != ofOut.cols) {
        chunks.cols = from.cols, chunks.rows = from.rows, chunks.matrices = product.outer * inner;
        chunks.perRow = (chunks.cols + kChunk - 1) / kChunk;
    }
    const Finish how{product.scale, operands.inverseA, operands.inverseB, addsBias ? operands.bias : nullptr, product.out, product.result};
    launch(gridFor(chunks.count(), 256), stream, finish, how, chunks, product.outMatrices.strides, static_cast<const float*>(sums),
           operands.out);
}

}  // namespace mantissa::cuda
