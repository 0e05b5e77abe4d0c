// SPDX-License-Identifier: Apache-2.0
// Losses and their gradients, in fp32 whatever logits are stored in. Cross-entropy subtracts the largest logit first, so finite logits never overflow; a NaN or +Inf logit
// makes its row's loss NaN.
#include <cmath>

#include "kernels/cpu/operations.h"
#include "kernels/cpu/thread_scratch.h"
#include "kernels/cpu/vector_math.h"

namespace mantissa::cpu {
namespace {

/// Whether the label holds the row's largest logit (the first of equals), without a NaN beside it.
bool isCorrect(const float* x, std::int64_t count, std::int64_t label, float largest) {
    if (!(x[label] == largest)) return false;
    for (std::int64_t i = 0; i < count; ++i) {
        if (std::isnan(x[i]) || (x[i] == largest && i < label)) return false;
    }
    return true;
}

/// The largest logit, and sums over the row of what it takes from the others. With NaNs in a row any other of them will do as the largest,
/// as the sums that follow are NaN anyway.
struct RowSums {
    float largest, exponentials, differences;
};
MANTISSA_LOOP RowSums sumsOf(const float* x, std::int64_t count) {
    const float largest = largestLane(x, count);
    return {largest, sumLanes(count, [=](std::int64_t i) { return exponential(x[i] - largest); }),
            sumLanes(count, [=](std::int64_t i) { return x[i] - largest; })};
}

/// gradient of a row = (softmax - even) * factor, and at the label 1 - smoothing times it less. even: what smoothing puts on each class.
MANTISSA_LOOP void softmaxGradient(const float* x, float* g, std::int64_t count, std::int64_t label, float smoothing, float factor) {
    const float largest = largestLane(x, count), even = smoothing / static_cast<float>(count);
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) g[i] = exponential(x[i] - largest);
    const float sum = sumLanes(count, [g](std::int64_t i) { return g[i]; });
    const float atLabel = (g[label] / sum - even - (1 - smoothing)) * factor;
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) g[i] = (g[i] / sum - even) * factor;
    g[label] = atLabel;
}

MANTISSA_LOOP float squaredError(const float* prediction, const float* target, std::int64_t count) {
    return sumLanes(count, [=](std::int64_t i) {
        const float difference = prediction[i] - target[i];
        return difference * difference;
    });
}

MANTISSA_LOOP void scaledDifference(const float* prediction, const float* target, float* gradient, std::int64_t count, float factor) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) gradient[i] = (prediction[i] - target[i]) * factor;
}

}  // namespace

std::unique_ptr<Operation> makeSoftmaxCrossEntropy(const SoftmaxCrossEntropyDesc& desc, WorkPool& pool) {
    struct RowLoss {
        float loss = 0;
        bool isCorrect = false;
    };
    std::vector<RowLoss> rows(static_cast<std::size_t>(desc.rows));
    return makeFunction(
        [desc, &pool, rows = std::move(rows), smoothing = static_cast<float>(desc.labelSmoothing)](Operands operands) mutable {
            const auto* labels = static_cast<const std::int32_t*>(operands[1]);
            forRows(pool, desc.rows, desc.classes, [&](std::int64_t begin, std::int64_t count) {
                float* const room = floatScratch(desc.classes);
                for (std::int64_t row = begin; row < begin + count; ++row) {
                    const float* x = loadRow(desc.logits, operands[0], row * desc.classes, desc.classes, room);
                    const RowSums sums = sumsOf(x, desc.classes);
                    RowLoss& own = rows[static_cast<std::size_t>(row)];
                    const float atLabel = x[labels[row]] - sums.largest;
                    own.loss = std::log(sums.exponentials) - (smoothing == 0 ? atLabel : (1 - smoothing) * atLabel);
                    if (smoothing != 0) own.loss -= smoothing * (sums.differences / static_cast<float>(desc.classes));
                    own.isCorrect = isCorrect(x, desc.classes, labels[row], sums.largest);
                }
            });
            float loss = 0;
            std::int32_t correct = 0;
            for (const RowLoss& row : rows) {
                loss += row.loss;
                correct += row.isCorrect ? 1 : 0;
            }
            *static_cast<float*>(operands[2]) = loss / static_cast<float>(desc.rows);
            *static_cast<std::int32_t*>(operands[3]) = correct;
        });
}

std::unique_ptr<Operation> makeSoftmaxCrossEntropyGrad(const SoftmaxCrossEntropyGradDesc& desc, WorkPool& pool) {
    return makeFunction([desc, &pool](Operands operands) {
        const auto* labels = static_cast<const std::int32_t*>(operands[1]);
        auto* gradLogits = static_cast<float*>(operands[3]);
        // Divided by the rows first, as the mean's own backward does: a large loss scale then overflows as late as possible.
        const float gradRow = static_cast<const StepScalars*>(operands[2])->lossGrad / static_cast<float>(desc.rows);
        forRows(pool, desc.rows, desc.classes, [&](std::int64_t begin, std::int64_t count) {
            float* const room = floatScratch(desc.classes);
            for (std::int64_t row = begin; row < begin + count; ++row) {
                const std::int64_t first = row * desc.classes;
                softmaxGradient(loadRow(desc.logits, operands[0], first, desc.classes, room), gradLogits + first, desc.classes, labels[row],
                                static_cast<float>(desc.labelSmoothing), gradRow);
            }
        });
    });
}

std::unique_ptr<Operation> makeMeanSquaredError(const MeanSquaredErrorDesc& desc) {
    return makeFunction([desc](Operands operands) {
        float sum = 0;
        forBlocks(desc.count, [&](std::int64_t first, std::int64_t count) {
            sum += squaredError(static_cast<const float*>(operands[0]) + first, static_cast<const float*>(operands[1]) + first, count);
        });
        *static_cast<float*>(operands[2]) = sum / static_cast<float>(desc.count);
    });
}

std::unique_ptr<Operation> makeMeanSquaredErrorGrad(const MeanSquaredErrorGradDesc& desc, WorkPool& pool) {
    return makeFunction([desc, &pool](Operands operands) {
        const float factor = 2 * (static_cast<const StepScalars*>(operands[2])->lossGrad / static_cast<float>(desc.count));
        pool.runPieces(desc.count, [&](std::int64_t first, std::int64_t count) {
            scaledDifference(static_cast<const float*>(operands[0]) + first, static_cast<const float*>(operands[1]) + first,
                             static_cast<float*>(operands[3]) + first, count, factor);
        });
    });
}

}  // namespace mantissa::cpu
