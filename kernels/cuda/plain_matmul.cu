// SPDX-License-Identifier: Apache-2.0
// A matrix product for every format, rounding, layout and batch, with sums in fp32 in order of k or as on a tensor core
// (kernels/dtype/tensor_core.h, shared with the host). Tiles of the operands pass through shared memory as fp32. A block computes a tile of
// the result, each thread some of its elements, in a fixed order: deterministic.
#include <cmath>
#include <utility>

#include "kernels/cuda/device.h"
#include "kernels/cuda/product.h"
#include "kernels/dtype/tensor_core.h"

namespace mantissa::cuda {
namespace {

constexpr int kThreadsAcross = 16, kMatmulThreads = kThreadsAcross * kThreadsAcross;
constexpr int kDepth = 32;  // along k: whole operations of every tensor core, which have 4 to 32 terms

/// Tensor core model; no terms: sums in fp32.
struct Core {
    FusedDot model{.terms = 0};
    int minExponentA = 0, minExponentB = 0;
};

/// An operand, indexed (across, along k).
struct Side {
    const void* memory;
    std::int64_t acrossStride, alongStride, across, along;
    Dtype stored, compute;
    Rounding rounding;

    __device__ float load(std::int64_t base, std::int64_t i, std::int64_t k) const {
        if (i >= across || k >= along) return 0;
        const float value = loadElement(stored, memory, base + i * acrossStride + k * alongStride);
        return compute == Dtype::F32 ? value : roundTo(compute, value, {rounding});
    }

    /// tile[k][i]: side x kDepth elements from (i, k) on. Neighbouring threads read neighbouring addresses.
    template <int side>
    __device__ void loadTile(float (*tile)[side + 1], std::int64_t base, std::int64_t i, std::int64_t k) const {
        for (int at = static_cast<int>(threadIdx.x); at < side * kDepth; at += kMatmulThreads) {
            const int down = alongStride == 1 ? at % kDepth : at / side, right = alongStride == 1 ? at / kDepth : at % side;
            tile[down][right] = load(base, i + right, k + down);
        }
    }
};

/// Runs the tensor core's operations over a tile in order. A promotion adds `running` to `promoted` and clears it.
template <int side>
__device__ void addFused(const Core& core, const float (*a)[side + 1], const float (*b)[side + 1], int row, int col, std::int64_t firstK,
                         std::int64_t lastK, std::int64_t promoteEvery, float& running, float& promoted) {
    for (std::int64_t k = firstK; k < lastK; k += core.model.terms) {
        const std::int64_t left = lastK - k, count = left < core.model.terms ? left : core.model.terms;
        const auto down = static_cast<int>(k - firstK);
        running =
            fusedDotAdd(core.model, &a[down][row], side + 1, core.minExponentA, &b[down][col], side + 1, core.minExponentB, count, running);
        if (promoteEvery == 0 || (k + count) % promoteEvery != 0) continue;
        promoted += running;
        running = 0;
    }
}

struct PlainProduct {
    Product product;
    Side a, b;
    Core core;
    ProductOperands operands;
    std::int64_t tilesDown, tilesAcross, results;

    __device__ float finished(float sum, std::int64_t col) const {
        const Product& p = product;
        const float factor = p.isScaled ? *operands.inverseA * *operands.inverseB : p.scale;
        if (factor != 1) sum *= factor;
        if (p.hasBias) sum += loadElement(p.out, operands.bias, col);
        return p.out == Dtype::F32 && p.result != Dtype::F32 ? roundTo(p.result, sum) : sum;
    }
};

/// `each`: elements per thread in each direction. isFused: sums as a tensor core does.
template <int each, bool isFused>
__global__ void __launch_bounds__(kMatmulThreads) multiply(PlainProduct plain) {
    constexpr int kSide = each * kThreadsAcross;
    __shared__ float a[kDepth][kSide + 1];
    __shared__ float b[kDepth][kSide + 1];
    const Product& p = plain.product;
    const int x = static_cast<int>(threadIdx.x) % kThreadsAcross, y = static_cast<int>(threadIdx.x) / kThreadsAcross;
    const std::int64_t tiles = plain.tilesDown * plain.tilesAcross, inner = p.inner / p.outMatrices.divisor;
    for (std::int64_t at = blockIdx.x; at < tiles * plain.results; at += gridDim.x) {
        const std::int64_t matrix = at / tiles, row = at % tiles / plain.tilesAcross * kSide, col = at % plain.tilesAcross * kSide;
        const std::int64_t outer = matrix / inner, place = matrix % inner;
        float total[each][each] = {};
        for (std::int64_t shared = 0; shared < p.outMatrices.divisor; ++shared) {
            const std::int64_t index = place * p.outMatrices.divisor + shared;
            const std::int64_t baseA = p.aMatrices.at(outer, index), baseB = p.bMatrices.at(outer, index);
            [[maybe_unused]] float running[each][each] = {}, promoted[each][each] = {};
            for (std::int64_t k = 0; k < p.k; k += kDepth) {
                plain.a.loadTile<kSide>(a, baseA, row, k);
                plain.b.loadTile<kSide>(b, baseB, col, k);
                __syncthreads();
                const std::int64_t last = p.k - k < kDepth ? p.k : k + kDepth;
                if constexpr (isFused) {
                    MANTISSA_UNROLL for (int i = 0; i < each; ++i) {
                        MANTISSA_UNROLL for (int j = 0; j < each; ++j) {
                            if (row + y + i * kThreadsAcross >= p.m || col + x + j * kThreadsAcross >= p.n) continue;
                            addFused<kSide>(plain.core, a, b, y + i * kThreadsAcross, x + j * kThreadsAcross, k, last, p.promoteEvery,
                                            running[i][j], promoted[i][j]);
                        }
                    }
                } else {
                    for (int down = 0; down < static_cast<int>(last - k); ++down) {
                        float left[each], right[each];
                        MANTISSA_UNROLL for (int i = 0; i < each; ++i) left[i] = a[down][y + i * kThreadsAcross];
                        MANTISSA_UNROLL for (int j = 0; j < each; ++j) right[j] = b[down][x + j * kThreadsAcross];
                        MANTISSA_UNROLL for (int i = 0; i < each; ++i) {
                            MANTISSA_UNROLL for (int j = 0; j < each; ++j) total[i][j] = fmaf(left[i], right[j], total[i][j]);
                        }
                    }
                }
                __syncthreads();
            }
            if constexpr (isFused) {
                MANTISSA_UNROLL for (int i = 0; i < each; ++i) {
                    MANTISSA_UNROLL for (int j = 0; j < each; ++j) {
                        const float one = promoted[i][j] + running[i][j];
                        total[i][j] = shared == 0 ? one : total[i][j] + one;
                    }
                }
            }
        }
        const std::int64_t to = p.outMatrices.at(outer, place * p.outMatrices.divisor);
        MANTISSA_UNROLL for (int i = 0; i < each; ++i) {
            const std::int64_t ownRow = row + y + i * kThreadsAcross;
            MANTISSA_UNROLL for (int j = 0; j < each; ++j) {
                const std::int64_t ownCol = col + x + j * kThreadsAcross;
                if (ownRow >= p.m || ownCol >= p.n) continue;
                storeElement(p.out, plain.operands.out, to + ownRow * p.outMatrices.strides.row + ownCol,
                             plain.finished(total[i][j], ownCol));
            }
        }
    }
}

int minExponentOf(Dtype dtype) {
    return static_cast<int>(std::lround(std::log2(facts(dtype).minNormal)));
}

Side sideOf(const void* memory, const Matrices& matrices, bool acrossLiesInRows, Dtype stored, const Product& p) {
    const Dtype compute = p.computeOf(stored);
    Side side{.memory = memory,
              .acrossStride = matrices.strides.row,
              .alongStride = 1,
              .across = matrices.rows,
              .along = matrices.cols,
              .stored = stored,
              .compute = holdsEveryValue(compute, stored) ? Dtype::F32 : compute,
              .rounding = p.operandRounding};
    if (acrossLiesInRows) {
        std::swap(side.acrossStride, side.alongStride);
        std::swap(side.across, side.along);
    }
    return side;
}

}  // namespace

void multiplyPlainly(cudaStream_t stream, const Product& p, const ProductOperands& operands) {
    PlainProduct plain{.product = p,
                .a = sideOf(operands.a, p.aMatrices, p.transposeA, p.a, p),
                .b = sideOf(operands.b, p.bMatrices, !p.transposeB, p.b, p),
                .core = {},
                .operands = operands,
                .tilesDown = 0,
                .tilesAcross = 0,
                .results = p.outer * (p.inner / p.outMatrices.divisor)};
    if (const auto model = fusedDot(p.accumulator, p.compute)) {
        plain.core = {*model, minExponentOf(p.formatOf(p.a)), minExponentOf(p.formatOf(p.b))};
    }
    // Emulated tensor core sums are slow: small tiles distribute them over more blocks.
    const bool isFused = plain.core.model.terms > 0, isSmall = isFused || (p.m <= 32 && p.n <= 32);
    const std::int64_t side = (isSmall ? 2 : 4) * kThreadsAcross;
    plain.tilesDown = (p.m + side - 1) / side;
    plain.tilesAcross = (p.n + side - 1) / side;
    const Grid grid = gridFor(plain.tilesDown * plain.tilesAcross * plain.results, 1, kMatmulThreads);
    launch(grid, stream, isFused ? multiply<2, true> : isSmall ? multiply<2, false> : multiply<4, false>, plain);
}

}  // namespace mantissa::cuda
