// SPDX-License-Identifier: Apache-2.0
// Activations, their gradients, and bias gradients. fp32, one rounding to storage.
// A block sums a tile of columns over a part of the rows: each thread with a stride, in ascending order, then all of them pairwise. With
// many rows, a tile's last block to finish sums the parts in ascending order. The order depends only on the shape.
#include "kernels/cuda/operations.h"
#include "kernels/cuda/rows.h"

namespace mantissa::cuda {
namespace {

__device__ float logistic(float x) {
    return 1 / (1 + expf(-x));
}
/// The standard normal distribution: its function, and its density times sqrt(2 pi). isNarrow: for results of 16 bits or fewer. The
/// function is then accurate to 2.6e-7, with half of erfcf's instructions, which dominate a GELU's time: with u = |x| and t = 1 / (1 + 0.28
/// u), exp(u^2 / 2) Phi(-u) is t times a polynomial in t, a Chebyshev fit.
template <bool isNarrow>
struct Normal {
    float function, density;

    __device__ explicit Normal(float x) : density(expf(-0.5f * x * x)) {
        if constexpr (!isNarrow) {
            constexpr float kInverseRootTwo = 0.7071067811865476f;
            function = 0.5f * erfcf(-x * kInverseRootTwo);
            return;
        }
        constexpr float kFit[] = {0.0261485097f, -0.09912721699f, 0.101123454f,  -0.01355132268f, 0.07598284824f,
                                  0.0828455456f, 0.1031788328f,   0.1116955152f, 0.1117038894f};
        const float t = reciprocal(fmaf(0.28f, fabsf(x), 1.0f));
        float sum = kFit[0];
        MANTISSA_UNROLL for (int i = 1; i < 9; ++i) sum = fmaf(sum, t, kFit[i]);
        const float beyond = density * t * sum;
        function = x > 0 ? 1 - beyond : beyond;
    }
};

// relu as in PyTorch: NaN passes, forward and backward, and 0 has derivative 0.
template <bool isNarrow>
__device__ float activated(Activation kind, float x) {
    switch (kind) {
        case Activation::Relu:
            return x <= 0 ? 0 : x;
        case Activation::Gelu:
            return x * Normal<isNarrow>(x).function;
        case Activation::Tanh:
            return tanhf(x);
        case Activation::Silu:
            return x / (1 + expf(-x));
        case Activation::Sigmoid:
            break;
    }
    return logistic(x);
}

/// `seen`: x, or y where gradientSeesOutput.
template <bool isNarrow>
__device__ float activationSlope(Activation kind, float gradOutput, float seen) {
    constexpr float kInverseRootTwoPi = 0.3989422804014327f;
    switch (kind) {
        case Activation::Relu:
            return seen <= 0 ? 0 : gradOutput;
        case Activation::Gelu: {
            const Normal<isNarrow> normal(seen);
            return gradOutput * (normal.function + seen * (kInverseRootTwoPi * normal.density));
        }
        case Activation::Tanh:
            return gradOutput * (1 - seen * seen);
        case Activation::Silu: {
            const float s = logistic(seen);
            return gradOutput * (s * (1 + seen * (1 - s)));
        }
        case Activation::Sigmoid:
            break;
    }
    return gradOutput * (1 - seen) * seen;
}

template <Activation kind, bool isNarrow>
__global__ void activate(std::int64_t count, Dtype dtype, const void* x, void* y) {
    forChunks(count, [&](std::int64_t first, int n) {
        Chunk chunk = loadChunk(dtype, x, first, n);
        MANTISSA_UNROLL for (float& value : chunk.x) value = activated<isNarrow>(kind, value);
        storeChunk(dtype, y, first, n, chunk);
    });
}

template <Activation kind, bool isNarrow>
__global__ void activateGrad(std::int64_t count, Dtype dtype, const void* gradOutput, const void* seen, void* gradInput) {
    forChunks(count, [&](std::int64_t first, int n) {
        Chunk chunk = loadChunk(dtype, gradOutput, first, n);
        const Chunk values = loadChunk(dtype, seen, first, n);
        MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) chunk.x[i] = activationSlope<isNarrow>(kind, chunk.x[i], values.x[i]);
        storeChunk(dtype, gradInput, first, n, chunk);
    });
}

/// The gradient of relu at a sum of two gradients, all in one format.
__global__ void addReluGrad(std::int64_t count, Dtype dtype, const void* a, const void* b, const void* y, void* gradInput) {
    forChunks(count, [&](std::int64_t first, int n) {
        Chunk chunk = loadChunk(dtype, a, first, n);
        const Chunk other = loadChunk(dtype, b, first, n), seen = loadChunk(dtype, y, first, n);
        MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) chunk.x[i] =
            activationSlope<false>(Activation::Relu, storedValue(dtype, chunk.x[i] + other.x[i]), seen.x[i]);
        storeChunk(dtype, gradInput, first, n, chunk);
    });
}

template <Activation value, bool narrow = false>
struct Kind {
    static constexpr Activation kValue = value;
    static constexpr bool kIsNarrow = narrow;
};
/// Calls use(Kind{}) with the kind as a constant.
template <typename Use>
auto withKind(Activation kind, Dtype dtype, Use use) {
    switch (kind) {
        case Activation::Relu:
            return use(Kind<Activation::Relu>{});
        case Activation::Gelu:
            return dtype == Dtype::F32 ? use(Kind<Activation::Gelu>{}) : use(Kind<Activation::Gelu, true>{});
        case Activation::Tanh:
            return use(Kind<Activation::Tanh>{});
        case Activation::Silu:
            return use(Kind<Activation::Silu>{});
        case Activation::Sigmoid:
            break;
    }
    return use(Kind<Activation::Sigmoid>{});
}

// ---- Column sums ----

constexpr unsigned kBiasThreads = 256;

/// lanesX threads per row, a chunk of columns each; kBiasThreads / lanesX rows at a time.
struct Tiling {
    std::int64_t rows = 0, cols = 0, rowsOfPart = 0;
    unsigned lanesX = 1, tiles = 1, parts = 1;
};

Tiling tilingFor(const BiasGradDesc& d) {
    constexpr unsigned kMostLanes = 8, kMostBlocks = 1024;
    constexpr std::int64_t kRowsOfThread = 16;  // minimum work for a separate part
    Tiling t{.rows = d.rows, .cols = d.cols};
    while (t.lanesX < kMostLanes && t.lanesX * kChunk < d.cols) t.lanesX *= 2;
    const auto ceilOfQuotient = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
    const std::int64_t rowsAtATime = kBiasThreads / t.lanesX, tiles = ceilOfQuotient(d.cols, t.lanesX * kChunk);
    const std::int64_t wanted = ceilOfQuotient(d.rows, rowsAtATime * kRowsOfThread);
    t.tiles = static_cast<unsigned>(tiles);
    t.parts = static_cast<unsigned>(std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(kMostBlocks / tiles, 1)));
    t.rowsOfPart = ceilOfQuotient(d.rows, t.parts);
    return t;
}

/// The rows of a stored matrix.
template <typename Access>
struct StoredRows {
    using Fetched = Chunk;
    Dtype dtype;
    const void* array;
    __device__ Chunk fetch(std::int64_t first, int n) const { return Access::load(dtype, array, first, n); }
    __device__ Chunk take(const Chunk& chunk, std::int64_t) const { return chunk; }
};

/// The rows of an activation's gradient, which are stored when they are taken. Whole chunks.
template <Activation kind, bool isNarrow>
struct GradientRows {
    struct Fetched {
        RawChunk gradOutput, seen;
    };
    Dtype dtype;
    const void *gradOutput, *seen;
    void* gradInput;
    __device__ Fetched fetch(std::int64_t first, int) const { return {loadRaw(dtype, gradOutput, first), loadRaw(dtype, seen, first)}; }
    __device__ Chunk take(const Fetched& fetched, std::int64_t first) const {
        Chunk chunk = valuesOf(dtype, fetched.gradOutput);
        const Chunk values = valuesOf(dtype, fetched.seen);
        MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) chunk.x[i] =
            storedValue(dtype, activationSlope<isNarrow>(kind, chunk.x[i], values.x[i]));
        storeChunk(dtype, gradInput, first, kChunk, chunk);
        return chunk;
    }
};

/// A bias gradient, and its conversion if `copy` is not null.
struct BiasResult {
    Dtype out, copyFormat;
    void *gradBias, *copy;
    __device__ void store(std::int64_t column, float sum) const {
        storeElement(out, gradBias, column, sum);
        if (copy != nullptr) storeElement(copyFormat, copy, column, storedValue(out, sum));
    }
};

/// Blocks: tiles, parts (y). `partial` [parts, cols] and `arrived` [tiles] if there are several parts.
template <typename Source>
__global__ void sumColumns(Tiling t, Source source, BiasResult result, float* partial, unsigned* arrived) {
    __shared__ Chunk sums[kBiasThreads];
    const unsigned rowLanes = kBiasThreads / t.lanesX, rowLane = threadIdx.x / t.lanesX;
    const std::int64_t column = (static_cast<std::int64_t>(blockIdx.x) * t.lanesX + threadIdx.x % t.lanesX) * kChunk;
    const int n = static_cast<int>(t.cols - column < kChunk ? t.cols - column : kChunk);
    const std::int64_t begin = blockIdx.y * t.rowsOfPart, end = begin + t.rowsOfPart < t.rows ? begin + t.rowsOfPart : t.rows;
    Chunk sum{};
    if (n > 0) {
        constexpr int kAhead = 4;  // rows loaded together
        using Fetched = typename Source::Fetched;
        const auto fetch = [&](std::int64_t row) { return source.fetch(row * t.cols + column, n); };
        const auto add = [&](const Fetched& fetched, std::int64_t row) {
            const Chunk chunk = source.take(fetched, row * t.cols + column);
            MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) sum.x[i] += chunk.x[i];
        };
        std::int64_t row = begin + rowLane;
        for (; row + (kAhead - 1) * rowLanes < end; row += kAhead * rowLanes) {
            Fetched fetched[kAhead];
            MANTISSA_UNROLL for (int i = 0; i < kAhead; ++i) fetched[i] = fetch(row + i * rowLanes);
            MANTISSA_UNROLL for (int i = 0; i < kAhead; ++i) add(fetched[i], row + i * rowLanes);
        }
        for (; row < end; row += rowLanes) add(fetch(row), row);
    }
    sums[threadIdx.x] = sum;
    for (unsigned half = rowLanes / 2; half > 0; half /= 2) {
        __syncthreads();
        if (rowLane >= half) continue;
        const Chunk other = sums[threadIdx.x + half * t.lanesX];
        for (int i = 0; i < kChunk; ++i) sum.x[i] += other.x[i];
        sums[threadIdx.x] = sum;
    }
    if (t.parts == 1) {
        if (rowLane != 0) return;
        for (int i = 0; i < n; ++i) result.store(column + i, sum.x[i]);
        return;
    }
    if (rowLane == 0 && n > 0) storeChunk(Dtype::F32, partial, blockIdx.y * t.cols + column, n, sum);
    if (!isLastBlock(arrived + blockIdx.x, t.parts)) return;
    const std::int64_t width = t.lanesX * kChunk, own = blockIdx.x * width + threadIdx.x;
    if (threadIdx.x >= width || own >= t.cols) return;
    float total = 0;
    for (unsigned part = 0; part < t.parts; ++part) total += partial[part * t.cols + own];
    result.store(own, total);
}

/// Launches sumColumns, and holds its memory.
class ColumnSum {
public:
    ColumnSum(const BiasGradDesc& desc, const CastDesc* cast)
        : m_tiling(tilingFor(desc)),
          m_result{desc.out, cast != nullptr ? cast->to : Dtype::F32, nullptr, nullptr},
          m_casts(cast != nullptr),
          m_partial(isInParts() ? static_cast<std::size_t>(m_tiling.parts * m_tiling.cols) * sizeof(float) : 0),
          m_arrived(isInParts() ? m_tiling.tiles * sizeof(unsigned) : 0) {}

    /// `operands`: gradBias, then those of the conversion.
    template <typename Source>
    void run(cudaStream_t stream, const Source& source, Operands operands) const {
        BiasResult result = m_result;
        result.gradBias = operands[0];
        if (m_casts) result.copy = operands[2];
        launch(Grid{.blocks = m_tiling.tiles, .threads = kBiasThreads, .blocksY = m_tiling.parts}, stream, sumColumns<Source>, m_tiling,
               source, result, m_partial.as<float>(), m_arrived.as<unsigned>());
    }

private:
    Tiling m_tiling;
    BiasResult m_result;  // its formats
    bool m_casts;
    Scratch m_partial, m_arrived;

    bool isInParts() const { return m_tiling.parts > 1; }
};

}  // namespace

std::unique_ptr<Operation> makeActivation(const ActivationDesc& desc) {
    const auto kernel =
        withKind(desc.kind, desc.dtype, [](auto kind) { return activate<decltype(kind)::kValue, decltype(kind)::kIsNarrow>; });
    return makeFunction([desc, kernel](cudaStream_t stream, Operands operands) {
        launch(gridOfChunks(desc.count), stream, kernel, desc.count, desc.dtype, operands[0], operands[1]);
    });
}

std::unique_ptr<Operation> makeActivationGrad(const ActivationGradDesc& desc) {
    const auto kernel =
        withKind(desc.kind, desc.dtype, [](auto kind) { return activateGrad<decltype(kind)::kValue, decltype(kind)::kIsNarrow>; });
    return makeFunction([desc, kernel](cudaStream_t stream, Operands operands) {
        launch(gridOfChunks(desc.count), stream, kernel, desc.count, desc.dtype, operands[0], operands[1], operands[2]);
    });
}

std::unique_ptr<Operation> makeAddReluGrad(const ActivationGradDesc& desc) {
    return makeFunction([desc](cudaStream_t stream, Operands operands) {
        launch(gridOfChunks(desc.count), stream, addReluGrad, desc.count, desc.dtype, operands[0], operands[1], operands[4], operands[5]);
    });
}

std::unique_ptr<Operation> makeBiasGrad(const BiasGradDesc& desc, const CastDesc* cast) {
    return makeFunction([desc, sum = ColumnSum(desc, cast)](cudaStream_t stream, Operands operands) {
        withAccess({desc.dtype}, {operands[0]}, desc.cols, [&](auto access) {
            sum.run(stream, StoredRows<decltype(access)>{desc.dtype, operands[0]}, operands.subspan(1));
        });
    });
}

std::unique_ptr<Operation> makeActivationBiasGrad(const ActivationGradDesc& desc, const BiasGradDesc& bias, const CastDesc* cast) {
    return makeFunction([desc, sum = ColumnSum(bias, cast)](cudaStream_t stream, Operands operands) {
        withKind(desc.kind, desc.dtype, [&](auto kind) {
            using Kind = decltype(kind);
            sum.run(stream, GradientRows<Kind::kValue, Kind::kIsNarrow>{desc.dtype, operands[0], operands[1], operands[2]},
                    operands.subspan(4));
        });
    });
}

}  // namespace mantissa::cuda
