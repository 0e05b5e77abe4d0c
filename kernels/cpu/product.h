// SPDX-License-Identifier: Apache-2.0
// Common steps of all products on this backend: operands are decoded and rounded into the workspace, sums scaled and rounded out.
#pragma once

#include "kernels/cpu/block_storage.h"
#include "kernels/cpu/operations.h"

namespace mantissa::cpu {

/// Bytes of so many fp32 numbers, in whole cache lines.
inline std::size_t roomFor(std::int64_t floats) {
    return (static_cast<std::size_t>(floats) * sizeof(float) + 63) / 64 * 64;
}

inline bool holdsEveryValue(Dtype wide, Dtype narrow) {
    return facts(wide).exponentBits >= facts(narrow).exponentBits && facts(wide).mantissaBits >= facts(narrow).mantissaBits;
}

/// A part of a row-major matrix of `width` columns.
struct Tile {
    std::int64_t row = 0, rows = 0, col = 0, cols = 0, width = 0;

    static Tile whole(std::int64_t rows, std::int64_t cols) { return {0, rows, 0, cols, cols}; }

    /// Calls work(first, count) for each run of contiguous elements.
    template <typename Work>
    void forRuns(Work&& work) const {
        if (cols == width) return work(row * width, rows * width);
        forRows(work);
    }
    template <typename Work>
    void forRows(Work&& work) const {
        for (std::int64_t r = row; r < row + rows; ++r) work(r * width + col, cols);
    }
};

/// An operand of a product: used in place, or decoded and rounded into its part of the workspace.
struct Input {
    std::int64_t count = 0;
    Dtype stored = Dtype::F32, compute = Dtype::F32;
    Rounding rounding = Rounding::NearestEven;
    std::size_t offset = 0;
    std::optional<BlockFormat> blocks{};  // storage in this block format, of a matrix of `shape`
    MatrixShape shape{};

    bool needsRoom() const { return blocks || stored != Dtype::F32 || !holdsEveryValue(compute, stored); }
    std::size_t room() const { return needsRoom() ? roomFor(count) : 0; }

    /// The format of the numbers that the product multiplies.
    Dtype format() const { return holdsEveryValue(compute, stored) ? stored : compute; }

    /// Where the product reads the operand after its preparation.
    float* place(void* operand, void* workspace) const {
        return static_cast<float*>(needsRoom() ? static_cast<std::byte*>(workspace) + offset : operand);
    }

    void prepare(void* operand, void* workspace, std::int64_t first, std::int64_t elements) const {
        if (!needsRoom()) return;
        float* const values = place(operand, workspace) + first;
        const auto n = static_cast<std::size_t>(elements);
        if (blocks) return decodeStored(*blocks, shape, operand, first, elements, values);
        if (stored == Dtype::F32) return roundArray(compute, static_cast<const float*>(operand) + first, values, n, {rounding});
        decodeArray(stored, elementAt(stored, operand, first), values, n);
        if (!holdsEveryValue(compute, stored)) roundArray(compute, values, values, n, {rounding});
    }

    const float* prepareAll(WorkPool& pool, void* operand, void* workspace) const {
        pool.runPieces(count, [&](std::int64_t first, std::int64_t elements) { prepare(operand, workspace, first, elements); });
        return place(operand, workspace);
    }
};

/// The layout of a product's workspace. The bias is added to the fp32 accumulator: it is decoded, never rounded to `compute`.
struct WorkspaceLayout {
    explicit WorkspaceLayout(const MatmulDesc& d)
        : a{d.m * d.k, d.a, d.isScaled ? d.a : d.compute, d.operandRounding, 0, d.aBlocks, matrixShape(d.m, d.k, d.transposeA)},
          b{d.k * d.n, d.b, d.isScaled ? d.b : d.compute, d.operandRounding, 0, d.bBlocks, matrixShape(d.k, d.n, d.transposeB)},
          bias{d.hasBias ? d.n : 0, d.out, Dtype::F32} {
        for (Input* input : {&a, &b, &bias}) {
            input->offset = bytes;
            bytes += input->room();
        }
        resultOffset = bytes;
        if (d.out != Dtype::F32) bytes += roomFor(d.m * d.n);
    }

    static MatrixShape matrixShape(std::int64_t rows, std::int64_t cols, bool isTransposed) {
        return isTransposed ? MatrixShape{cols, rows} : MatrixShape{rows, cols};
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

/// Rounds a part of the fp32 sums into `out`, times `factor`, plus `bias` (null: none, or already included).
void finishProduct(const MatmulDesc& desc, const Tile& tile, const float* sums, float factor, const float* bias, void* out);

}  // namespace mantissa::cpu
