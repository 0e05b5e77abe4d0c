// SPDX-License-Identifier: Apache-2.0
// Rows of a table by their indices, and the sums of their gradients.
#include <cstring>

#include "kernels/cpu/operations.h"
#include "kernels/cpu/thread_scratch.h"
#include "kernels/cpu/vector_math.h"

namespace mantissa::cpu {
namespace {

/// For each row of the table, the positions that use it, in ascending order: begins[j] to begins[j + 1] of `order`.
struct Occurrences {
    Occurrences(const EmbeddingGradDesc& d, const std::int32_t* indices, void* workspace)
        : begins(static_cast<std::int32_t*>(workspace)), order(begins + d.tableRows + 1) {
        std::fill_n(begins, d.tableRows + 1, 0);
        for (std::int64_t i = 0; i < d.rows; ++i) ++begins[indices[i] + 1];
        for (std::int64_t j = 0; j < d.tableRows; ++j) begins[j + 1] += begins[j];
        // Advances each begin to its end, which is the next begin; then shifts all by one place.
        for (std::int64_t i = 0; i < d.rows; ++i) order[begins[indices[i]]++] = static_cast<std::int32_t>(i);
        std::copy_backward(begins, begins + d.tableRows, begins + d.tableRows + 1);
        begins[0] = 0;
    }
    std::int32_t *begins, *order;
};

}  // namespace

std::unique_ptr<Operation> makeEmbedding(const EmbeddingDesc& desc, WorkPool& pool) {
    return makeFunction([desc, &pool](Operands operands) {
        const auto* indices = static_cast<const std::int32_t*>(operands[1]);
        forRows(pool, desc.rows, desc.cols, [&](std::int64_t begin, std::int64_t rows) {
            float* const room = floatScratch(desc.cols);
            for (std::int64_t row = begin; row < begin + rows; ++row) {
                const std::int64_t from = indices[row] * desc.cols, to = row * desc.cols;
                if (desc.table == desc.out) {
                    std::memcpy(elementAt(desc.out, operands[2], to), elementAt(desc.table, operands[0], from),
                                static_cast<std::size_t>(desc.cols) * facts(desc.out).storageBytes());
                } else if (desc.out == Dtype::F32) {
                    loadRow(desc.table, operands[0], from, desc.cols, static_cast<float*>(operands[2]) + to);
                } else {
                    storeRow(desc.out, operands[2], to, desc.cols, loadRow(desc.table, operands[0], from, desc.cols, room));
                }
            }
        });
    });
}

std::unique_ptr<Operation> makeEmbeddingGrad(const EmbeddingGradDesc& desc, WorkPool& pool) {
    return makeFunction([desc, &pool](Operands operands) {
        const Occurrences occurrences(desc, static_cast<const std::int32_t*>(operands[1]), operands[3]);
        forRows(pool, desc.tableRows, desc.cols, [&](std::int64_t begin, std::int64_t rows) {
            float* const room = floatScratch(2 * desc.cols);
            for (std::int64_t row = begin; row < begin + rows; ++row) {
                float* const sums = resultRow(desc.out, operands[2], row * desc.cols, room);
                std::fill_n(sums, desc.cols, 0.0f);
                for (std::int32_t i = occurrences.begins[row]; i < occurrences.begins[row + 1]; ++i) {
                    addInto(sums, loadRow(desc.dtype, operands[0], occurrences.order[i] * desc.cols, desc.cols, room + desc.cols),
                            desc.cols);
                }
                storeRow(desc.out, operands[2], row * desc.cols, desc.cols, sums);
            }
        });
    });
}

std::size_t embeddingGradWorkspaceBytes(const EmbeddingGradDesc& desc) {
    return static_cast<std::size_t>(desc.tableRows + 1 + desc.rows) * sizeof(std::int32_t);
}

}  // namespace mantissa::cpu
