// SPDX-License-Identifier: Apache-2.0
// Batch norm over columns, and its gradient. Several adjacent rows are treated as one wide row, so that loops are long even with few
// channels. Sums are in double: per position of a wide row over pieces that depend only on the shape, then over the pieces and the
// positions of a channel, in order. A second pass sums the variance from differences, to avoid cancellation.
#include <cmath>

#include "kernels/cpu/operations.h"
#include "kernels/cpu/thread_scratch.h"
#include "kernels/cpu/vector_loop.h"

namespace mantissa::cpu {
namespace {

MANTISSA_LOOP void addColumns(const float* x, double* sums, std::int64_t count) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) sums[i] += static_cast<double>(x[i]);
}

MANTISSA_LOOP void addSquares(const float* x, const double* mean, double* sums, std::int64_t count) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) {
        const double difference = static_cast<double>(x[i]) - mean[i];
        sums[i] += difference * difference;
    }
}

MANTISSA_LOOP void normalise(const float* x, const float* mean, const float* inverse, const float* weight, const float* bias, float* y,
                             std::int64_t count) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) y[i] = (x[i] - mean[i]) * inverse[i] * weight[i] + bias[i];
}

MANTISSA_LOOP void addGradients(const float* g, const float* x, const float* mean, const float* inverse, double* sums, double* productSums,
                                std::int64_t count) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) {
        sums[i] += static_cast<double>(g[i]);
        productSums[i] += static_cast<double>(g[i]) * static_cast<double>((x[i] - mean[i]) * inverse[i]);
    }
}

MANTISSA_LOOP void inputGradient(const float* g, const float* x, const float* mean, const float* inverse, const float* factor,
                                 const float* meanG, const float* meanGn, float* gradInput, std::int64_t count) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) {
        gradInput[i] = factor[i] * (g[i] - meanG[i] - (x[i] - mean[i]) * inverse[i] * meanGn[i]);
    }
}

/// All elements as rows of `width`, the last one shorter, in `pieces` of `pieceRows` rows.
struct Shape {
    Shape(std::int64_t rows, std::int64_t c) : channels(c), elements(rows * c) {
        constexpr std::int64_t kWidth = 512, kMostPieces = 32;  // a few rows in fp32 and double fit the L1 cache together
        width = channels * std::clamp<std::int64_t>(kWidth / channels, 1, rows);
        const std::int64_t wideRows = (elements + width - 1) / width;
        const std::int64_t wanted = std::clamp<std::int64_t>(elements / WorkPool::kPiece, 1, kMostPieces);
        pieceRows = (wideRows + wanted - 1) / wanted;
        pieces = (wideRows + pieceRows - 1) / pieceRows;
    }
    std::int64_t channels, elements, width, pieceRows, pieces;

    /// Calls work(piece, first element, count) for each wide row; rows of a piece in order.
    template <typename Work>
    void forWideRows(WorkPool& pool, Work&& work) const {
        pool.run(static_cast<int>(pieces), [&](int piece) {
            const std::int64_t end = std::min(elements, (piece + 1) * pieceRows * width);
            for (std::int64_t first = piece * pieceRows * width; first < end; first += width) {
                work(piece, first, std::min(width, elements - first));
            }
        });
    }
};

/// Workspace: two wide rows of sums for each piece, one of means in double, and kRows rows of loop inputs in fp32.
class Workspace {
public:
    Workspace(const Shape& shape, void* memory)
        : m_shape(shape),
          m_sums(static_cast<double*>(memory)),
          m_rows(reinterpret_cast<float*>(m_sums + (2 * shape.pieces + 1) * shape.width)) {}
    static std::size_t bytes(const Shape& s) {
        return static_cast<std::size_t>(s.width) * (static_cast<std::size_t>(2 * s.pieces + 1) * sizeof(double) + kRows * sizeof(float));
    }

    double* sums(std::int64_t piece, std::int64_t which) const { return m_sums + (2 * piece + which) * m_shape.width; }
    double* means() const { return m_sums + 2 * m_shape.pieces * m_shape.width; }
    float* row(std::int64_t index) const { return m_rows + index * m_shape.width; }

    void clear() const { std::fill_n(m_sums, 2 * m_shape.pieces * m_shape.width, 0.0); }
    /// Sums over pieces, then over the positions of a channel. The totals are the first `channels` elements of the result.
    const double* total(std::int64_t which) const {
        double* const sum = sums(0, which);
        for (std::int64_t piece = 1; piece < m_shape.pieces; ++piece) {
            for (std::int64_t i = 0; i < m_shape.width; ++i) sum[i] += sums(piece, which)[i];
        }
        for (std::int64_t i = m_shape.channels; i < m_shape.width; ++i) sum[i % m_shape.channels] += sum[i];
        return sum;
    }
    /// Repeats a value per channel for each row in a wide row.
    template <typename T, typename Value>
    T* repeat(T* row, Value&& value) const {
        for (std::int64_t i = 0; i < m_shape.channels; ++i) row[i] = static_cast<T>(value(i));
        for (std::int64_t i = m_shape.channels; i < m_shape.width; ++i) row[i] = row[i - m_shape.channels];
        return row;
    }
    const float* repeatStored(Dtype dtype, const void* array, std::int64_t index) const {
        decodeArray(dtype, array, row(index), static_cast<std::size_t>(m_shape.channels));
        return repeat(row(index), [&](std::int64_t i) { return row(index)[i]; });
    }

    static constexpr std::int64_t kRows = 5;

private:
    const Shape& m_shape;
    double* m_sums;
    float* m_rows;
};

double inverseDeviation(double variance, double epsilon) {
    return 1 / std::sqrt(variance + epsilon);
}

/// Saves the batch's mean and inverse deviation, and updates the running statistics if requested.
void takeStatistics(const BatchNormDesc& desc, WorkPool& pool, const Shape& shape, const Workspace& workspace, Operands operands) {
    const auto n = static_cast<double>(desc.rows);
    auto *const runningMean = static_cast<float*>(operands[3]), *const runningVariance = static_cast<float*>(operands[4]);
    auto *const mean = static_cast<float*>(operands[6]), *const inverse = static_cast<float*>(operands[7]);
    const auto load = [&](std::int64_t first, std::int64_t count) {
        return loadRow(desc.from, operands[0], first, count, floatScratch(shape.width));
    };
    const auto follow = [&desc](float& running, double batch) {
        running = static_cast<float>((1 - desc.momentum) * static_cast<double>(running) + desc.momentum * batch);
    };
    workspace.clear();
    shape.forWideRows(
        pool, [&](int piece, std::int64_t first, std::int64_t count) { addColumns(load(first, count), workspace.sums(piece, 0), count); });
    const double* sums = workspace.total(0);
    const double* means = workspace.repeat(workspace.means(), [&](std::int64_t i) { return sums[i] / n; });
    shape.forWideRows(pool, [&](int piece, std::int64_t first, std::int64_t count) {
        addSquares(load(first, count), means, workspace.sums(piece, 1), count);
    });
    const double* squares = workspace.total(1);
    for (std::int64_t i = 0; i < shape.channels; ++i) {
        mean[i] = static_cast<float>(means[i]);
        inverse[i] = static_cast<float>(inverseDeviation(squares[i] / n, desc.epsilon));
        if (runningMean != nullptr) follow(runningMean[i], means[i]);
        if (runningVariance != nullptr) follow(runningVariance[i], squares[i] / (n - 1));
    }
}

/// What follows a batch norm in one pass: its sum with another tensor, and relu.
struct ReluTail {
    const void* added = nullptr;  // null: no sum
    bool isFirst = true;          // the norm's result is the first operand of the sum
    void* y = nullptr;
};

/// With `tail`, if it is not null; y of the norm is then not written.
void batchNormRows(const BatchNormDesc& desc, const Shape& shape, WorkPool& pool, Operands operands, const ReluTail* tail) {
    const Workspace workspace(shape, operands[8]);
    if (desc.training) takeStatistics(desc, pool, shape, workspace, operands);
    const auto* means = static_cast<const float*>(operands[desc.training ? 6 : 3]);
    const auto* spreads = static_cast<const float*>(operands[desc.training ? 7 : 4]);
    const float* mean = workspace.repeatStored(Dtype::F32, means, 0);
    const float* inverse = workspace.repeat(workspace.row(1), [&](std::int64_t i) {
        return desc.training ? static_cast<double>(spreads[i]) : inverseDeviation(static_cast<double>(spreads[i]), desc.epsilon);
    });
    const float* weight = workspace.repeatStored(desc.parameters, operands[1], 2);
    const float* bias = workspace.repeatStored(desc.parameters, operands[2], 3);
    shape.forWideRows(pool, [&](int, std::int64_t first, std::int64_t count) {
        float* const room = floatScratch(3 * shape.width);
        void* const out = tail == nullptr ? operands[5] : tail->y;
        float* const y = resultRow(desc.to, out, first, room);
        normalise(loadRow(desc.from, operands[0], first, count, room + shape.width), mean, inverse, weight, bias, y, count);
        if (tail != nullptr) {
            roundRow(desc.to, y, count, room + 2 * shape.width);
            if (tail->added != nullptr) {
                const float* const added = loadRow(desc.to, tail->added, first, count, room + shape.width);
                addScaled(tail->isFirst ? y : added, tail->isFirst ? added : y, y, count, 1, 1);
                roundRow(desc.to, y, count, room + 2 * shape.width);
            }
            relu(y, y, count);
        }
        storeRow(desc.to, out, first, count, y);
    });
}

}  // namespace

std::unique_ptr<Operation> makeBatchNorm(const BatchNormDesc& desc, WorkPool& pool) {
    return makeFunction(
        [desc, &pool, shape = Shape(desc.rows, desc.channels)](Operands operands) { batchNormRows(desc, shape, pool, operands, nullptr); });
}

std::unique_ptr<Operation> makeBatchNormRelu(const BatchNormDesc& desc, bool adds, WorkPool& pool) {
    return makeFunction([desc, adds, &pool, shape = Shape(desc.rows, desc.channels)](Operands operands) {
        const bool isFirst = adds && operands[9] == operands[5];
        const ReluTail tail{!adds ? nullptr : operands[isFirst ? 10 : 9], isFirst, operands.back()};
        batchNormRows(desc, shape, pool, operands, &tail);
    });
}

std::unique_ptr<Operation> makeBatchNormGrad(const BatchNormGradDesc& desc, WorkPool& pool) {
    return makeFunction([desc, &pool, shape = Shape(desc.rows, desc.channels)](Operands operands) {
        const Workspace workspace(shape, operands[8]);
        const float* mean = workspace.repeatStored(Dtype::F32, operands[3], 0);
        const float* inverse = workspace.repeatStored(Dtype::F32, operands[4], 1);
        const auto loadG = [&](std::int64_t first, std::int64_t count, float* room) {
            return loadRow(desc.gradOutput, operands[0], first, count, room);
        };
        const auto loadX = [&](std::int64_t first, std::int64_t count, float* room) {
            return loadRow(desc.x, operands[1], first, count, room);
        };
        workspace.clear();
        shape.forWideRows(pool, [&](int piece, std::int64_t first, std::int64_t count) {
            float* const room = floatScratch(2 * shape.width);
            addGradients(loadG(first, count, room), loadX(first, count, room + shape.width), mean, inverse, workspace.sums(piece, 0),
                         workspace.sums(piece, 1), count);
        });
        // The gradients of bias and weight, and their means over the rows.
        const auto n = static_cast<double>(desc.rows);
        const auto finish = [&](const double* sums, void* gradParameter, std::int64_t row) {
            const float* sum = workspace.repeat(workspace.row(row), [&](std::int64_t i) { return sums[i]; });
            encodeArray(desc.gradParameters, sum, gradParameter, static_cast<std::size_t>(shape.channels));
            return workspace.repeat(workspace.row(row), [&](std::int64_t i) { return sums[i] / n; });
        };
        const float* meanG = finish(workspace.total(0), operands[7], 3);
        const float* meanGn = finish(workspace.total(1), operands[6], 4);
        const float* weight = workspace.repeatStored(desc.parameters, operands[2], 2);
        const float* factor = workspace.repeat(workspace.row(2), [&](std::int64_t i) { return weight[i] * inverse[i]; });
        shape.forWideRows(pool, [&](int, std::int64_t first, std::int64_t count) {
            float* const room = floatScratch(3 * shape.width);
            float* const gradInput = resultRow(desc.gradInput, operands[5], first, room + 2 * shape.width);
            inputGradient(loadG(first, count, room), loadX(first, count, room + shape.width), mean, inverse, factor, meanG, meanGn,
                          gradInput, count);
            storeRow(desc.gradInput, operands[5], first, count, gradInput);
        });
    });
}

std::size_t batchNormWorkspaceBytes(std::int64_t rows, std::int64_t channels) {
    return Workspace::bytes(Shape(rows, channels));
}

}  // namespace mantissa::cpu
