// SPDX-License-Identifier: Apache-2.0
// Unscaling and overflow check: one pass over all parameters' gradients, in pieces of similar size; the last block to finish combines the
// pieces' results. An earlier pass measures gradients that are clipped while scaled.
#include <math.h>  // isfinite without std, for nvcc

#include <algorithm>
#include <vector>

#include "kernels/cuda/device.h"
#include "kernels/cuda/operations.h"

namespace mantissa::cuda {
namespace {

constexpr unsigned kUnscaleThreads = 256;

struct Piece {
    std::int64_t first, count;
};

__device__ bool testsSums(OverflowTest test) {
    return test == OverflowTest::Sums || test == OverflowTest::Norm;
}

/// Result for a piece or a parameter.
struct Check {
    double sumOfSquares;        // of the unscaled gradients: finite if all of them are
    float testedSum;            // for OverflowTest::Sums and Norm
    std::uint32_t largestBits;  // magnitude of the scaled gradients; those of Inf and NaN are the largest

    __device__ bool overflowed(OverflowTest test) const {
        if (testsSums(test)) return !isfinite(testedSum);
        return largestBits >= kFloatInf || (test == OverflowTest::UnscaledElements && !isfinite(sumOfSquares));
    }
};

/// An operation's tables on the GPU, and memory for the results of its pieces.
struct Tables {
    std::int64_t pieceCount, parameterCount;
    const Piece* pieces;
    const std::int64_t* firstPieces;  // per parameter, and one entry for the end
    double* scaledSquares;            // per piece
    Check* checks;                    // per piece
    unsigned* arrived;
};

struct Add {
    template <typename T>
    __device__ T operator()(T a, T b) const {
        return a + b;
    }
};
struct Largest {
    __device__ std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a > b ? a : b; }
};

/// Calls work(first, count) for this thread's chunks of a piece. Chunks begin at multiples of kChunk in the array, independent of the
/// piece.
template <typename Work>
__device__ void forPieceChunks(const Piece& piece, Work work) {
    const std::int64_t end = piece.first + piece.count;
    for (std::int64_t at = piece.first / kChunk * kChunk + threadIdx.x * kChunk; at < end; at += kUnscaleThreads * kChunk) {
        const std::int64_t first = at < piece.first ? piece.first : at, last = at + kChunk < end ? at + kChunk : end;
        if (first < last) work(first, static_cast<int>(last - first));
    }
}

__device__ double squared(float value) {
    return static_cast<double>(value) * static_cast<double>(value);
}

__device__ bool clipsScaled(const StepScalars& scalars) {
    return scalars.maxGradNorm > 0 && scalars.clipsScaled != 0;
}
__device__ float coefficientOf(const StepScalars& scalars, double norm) {
    const float coefficient = scalars.maxGradNorm / (static_cast<float>(norm) + 1e-6f);
    return coefficient > 1 ? 1 : coefficient;  // NaN stays NaN
}

__global__ void measureScaled(Tables tables, Dtype dtype, const void* gradients, const StepScalars* scalars) {
    if (!clipsScaled(*scalars) || blockIdx.x >= tables.pieceCount) return;
    double sum = 0;
    forPieceChunks(tables.pieces[blockIdx.x], [&](std::int64_t first, int count) {
        const Chunk chunk = loadChunk(dtype, gradients, first, count);
        for (const float x : chunk.x) sum += squared(x);
    });
    sum = sumBlock(sum);
    if (threadIdx.x == 0) tables.scaledSquares[blockIdx.x] = sum;
}

__device__ double scaledNorm(const Tables& tables) {
    double sum = 0;
    for (std::int64_t i = threadIdx.x; i < tables.pieceCount; i += kUnscaleThreads) sum += tables.scaledSquares[i];
    return sqrt(sumBlock(sum));
}

/// Checks the scaled values before it multiplies by the factor. A factor of 1 writes nothing unless clipping does.
__device__ Check unscalePiece(const Piece& piece, Dtype dtype, void* gradients, const StepScalars& scalars, bool clips, float coefficient) {
    const float factor = scalars.inverseScale;
    const bool squares = scalars.overflowTest == OverflowTest::Norm;
    Check check{};
    forPieceChunks(piece, [&](std::int64_t first, int count) {
        Chunk chunk = loadChunk(dtype, gradients, first, count);
        withConstant(dtype, [&](auto tag) {
            for (int i = 0; i < kChunk; ++i) {
                float& x = chunk.x[i];
                check.testedSum += squares ? x * x : x;
                if (clips) x = storedValue(decltype(tag)::value, x * coefficient);
                check.largestBits = Largest()(floatBits(x) & ~kFloatSign, check.largestBits);
                if (factor != 1) x = i < count ? storedValue(decltype(tag)::value, x * factor) : 0;  // avoids 0 times an infinite factor
            }
        });
        for (const float x : chunk.x) check.sumOfSquares += squared(x);
        if (clips || factor != 1) storeChunk(dtype, gradients, first, count, chunk);
    });
    check.sumOfSquares = sumBlock(check.sumOfSquares);
    if (testsSums(scalars.overflowTest)) check.testedSum = sumBlock(check.testedSum);
    check.largestBits = foldBlock(check.largestBits, 0u, Largest());
    return check;
}

/// Combines the pieces, a warp per parameter, then writes the step's results.
__device__ void finish(const Tables& tables, float* foundInf, StepScalars& scalars, bool clips, double normOfScaled) {
    const unsigned lane = threadIdx.x % kWarp;
    Check all{};
    unsigned overflows = 0;
    for (std::int64_t p = threadIdx.x / kWarp; p < tables.parameterCount; p += kUnscaleThreads / kWarp) {
        Check own{};
        for (std::int64_t i = tables.firstPieces[p] + lane; i < tables.firstPieces[p + 1]; i += kWarp) {
            const Check& piece = tables.checks[i];
            own.sumOfSquares += piece.sumOfSquares;
            own.testedSum += piece.testedSum;
            own.largestBits = Largest()(own.largestBits, piece.largestBits);
        }
        own = {foldWarp(own.sumOfSquares, Add()), foldWarp(own.testedSum, Add()), foldWarp(own.largestBits, Largest())};
        const bool overflowed = own.overflowed(scalars.overflowTest);
        if (lane == 0) foundInf[p] = overflowed ? 1.0f : 0.0f;
        overflows |= overflowed ? 1u : 0u;
        all = {all.sumOfSquares + own.sumOfSquares, all.testedSum + own.testedSum, Largest()(all.largestBits, own.largestBits)};
    }
    if (lane != 0) all = {};
    all.sumOfSquares = sumBlock(all.sumOfSquares);
    if (testsSums(scalars.overflowTest)) all.testedSum = sumBlock(all.testedSum);
    all.largestBits = foldBlock(all.largestBits, 0u, Largest());
    overflows = foldBlock(overflows, 0u, Largest());
    if (threadIdx.x != 0) return;
    // Squares of several parameters may overflow fp32 in sum only.
    const bool overflowed = overflows != 0 || (scalars.overflowTest == OverflowTest::Norm && !isfinite(all.testedSum));
    scalars.foundInf = overflowed ? 1.0f : 0.0f;
    scalars.gradAbsMax = floatFromBits(all.largestBits) * scalars.inverseScale;
    scalars.gradNorm = static_cast<float>(clips ? normOfScaled * static_cast<double>(scalars.inverseScale) : sqrt(all.sumOfSquares));
    scalars.clipCoefficient = scalars.maxGradNorm > 0 && !clips ? coefficientOf(scalars, static_cast<double>(scalars.gradNorm)) : 1;
    scalars.skipped = overflowed && scalars.skipOnFoundInf != 0 ? 1 : 0;
}

__global__ void unscale(Tables tables, Dtype dtype, void* gradients, float* foundInf, StepScalars* scalars) {
    const bool clips = clipsScaled(*scalars);
    const double normOfScaled = clips ? scaledNorm(tables) : 0;
    if (blockIdx.x < tables.pieceCount) {
        const float coefficient = clips ? coefficientOf(*scalars, normOfScaled) : 1;
        const Check check = unscalePiece(tables.pieces[blockIdx.x], dtype, gradients, *scalars, clips, coefficient);
        if (threadIdx.x == 0) tables.checks[blockIdx.x] = check;
    }
    if (isLastBlock(tables.arrived, gridDim.x)) finish(tables, foundInf, *scalars, clips, normOfScaled);
}

/// Cuts parameters into pieces, enough to fill a GPU several times.
std::vector<Piece> cut(const Segments& segments, std::vector<std::int64_t>& firstPieces) {
    constexpr std::int64_t kLeast = 2 * kUnscaleThreads * kChunk, kMostPieces = 2048;
    const std::int64_t total = segments.empty() ? 0 : segments.back() - segments.front();
    const std::int64_t size = std::max(kLeast, (total / kMostPieces + kLeast - 1) / kLeast * kLeast);
    std::vector<Piece> pieces;
    for (std::size_t i = 0; i + 1 < segments.size(); ++i) {
        for (std::int64_t first = segments[i]; first < segments[i + 1]; first += size) {
            pieces.push_back({first, std::min(size, segments[i + 1] - first)});
        }
        firstPieces.push_back(static_cast<std::int64_t>(pieces.size()));
    }
    return pieces;
}

}  // namespace

std::unique_ptr<Operation> makeUnscale(const UnscaleDesc& desc) {
    std::vector<std::int64_t> firstPieces{0};
    const std::vector<Piece> pieces = cut(desc.segments, firstPieces);
    const std::size_t count = pieces.size();
    return makeFunction([dtype = desc.dtype, blocks = static_cast<unsigned>(std::max<std::size_t>(count, 1)),
                         parameters = static_cast<std::int64_t>(firstPieces.size()) - 1, count, pieceTable = Scratch(pieces),
                         parameterTable = Scratch(firstPieces), squares = Scratch(count * sizeof(double)),
                         checks = Scratch(count * sizeof(Check)),
                         arrived = Scratch(sizeof(unsigned))](cudaStream_t stream, Operands operands) {
        const Tables tables{static_cast<std::int64_t>(count),
                            parameters,
                            pieceTable.as<Piece>(),
                            parameterTable.as<std::int64_t>(),
                            squares.as<double>(),
                            checks.as<Check>(),
                            arrived.as<unsigned>()};
        const Grid grid{.blocks = blocks, .threads = kUnscaleThreads};
        auto* const scalars = static_cast<StepScalars*>(operands[2]);
        launch(grid, stream, measureScaled, tables, dtype, operands[0], scalars);
        launch(grid, stream, unscale, tables, dtype, operands[0], static_cast<float*>(operands[1]), scalars);
    });
}

}  // namespace mantissa::cuda
