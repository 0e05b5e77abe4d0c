// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding, and sums over heads that share keys. The angles' cosines and sines are computed in double when the operation
// is made, and rounded once.
#include <cmath>
#include <vector>

#include "kernels/cuda/operations.h"
#include "kernels/cuda/rows.h"

namespace mantissa::cuda {
namespace {

/// [length, headDim / 2] each.
struct Angles {
    explicit Angles(const RotaryDesc& d) {
        for (std::int64_t position = 0; position < d.length; ++position) {
            for (std::int64_t i = 0; i < d.headDim / 2; ++i) {
                const double angle =
                    static_cast<double>(position) * std::pow(d.base, -2.0 * static_cast<double>(i) / static_cast<double>(d.headDim));
                cosines.push_back(static_cast<float>(std::cos(angle)));
                sines.push_back(static_cast<float>(d.inverse ? -std::sin(angle) : std::sin(angle)));
            }
        }
    }
    std::vector<float> cosines, sines;
};

/// An item: a chunk of a head's first half and its partner in the second half. Both are read before either is written: dst may be src.
__global__ void rotate(RotaryDesc d, std::int64_t chunksOfHead, unsigned lanes, const float* cosines, const float* sines, const void* src,
                       void* dst) {
    const std::int64_t half = d.headDim / 2;
    forRowItems(d.rows, d.heads * chunksOfHead, lanes, [&](std::int64_t row, std::int64_t item) {
        const std::int64_t head = item / chunksOfHead, begin = item % chunksOfHead * kChunk, at = head * d.headDim + begin;
        const int n = static_cast<int>(half - begin < kChunk ? half - begin : kChunk);
        const std::int64_t from = row * d.srcStride + at, to = row * d.dstStride + at, angle = row % d.length * half + begin;
        const Chunk left = loadChunk(d.from, src, from, n), right = loadChunk(d.from, src, from + half, n),
                    cosine = loadChunk(Dtype::F32, cosines, angle, n), sine = loadChunk(Dtype::F32, sines, angle, n);
        Chunk rotatedLeft, rotatedRight;
        const auto product = [&](float a, float b) { return storedValue(d.roundsProducts ? d.to : Dtype::F32, a * b); };
        for (int i = 0; i < kChunk; ++i) {
            rotatedLeft.x[i] = product(left.x[i], cosine.x[i]) - product(right.x[i], sine.x[i]);
            rotatedRight.x[i] = product(right.x[i], cosine.x[i]) + product(left.x[i], sine.x[i]);
        }
        storeChunk(d.to, dst, to, n, rotatedLeft);
        storeChunk(d.to, dst, to + half, n, rotatedRight);
    });
}

/// An item: a chunk of a head of the sum.
__global__ void sumHeads(SumHeadsDesc d, std::int64_t chunksOfHead, unsigned lanes, const void* src, void* dst) {
    const std::int64_t width = d.heads * d.headDim;
    forRowItems(d.rows, d.heads * chunksOfHead, lanes, [&](std::int64_t row, std::int64_t item) {
        const std::int64_t head = item / chunksOfHead, begin = item % chunksOfHead * kChunk;
        const int n = static_cast<int>(d.headDim - begin < kChunk ? d.headDim - begin : kChunk);
        const std::int64_t from = row * width * d.group + head * d.group * d.headDim + begin;
        Chunk sum = loadChunk(d.from, src, from, n);
        for (std::int64_t i = 1; i < d.group; ++i) {
            const Chunk next = loadChunk(d.from, src, from + i * d.headDim, n);
            for (int j = 0; j < kChunk; ++j) sum.x[j] += next.x[j];
        }
        storeChunk(d.to, dst, row * width + head * d.headDim + begin, n, sum);
    });
}

}  // namespace

std::unique_ptr<Operation> makeRotary(const RotaryDesc& desc) {
    const Angles angles(desc);
    const std::int64_t chunksOfHead = (desc.headDim / 2 + kChunk - 1) / kChunk, items = desc.heads * chunksOfHead;
    return makeFunction([desc, chunksOfHead, items, cosines = Scratch(angles.cosines), sines = Scratch(angles.sines)](cudaStream_t stream,
                                                                                                                      Operands operands) {
        const unsigned lanes = lanesFor(items);
        launch(gridOfRows(desc.rows, items, lanes), stream, rotate, desc, chunksOfHead, lanes, cosines.as<float>(), sines.as<float>(),
               operands[0], operands[1]);
    });
}

std::unique_ptr<Operation> makeSumHeads(const SumHeadsDesc& desc) {
    const std::int64_t chunksOfHead = (desc.headDim + kChunk - 1) / kChunk, items = desc.heads * chunksOfHead;
    return makeFunction([desc, chunksOfHead, items](cudaStream_t stream, Operands operands) {
        const unsigned lanes = lanesFor(items);
        launch(gridOfRows(desc.rows, items, lanes), stream, sumHeads, desc, chunksOfHead, lanes, operands[0], operands[1]);
    });
}

}  // namespace mantissa::cuda
