// SPDX-License-Identifier: Apache-2.0
// Attention with stored score matrices, for some heads at a time, with the library's products on tensor cores: scores in fp32,
// probabilities and score gradients in the operands' format. Twice the memory traffic of tiles, a fraction of their time.
#include <algorithm>
#include <vector>

#include "kernels/cuda/attention.h"
#include "kernels/cuda/device.h"

namespace mantissa::cuda {
namespace {

constexpr std::int64_t kShortest = 128;  // fewest rows that justify six launches
constexpr unsigned kScoreThreads = 128;  // per block, which computes a row of scores

/// The heads whose scores are stored at a time: all heads of some samples, or some heads of one sample.
struct ScorePiece {
    FusedAttentionDesc d;
    std::int64_t samples = 1, keyHeads = 1, heads = 1;
    std::int64_t firstSample = 0, firstKeyHead = 0, firstHead = 0;
    void *gradOut = nullptr, *out = nullptr;
    float* logSumExp = nullptr;

    MANTISSA_HD std::int64_t matrices() const { return samples * heads; }
    __device__ std::int64_t sample(std::int64_t matrix) const { return firstSample + matrix / heads; }
    __device__ std::int64_t head(std::int64_t matrix) const { return firstHead + matrix % heads; }
};

/// Calls use(first column, columns) for this thread's chunks of a row.
template <typename Use>
__device__ void forRowChunksOf(std::int64_t cols, Use use) {
    for (std::int64_t col = threadIdx.x * static_cast<std::int64_t>(kChunk); col < cols; col += kScoreThreads * kChunk) {
        use(col, cols - col < kChunk ? static_cast<int>(cols - col) : kChunk);
    }
}

__global__ void __launch_bounds__(kScoreThreads) normalizeScores(ScorePiece p, const float* scores, void* probabilities) {
    const std::int64_t length = p.d.length;
    for (std::int64_t at = blockIdx.x; at < p.matrices() * length; at += gridDim.x) {
        const std::int64_t row = at % length, matrix = at / length, seen = p.d.causal ? row + 1 : length;
        float largest = floatFromBits(kFloatSign | kFloatInf), sum = 0;
        forRowChunksOf(seen, [&](std::int64_t col, int n) {
            const Chunk chunk = loadChunkOf<Dtype::F32>(scores, at * length + col, n);
            MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) largest = i < n && chunk.x[i] > largest ? chunk.x[i] : largest;
        });
        largest = largestOfBlock(largest);
        // The sum is NaN if a score is NaN or +Inf, or all are -Inf.
        forRowChunksOf(seen, [&](std::int64_t col, int n) {
            const Chunk chunk = loadChunkOf<Dtype::F32>(scores, at * length + col, n);
            MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) sum += i < n ? expf(chunk.x[i] - largest) : 0.0f;
        });
        sum = sumBlock(sum);
        forRowChunksOf(length, [&](std::int64_t col, int n) {
            Chunk chunk = loadChunkOf<Dtype::F32>(scores, at * length + col, n);
            MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) chunk.x[i] = col + i < seen ? expf(chunk.x[i] - largest) / sum : 0.0f;
            storeChunk(p.d.dtype, probabilities, at * length + col, n, chunk);
        });
        if (threadIdx.x == 0) p.logSumExp[(p.sample(matrix) * p.d.heads + p.head(matrix)) * length + row] = largest + logf(sum);
    }
}

/// Computes the probabilities and score gradients (times `scale`) from scores and the gradients of probabilities.
__global__ void __launch_bounds__(kScoreThreads)
    turnGradients(ScorePiece p, const float* scores, const float* gradients, void* probabilities, void* gradScores) {
    const std::int64_t length = p.d.length;
    for (std::int64_t at = blockIdx.x; at < p.matrices() * length; at += gridDim.x) {
        const std::int64_t row = at % length, matrix = at / length, seen = p.d.causal ? row + 1 : length;
        const std::int64_t sample = p.sample(matrix), head = p.head(matrix);
        const float logSumExp = p.logSumExp[(sample * p.d.heads + head) * length + row];
        const std::int64_t rowOfOut = sample * p.d.out.outer + head * p.d.out.inner + row * p.d.out.row;
        float dot = 0;
        forRowChunksOf(p.d.headDim, [&](std::int64_t col, int n) {
            const Chunk left = loadChunk(p.d.dtype, p.gradOut, rowOfOut + col, n), right = loadChunk(p.d.dtype, p.out, rowOfOut + col, n);
            MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) dot = fmaf(left.x[i], right.x[i], dot);
        });
        dot = sumBlock(dot);
        forRowChunksOf(length, [&](std::int64_t col, int n) {
            Chunk chunk = loadChunkOf<Dtype::F32>(scores, at * length + col, n);
            Chunk gradient = loadChunkOf<Dtype::F32>(gradients, at * length + col, n);
            MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) {
                const bool isSeen = col + i < seen;
                chunk.x[i] = isSeen ? expf(chunk.x[i] - logSumExp) : 0.0f;
                gradient.x[i] = isSeen ? chunk.x[i] * (gradient.x[i] - dot) * p.d.scale : 0.0f;
            }
            storeChunk(p.d.dtype, probabilities, at * length + col, n, chunk);
            storeChunk(p.d.dtype, gradScores, at * length + col, n, gradient);
        });
    }
}

std::size_t roomFor(std::int64_t elements, Dtype dtype) {
    return (static_cast<std::size_t>(elements) * facts(dtype).storageBytes() + 255) / 256 * 256;
}

std::int64_t largestDivisor(std::int64_t of, std::int64_t most) {
    std::int64_t divisor = std::min(of, most);
    while (of % divisor != 0) --divisor;
    return divisor;
}

class StoredAttention final : public Operation {
public:
    StoredAttention(const ScorePiece& piece, bool isGradient, Context& context)
        : m_piece(piece), m_isGradient(isGradient), m_product(isGradient ? 5 : 2) {
        const FusedAttentionDesc& d = piece.d;
        const std::int64_t group = d.heads / d.keyHeads;
        const BatchStrides square{d.length, piece.heads * d.length * d.length, d.length * d.length};
        BatchedMatmulDesc scores{.outer = piece.samples, .inner = piece.heads, .m = d.length, .n = d.length, .k = d.headDim};
        scores.transposeB = true;
        scores.aStrides = d.q, scores.bStrides = d.k, scores.outStrides = square;
        scores.bDivisor = group;
        scores.scale = d.scale;
        scores.a = scores.b = scores.compute = d.dtype;
        BatchedMatmulDesc mix = scores;  // a square matrix times keys or values
        mix.n = d.headDim, mix.k = d.length, mix.scale = 1, mix.out = d.dtype;
        mix.transposeB = false;
        mix.aStrides = square, mix.bStrides = d.v, mix.outStrides = d.out;
        add(0, scores, context);
        if (!isGradient) {
            add(1, mix, context);
            return;
        }
        BatchedMatmulDesc gradProbabilities = scores, gradKeys = mix;
        gradProbabilities.aStrides = d.out, gradProbabilities.bStrides = d.v, gradProbabilities.scale = 1;
        gradKeys.transposeA = true;
        gradKeys.bDivisor = 1, gradKeys.outDivisor = group;
        BatchedMatmulDesc gradValues = gradKeys;
        gradKeys.bStrides = d.q, gradKeys.outStrides = d.k;
        gradValues.bStrides = d.out, gradValues.outStrides = d.v;
        mix.bStrides = d.k, mix.outStrides = d.q;
        add(1, gradProbabilities, context);
        add(2, gradValues, context);
        add(3, gradKeys, context);
        add(4, mix, context);
    }

    std::size_t workspaceBytes() const {
        return m_isGradient ? 2 * (wide() + narrow()) + m_productBytes : wide() + narrow() + m_productBytes;
    }

    void enqueue(Queue& queue, Operands operands) override {
        for (std::int64_t sample = 0; sample < m_piece.d.outer; sample += m_piece.samples) {
            for (std::int64_t keyHead = 0; keyHead < m_piece.d.keyHeads; keyHead += m_piece.keyHeads) {
                ScorePiece piece = m_piece;
                piece.firstSample = sample, piece.firstKeyHead = keyHead;
                piece.firstHead = keyHead * (piece.d.heads / piece.d.keyHeads);
                m_isGradient ? backward(queue, piece, operands) : forward(queue, piece, operands);
            }
        }
    }

private:
    ScorePiece m_piece;
    bool m_isGradient;
    std::vector<std::unique_ptr<Operation>> m_product;
    std::size_t m_productBytes = 0;  // workspace after the stored matrices

    std::size_t wide() const { return roomFor(m_piece.matrices() * m_piece.d.length * m_piece.d.length, Dtype::F32); }
    std::size_t narrow() const { return roomFor(m_piece.matrices() * m_piece.d.length * m_piece.d.length, m_piece.d.dtype); }

    void add(std::size_t index, const BatchedMatmulDesc& desc, Context& context) {
        m_product[index] = makeBatchedMatmul(desc, context);
        m_productBytes = std::max(m_productBytes, batchedMatmulWorkspaceBytes(desc, context));
    }
    void multiply(Queue& queue, std::size_t index, void* a, void* b, void* out, void* workspace) {
        void* const operands[] = {a, b, out, workspace};
        m_product[index]->enqueue(queue, operands);
    }

    static void* firstOf(const ScorePiece& piece, const BatchStrides& strides, std::int64_t head, void* operand) {
        const std::int64_t element = piece.firstSample * strides.outer + head * strides.inner;
        return static_cast<std::byte*>(operand) + static_cast<std::size_t>(element) * facts(piece.d.dtype).storageBytes();
    }

    static Grid grid(const ScorePiece& piece) { return gridFor(piece.matrices() * piece.d.length, 1, kScoreThreads); }

    void forward(Queue& queue, ScorePiece piece, Operands operands) {
        const FusedAttentionDesc& d = piece.d;
        auto* const scores = static_cast<std::byte*>(operands[5]);
        std::byte *const probabilities = scores + wide(), *const workspace = probabilities + narrow();
        multiply(queue, 0, firstOf(piece, d.q, piece.firstHead, operands[0]), firstOf(piece, d.k, piece.firstKeyHead, operands[1]), scores,
                 workspace);
        piece.logSumExp = static_cast<float*>(operands[4]);
        launch(grid(piece), streamOf(queue), normalizeScores, piece, reinterpret_cast<const float*>(scores),
               static_cast<void*>(probabilities));
        multiply(queue, 1, probabilities, firstOf(piece, d.v, piece.firstKeyHead, operands[2]),
                 firstOf(piece, d.out, piece.firstHead, operands[3]), workspace);
    }

    void backward(Queue& queue, ScorePiece piece, Operands operands) {
        const FusedAttentionDesc& d = piece.d;
        auto* const scores = static_cast<std::byte*>(operands[9]);
        std::byte *const gradients = scores + wide(), *const probabilities = gradients + wide();
        std::byte *const gradScores = probabilities + narrow(), *const workspace = gradScores + narrow();
        const auto ofHeads = [&](const BatchStrides& strides, int index) {
            return firstOf(piece, strides, piece.firstHead, operands[static_cast<std::size_t>(index)]);
        };
        const auto ofKeys = [&](const BatchStrides& strides, int index) {
            return firstOf(piece, strides, piece.firstKeyHead, operands[static_cast<std::size_t>(index)]);
        };
        void *const gradOut = ofHeads(d.out, 0), *const q = ofHeads(d.q, 1), *const k = ofKeys(d.k, 2);
        multiply(queue, 0, q, k, scores, workspace);
        multiply(queue, 1, gradOut, ofKeys(d.v, 3), gradients, workspace);
        piece.gradOut = operands[0], piece.out = operands[4];
        piece.logSumExp = static_cast<float*>(operands[5]);
        launch(grid(piece), streamOf(queue), turnGradients, piece, reinterpret_cast<const float*>(scores),
               reinterpret_cast<const float*>(gradients), static_cast<void*>(probabilities), static_cast<void*>(gradScores));
        multiply(queue, 2, probabilities, gradOut, ofKeys(d.v, 8), workspace);
        multiply(queue, 3, gradScores, q, ofKeys(d.k, 7), workspace);
        multiply(queue, 4, gradScores, k, ofHeads(d.q, 6), workspace);
    }
};

}  // namespace

AttentionWay attentionByProducts(const FusedAttentionDesc& desc, bool isGradient, Context& context, std::size_t mostScoresBytes) {
    const bool isNarrow = desc.dtype == Dtype::F16 || desc.dtype == Dtype::BF16;
    if (!isNarrow || desc.length < kShortest) return {};
    const std::int64_t group = desc.heads / desc.keyHeads, elements = group * desc.length * desc.length;
    const std::size_t ofGroup = (isGradient ? 2 : 1) * (roomFor(elements, Dtype::F32) + roomFor(elements, desc.dtype));
    const auto most = static_cast<std::int64_t>(mostScoresBytes / ofGroup);
    if (most == 0) return {};
    ScorePiece piece;
    piece.d = desc;
    piece.keyHeads = largestDivisor(desc.keyHeads, most);
    piece.heads = piece.keyHeads * group;
    if (piece.keyHeads == desc.keyHeads) piece.samples = largestDivisor(desc.outer, most / desc.keyHeads);
    auto operation = std::make_unique<StoredAttention>(piece, isGradient, context);
    const std::size_t workspaceBytes = operation->workspaceBytes();
    return {std::move(operation), workspaceBytes};
}

}  // namespace mantissa::cuda
