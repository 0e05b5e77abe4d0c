// SPDX-License-Identifier: Apache-2.0
// Layer norm and RMS norm of short rows in fp32, and their gradients, with the sums and conversions that are computed with them
// (kernels/fusion.h): every number is read once. A warp holds a row, and for the gradient the sums of its columns, in registers; a second
// kernel combines the sums.
#include "kernels/cuda/layer_norm.h"

namespace mantissa::cuda {
namespace {

__device__ float sumOfWarp(float value) {
    return foldWarp(value, [](float a, float b) { return a + b; });
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

/// The norm of aligned rows of up to kSlots * 256 columns. With isSum, x is the sum, which is written, too.
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
        const float mean = d.centres ? sumOfWarp(own) / n : 0;
        own = 0;
        forOwn([&](int slot, int) {
            const Chunk x = valuesAt(slot);
            MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) own += (x.x[i] - mean) * (x.x[i] - mean);
        });
        const float inverse = 1 / sqrtf(sumOfWarp(own) / n + static_cast<float>(d.epsilon));
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
        const float meanH = d.centres ? sumOfWarp(sumH) / n : 0, meanHn = sumOfWarp(sumHn) / n;
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
template <bool isSum>
void launchRows(const LayerNormDesc& desc, cudaStream_t stream, const LayerNormOperands& o, const RowSum& rowSum) {
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

}  // namespace

bool launchHeldRows(const LayerNormDesc& desc, cudaStream_t stream, const LayerNormOperands& o) {
    if (!isOfWarps(desc) || desc.cols % kChunk != 0 || !isRaw(desc.from) || !isAligned(o.x)) return false;
    launchRows<false>(desc, stream, o, {});
    return true;
}

bool launchGradOfHeldRows(const LayerNormGradDesc& desc, cudaStream_t stream, const LayerNormGradOperands& o) {
    if (!isOfRows(desc) || !isAligned(o.gradOutput) || !isAligned(o.x)) return false;
    launchGradOfRows<false>(desc, stream, o, {});
    return true;
}

std::int64_t blocksOfHeldGrad(const LayerNormGradDesc& desc) {
    return isOfRows(desc) ? blocksOf(desc) : 0;
}

std::unique_ptr<Operation> makeAddNorm(const AddDesc& add, const LayerNormDesc& desc) {
    return makeFunction([add, desc](cudaStream_t stream, Operands operands) {
        launchRows<true>(desc, stream, normOperands(desc, operands.subspan(3)), {add, operands[0], operands[1], operands[2]});
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

}  // namespace mantissa::cuda
