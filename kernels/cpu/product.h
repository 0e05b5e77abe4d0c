// SPDX-License-Identifier: Apache-2.0
// What every product on this backend begins and ends with: operands decoded and rounded into the workspace, sums scaled and rounded out.
#pragma once

#include "kernels/cpu/operations.h"

namespace mantissa::cpu {

/// Pieces of the workspace begin on cache lines.
inline std::size_t roomFor(std::int64_t floats) {
    return (static_cast<std::size_t>(floats) * sizeof(float) + 63) / 64 * 64;
}

inline bool holdsEveryValue(Dtype wide, Dtype narrow) {
    return facts(wide).exponentBits >= facts(narrow).exponentBits && facts(wide).mantissaBits >= facts(narrow).mantissaBits;
}

/// An operand on its way into the product: as it lies, or decoded and rounded into its place in the workspace.
struct Input {
    std::int64_t count = 0;
    Dtype stored = Dtype::F32, compute = Dtype::F32;
    Rounding rounding = Rounding::NearestEven;
    std::size_t offset = 0;

    bool needsRoom() const { return stored != Dtype::F32 || !holdsEveryValue(compute, stored); }
    std::size_t room() const { return needsRoom() ? roomFor(count) : 0; }

    /// The format whose numbers the product sees.
    Dtype format() const { return holdsEveryValue(compute, stored) ? stored : compute; }

    void* prepare(void* operand, void* workspace) const {
        if (!needsRoom()) return operand;
        auto* values = reinterpret_cast<float*>(static_cast<std::byte*>(workspace) + offset);
        const auto n = static_cast<std::size_t>(count);
        if (stored == Dtype::F32) {
            roundArray(compute, static_cast<const float*>(operand), values, n, {rounding});
        } else {
            decodeArray(stored, operand, values, n);
            if (!holdsEveryValue(compute, stored)) roundArray(compute, values, values, n, {rounding});
        }
        return values;
    }
};

/// Who needs how much of the workspace, and where. The bias joins the fp32 accumulator: it is decoded, never rounded to `compute`.
struct WorkspaceLayout {
    explicit WorkspaceLayout(const MatmulDesc& d)
        : a{d.m * d.k, d.a, d.isScaled ? d.a : d.compute, d.operandRounding},
          b{d.k * d.n, d.b, d.isScaled ? d.b : d.compute, d.operandRounding},
          bias{d.hasBias ? d.n : 0, d.out, Dtype::F32} {
        for (Input* input : {&a, &b, &bias}) {
            input->offset = bytes;
            bytes += input->room();
        }
        resultOffset = bytes;
        if (d.out != Dtype::F32) bytes += roomFor(d.m * d.n);
    }

    Input a, b, bias;
    std::size_t resultOffset = 0, bytes = 0;
};

/// A product's operands in the order of its description.
struct ProductOperands {
    ProductOperands(const MatmulDesc& desc, Operands operands) : a(operands[0]), b(operands[1]), workspace(operands.back()) {
        std::size_t next = 2;
        if (desc.hasBias) bias = operands[next++];
        if (desc.isScaled) {
            factor = static_cast<const QuantScale*>(operands[next])->inverse * static_cast<const QuantScale*>(operands[next + 1])->inverse;
            next += 2;
        }
        out = operands[next];
    }

    void *a, *b, *bias = nullptr, *out = nullptr, *workspace;
    float factor = 1;
};

/// Rows of fp32 sums on their way out: times `factor`, plus `bias` (null: none, or in the sums already), rounded into `out`.
void finishProduct(const MatmulDesc& desc, const float* sums, float factor, const float* bias, void* out);

}  // namespace mantissa::cpu
