// SPDX-License-Identifier: Apache-2.0
// Fused attention: blocks of score rows against all their keys, softmax, and the product with the values. The gradient recomputes the
// probabilities from the saved log-sum-exp. Products use oneDNN's sgemm on one thread. A task is one sample's group of heads, so sums over
// a group have a fixed order.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <oneapi/dnnl/dnnl.hpp>

#include "kernels/cpu/product.h"
#include "kernels/cpu/thread_scratch.h"
#include "kernels/cpu/vector_math.h"

namespace mantissa::cpu {
namespace {

constexpr std::int64_t kRows = 64;  // of scores per block

/// The number of elements to process: `seen`, rounded up to whole vectors, at most `count`. A partial vector costs more than a whole one.
std::int64_t wholeLanes(std::int64_t seen, std::int64_t count) {
    return std::min(count, (seen + kLanes - 1) / kLanes * kLanes);
}

/// Writes softmax(scale * x) of the first `seen` elements and 0 for the others, or NaN if the sum is NaN; returns log(sum exp(scale * x)).
MANTISSA_LOOP float softmaxSeen(float* x, std::int64_t count, std::int64_t seen, float scale) {
    const std::int64_t width = wholeLanes(seen, count);
#pragma GCC ivdep
    for (std::int64_t i = 0; i < width; ++i) x[i] = i < seen ? x[i] * scale : -std::numeric_limits<float>::infinity();
    const float largest = largestLane(x, width);
#pragma GCC ivdep
    for (std::int64_t i = 0; i < width; ++i) x[i] = exponentialBelow43(x[i] - largest);
    const float sum = sumLanes(width, [x](std::int64_t i) { return x[i]; });
#pragma GCC ivdep
    for (std::int64_t i = 0; i < width; ++i) x[i] /= sum;
    std::fill(x + width, x + count, 0.0f);
    return largest + std::log(sum);
}

/// For demonstration, hence simple: p = R(exp(scale * x - m)) of the first `seen` elements, R the rounding to d.compute, and 0 for the
/// others. Returns m and the sum of p.
std::pair<float, float> roundedExponentials(const FusedAttentionDesc& d, float* x, std::int64_t count, std::int64_t seen) {
    float* const end = x + seen;
    for (float* score = x; score < end; ++score) *score *= d.scale;
    float largest = largestLane(x, seen);
    const auto rounded = [&](float score) { return roundTo(d.compute, exponential(score - largest)); };
    if (d.shiftsTies && std::count_if(x, end, [&](float score) { return rounded(score) == 1; }) > 1) largest = std::max(2 * largest, 0.0f);
    std::transform(x, end, x, rounded);
    std::fill(end, x + count, 0.0f);
    return {largest, sumLanes(seen, [x](std::int64_t i) { return x[i]; })};
}

/// Replaces scores by probabilities, and the probabilities' gradients by those of the unscaled scores.
MANTISSA_LOOP void scoresGradient(float* scores, float* gradients, std::int64_t count, std::int64_t seen, float scale, float logSumExp,
                                  float outDot) {
    const std::int64_t width = wholeLanes(seen, count);
#pragma GCC ivdep
    for (std::int64_t i = 0; i < width; ++i) {
        const float probability = exponential(scores[i] * scale - logSumExp);  // of any number: logSumExp may have been changed
        const float gradient = probability * (gradients[i] - outDot) * scale;
        scores[i] = i < seen ? probability : 0;
        gradients[i] = i < seen ? gradient : 0;
    }
    std::fill(scores + width, scores + count, 0.0f);
    std::fill(gradients + width, gradients + count, 0.0f);
}

MANTISSA_LOOP float dot(const float* a, const float* b, std::int64_t count) {
    return sumLanes(count, [=](std::int64_t i) { return a[i] * b[i]; });
}

void multiply(char transposeA, char transposeB, std::int64_t m, std::int64_t n, std::int64_t k, const float* a, std::int64_t aStride,
              const float* b, std::int64_t bStride, float keep, float* c, std::int64_t cStride) {
    dnnl::error::wrap_c_api(dnnl_sgemm(transposeA, transposeB, m, n, k, 1.0f, a, aStride, b, bStride, keep, c, cStride),
                            "the matrix product failed");
}

struct Head {
    void* memory;
    std::int64_t first, rowStride, headDim;
    Dtype dtype;

    Head(const FusedAttentionDesc& d, const BatchStrides& s, void* operand, std::int64_t outer, std::int64_t inner)
        : memory(operand), first(outer * s.outer + inner * s.inner), rowStride(s.row), headDim(d.headDim), dtype(d.dtype) {}

    /// Rows in fp32 and their stride: in place, or packed into `room`.
    std::pair<const float*, std::int64_t> load(std::int64_t row, std::int64_t rows, float* room) const {
        if (dtype == Dtype::F32) return {static_cast<const float*>(memory) + first + row * rowStride, rowStride};
        for (std::int64_t r = 0; r < rows; ++r) {
            decodeArray(dtype, elementAt(dtype, memory, first + (row + r) * rowStride), room + r * headDim,
                        static_cast<std::size_t>(headDim));
        }
        return {room, headDim};
    }
    /// Where results of rows are computed and their stride: in place, or packed into `room`. `store` then rounds those in `room`.
    std::pair<float*, std::int64_t> target(std::int64_t row, float* room) const {
        if (dtype == Dtype::F32) return {static_cast<float*>(memory) + first + row * rowStride, rowStride};
        return {room, headDim};
    }
    void store(std::int64_t row, std::int64_t rows, const float* packed) const {
        if (dtype == Dtype::F32) return;
        for (std::int64_t r = 0; r < rows; ++r) {
            encodeArray(dtype, packed + r * headDim, elementAt(dtype, memory, first + (row + r) * rowStride),
                        static_cast<std::size_t>(headDim));
        }
    }
};

/// Scratch memory, taken in parts.
class Room {
public:
    explicit Room(std::int64_t floats) : m_next(floatScratch(floats)) {}
    float* take(std::int64_t floats) { return std::exchange(m_next, m_next + floats); }

private:
    float* m_next;
};

/// Calls use(first row, rows, keys that the last row sees).
template <typename Use>
void forRowBlocks(const FusedAttentionDesc& d, Use&& use) {
    for (std::int64_t row = 0; row < d.length; row += kRows) {
        const std::int64_t rows = std::min(kRows, d.length - row);
        use(row, rows, d.causal ? row + rows : d.length);
    }
}

void attend(const FusedAttentionDesc& d, Operands operands, std::int64_t outer, std::int64_t keyHead) {
    const std::int64_t group = d.heads / d.keyHeads, matrix = d.length * d.headDim, block = kRows * d.headDim;
    Room room(2 * matrix + 2 * block + kRows * d.length);
    float* const keyRoom = room.take(matrix);
    float* const valueRoom = room.take(matrix);
    float* const queryRoom = room.take(block);
    float* const resultRoom = room.take(block);
    float* const scores = room.take(kRows * d.length);
    const auto [keys, keyStride] = Head(d, d.k, operands[1], outer, keyHead).load(0, d.length, keyRoom);
    const auto [values, valueStride] = Head(d, d.v, operands[2], outer, keyHead).load(0, d.length, valueRoom);
    for (std::int64_t head = keyHead * group; head < (keyHead + 1) * group; ++head) {
        const Head q(d, d.q, operands[0], outer, head), out(d, d.out, operands[3], outer, head);
        float* const logSumExps = static_cast<float*>(operands[4]) + (outer * d.heads + head) * d.length;
        forRowBlocks(d, [&, keys = keys, keyStride = keyStride, values = values, valueStride = valueStride](
                            std::int64_t row, std::int64_t rows, std::int64_t seen) {
            const auto [queries, queryStride] = q.load(row, rows, queryRoom);
            multiply('N', 'T', rows, seen, d.headDim, queries, queryStride, keys, keyStride, 0, scores, seen);
            std::array<float, kRows> sums{};
            for (std::int64_t r = 0; r < rows; ++r) {
                float* const own = scores + r * seen;
                const std::int64_t ownSeen = d.causal ? row + r + 1 : seen;
                if (d.compute == Dtype::F32) {
                    logSumExps[row + r] = softmaxSeen(own, seen, ownSeen, d.scale);
                } else {
                    const auto [subtracted, sum] = roundedExponentials(d, own, seen, ownSeen);
                    logSumExps[row + r] = subtracted + std::log(sum);
                    sums[static_cast<std::size_t>(r)] = sum;
                }
            }
            const auto [result, resultStride] = out.target(row, resultRoom);
            multiply('N', 'N', rows, d.headDim, seen, scores, seen, values, valueStride, 0, result, resultStride);
            for (std::int64_t i = 0; d.compute != Dtype::F32 && i < rows * d.headDim; ++i) {
                const std::int64_t r = i / d.headDim;
                float& mixed = result[r * resultStride + i % d.headDim];
                mixed = roundTo(d.compute, mixed) / sums[static_cast<std::size_t>(r)];
            }
            out.store(row, rows, result);
        });
    }
}

void attendBackward(const FusedAttentionDesc& d, Operands operands, std::int64_t outer, std::int64_t keyHead) {
    const std::int64_t group = d.heads / d.keyHeads, matrix = d.length * d.headDim, block = kRows * d.headDim;
    Room room(4 * matrix + 4 * block + 2 * kRows * d.length);
    float* const keyRoom = room.take(matrix);
    float* const valueRoom = room.take(matrix);
    float* const gradKeyRoom = room.take(matrix);
    float* const gradValueRoom = room.take(matrix);
    float* const queryRoom = room.take(block);
    float* const gradOutRoom = room.take(block);
    float* const outRoom = room.take(block);
    float* const gradQueryRoom = room.take(block);
    float* const scores = room.take(kRows * d.length);
    float* const gradScores = room.take(kRows * d.length);
    const Head gradK(d, d.k, operands[7], outer, keyHead), gradV(d, d.v, operands[8], outer, keyHead);
    const auto [gradKeys, gradKeyStride] = gradK.target(0, gradKeyRoom);
    const auto [gradValues, gradValueStride] = gradV.target(0, gradValueRoom);
    for (std::int64_t r = 0; r < d.length; ++r) {
        std::fill_n(gradKeys + r * gradKeyStride, d.headDim, 0.0f);
        std::fill_n(gradValues + r * gradValueStride, d.headDim, 0.0f);
    }
    const auto [keys, keyStride] = Head(d, d.k, operands[2], outer, keyHead).load(0, d.length, keyRoom);
    const auto [values, valueStride] = Head(d, d.v, operands[3], outer, keyHead).load(0, d.length, valueRoom);
    for (std::int64_t head = keyHead * group; head < (keyHead + 1) * group; ++head) {
        const Head gradOut(d, d.out, operands[0], outer, head), q(d, d.q, operands[1], outer, head),
            out(d, d.out, operands[4], outer, head), gradQ(d, d.q, operands[6], outer, head);
        const float* const logSumExps = static_cast<const float*>(operands[5]) + (outer * d.heads + head) * d.length;
        forRowBlocks(d, [&, keys = keys, keyStride = keyStride, values = values, valueStride = valueStride, gradKeys = gradKeys,
                         gradKeyStride = gradKeyStride, gradValues = gradValues,
                         gradValueStride = gradValueStride](std::int64_t row, std::int64_t rows, std::int64_t seen) {
            const auto [queries, queryStride] = q.load(row, rows, queryRoom);
            const auto [gradOuts, gradOutStride] = gradOut.load(row, rows, gradOutRoom);
            const auto [outs, outStride] = out.load(row, rows, outRoom);
            multiply('N', 'T', rows, seen, d.headDim, queries, queryStride, keys, keyStride, 0, scores, seen);
            multiply('N', 'T', rows, seen, d.headDim, gradOuts, gradOutStride, values, valueStride, 0, gradScores, seen);
            for (std::int64_t r = 0; r < rows; ++r) {
                scoresGradient(scores + r * seen, gradScores + r * seen, seen, d.causal ? row + r + 1 : seen, d.scale, logSumExps[row + r],
                               dot(gradOuts + r * gradOutStride, outs + r * outStride, d.headDim));
            }
            const auto [gradQueries, gradQueryStride] = gradQ.target(row, gradQueryRoom);
            multiply('N', 'N', rows, d.headDim, seen, gradScores, seen, keys, keyStride, 0, gradQueries, gradQueryStride);
            gradQ.store(row, rows, gradQueries);
            multiply('T', 'N', seen, d.headDim, rows, gradScores, seen, queries, queryStride, 1, gradKeys, gradKeyStride);
            multiply('T', 'N', seen, d.headDim, rows, scores, seen, gradOuts, gradOutStride, 1, gradValues, gradValueStride);
        });
    }
    gradK.store(0, d.length, gradKeys);
    gradV.store(0, d.length, gradValues);
}

template <typename Task>
std::unique_ptr<Operation> forHeadGroups(const FusedAttentionDesc& desc, WorkPool& pool, Task task) {
    return makeFunction([desc, &pool, task](Operands operands) {
        const OneThread limit;
        pool.run(static_cast<int>(desc.outer * desc.keyHeads), [&](int i) { task(desc, operands, i / desc.keyHeads, i % desc.keyHeads); });
    });
}

}  // namespace

std::unique_ptr<Operation> makeFusedAttention(const FusedAttentionDesc& desc, WorkPool& pool) {
    return forHeadGroups(desc, pool, attend);
}

std::unique_ptr<Operation> makeFusedAttentionGrad(const FusedAttentionGradDesc& desc, WorkPool& pool) {
    return forHeadGroups(desc.forward, pool, attendBackward);
}

}  // namespace mantissa::cpu
