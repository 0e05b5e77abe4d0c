// SPDX-License-Identifier: Apache-2.0
// Softmax along rows, its gradient, and the causal mask before it. The largest element of a row is subtracted first, so finite rows never
// overflow, unless a run requests the naive formula, for demonstration. A warp or a block folds a row (rows.h).
#include "kernels/cuda/operations.h"
#include "kernels/cuda/rows.h"

namespace mantissa::cuda {
namespace {

template <typename Plan>
__global__ void __launch_bounds__(Plan::kThreads) softmaxRows(SoftmaxDesc d, const void* src, void* dst) {
    for (std::int64_t row = Plan::Crew::firstRow(); row < d.rows; row += Plan::Crew::rowStep()) {
        const RowChunks chunks(d.from, src, row * d.cols, d.cols);
        Row<Plan> x(d.from, src, chunks);
        const RowPowers powers = powersOfRow(x, chunks);
        x.store(d.to, dst, [&](int slot, std::int64_t column, int n) {
            Chunk chunk = x.get(slot, column, n);
            MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) chunk.x[i] =
                (Row<Plan>::kIsHeld ? chunk.x[i] : expf(chunk.x[i] - powers.largest)) / powers.sum;
            return chunk;
        });
    }
}

/// For demonstration, hence simple: a block per row, read from memory in each pass; each elementary result is rounded to `compute`.
__global__ void naiveSoftmaxRows(SoftmaxDesc d, const void* src, void* dst) {
    const auto powerAt = [&](std::int64_t index) { return roundTo(d.compute, expf(loadElement(d.from, src, index))); };
    for (std::int64_t row = blockIdx.x; row < d.rows; row += gridDim.x) {
        const std::int64_t first = row * d.cols;
        float sum = 0;
        for (std::int64_t column = threadIdx.x; column < d.cols; column += blockDim.x) sum += powerAt(first + column);
        sum = roundTo(d.compute, sumBlock(sum));
        for (std::int64_t column = threadIdx.x; column < d.cols; column += blockDim.x)
            storeElement(d.to, dst, first + column, roundTo(d.compute, powerAt(first + column) / sum));
    }
}

template <typename Plan>
__global__ void __launch_bounds__(Plan::kThreads)
    softmaxGradRows(SoftmaxGradDesc d, const void* gradOutput, const void* y, void* gradInput) {
    for (std::int64_t row = Plan::Crew::firstRow(); row < d.rows; row += Plan::Crew::rowStep()) {
        const RowChunks chunks(d.from, y, row * d.cols, d.cols);
        Row<Plan> gradients(d.from, gradOutput, chunks);
        const Row<Plan> values(d.from, y, chunks);
        float sum = 0;
        forRowChunks<Plan>(chunks, [&](int slot, std::int64_t column, int n) {
            const Chunk g = gradients.get(slot, column, n), v = values.get(slot, column, n);
            for (int i = 0; i < kChunk; ++i) sum += i < n ? g.x[i] * v.x[i] : 0.0f;
        });
        sum = sumOfRow<Plan>(sum);
        gradients.store(d.to, gradInput, [&](int slot, std::int64_t column, int n) {
            Chunk g = gradients.get(slot, column, n);
            const Chunk v = values.get(slot, column, n);
            for (int i = 0; i < kChunk; ++i) g.x[i] = v.x[i] * (g.x[i] - sum);
            return g;
        });
    }
}

template <typename Code, int kCodes>
struct alignas(sizeof(Code) * kCodes) Codes {
    Code code[kCodes];
};

/// Rows of matrices in groups of kCodes elements; kCodes is 1 or divides the length. Elements are copied unchanged; in place, groups
/// without masked elements are skipped.
template <typename Code, int kCodes>
__global__ void maskRows(std::int64_t rows, std::int64_t length, unsigned lanes, Code masked, const void* src, void* dst) {
    using Group = Codes<Code, kCodes>;
    const std::int64_t groups = length / kCodes;
    forRowItems(rows, groups, lanes, [&](std::int64_t row, std::int64_t item) {
        const std::int64_t seen = row % length + 1 - item * kCodes, at = row * groups + item;
        if (seen >= kCodes && src == dst) return;
        Group group{};
        if (seen > 0) group = static_cast<const Group*>(src)[at];
        for (int i = 0; i < kCodes; ++i) group.code[i] = i < seen ? group.code[i] : masked;
        static_cast<Group*>(dst)[at] = group;
    });
}

template <typename Code>
void enqueueMask(cudaStream_t stream, const CausalMaskDesc& d, const void* src, void* dst) {
    constexpr int kCodes = 16 / sizeof(Code);
    const auto places = reinterpret_cast<std::uintptr_t>(src) | reinterpret_cast<std::uintptr_t>(dst);
    const bool isWide = places % 16 == 0 && d.length % kCodes == 0;
    const std::int64_t rows = d.matrices * d.length, groups = isWide ? d.length / kCodes : d.length;
    const unsigned lanes = lanesFor(groups);
    launch(gridOfRows(rows, groups, lanes), stream, isWide ? maskRows<Code, kCodes> : maskRows<Code, 1>, rows, d.length, lanes,
           static_cast<Code>(encodeBits(d.dtype, d.value)), src, dst);
}

}  // namespace

std::unique_ptr<Operation> makeSoftmax(const SoftmaxDesc& desc) {
    return makeFunction([desc](cudaStream_t stream, Operands operands) {
        if (!desc.subtractsMax) return launch(gridFor(desc.rows, 1), stream, naiveSoftmaxRows, desc, operands[0], operands[1]);
        withRowPlan(desc.cols, [&](auto plan) {
            using Plan = decltype(plan);
            launch(Plan::Crew::grid(desc.rows), stream, softmaxRows<Plan>, desc, operands[0], operands[1]);
        });
    });
}

std::unique_ptr<Operation> makeSoftmaxGrad(const SoftmaxGradDesc& desc) {
    return makeFunction([desc](cudaStream_t stream, Operands operands) {
        withRowPlan(desc.cols, [&](auto plan) {
            using Plan = decltype(plan);
            launch(Plan::Crew::grid(desc.rows), stream, softmaxGradRows<Plan>, desc, operands[0], operands[1], operands[2]);
        });
    });
}

std::unique_ptr<Operation> makeCausalMask(const CausalMaskDesc& desc) {
    return makeFunction([desc](cudaStream_t stream, Operands operands) {
        switch (facts(desc.dtype).storageBytes()) {
            case 4:
                return enqueueMask<std::uint32_t>(stream, desc, operands[0], operands[1]);
            case 2:
                return enqueueMask<std::uint16_t>(stream, desc, operands[0], operands[1]);
            default:
                return enqueueMask<std::uint8_t>(stream, desc, operands[0], operands[1]);
        }
    });
}

}  // namespace mantissa::cuda
