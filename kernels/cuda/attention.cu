// SPDX-License-Identifier: Apache-2.0
// Attention in tiles, similar to FlashAttention (Dao 2023, arXiv 2307.08691): a block takes a tile of rows and iterates over the tiles of
// their keys with an online softmax; only one tile of scores exists at a time. The gradient recomputes the probabilities from the saved
// log-sum-exp. One kernel sums the gradients of a tile of keys over the rows of all heads that share them, another those of a tile of
// queries over the keys, in a fixed order, without atomics. All arithmetic in fp32.
#include <bit>
#include <cmath>
#include <limits>

#include "kernels/cuda/attention.h"
#include "kernels/cuda/device.h"

namespace mantissa::cuda {
namespace {

constexpr int kAcross = 16, kAttentionThreads = kAcross * kAcross;  // a square of threads per tile

/// Rows of one head as stored; zeros beyond its ends.
struct Head {
    void* memory;
    Dtype dtype;
    std::int64_t base, rowStride, length, headDim;

    __device__ Head(const FusedAttentionDesc& d, const BatchStrides& strides, void* operand, std::int64_t outer, std::int64_t inner)
        : memory(operand),
          dtype(d.dtype),
          base(outer * strides.outer + inner * strides.inner),
          rowStride(strides.row),
          length(d.length),
          headDim(d.headDim) {}

    __device__ Chunk chunk(std::int64_t row, std::int64_t col) const {
        const std::int64_t left = row < length && col < headDim ? headDim - col : 0;
        return loadChunk(dtype, memory, base + row * rowStride + col, left < kChunk ? static_cast<int>(left) : kChunk);
    }
    __device__ void store(std::int64_t row, std::int64_t col, float value) const {
        if (row < length && col < headDim) storeElement(dtype, memory, base + row * rowStride + col, value);
    }
};

/// Reads 1 or 4 numbers of shared memory, 4 in one access.
template <int count>
__device__ void take(float (&to)[count], const float* from) {
    static_assert(count == 1 || count % 4 == 0);
    if constexpr (count == 1) {
        to[0] = *from;
    } else {
        const float4 four = *reinterpret_cast<const float4*>(from);
        to[0] = four.x, to[1] = four.y, to[2] = four.z, to[3] = four.w;
    }
}

/// Tiling of a kernel: each thread has `each` x `each` elements of a tile of scores, and `each` x `cols` / 16 of a tile of its result. Rows
/// pass through shared memory `depth` elements at a time, or some rows of `cols` elements at a time.
template <int each_, int cols_, int depth_>
struct Tiles {
    static constexpr int each = each_, cols = cols_, depth = depth_;
    static constexpr int side = each * kAcross, own = cols / kAcross, width = side + each, work = 2 * depth * width;
    static constexpr int rowsAtATime = std::bit_floor(static_cast<unsigned>(side < work / cols ? side : work / cols));
    static_assert(side % rowsAtATime == 0 && rowsAtATime % 4 == 0 && depth % kChunk == 0);
    using Row = float[width];  // wider than the tile: rows begin in different banks

    float scores[each][each];

    // This thread's rows and columns of scores, and columns of the result.
    __device__ static int row(int i) { return static_cast<int>(threadIdx.x) / kAcross * each + i; }
    __device__ static int col(int j) { return static_cast<int>(threadIdx.x) % kAcross * each + j; }
    __device__ static int resultCol(int j) { return static_cast<int>(threadIdx.x) % kAcross * 4 + j / 4 * 4 * kAcross + j % 4; }

    __device__ static void loadTransposed(Row* tile, const Head& head, std::int64_t firstRow, std::int64_t firstCol) {
        for (int at = static_cast<int>(threadIdx.x); at < side * (depth / kChunk); at += kAttentionThreads) {
            const int right = at % side, down = at / side * kChunk;
            const Chunk chunk = head.chunk(firstRow + right, firstCol + down);
            MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) tile[down + i][right] = chunk.x[i];
        }
    }

    /// scores[i][j] = row row(i) of `a`'s tile times row col(j) of `b`'s tile.
    __device__ void multiply(const Head& a, std::int64_t rowOfA, const Head& b, std::int64_t rowOfB, float* memory) {
        Row *left = reinterpret_cast<Row*>(memory), *right = left + depth;
        MANTISSA_UNROLL for (int i = 0; i < each; ++i) {
            MANTISSA_UNROLL for (int j = 0; j < each; ++j) scores[i][j] = 0;
        }
        for (std::int64_t first = 0; first < a.headDim; first += depth) {
            __syncthreads();
            loadTransposed(left, a, rowOfA, first);
            loadTransposed(right, b, rowOfB, first);
            __syncthreads();
            for (int d = 0; d < depth; ++d) {
                float l[each], r[each];
                take(l, &left[d][row(0)]);
                take(r, &right[d][col(0)]);
                MANTISSA_UNROLL for (int i = 0; i < each; ++i) {
                    MANTISSA_UNROLL for (int j = 0; j < each; ++j) scores[i][j] = fmaf(l[i], r[j], scores[i][j]);
                }
            }
        }
    }

    /// sums[i][j] += weights[row(i)][r] (isTransposed: [r][row(i)]) times element resultCol(j) of row r, over the rows r of `head`'s tile.
    template <bool isTransposed>
    __device__ static void add(float (&sums)[each][own], const Row* weights, const Head& head, std::int64_t firstRow, std::int64_t firstCol,
                               float* memory) {
        for (int first = 0; first < side; first += rowsAtATime) {
            __syncthreads();
            for (int at = static_cast<int>(threadIdx.x) * kChunk; at < rowsAtATime * cols; at += kAttentionThreads * kChunk) {
                const Chunk chunk = head.chunk(firstRow + first + at / cols, firstCol + at % cols);
                MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) memory[at + i] = chunk.x[i];
            }
            __syncthreads();
            for (int r = 0; r < rowsAtATime; r += 4) {
                float l[4][each];  // of four rows
                MANTISSA_UNROLL for (int i = 0; i < each; ++i) {
                    float along[4];
                    if constexpr (!isTransposed && each == 4) take(along, &weights[row(i)][first + r]);
                    MANTISSA_UNROLL for (int next = 0; next < 4; ++next) {
                        if constexpr (isTransposed) {
                            l[next][i] = weights[first + r + next][row(i)];
                        } else {
                            l[next][i] = each == 4 ? along[next] : weights[row(i)][first + r + next];
                        }
                    }
                }
                MANTISSA_UNROLL for (int next = 0; next < 4; ++next) {
                    MANTISSA_UNROLL for (int j = 0; j < own; j += 4) {
                        float elements[4];
                        take(elements, &memory[(r + next) * cols + resultCol(j)]);
                        MANTISSA_UNROLL for (int i = 0; i < each; ++i) {
                            MANTISSA_UNROLL for (int e = 0; e < 4; ++e) sums[i][j + e] = fmaf(l[next][i], elements[e], sums[i][j + e]);
                        }
                    }
                }
            }
        }
    }

    __device__ static void store(const float (&values)[each][own], const Head& head, std::int64_t firstRow, std::int64_t firstCol) {
        MANTISSA_UNROLL for (int i = 0; i < each; ++i) {
            MANTISSA_UNROLL for (int j = 0; j < own; ++j) head.store(firstRow + row(i), firstCol + resultCol(j), values[i][j]);
        }
    }
};

struct Attention {
    FusedAttentionDesc d;
    void *q, *k, *v, *out;
    float* logSumExp;
    // only for the gradient
    void *gradOut, *gradQ, *gradK, *gradV;
    float* outDots;  // dot products of the rows of gradOut and out, laid out as logSumExp
    std::int64_t tiles, panels;

    __device__ std::int64_t group() const { return d.heads / d.keyHeads; }
    __device__ bool sees(std::int64_t row, std::int64_t key) const { return key < d.length && (!d.causal || key <= row); }
};

/// The block's tile, head, and columns of the result.
struct Task {
    std::int64_t outer, head, first, col;
    __device__ Task(const Attention& a, std::int64_t at, std::int64_t heads, int side, int cols) {
        col = at % a.panels * cols;
        at /= a.panels;
        first = at % a.tiles * side;
        at /= a.tiles;
        head = at % heads;
        outer = at / heads;
    }
};

template <typename T>
__global__ void __launch_bounds__(kAttentionThreads) attend(Attention a) {
    using Row = typename T::Row;
    constexpr int kPerRow = kAttentionThreads / T::side, kKeys = T::side / kPerRow;  // threads per row of scores, and scores per thread
    alignas(16) __shared__ float memory[T::work];
    alignas(16) __shared__ Row weights[T::side];
    __shared__ float rows[T::side];  // a factor or divisor for each row
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const int row = static_cast<int>(threadIdx.x) / kPerRow, part = static_cast<int>(threadIdx.x) % kPerRow;
    T tiles;
    for (std::int64_t at = blockIdx.x; at < a.d.outer * a.d.heads * a.tiles * a.panels; at += gridDim.x) {
        const Task task(a, at, a.d.heads, T::side, T::cols);
        const Head q(a.d, a.d.q, a.q, task.outer, task.head), out(a.d, a.d.out, a.out, task.outer, task.head);
        const Head k(a.d, a.d.k, a.k, task.outer, task.head / a.group()), v(a.d, a.d.v, a.v, task.outer, task.head / a.group());
        float result[T::each][T::own] = {};
        float largest = -kInfinity, sum = 0;  // of `row` so far
        const std::int64_t end = a.d.causal && task.first + T::side < a.d.length ? task.first + T::side : a.d.length;
        for (std::int64_t key = 0; key < end; key += T::side) {
            tiles.multiply(q, task.first, k, key, memory);
            MANTISSA_UNROLL for (int i = 0; i < T::each; ++i) {
                MANTISSA_UNROLL for (int j = 0; j < T::each; ++j) {
                    weights[T::row(i)][T::col(j)] = tiles.scores[i][j] * a.d.scale;
                }
            }
            __syncthreads();
            float newest = largest;
            for (int i = 0; i < kKeys; ++i) {
                const float score = weights[row][part + i * kPerRow];
                if (a.sees(task.first + row, key + part + i * kPerRow) && score > newest) newest = score;
            }
            for (int apart = kPerRow / 2; apart > 0; apart /= 2) {
                const float other = __shfl_xor_sync(kAllLanes, newest, apart);
                newest = other > newest ? other : newest;
            }
            float added = 0;
            for (int i = 0; i < kKeys; ++i) {
                float& weight = weights[row][part + i * kPerRow];
                const float score = weight;
                weight = 0;
                if (!a.sees(task.first + row, key + part + i * kPerRow)) continue;
                // While all scores are -Inf, the weight is 0, since a later score may be larger.
                weight = newest == -kInfinity && score == score ? 0 : expf(score - newest);
                added += weight;
            }
            for (int apart = kPerRow / 2; apart > 0; apart /= 2) added += __shfl_xor_sync(kAllLanes, added, apart);
            const float kept = newest == -kInfinity ? 1 : expf(largest - newest);
            sum = sum * kept + added;
            largest = newest;
            if (part == 0) rows[row] = kept;
            __syncthreads();
            MANTISSA_UNROLL for (int i = 0; i < T::each; ++i) {
                const float factor = rows[T::row(i)];
                MANTISSA_UNROLL for (int j = 0; j < T::own; ++j) result[i][j] *= factor;
            }
            T::template add<false>(result, weights, v, key, task.col, memory);
        }
        __syncthreads();
        if (part == 0) {
            rows[row] = sum;
            const bool isNothing = largest == -kInfinity;  // only -Inf: NaN, as the result, which is divided by 0
            if (task.col == 0 && task.first + row < a.d.length) {
                a.logSumExp[(task.outer * a.d.heads + task.head) * a.d.length + task.first + row] =
                    isNothing ? std::numeric_limits<float>::quiet_NaN() : largest + logf(sum);
            }
        }
        __syncthreads();
        MANTISSA_UNROLL for (int i = 0; i < T::each; ++i) {
            const float divisor = rows[T::row(i)];
            MANTISSA_UNROLL for (int j = 0; j < T::own; ++j) result[i][j] /= divisor;
        }
        T::store(result, out, task.first, task.col);
    }
}

/// A warp per row.
__global__ void dotRows(Attention a) {
    const std::int64_t count = a.d.outer * a.d.heads * a.d.length, warps = allThreads() / kWarp;
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
    for (std::int64_t at = globalThread() / kWarp; at < count; at += warps) {
        const std::int64_t row = at % a.d.length, head = at / a.d.length % a.d.heads, outer = at / a.d.length / a.d.heads;
        const Head out(a.d, a.d.out, a.out, outer, head), gradOut(a.d, a.d.out, a.gradOut, outer, head);
        float sum = 0;
        for (std::int64_t col = lane * kChunk; col < a.d.headDim; col += kWarp * kChunk) {
            const Chunk left = gradOut.chunk(row, col), right = out.chunk(row, col);
            MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) sum = fmaf(left.x[i], right.x[i], sum);
        }
        sum = foldWarp(sum, [](float x, float y) { return x + y; });
        if (lane == 0) a.outDots[at] = sum;
    }
}

/// Computes a tile's probabilities (unless null) and the gradients of its scores, from scores and the probabilities' gradients.
template <typename T>
__device__ void scoresGradient(const Attention& a, const T& scores, const T& gradients, std::int64_t head, std::int64_t row,
                               std::int64_t key, typename T::Row* probabilities, typename T::Row* gradScores) {
    MANTISSA_UNROLL for (int i = 0; i < T::each; ++i) {
        const int y = T::row(i);
        const bool isRow = row + y < a.d.length;
        const float logSumExp = isRow ? a.logSumExp[head * a.d.length + row + y] : 0;
        const float outDot = isRow ? a.outDots[head * a.d.length + row + y] : 0;
        MANTISSA_UNROLL for (int j = 0; j < T::each; ++j) {
            const int x = T::col(j);
            const bool isSeen = isRow && a.sees(row + y, key + x);
            const float probability = isSeen ? expf(scores.scores[i][j] * a.d.scale - logSumExp) : 0;
            if (probabilities != nullptr) probabilities[y][x] = probability;
            gradScores[y][x] = isSeen ? probability * (gradients.scores[i][j] - outDot) * a.d.scale : 0;
        }
    }
}

template <typename T>
__global__ void __launch_bounds__(kAttentionThreads) keysGradient(Attention a) {
    alignas(16) __shared__ float memory[T::work];
    alignas(16) __shared__ typename T::Row probabilities[T::side];
    alignas(16) __shared__ typename T::Row gradScores[T::side];
    T scores, gradients;
    for (std::int64_t at = blockIdx.x; at < a.d.outer * a.d.keyHeads * a.tiles * a.panels; at += gridDim.x) {
        const Task task(a, at, a.d.keyHeads, T::side, T::cols);
        const Head k(a.d, a.d.k, a.k, task.outer, task.head), v(a.d, a.d.v, a.v, task.outer, task.head);
        float ofKeys[T::each][T::own] = {}, ofValues[T::each][T::own] = {};
        for (std::int64_t head = task.head * a.group(); head < (task.head + 1) * a.group(); ++head) {
            const Head q(a.d, a.d.q, a.q, task.outer, head), gradOut(a.d, a.d.out, a.gradOut, task.outer, head);
            for (std::int64_t row = a.d.causal ? task.first : 0; row < a.d.length; row += T::side) {
                scores.multiply(q, row, k, task.first, memory);
                gradients.multiply(gradOut, row, v, task.first, memory);
                scoresGradient(a, scores, gradients, task.outer * a.d.heads + head, row, task.first, probabilities, gradScores);
                T::template add<true>(ofValues, probabilities, gradOut, row, task.col, memory);
                T::template add<true>(ofKeys, gradScores, q, row, task.col, memory);
            }
        }
        T::store(ofKeys, Head(a.d, a.d.k, a.gradK, task.outer, task.head), task.first, task.col);
        T::store(ofValues, Head(a.d, a.d.v, a.gradV, task.outer, task.head), task.first, task.col);
    }
}

template <typename T>
__global__ void __launch_bounds__(kAttentionThreads) queriesGradient(Attention a) {
    alignas(16) __shared__ float memory[T::work];
    alignas(16) __shared__ typename T::Row gradScores[T::side];
    T scores, gradients;
    for (std::int64_t at = blockIdx.x; at < a.d.outer * a.d.heads * a.tiles * a.panels; at += gridDim.x) {
        const Task task(a, at, a.d.heads, T::side, T::cols);
        const Head q(a.d, a.d.q, a.q, task.outer, task.head), gradOut(a.d, a.d.out, a.gradOut, task.outer, task.head);
        const Head k(a.d, a.d.k, a.k, task.outer, task.head / a.group()), v(a.d, a.d.v, a.v, task.outer, task.head / a.group());
        float sums[T::each][T::own] = {};
        const std::int64_t end = a.d.causal && task.first + T::side < a.d.length ? task.first + T::side : a.d.length;
        for (std::int64_t key = 0; key < end; key += T::side) {
            scores.multiply(q, task.first, k, key, memory);
            gradients.multiply(gradOut, task.first, v, key, memory);
            scoresGradient(a, scores, gradients, task.outer * a.d.heads + task.head, task.first, key, nullptr, gradScores);
            T::template add<false>(sums, gradScores, k, key, task.col, memory);
        }
        T::store(sums, Head(a.d, a.d.q, a.gradQ, task.outer, task.head), task.first, task.col);
    }
}

/// Launches a block per tile of rows (or keys) and panel of columns.
template <typename T>
void launchTiles(cudaStream_t stream, Attention a, std::int64_t heads, void (*kernel)(Attention)) {
    a.tiles = (a.d.length + T::side - 1) / T::side;
    a.panels = (a.d.headDim + T::cols - 1) / T::cols;
    launch(gridFor(a.d.outer * heads * a.tiles * a.panels, 1, kAttentionThreads), stream, kernel, a);
}

/// Short sequences use small tiles; heads use as few panels as registers allow.
using Small = Tiles<1, 64, 32>;
constexpr bool isSmall(const FusedAttentionDesc& d) {
    return d.length <= Small::side;
}

template <typename T>
void launchGradients(cudaStream_t stream, const Attention& a) {
    launchTiles<T>(stream, a, a.d.keyHeads, keysGradient<T>);
    launchTiles<T>(stream, a, a.d.heads, queriesGradient<T>);
}

}  // namespace

AttentionWay attentionInTiles(const FusedAttentionDesc& desc, bool isGradient) {
    if (!isGradient) {
        return {makeFunction([desc](cudaStream_t stream, Operands operands) {
            Attention a{};
            a.d = desc;
            a.q = operands[0], a.k = operands[1], a.v = operands[2], a.out = operands[3];
            a.logSumExp = static_cast<float*>(operands[4]);
            const auto with = [&]<typename T>(T) { launchTiles<T>(stream, a, desc.heads, attend<T>); };
            if (isSmall(desc)) return with(Small{});
            if (desc.headDim <= 64) return with(Tiles<4, 64, 32>{});
            if (desc.headDim <= 128) return with(Tiles<4, 128, 32>{});
            with(Tiles<4, 256, 32>{});
        })};
    }
    const std::int64_t rows = desc.outer * desc.heads * desc.length;
    return {makeFunction([desc, rows](cudaStream_t stream, Operands operands) {
                Attention a{};
                a.d = desc;
                a.gradOut = operands[0], a.q = operands[1], a.k = operands[2], a.v = operands[3], a.out = operands[4];
                a.logSumExp = static_cast<float*>(operands[5]);
                a.gradQ = operands[6], a.gradK = operands[7], a.gradV = operands[8];
                a.outDots = static_cast<float*>(operands[9]);
                launch(gridFor(rows, 256 / kWarp), stream, dotRows, a);
                if (isSmall(desc)) return launchGradients<Small>(stream, a);
                if (desc.headDim <= 64) return launchGradients<Tiles<4, 64, 16>>(stream, a);
                launchGradients<Tiles<4, 128, 16>>(stream, a);
            }),
            static_cast<std::size_t>(rows) * sizeof(float)};
}

}  // namespace mantissa::cuda
