// SPDX-License-Identifier: Apache-2.0
// Matrices quantised to block formats, with the bits of the CPU backend, in up to four passes: numbers as bf16, rotated, and the tensor's
// factor; the blocks' scales; the elements; and fp32 scales from the factors that stood in their place. Magnitudes are compared by their
// bits, by atomic integer maxima, independent of the order.
#include "kernels/cuda/blocks.h"
#include "kernels/cuda/operations.h"
#include "kernels/dtype/hadamard.h"

namespace mantissa::cuda {
namespace {

/// The first pass. Without `values` it only finds the largest magnitude.
struct Preparing {
    std::int64_t rows, cols;
    Dtype from;
    bool hasTensorScale;
    Nvfp4Dialect dialect;
    const void* src;
    std::uint16_t* values;
};

/// The tensor's factor S, stored so that `inverse` multiplies products: in torchao's dialect that is S itself.
__device__ void setTensorScale(QuantScale* state, Nvfp4Dialect dialect, float S, float largest) {
    const bool isTorchao = dialect == Nvfp4Dialect::TorchaoInference;
    *state = {isTorchao ? 1 / S : S, isTorchao ? S : 1 / S, largest, 0};
}
__device__ float storedTensorScale(const Blocks& b, const QuantScale* state) {
    if (!b.hasTensorScale) return 1;
    return b.dialect == Nvfp4Dialect::TorchaoInference ? state->inverse : state->scale;
}

__device__ std::uint32_t roundNumbers(const Preparing& p) {
    std::uint32_t largest = 0;
    forChunks(p.rows * p.cols, [&](std::int64_t first, int n) {
        Chunk chunk = loadChunk(p.from, p.src, first, n);
        for (float& x : chunk.x) {
            x = storedValue(Dtype::BF16, x);
            largest = std::max(largest, magnitudeBits(x));
        }
        if (p.values != nullptr) storeChunk(Dtype::BF16, p.values, first, n, chunk);
    });
    return largest;
}

/// A thread takes 16 numbers of a column, neighbouring threads neighbouring columns. Rows after the last 16 are not rotated.
__device__ std::uint32_t rotateNumbers(const Preparing& p) {
    std::uint32_t largest = 0;
    const std::int64_t groups = (p.rows + kHadamardSize - 1) / kHadamardSize;
    for (std::int64_t i = globalThread(); i < groups * p.cols; i += allThreads()) {
        const Quotient at(i, p.cols);
        const std::int64_t row = at.whole * kHadamardSize, first = row * p.cols + at.rest;
        const int count = p.rows - row < kHadamardSize ? static_cast<int>(p.rows - row) : kHadamardSize;
        float v[kHadamardSize];
        MANTISSA_UNROLL for (int k = 0; k < kHadamardSize; ++k) {
            v[k] = k < count ? storedValue(Dtype::BF16, loadElement(p.from, p.src, first + k * p.cols)) : 0;
        }
        if (count == kHadamardSize) rotateSixteen(v);
        MANTISSA_UNROLL for (int k = 0; k < kHadamardSize; ++k) {
            if (k >= count) continue;
            const std::uint16_t code = bf16CodeOf(v[k]);
            largest = std::max(largest, magnitudeBits(Bf16Format::decode(code)));
            p.values[first + k * p.cols] = code;
        }
    }
    return largest;
}

/// `words`, the largest magnitude and the blocks that have arrived, are 0 before and after. Only formats with a tensor's factor need them.
template <bool rotates>
__global__ void prepareNumbers(Preparing p, QuantScale* state, std::uint32_t* words) {
    const std::uint32_t own = rotates ? rotateNumbers(p) : roundNumbers(p);
    if (!p.hasTensorScale) return;
    const std::uint32_t ofBlock = largestBitsOfBlock(own);
    if (threadIdx.x == 0) atomicMax(&words[0], ofBlock);
    if (!isLastBlock(&words[1], gridDim.x) || threadIdx.x != 0) return;
    const float largest = floatFromBits(atomicExch(&words[0], 0u));
    setTensorScale(state, p.dialect, tensorScaleOf(p.dialect, largest), largest);
}

constexpr int kLines = 8;  // warps of a thread block of the second pass

/// How the second pass distributes blocks: a warp reads the columns of `across` neighbouring blocks, `lines` warps share their rows.
struct Spread {
    int lines = 1, across = 1;

    explicit Spread(const Blocks& b) {
        while (lines < kLines && 2 * lines <= b.blockRows) lines *= 2;
        if (b.blockCols < kWarp) across = kWarp / static_cast<int>(b.blockCols);
    }
    MANTISSA_HD std::int64_t perRow(const Blocks& b) const { return (b.scaleCols + across - 1) / across; }
};

/// This thread's share of the largest magnitude of the rows and columns from `row` and `col` on. NaN counts as the largest; where elements
/// are searched it is ignored.
__device__ std::uint32_t largestOfShare(const Blocks& b, const Spread& spread, const std::uint16_t* values, std::int64_t row,
                                        std::int64_t col) {
    const int line = static_cast<int>(threadIdx.x) / kWarp % spread.lines, lane = static_cast<int>(threadIdx.x) % kWarp;
    const std::int64_t lastRow = std::min(row + b.blockRows, b.rows), lastCol = std::min(col + spread.across * b.blockCols, b.cols);
    std::uint32_t largest = 0;
    for (std::int64_t r = row + line; r < lastRow; r += spread.lines) {
        for (std::int64_t c = col + lane; c < lastCol; c += kWarp) {
            const std::uint32_t magnitude = floatBits(Bf16Format::decode(values[r * b.cols + c])) & ~kFloatSign;
            largest = std::max(largest, b.isSearched && magnitude > kFloatInf ? 0u : magnitude);
        }
    }
    return largest;
}

__global__ void __launch_bounds__(kLines* kWarp)
    chooseScales(Blocks b, Spread spread, const std::uint16_t* values, std::uint8_t* scales, QuantScale* state) {
    __shared__ std::uint32_t magnitudes[kLines][kWarp];
    // The first of the warps that share blocks: it alone resets their magnitudes and reads them, so that needs no barrier between.
    const int warp = static_cast<int>(threadIdx.x) / kWarp, lane = static_cast<int>(threadIdx.x) % kWarp;
    const int group = warp / spread.lines, leader = group * spread.lines;
    const std::int64_t perRow = spread.perRow(b), units = perRow * b.scaleRows, together = kLines / spread.lines;
    const float S = storedTensorScale(b, state);
    for (std::int64_t at = blockIdx.x * together; at < units; at += gridDim.x * together) {
        const Quotient place(at + group, perRow);
        const std::int64_t first = place.rest * spread.across;
        const bool isInside = at + group < units;
        if (warp == leader) magnitudes[leader][lane] = 0;
        __syncthreads();
        if (isInside && lane < spread.across * b.blockCols) {
            const std::uint32_t own = largestOfShare(b, spread, values, place.whole * b.blockRows, first * b.blockCols);
            const int block = spread.across == 1 ? 0 : lane / static_cast<int>(b.blockCols);
            atomicMax(&magnitudes[leader][block], own);
        }
        __syncthreads();
        if (isInside && warp == leader && lane < spread.across && first + lane < b.scaleCols) {
            const std::uint32_t code = scaleCodeOf(b, magnitudes[leader][lane], S);
            storeScaleCode(b, scales, place.whole * b.scaleCols + first + lane, code);
        }
    }
    if (!b.hasTensorScale && globalThread() == 0) setTensorScale(state, b.dialect, 1, 0);
}

/// Rounding of the elements. Its stream is that of StepScalars, which only stochastic rounding needs.
struct ElementRounding {
    RoundingMode mode;
    std::int64_t firstElement;
};

/// The factor of a block is computed once for consecutive numbers.
__device__ std::uint64_t codesOfChunk(const Blocks& b, const ElementRounding& rounding, const std::uint8_t* scales, float S,
                                      const Chunk& chunk, std::int64_t first, int count) {
    BlockPosition position(b, first);
    std::int64_t known = -1;
    float factor = 0;
    std::uint64_t codes = 0;
    for (int i = 0; i < count; ++i, position.advance(b)) {
        if (const std::int64_t index = position.scaleIndex(b); index != known) {
            known = index;
            const std::uint32_t code = scaleCodeAt(b, scales, index);
            factor = b.isSearched ? decodeBits(b.scale, code) : blockFactorOf(b, code, S);
        }
        const auto number = static_cast<std::uint64_t>(rounding.firstElement + first + i);
        const std::uint32_t code = b.isSearched ? Nvfp4<Nvfp4Dialect::LlamaCpp>::nearestCode(chunk.x[i], factor)
                                                : encodeBits(b.element, scaledElement(b, chunk.x[i], factor, S), rounding.mode, number);
        codes |= std::uint64_t{code} << (i * b.bits);
    }
    return codes;
}

__global__ void encodeElements(Blocks b, ElementRounding rounding, const std::uint16_t* values, std::uint8_t* stored,
                               const QuantScale* state, const StepScalars* scalars) {
    if (scalars != nullptr) rounding.mode.stream = static_cast<std::uint32_t>(scalars->dropoutStep);
    const float S = storedTensorScale(b, state);
    forChunks(b.count(), [&](std::int64_t first, int n) {
        const Chunk chunk = loadChunk(Dtype::BF16, values, first, n);
        packCodes(b, stored, first, n, codesOfChunk(b, rounding, stored + b.packedBytes, S, chunk, first, n));
    });
}

/// Replaces the factors by the scales of their blocks.
__global__ void storeFp32Scales(Blocks b, std::uint8_t* scales) {
    for (std::int64_t i = globalThread(); i < b.scaleRows * b.scaleCols; i += allThreads()) {
        storeScaleCode(b, scales, i, floatBits(fp32Scale(floatFromBits(scaleCodeAt(b, scales, i)))));
    }
}

bool isPrepared(const QuantizeBlocksDesc& desc) {
    return desc.isRotated || desc.from != Dtype::BF16 || desc.source;
}

void prepareOn(cudaStream_t stream, const QuantizeBlocksDesc& desc, const Preparing& p, QuantScale* state, std::uint32_t* words) {
    if (desc.isRotated) {
        const std::int64_t groups = (desc.shape.rows + kHadamardSize - 1) / kHadamardSize;
        launch(gridFor(groups * desc.shape.cols, 256), stream, prepareNumbers<true>, p, state, words);
    } else {
        launch(gridOfChunks(desc.shape.count()), stream, prepareNumbers<false>, p, state, words);
    }
}

}  // namespace

std::unique_ptr<Operation> makeQuantizeBlocks(const QuantizeBlocksDesc& desc) {
    const Blocks blocks(desc.format, desc.shape);
    const Spread spread(blocks);
    const ElementRounding rounding{{.rounding = desc.rounding, .seed = desc.seed}, desc.firstElement};
    const Grid scalesGrid = gridFor(spread.perRow(blocks) * blocks.scaleRows, kLines / spread.lines, kLines * kWarp);
    return makeFunction([desc, blocks, spread, rounding, scalesGrid,
                         scratch = Scratch(blocks.hasTensorScale ? 2 * sizeof(std::uint32_t) : 0)](cudaStream_t stream, Operands operands) {
        auto* const stored = static_cast<std::uint8_t*>(operands[1]);
        auto* const state = static_cast<QuantScale*>(operands[2]);
        auto* const prepared = isPrepared(desc) ? static_cast<std::uint16_t*>(operands[4]) : nullptr;
        const auto* const values = prepared != nullptr ? prepared : static_cast<const std::uint16_t*>(operands[0]);
        Preparing p{blocks.rows, blocks.cols, desc.from, blocks.hasTensorScale, blocks.dialect, operands[0], prepared};
        if (desc.source) {  // rounded to bf16; a further pass reads and writes the same memory
            decodeBlocks(stream, Blocks(*desc.source, desc.shape), operands[0], Dtype::BF16, prepared);
            p.from = Dtype::BF16, p.src = prepared;
        }
        const bool isDone = !desc.isRotated && (desc.source || prepared == nullptr);
        if (!isDone || blocks.hasTensorScale) prepareOn(stream, desc, p, state, scratch.as<std::uint32_t>());
        launch(scalesGrid, stream, chooseScales, blocks, spread, values, stored + blocks.packedBytes, state);
        launch(gridOfChunks(blocks.count()), stream, encodeElements, blocks, rounding, values, stored, state,
               static_cast<const StepScalars*>(operands[3]));
        if (blocks.hasFp32Scales)
            launch(gridFor(blocks.scaleRows * blocks.scaleCols, 256), stream, storeFp32Scales, blocks, stored + blocks.packedBytes);
    });
}

std::size_t quantizeBlocksWorkspaceBytes(const QuantizeBlocksDesc& desc) {
    return isPrepared(desc) ? partBytes(desc.shape.count(), Dtype::BF16) : 0;
}

}  // namespace mantissa::cuda
