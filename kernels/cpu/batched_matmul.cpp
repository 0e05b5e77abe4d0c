// SPDX-License-Identifier: Apache-2.0
// Many products of small matrices in place, on oneDNN's sgemm: each on one thread; threads share whole matrices of the result. Narrower
// operands are first packed as fp32 into the thread's scratch memory, and results are rounded out of it.
#include <cstring>
#include <oneapi/dnnl/dnnl.hpp>

#include "kernels/cpu/product.h"
#include "kernels/cpu/thread_scratch.h"
#include "kernels/cpu/vector_math.h"

namespace mantissa::cpu {
namespace {

constexpr std::int64_t kTaskFlops = 4'000'000;  // well above the cost of waking a helper thread

MANTISSA_LOOP void scaleRow(float* values, std::int64_t count, float factor) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) values[i] *= factor;
}
struct Stored {
    std::int64_t rows, cols;
    BatchStrides strides;
    std::int64_t divisor;
    Dtype dtype, compute;
    Rounding rounding;

    bool isPacked() const { return dtype != Dtype::F32 || !holdsEveryValue(compute, dtype); }
    std::int64_t offset(std::int64_t outer, std::int64_t inner) const { return outer * strides.outer + inner / divisor * strides.inner; }
    std::size_t room() const { return isPacked() ? roomFor(rows * cols) : 0; }

    /// The matrix in fp32 and its row stride: in place, or packed into `to`.
    std::pair<const float*, std::int64_t> place(const void* operand, std::int64_t at, float* to) const {
        if (!isPacked()) return {static_cast<const float*>(operand) + at, strides.row};
        forRuns([&](std::int64_t row, std::int64_t count) {
            decodeArray(dtype, elementAt(dtype, operand, at + row * strides.row), to + row * cols, static_cast<std::size_t>(count));
        });
        if (!holdsEveryValue(compute, dtype)) roundArray(compute, to, to, static_cast<std::size_t>(rows * cols), {rounding});
        return {to, cols};
    }

    /// Copies the matrix without the gaps between rows.
    void copy(const void* operand, std::int64_t at, void* to) const {
        forRuns([&](std::int64_t row, std::int64_t count) {
            std::memcpy(elementAt(dtype, to, row * cols), elementAt(dtype, operand, at + row * strides.row),
                        static_cast<std::size_t>(count) * facts(dtype).storageBytes());
        });
    }

private:
    /// Calls work(row, count) once for contiguous rows, else for each row.
    template <typename Work>
    void forRuns(Work&& work) const {
        if (strides.row == cols) return work(std::int64_t{0}, rows * cols);
        for (std::int64_t row = 0; row < rows; ++row) work(row, cols);
    }
};

class BatchedMatmul final : public Operation {
public:
    BatchedMatmul(const BatchedMatmulDesc& desc, WorkPool& pool)
        : m_desc(desc),
          m_a{desc.transposeA ? desc.k : desc.m,
              desc.transposeA ? desc.m : desc.k,
              desc.aStrides,
              desc.aDivisor,
              desc.a,
              desc.compute,
              desc.operandRounding},
          m_b{desc.transposeB ? desc.n : desc.k,
              desc.transposeB ? desc.k : desc.n,
              desc.bStrides,
              desc.bDivisor,
              desc.b,
              desc.compute,
              desc.operandRounding},
          m_pool(pool) {
        if (!fusedDot(desc.accumulator, desc.compute)) return;
        const MatmulDesc one{.m = desc.m,
                             .n = desc.n,
                             .k = desc.k,
                             .transposeA = desc.transposeA,
                             .transposeB = desc.transposeB,
                             .a = desc.a,
                             .b = desc.b,
                             .compute = desc.compute,
                             .operandRounding = desc.operandRounding,
                             .accumulator = desc.accumulator,
                             .promoteEvery = desc.promoteEvery};
        m_tensorCore = makeTensorCoreMatmul(one, pool);
        m_tensorCoreBytes = tensorCoreWorkspaceBytes(one);
    }

    void enqueue(Queue& queue, Operands operands) override {
        const std::int64_t shared = m_desc.inner / m_desc.outDivisor, results = m_desc.outer * shared;
        const std::int64_t flops = 2 * m_desc.m * m_desc.n * m_desc.k * m_desc.outDivisor;
        const std::int64_t size = std::max<std::int64_t>(1, kTaskFlops / flops);
        const OneThread limit;
        m_pool.run(static_cast<int>((results + size - 1) / size), [&](int task) {
            for (std::int64_t i = task * size; i < std::min(results, (task + 1) * size); ++i) {
                result(queue, operands, i / shared, i % shared);
            }
        });
    }

private:
    /// One matrix of the result: sums the products of its heads, then scales and rounds them.
    void result(Queue& queue, Operands operands, std::int64_t outer, std::int64_t place) {
        const std::int64_t first = outer * m_desc.outStrides.outer + place * m_desc.outStrides.inner, elements = m_desc.m * m_desc.n;
        const bool isInPlace = m_desc.out == Dtype::F32 && m_tensorCore == nullptr;
        const std::size_t a = m_tensorCore ? roomFor(m_a.rows * m_a.cols) : m_a.room(),
                          b = m_tensorCore ? roomFor(m_b.rows * m_b.cols) : m_b.room();
        auto* const scratch = static_cast<std::byte*>(threadScratch(a + b + 2 * roomFor(elements) + m_tensorCoreBytes));
        auto* const packedA = reinterpret_cast<float*>(scratch);
        auto* const packedB = reinterpret_cast<float*>(scratch + a);
        auto* const sums = isInPlace ? static_cast<float*>(operands[2]) + first : reinterpret_cast<float*>(scratch + a + b);
        auto* const term = reinterpret_cast<float*>(scratch + a + b + roomFor(elements));
        const std::int64_t sumsStride = isInPlace ? m_desc.outStrides.row : m_desc.n;
        for (std::int64_t i = 0; i < m_desc.outDivisor; ++i) {
            const std::int64_t inner = place * m_desc.outDivisor + i;
            if (m_tensorCore == nullptr) {
                const auto [left, leftStride] = m_a.place(operands[0], m_a.offset(outer, inner), packedA);
                const auto [right, rightStride] = m_b.place(operands[1], m_b.offset(outer, inner), packedB);
                dnnl::error::wrap_c_api(
                    dnnl_sgemm(m_desc.transposeA ? 'T' : 'N', m_desc.transposeB ? 'T' : 'N', m_desc.m, m_desc.n, m_desc.k, 1.0f, left,
                               leftStride, right, rightStride, i == 0 ? 0.0f : 1.0f, sums, sumsStride),
                    "the matrix product failed");
                continue;
            }
            m_a.copy(operands[0], m_a.offset(outer, inner), packedA);
            m_b.copy(operands[1], m_b.offset(outer, inner), packedB);
            void* const one[] = {packedA, packedB, i == 0 ? sums : term, scratch + a + b + 2 * roomFor(elements)};
            m_tensorCore->enqueue(queue, one);
            if (i > 0) addInto(sums, term, elements);
        }
        for (std::int64_t row = 0; row < m_desc.m; ++row) {
            float* const values = sums + row * sumsStride;
            if (m_desc.scale != 1) scaleRow(values, m_desc.n, m_desc.scale);
            if (isInPlace) continue;
            encodeArray(m_desc.out, values, elementAt(m_desc.out, operands[2], first + row * m_desc.outStrides.row),
                        static_cast<std::size_t>(m_desc.n));
        }
    }

    BatchedMatmulDesc m_desc;
    Stored m_a, m_b;
    WorkPool& m_pool;
    std::unique_ptr<Operation> m_tensorCore;  // null for sums in fp32
    std::size_t m_tensorCoreBytes = 0;
};

}  // namespace

std::unique_ptr<Operation> makeBatchedMatmul(const BatchedMatmulDesc& desc, WorkPool& pool) {
    return std::make_unique<BatchedMatmul>(desc, pool);
}

}  // namespace mantissa::cpu
