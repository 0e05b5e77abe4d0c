// SPDX-License-Identifier: Apache-2.0
// Layer norm and RMS norm along rows, and their gradients. Two passes over a row that stays in the cache: the mean, then the differences
// from it, to avoid cancellation. Each loop has two versions: fp32, and with every elementary result rounded to a narrower format.
#include <cmath>
#include <optional>

#include "kernels/cpu/operations.h"
#include "kernels/cpu/thread_scratch.h"
#include "kernels/cpu/vector_math.h"

namespace mantissa::cpu {
namespace {

struct Row {
    const float *x, *weight, *bias;  // bias may be null
    float* y;
    std::int64_t count;
    double epsilon;
    bool centres;
};
struct Statistics {
    float mean = 0, inverseDeviation = 0;
};

/// Without centring the mean is 0, and x - 0 is exactly x.
template <typename Format>
MANTISSA_INLINE Statistics normRow(const Row& row) {
    const float *x = row.x, *weight = row.weight, *bias = row.bias, n = static_cast<float>(row.count);
    float* y = row.y;
    const float mean = row.centres ? rounded<Format>(sumLanes(row.count, [x](std::int64_t i) { return x[i]; }) / n) : 0;
    const float squares = sumLanes(row.count, [=](std::int64_t i) {
        const float difference = rounded<Format>(x[i] - mean);
        return rounded<Format>(difference * difference);
    });
    const float variance = rounded<Format>(squares / n);
    const float inverse = rounded<Format>(1 / std::sqrt(rounded<Format>(variance + static_cast<float>(row.epsilon))));
    const auto scaled = [=](std::int64_t i) {
        return rounded<Format>(rounded<Format>(rounded<Format>(x[i] - mean) * inverse) * weight[i]);
    };
    if (bias != nullptr) {
#pragma GCC ivdep
        for (std::int64_t i = 0; i < row.count; ++i) y[i] = rounded<Format>(scaled(i) + bias[i]);
    } else {
#pragma GCC ivdep
        for (std::int64_t i = 0; i < row.count; ++i) y[i] = scaled(i);
    }
    return {mean, inverse};
}

MANTISSA_LOOP Statistics normRowF32(const Row& row) {
    return normRow<F32Format>(row);
}
MANTISSA_LOOP Statistics normRowF16(const Row& row) {
    return normRow<F16Format>(row);
}
MANTISSA_LOOP Statistics normRowBf16(const Row& row) {
    return normRow<Bf16Format>(row);
}

struct GradRow {
    const float *gradOutput, *x, *weight;
    float *gradInput, *gradWeight, *gradBias;  // parameter gradients are accumulated; gradBias may be null
    float* normed;                             // scratch for a row
    std::int64_t count;
    Statistics statistics;
    bool centres;
};

template <typename Format>
MANTISSA_INLINE void normGradRow(const GradRow& row) {
    const float *g = row.gradOutput, *x = row.x, *weight = row.weight, n = static_cast<float>(row.count);
    float *gradInput = row.gradInput, *gradWeight = row.gradWeight, *gradBias = row.gradBias, *normed = row.normed;
    const float mean = row.statistics.mean, inverse = row.statistics.inverseDeviation;
#pragma GCC ivdep
    for (std::int64_t i = 0; i < row.count; ++i) {
        normed[i] = rounded<Format>(rounded<Format>(x[i] - mean) * inverse);
        gradWeight[i] += rounded<Format>(g[i] * normed[i]);
    }
    if (gradBias != nullptr) {
#pragma GCC ivdep
        for (std::int64_t i = 0; i < row.count; ++i) gradBias[i] += g[i];
    }
    const float meanH =
        row.centres ? rounded<Format>(sumLanes(row.count, [=](std::int64_t i) { return rounded<Format>(g[i] * weight[i]); }) / n) : 0;
    const float meanHn = rounded<Format>(
        sumLanes(row.count, [=](std::int64_t i) { return rounded<Format>(rounded<Format>(g[i] * weight[i]) * normed[i]); }) / n);
#pragma GCC ivdep
    for (std::int64_t i = 0; i < row.count; ++i) {
        const float h = rounded<Format>(rounded<Format>(g[i] * weight[i]) - meanH);
        gradInput[i] = rounded<Format>(rounded<Format>(h - rounded<Format>(normed[i] * meanHn)) * inverse);
    }
}

MANTISSA_LOOP void normGradRowF32(const GradRow& row) {
    normGradRow<F32Format>(row);
}
MANTISSA_LOOP void normGradRowF16(const GradRow& row) {
    normGradRow<F16Format>(row);
}
MANTISSA_LOOP void normGradRowBf16(const GradRow& row) {
    normGradRow<Bf16Format>(row);
}

/// Pieces of rows whose sums are added in order. Their number depends only on the shape, not on the threads.
struct Pieces {
    explicit Pieces(const LayerNormGradDesc& d) {
        constexpr std::int64_t kMostPieces = 32;
        const std::int64_t wanted = std::clamp<std::int64_t>(d.rows * d.cols / WorkPool::kPiece, 1, kMostPieces);
        rows = (d.rows + wanted - 1) / wanted;
        count = (d.rows + rows - 1) / rows;
    }
    std::int64_t rows, count;
};

/// Workspace: the weight in fp32, then for each piece the sums of gradWeight and of gradBias.
std::int64_t workspaceFloats(const LayerNormGradDesc& d) {
    return (1 + 2 * Pieces(d).count) * d.cols;
}

/// Operands of a norm from the weight on. `rowOf(row, room)` is a row of x, which may be made in `room`, two rows long.
template <typename RowOf>
void normRows(const LayerNormDesc& desc, WorkPool& pool, Operands operands, RowOf rowOf) {
    const auto norm = desc.compute == Dtype::F16 ? normRowF16 : desc.compute == Dtype::BF16 ? normRowBf16 : normRowF32;
    auto* const means = static_cast<float*>(operands[3]);
    auto* const inverses = static_cast<float*>(operands[4]);
    forRows(pool, desc.rows, desc.cols, [&](std::int64_t begin, std::int64_t rows) {
        float* const room = floatScratch(5 * desc.cols);
        Row row{.x = nullptr,
                .weight = loadRow(desc.parameters, operands[0], 0, desc.cols, room),
                .bias = desc.hasBias ? loadRow(desc.parameters, operands[1], 0, desc.cols, room + desc.cols) : nullptr,
                .y = nullptr,
                .count = desc.cols,
                .epsilon = desc.epsilon,
                .centres = desc.centres};
        for (std::int64_t r = begin; r < begin + rows; ++r) {
            row.x = rowOf(r, room + 2 * desc.cols);
            row.y = resultRow(desc.to, operands[2], r * desc.cols, room + 4 * desc.cols);
            const Statistics statistics = norm(row);
            storeRow(desc.to, operands[2], r * desc.cols, desc.cols, row.y);
            if (desc.centres) means[r] = statistics.mean;
            inverses[r] = statistics.inverseDeviation;
        }
    });
}

/// Adds two rows, of which the second may be in fp32 already, and returns the sum as stored. `room` is two rows long.
const float* addedRow(const AddDesc& add, const void* a, const float* b, void* sum, std::int64_t first, std::int64_t cols, float* room) {
    float* const result = resultRow(add.out, sum, first, room + cols);
    addScaled(loadRow(add.a, a, first, cols, room), b, result, cols, add.aFactor, add.bFactor);
    storeRow(add.out, sum, first, cols, result);
    return loadRow(add.out, sum, first, cols, result);
}

/// What follows the gradient of a norm in one pass: its sum with another gradient, a conversion of the result, or both.
struct GradientTail {
    const AddDesc* add = nullptr;
    const CastDesc* cast = nullptr;
    Operands operands;  // those of the sum and of the conversion

    /// Takes a row of gradInput, as stored, and two rows of scratch memory.
    void take(const float* gradient, std::int64_t first, std::int64_t cols, float* room) const {
        if (add != nullptr) gradient = addedRow(*add, operands[0], gradient, operands[2], first, cols, room);
        if (cast == nullptr) return;
        void* const to = operands[add != nullptr ? 4 : 1];
        encodeArray(cast->to, gradient, elementAt(cast->to, to, first), static_cast<std::size_t>(cols));
    }
};

/// The gradient of a norm, with `tail` if it is not null; then a sum's row of gradInput is not written.
void normGradRows(const LayerNormGradDesc& desc, const Pieces& pieces, WorkPool& pool, Operands operands, const GradientTail* tail) {
    const auto grad = desc.compute == Dtype::F16 ? normGradRowF16 : desc.compute == Dtype::BF16 ? normGradRowBf16 : normGradRowF32;
    const auto* means = static_cast<const float*>(operands[3]);
    const auto* inverses = static_cast<const float*>(operands[4]);
    auto* const workspace = static_cast<float*>(operands[8]);
    const float* weight = loadRow(desc.parameters, operands[2], 0, desc.cols, workspace);
    float* const sums = workspace + desc.cols;
    const std::int64_t cols = desc.cols;
    const bool isWritten = tail == nullptr || tail->add == nullptr;
    pool.run(static_cast<int>(pieces.count), [&](int piece) {
        float* const room = floatScratch(6 * cols);
        float* const own = sums + 2 * piece * cols;
        std::fill_n(own, 2 * cols, 0.0f);
        for (std::int64_t r = piece * pieces.rows; r < std::min(desc.rows, (piece + 1) * pieces.rows); ++r) {
            const std::int64_t first = r * cols;
            const GradRow row{.gradOutput = loadRow(desc.gradOutput, operands[0], first, cols, room),
                              .x = loadRow(desc.x, operands[1], first, cols, room + cols),
                              .weight = weight,
                              .gradInput = isWritten ? resultRow(desc.gradInput, operands[5], first, room + 2 * cols) : room + 2 * cols,
                              .gradWeight = own,
                              .gradBias = desc.hasBias ? own + cols : nullptr,
                              .normed = room + 3 * cols,
                              .count = cols,
                              .statistics = {desc.centres ? means[r] : 0, inverses[r]},
                              .centres = desc.centres};
            grad(row);
            if (isWritten) {
                storeRow(desc.gradInput, operands[5], first, cols, row.gradInput);
            } else {
                roundRow(desc.gradInput, row.gradInput, cols, room + 4 * cols);
            }
            if (tail == nullptr) continue;
            tail->take(isWritten ? loadRow(desc.gradInput, operands[5], first, cols, room + 2 * cols) : row.gradInput, first, cols,
                       room + 4 * cols);
        }
    });
    for (std::int64_t piece = 1; piece < pieces.count; ++piece) addInto(sums, sums + 2 * piece * cols, 2 * cols);
    encodeArray(desc.gradParameters, sums, operands[6], static_cast<std::size_t>(cols));
    if (desc.hasBias) encodeArray(desc.gradParameters, sums + cols, operands[7], static_cast<std::size_t>(cols));
}

}  // namespace

std::unique_ptr<Operation> makeLayerNorm(const LayerNormDesc& desc, WorkPool& pool) {
    return makeFunction([desc, &pool](Operands operands) {
        normRows(desc, pool, operands.subspan(1),
                 [&](std::int64_t r, float* room) { return loadRow(desc.from, operands[0], r * desc.cols, desc.cols, room); });
    });
}

std::unique_ptr<Operation> makeAddNorm(const AddDesc& add, const LayerNormDesc& desc, WorkPool& pool) {
    return makeFunction([add, desc, &pool](Operands operands) {
        normRows(desc, pool, operands.subspan(4), [&](std::int64_t r, float* room) {
            const float* const b = loadRow(add.b, operands[1], r * desc.cols, desc.cols, room + desc.cols);
            return addedRow(add, operands[0], b, operands[2], r * desc.cols, desc.cols, room);
        });
    });
}

std::unique_ptr<Operation> makeLayerNormGrad(const LayerNormGradDesc& desc, WorkPool& pool) {
    return makeFunction([desc, &pool, pieces = Pieces(desc)](Operands operands) { normGradRows(desc, pieces, pool, operands, nullptr); });
}

std::unique_ptr<Operation> makeNormGradAdd(std::span<const OperationDesc> parts, WorkPool& pool) {
    const auto& desc = std::get<LayerNormGradDesc>(parts[0]);
    const auto copied = [](const auto* part) { return part == nullptr ? std::nullopt : std::optional(*part); };
    return makeFunction([desc, &pool, pieces = Pieces(desc), add = copied(std::get_if<AddDesc>(&parts[1])),
                         cast = copied(std::get_if<CastDesc>(&parts.back()))](Operands operands) {
        const GradientTail after{add ? &*add : nullptr, cast ? &*cast : nullptr, operands.subspan(9)};
        normGradRows(desc, pieces, pool, operands, &after);
    });
}

std::size_t layerNormGradWorkspaceBytes(const LayerNormGradDesc& desc) {
    return static_cast<std::size_t>(workspaceFloats(desc)) * sizeof(float);
}

}  // namespace mantissa::cpu
