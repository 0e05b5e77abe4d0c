// SPDX-License-Identifier: Apache-2.0
// fp8 tensors with a scale: quantising, and the update of scales from recorded magnitudes.
// Rules of Transformer Engine's DelayedScaling and Float8CurrentScaling (github.com/NVIDIA/TransformerEngine, common/recipe).
// Magnitudes are compared by their bits, which have the order of the numbers. The maximum over all blocks is one atomic integer maximum,
// independent of the order.
#include <limits>

#include "kernels/cuda/operations.h"
#include "kernels/cuda/rows.h"

namespace mantissa::cuda {
namespace {

struct Quantizing {
    std::int64_t count;
    Dtype from, to;
    float largestOfFormat;
    int margin;
    bool notesMagnitude;
    std::int64_t transposedRows;
};

__device__ std::uint32_t largestOfChunks(const Quantizing& q, const void* src) {
    std::uint32_t largest = 0;
    forChunks(q.count, [&](std::int64_t first, int n) {
        const Chunk chunk = loadChunk(q.from, src, first, n);
        for (const float value : chunk.x) largest = std::max(largest, magnitudeBits(value));
    });
    return largest;
}

__device__ bool isUsable(std::uint32_t magnitude) {
    return magnitude > 0 && magnitude < kFloatInf;
}
__device__ float scaleFor(float largestOfFormat, std::uint32_t magnitude, int margin) {
    const float scale = ldexpf(largestOfFormat / floatFromBits(magnitude), -margin);
    constexpr float kMost = std::numeric_limits<float>::max();
    return scale > kMost ? kMost : scale;
}
__device__ void setScale(QuantScale* state, float scale) {
    state->scale = scale;
    state->inverse = 1 / scale;
}

/// Scales and saturates a chunk. With notesMagnitude, its largest unscaled magnitude enters `largest`.
__device__ Chunk scaledChunk(const Quantizing& q, Chunk chunk, float scale, std::uint32_t& largest) {
    for (float& value : chunk.x) {
        if (q.notesMagnitude) largest = std::max(largest, magnitudeBits(value));
        value = saturated(value * scale, q.largestOfFormat);
    }
    return chunk;
}

/// Stores a chunk of numbers within the format's range, or NaN.
__device__ void storeCodes(Dtype to, void* dst, std::int64_t first, int count, const Chunk& chunk) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
    if (isWhole(to, dst, first, count)) {
        uint2 codes;
        std::uint32_t* const words[] = {&codes.x, &codes.y};
        MANTISSA_UNROLL for (int i = 0; i < kChunk; i += 4) {
            const float* const x = chunk.x + i;
            std::uint16_t low = 0, high = 0;
            if (to == Dtype::E4M3) {
                asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(low) : "f"(x[1]), "f"(x[0]));
                asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(high) : "f"(x[3]), "f"(x[2]));
            } else {
                asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(low) : "f"(x[1]), "f"(x[0]));
                asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(high) : "f"(x[3]), "f"(x[2]));
            }
            *words[i / 4] = low | std::uint32_t{high} << 16;
        }
        *reinterpret_cast<uint2*>(static_cast<unsigned char*>(dst) + first) = codes;
        return;
    }
#endif
    storeChunk(to, dst, first, count, chunk);
}

/// Returns the largest unscaled magnitude, with notesMagnitude.
__device__ std::uint32_t castChunks(const Quantizing& q, const void* src, void* dst, float scale) {
    std::uint32_t largest = 0;
    forChunks(q.count, [&](std::int64_t first, int n) {
        storeCodes(q.to, dst, first, n, scaledChunk(q, loadChunk(q.from, src, first, n), scale, largest));
    });
    return largest;
}

constexpr int kTileRows = 32, kTileChunks = 8, kTileCols = kTileChunks * kChunk;  // a chunk for each of 256 threads

MANTISSA_HD std::int64_t tilesOf(const Quantizing& q) {
    return (q.transposedRows + kTileRows - 1) / kTileRows * ((q.count / q.transposedRows + kTileCols - 1) / kTileCols);
}

/// castChunks by tiles, which also writes the transposed copy.
__device__ std::uint32_t castTiles(const Quantizing& q, const void* src, void* dst, void* transposed, float scale) {
    constexpr int kWords = kTileRows / 4;                  // four rows of a column per word
    __shared__ std::uint32_t tile[kTileCols][kWords + 1];  // one more word: columns begin in different banks
    const std::int64_t rows = q.transposedRows, cols = q.count / rows, across = (cols + kTileCols - 1) / kTileCols;
    const int ownRow = static_cast<int>(threadIdx.x) / kTileChunks, ownCol = static_cast<int>(threadIdx.x) % kTileChunks * kChunk;
    std::uint32_t largest = 0;
    for (std::int64_t at = blockIdx.x; at < tilesOf(q); at += gridDim.x) {
        const std::int64_t firstRow = at / across * kTileRows, firstCol = at % across * kTileCols;
        const std::int64_t row = firstRow + ownRow, col = firstCol + ownCol;
        if (row < rows && col < cols) {
            const int n = static_cast<int>(std::min<std::int64_t>(kChunk, cols - col));
            const Chunk chunk = scaledChunk(q, loadChunk(q.from, src, row * cols + col, n), scale, largest);
            storeCodes(q.to, dst, row * cols + col, n, chunk);
            alignas(16) std::uint8_t codes[kChunk];
            storeCodes(q.to, codes, 0, kChunk, chunk);
            MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) reinterpret_cast<std::uint8_t*>(tile[ownCol + i])[ownRow] = codes[i];
        }
        __syncthreads();
        for (int i = static_cast<int>(threadIdx.x); i < kTileCols * kWords; i += static_cast<int>(blockDim.x)) {
            const std::int64_t outRow = firstCol + i / kWords, outCol = firstRow + i % kWords * 4, to = outRow * rows + outCol;
            if (outRow >= cols || outCol >= rows) continue;
            const std::uint32_t four = tile[i / kWords][i % kWords];
            auto* const bytes = static_cast<std::uint8_t*>(transposed) + to;
            if (rows - outCol >= 4 && reinterpret_cast<std::uintptr_t>(bytes) % 4 == 0) {
                *reinterpret_cast<std::uint32_t*>(bytes) = four;
            } else {  // the first row is in a word's lowest bits
                for (int r = 0; r < std::min<std::int64_t>(4, rows - outCol); ++r) bytes[r] = static_cast<std::uint8_t>(four >> (8 * r));
            }
        }
        __syncthreads();
    }
    return largest;
}

/// Small tensors: one block finds the maximum, sets the scale and casts.
__global__ void __launch_bounds__(1024) quantizeAlone(Quantizing q, const void* src, void* dst, QuantScale* state) {
    const std::uint32_t magnitude = largestBitsOfBlock(largestOfChunks(q, src));
    const float scale = isUsable(magnitude) ? scaleFor(q.largestOfFormat, magnitude, q.margin) : 1;
    castChunks(q, src, dst, scale);
    if (threadIdx.x == 0) setScale(state, scale);
}

/// `largest` and `arrived` are 0 before and after.
__global__ void findScale(Quantizing q, const void* src, QuantScale* state, std::uint32_t* largest, unsigned* arrived) {
    const std::uint32_t ofBlock = largestBitsOfBlock(largestOfChunks(q, src));
    if (threadIdx.x == 0) atomicMax(largest, ofBlock);
    if (!isLastBlock(arrived, gridDim.x) || threadIdx.x != 0) return;
    const std::uint32_t magnitude = atomicExch(largest, 0u);
    setScale(state, isUsable(magnitude) ? scaleFor(q.largestOfFormat, magnitude, q.margin) : 1);
}

/// Uses the stored scale. A new scale is 1, whether or not another block has already stored it.
template <bool turns>
__global__ void quantizeByScale(Quantizing q, const void* src, void* dst, void* transposed, QuantScale* state) {
    const float stored = state->scale, scale = stored == 0 ? 1 : stored;
    std::uint32_t own = 0;
    if constexpr (turns)
        own = castTiles(q, src, dst, transposed, scale);
    else
        own = castChunks(q, src, dst, scale);
    if (stored == 0 && globalThread() == 0) setScale(state, 1);
    if (!q.notesMagnitude) return;
    const std::uint32_t ofBlock = largestBitsOfBlock(own);
    if (threadIdx.x == 0) atomicMax(reinterpret_cast<std::uint32_t*>(&state->absMax), ofBlock);
}

/// A block per scale.
__global__ void renewScales(const float* largestOfFormat, std::int64_t bytesApart, std::int64_t historyLength, bool usesNewestOnly,
                            int margin, void* scales) {
    auto* const state = reinterpret_cast<QuantScale*>(static_cast<unsigned char*>(scales) + blockIdx.x * bytesApart);
    auto* const history = reinterpret_cast<float*>(state + 1);
    const float seen = state->absMax;
    const auto newest = static_cast<std::int32_t>((state->newest + 1) % historyLength);
    if (seen == 0) return;
    std::uint32_t largest = floatBits(seen) & ~kFloatSign;
    if (!usesNewestOnly) {
        std::uint32_t own = magnitudeBits(seen);
        for (std::int64_t i = threadIdx.x; i < historyLength; i += blockDim.x) {
            if (i != newest) own = std::max(own, magnitudeBits(history[i]));
        }
        largest = largestBitsOfBlock(own);
    }
    __syncthreads();  // all threads have read the state
    if (threadIdx.x != 0) return;
    history[newest] = seen;
    state->newest = newest;
    if (isUsable(largest)) setScale(state, scaleFor(largestOfFormat[blockIdx.x], largest, margin));
    state->absMax = 0;
}

}  // namespace

std::unique_ptr<Operation> makeQuantize(const QuantizeDesc& desc) {
    constexpr std::int64_t kAlone = 32768;
    const Quantizing q{
        desc.count,     desc.from, desc.to, static_cast<float>(facts(desc.to).maxFinite), desc.margin, desc.source == ScaleSource::Delayed,
        desc.transposedRows};
    const bool findsScale = desc.source == ScaleSource::Current, isAlone = findsScale && desc.count <= kAlone && desc.transposedRows == 0;
    return makeFunction([q, findsScale, isAlone, scratch = Scratch(findsScale && !isAlone ? 2 * sizeof(std::uint32_t) : 0)](
                            cudaStream_t stream, Operands operands) {
        auto* const state = static_cast<QuantScale*>(operands[2]);
        if (isAlone) {
            launch(Grid{.blocks = 1, .threads = wholeWarps((q.count + kChunk - 1) / kChunk)}, stream, quantizeAlone, q, operands[0],
                   operands[1], state);
            return;
        }
        auto* const words = scratch.as<std::uint32_t>();
        if (findsScale) launch(gridOfChunks(q.count), stream, findScale, q, operands[0], state, words, words + 1);
        if (q.transposedRows == 0) {
            launch(gridOfChunks(q.count), stream, quantizeByScale<false>, q, operands[0], operands[1], static_cast<void*>(nullptr), state);
        } else {
            launch(gridFor(tilesOf(q), 1), stream, quantizeByScale<true>, q, operands[0], operands[1], operands[3], state);
        }
    });
}

std::unique_ptr<Operation> makeUpdateScales(const UpdateScalesDesc& desc) {
    std::vector<float> largestOfFormat;
    for (const Dtype format : desc.formats) largestOfFormat.push_back(static_cast<float>(facts(format).maxFinite));
    return makeFunction([blocks = static_cast<unsigned>(desc.formats.size()), table = Scratch(largestOfFormat),
                         bytesApart = static_cast<std::int64_t>(quantScaleBytes(desc.historyLength)), historyLength = desc.historyLength,
                         usesNewestOnly = desc.usesNewestOnly, margin = desc.margin](cudaStream_t stream, Operands operands) {
        if (blocks == 0) return;
        launch(Grid{.blocks = blocks, .threads = 256}, stream, renewScales, table.as<float>(), bytesApart, historyLength, usesNewestOnly,
               margin, operands[0]);
    });
}

}  // namespace mantissa::cuda
