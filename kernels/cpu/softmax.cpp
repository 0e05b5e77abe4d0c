// SPDX-License-Identifier: Apache-2.0
// Softmax along rows, its gradient, and the causal mask before it. The largest element of a row is subtracted first, so finite rows never
// overflow, unless a run requests the naive formula, for demonstration.
#include "kernels/cpu/operations.h"
#include "kernels/cpu/round_array.h"
#include "kernels/cpu/thread_scratch.h"
#include "kernels/cpu/vector_math.h"

namespace mantissa::cpu {
namespace {

MANTISSA_LOOP void softmaxRow(const float* x, float* y, std::int64_t count) {
    const float largest = largestLane(x, count);
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) y[i] = exponentialBelow43(x[i] - largest);
    const float sum = sumLanes(count, [y](std::int64_t i) { return y[i]; });
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) y[i] /= sum;
}

MANTISSA_LOOP void exponentials(const float* x, float* y, std::int64_t count) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) y[i] = exponential(x[i]);
}

/// For demonstration, hence simple: each elementary result is rounded to `compute`.
void naiveSoftmaxRow(const float* x, float* y, std::int64_t count, Dtype compute) {
    const auto round = [&] { roundArray(compute, y, y, static_cast<std::size_t>(count)); };
    exponentials(x, y, count);
    round();
    const float sum = roundTo(compute, sumLanes(count, [y](std::int64_t i) { return y[i]; }));
    for (std::int64_t i = 0; i < count; ++i) y[i] /= sum;
    round();
}

MANTISSA_LOOP void softmaxGradRow(const float* gradOutput, const float* y, float* gradInput, std::int64_t count) {
    const float sum = sumLanes(count, [=](std::int64_t i) { return gradOutput[i] * y[i]; });
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) gradInput[i] = y[i] * (gradOutput[i] - sum);
}

}  // namespace

std::unique_ptr<Operation> makeSoftmax(const SoftmaxDesc& desc, WorkPool& pool) {
    return makeFunction([desc, &pool](Operands operands) {
        forRows(pool, desc.rows, desc.cols, [&](std::int64_t begin, std::int64_t rows) {
            float* const room = floatScratch(2 * desc.cols);
            for (std::int64_t first = begin * desc.cols; first < (begin + rows) * desc.cols; first += desc.cols) {
                const float* x = loadRow(desc.from, operands[0], first, desc.cols, room);
                float* const y = resultRow(desc.to, operands[1], first, room + desc.cols);
                if (desc.subtractsMax) {
                    softmaxRow(x, y, desc.cols);
                } else {
                    naiveSoftmaxRow(x, y, desc.cols, desc.compute);
                }
                storeRow(desc.to, operands[1], first, desc.cols, y);
            }
        });
    });
}

std::unique_ptr<Operation> makeSoftmaxGrad(const SoftmaxGradDesc& desc, WorkPool& pool) {
    return makeFunction([desc, &pool](Operands operands) {
        forRows(pool, desc.rows, desc.cols, [&](std::int64_t begin, std::int64_t rows) {
            float* const room = floatScratch(3 * desc.cols);
            for (std::int64_t first = begin * desc.cols; first < (begin + rows) * desc.cols; first += desc.cols) {
                const float* gradOutput = loadRow(desc.from, operands[0], first, desc.cols, room);
                const float* y = loadRow(desc.from, operands[1], first, desc.cols, room + desc.cols);
                float* const gradInput = resultRow(desc.to, operands[2], first, room + 2 * desc.cols);
                softmaxGradRow(gradOutput, y, gradInput, desc.cols);
                storeRow(desc.to, operands[2], first, desc.cols, gradInput);
            }
        });
    });
}

std::unique_ptr<Operation> makeCausalMask(const CausalMaskDesc& desc, WorkPool& pool) {
    std::vector<std::byte> masked(static_cast<std::size_t>(desc.length) * facts(desc.dtype).storageBytes());
    const std::vector<float> values(static_cast<std::size_t>(desc.length), desc.value);
    encodeArray(desc.dtype, values.data(), masked.data(), values.size());
    return makeFunction([desc, &pool, masked = std::move(masked)](Operands operands) {
        const std::size_t size = facts(desc.dtype).storageBytes();
        forRows(pool, desc.matrices * desc.length, desc.length, [&](std::int64_t begin, std::int64_t rows) {
            for (std::int64_t row = begin; row < begin + rows; ++row) {
                const std::int64_t first = row * desc.length, seen = row % desc.length + 1;
                std::byte* const to = elementAt(desc.dtype, operands[1], first);
                const auto bytes = static_cast<std::size_t>(seen) * size;
                if (operands[0] != operands[1]) std::copy_n(elementAt(desc.dtype, operands[0], first), bytes, to);
                std::copy_n(masked.data(), static_cast<std::size_t>(desc.length - seen) * size, to + bytes);
            }
        });
    });
}

}  // namespace mantissa::cpu
