// SPDX-License-Identifier: Apache-2.0
// Products with a tensor core's sums: kernels/dtype/tensor_core.h vectorised over columns, with identical bits. Its scalar function handles
// non-finite operands.
#include "kernels/dtype/tensor_core.h"

#include <cmath>

#include "kernels/cpu/product.h"
#include "kernels/cpu/vector_loop.h"

namespace mantissa::cpu {
namespace {

constexpr std::int64_t kColumns = 64;  // processed together
constexpr int kMostTerms = 32;         // of a fused operation
constexpr std::int64_t kRowsPerTask = 8;

int minExponentOf(Dtype dtype) {
    return static_cast<int>(std::lround(std::log2(facts(dtype).minNormal)));
}

/// A row's terms of one fused operation.
struct Terms {
    int count = 0;
    double values[kMostTerms];
    std::int32_t exponents[kMostTerms];
};

/// c[j] = one fused operation on `terms` and column j of b, whose rows are `stride` apart. All finite; at most kColumns columns.
MANTISSA_LOOP void fusedColumns(const FusedDot& model, const Terms& terms, const float* b, const std::int32_t* bExponents,
                                std::int64_t stride, std::int64_t columns, float* c) {
    std::int32_t emax[kColumns];
    double unitsPerOne[kColumns], sum[kColumns];
    const int lowest = model.roundsToF16 ? kF16MinExponent : kLowestExponent;
    for (std::int64_t j = 0; j < columns; ++j) {
        const int exponent = alignmentExponent(c[j], lowest);
        emax[j] = exponent > kLowestExponent ? exponent : kLowestExponent;
    }
    for (int t = 0; t < terms.count; ++t) {
        for (std::int64_t j = 0; j < columns; ++j) {
            const std::int32_t exponent = terms.exponents[t] + bExponents[t * stride + j];
            emax[j] = exponent > emax[j] ? exponent : emax[j];
        }
    }
    for (std::int64_t j = 0; j < columns; ++j) {
        unitsPerOne[j] = powerOfTwo(model.fractionBits - emax[j]);
        sum[j] = __builtin_trunc(static_cast<double>(c[j]) * unitsPerOne[j]);
    }
    for (int t = 0; t < terms.count; ++t) {
        for (std::int64_t j = 0; j < columns; ++j) {
            sum[j] += __builtin_trunc(terms.values[t] * static_cast<double>(b[t * stride + j]) * unitsPerOne[j]);
        }
    }
    const int resultBits = model.resultBits, fractionBits = model.fractionBits;
    if (model.roundsToF16) {
        for (std::int64_t j = 0; j < columns; ++j) c[j] = finishSum(sum[j] * powerOfTwo(emax[j] - fractionBits), resultBits, true);
    } else {
        for (std::int64_t j = 0; j < columns; ++j) c[j] = finishSum(sum[j] * powerOfTwo(emax[j] - fractionBits), resultBits, false);
    }
}

MANTISSA_LOOP bool allFinite(const float* values, std::int64_t count) {
    std::uint32_t largest = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::uint32_t magnitude = floatBits(values[i]) & ~kFloatSign;
        largest = magnitude > largest ? magnitude : largest;
    }
    return largest < kFloatInf;
}

/// Workspace of an ordinary product, then b rearranged, its exponents, and the sums.
struct Layout {
    explicit Layout(const MatmulDesc& d) : inputs(d), b(inputs.resultOffset), exponents(b + roomFor(d.k * d.n)) {
        sums = exponents + roomFor(d.k * d.n);
        bytes = sums + (d.out != Dtype::F32 ? roomFor(d.m * d.n) : 0);
    }

    WorkspaceLayout inputs;
    std::size_t b, exponents, sums, bytes;
};

class TensorCoreMatmul final : public Operation {
public:
    TensorCoreMatmul(const MatmulDesc& desc, WorkPool& pool)
        : m_desc(desc),
          m_model(*fusedDot(desc.accumulator, desc.compute)),
          m_layout(desc),
          m_minExponentA(minExponentOf(m_layout.inputs.a.format())),
          m_minExponentB(minExponentOf(m_layout.inputs.b.format())),
          m_pool(pool) {}

    void enqueue(Queue&, Operands operands) override {
        const ProductOperands given(m_desc, operands);
        auto* const workspace = static_cast<std::byte*>(given.workspace);
        const auto* a = m_layout.inputs.a.prepareAll(m_pool, given.a, workspace);
        const auto* b = m_layout.inputs.b.prepareAll(m_pool, given.b, workspace);
        const Product p{a, reinterpret_cast<float*>(workspace + m_layout.b),
                        reinterpret_cast<std::int32_t*>(workspace + m_layout.exponents),
                        static_cast<float*>(m_desc.out == Dtype::F32 ? given.out : workspace + m_layout.sums),
                        allFinite(a, m_desc.m * m_desc.k) && allFinite(b, m_desc.k * m_desc.n)};
        arrangeB(b, p);
        const auto tasks = static_cast<int>((m_desc.m + kRowsPerTask - 1) / kRowsPerTask);
        m_pool.run(tasks, [this, &p](int task) {
            const std::int64_t first = task * kRowsPerTask, last = std::min(first + kRowsPerTask, m_desc.m);
            for (std::int64_t row = first; row < last; ++row) {
                for (std::int64_t j = 0; j < m_desc.n; j += kColumns) sumColumns(p, row, j, std::min(kColumns, m_desc.n - j));
            }
        });
        const float* bias = m_desc.hasBias ? m_layout.inputs.bias.prepareAll(m_pool, given.bias, workspace) : nullptr;
        finishProduct(m_desc, Tile::whole(m_desc.m, m_desc.n), p.sums, given.factor, bias, given.out);
    }

private:
    struct Product {
        const float* a;
        float* b;                 // [k, n]
        std::int32_t* exponents;  // of b
        float* sums;
        bool isFinite;
    };

    void arrangeB(const float* b, const Product& p) const {
        for (std::int64_t row = 0; row < m_desc.k; ++row) {
            for (std::int64_t col = 0; col < m_desc.n; ++col) {
                const float value = m_desc.transposeB ? b[col * m_desc.k + row] : b[row * m_desc.n + col];
                p.b[row * m_desc.n + col] = value;
                p.exponents[row * m_desc.n + col] = alignmentExponent(value, m_minExponentB);
            }
        }
    }

    Terms termsOf(const float* a, std::int64_t stride, std::int64_t count) const {
        Terms terms;
        terms.count = static_cast<int>(count);
        for (std::int64_t t = 0; t < count; ++t) {
            terms.values[t] = static_cast<double>(a[t * stride]);
            terms.exponents[t] = alignmentExponent(a[t * stride], m_minExponentA);
        }
        return terms;
    }

    void sumColumns(const Product& p, std::int64_t row, std::int64_t firstColumn, std::int64_t columns) const {
        const std::int64_t strideA = m_desc.transposeA ? m_desc.m : 1;
        const float* a = p.a + (m_desc.transposeA ? row : row * m_desc.k);
        float* const sums = p.sums + row * m_desc.n + firstColumn;
        std::fill(sums, sums + columns, 0.0f);
        float c[kColumns] = {};
        bool isFinite = p.isFinite;
        for (std::int64_t k = 0; k < m_desc.k; k += m_model.terms) {
            const std::int64_t count = std::min<std::int64_t>(m_model.terms, m_desc.k - k), at = k * m_desc.n + firstColumn;
            if (isFinite) {
                fusedColumns(m_model, termsOf(a + k * strideA, strideA, count), p.b + at, p.exponents + at, m_desc.n, columns, c);
                isFinite = allFinite(c, columns);
            } else {
                for (std::int64_t j = 0; j < columns; ++j) {
                    c[j] =
                        fusedDotAdd(m_model, a + k * strideA, strideA, m_minExponentA, p.b + at + j, m_desc.n, m_minExponentB, count, c[j]);
                }
            }
            if (m_desc.promoteEvery == 0 || (k + count) % m_desc.promoteEvery != 0) continue;
            for (std::int64_t j = 0; j < columns; ++j) sums[j] += std::exchange(c[j], 0.0f);
        }
        for (std::int64_t j = 0; j < columns; ++j) sums[j] += c[j];
    }

    MatmulDesc m_desc;
    FusedDot m_model;
    Layout m_layout;
    int m_minExponentA, m_minExponentB;
    WorkPool& m_pool;
};

}  // namespace

std::unique_ptr<Operation> makeTensorCoreMatmul(const MatmulDesc& desc, WorkPool& pool) {
    return std::make_unique<TensorCoreMatmul>(desc, pool);
}

std::size_t tensorCoreWorkspaceBytes(const MatmulDesc& desc) {
    return Layout(desc).bytes;
}

}  // namespace mantissa::cpu
