// SPDX-License-Identifier: Apache-2.0
// Losses and their gradients. Cross-entropy subtracts the largest logit first, so finite logits never overflow fp32; a NaN or +Inf logit
// makes its row's loss NaN. Its loops have two versions: fp32, and with log-probabilities in the format of the logits.
#include <cmath>

#include "kernels/cpu/operations.h"
#include "kernels/cpu/thread_scratch.h"
#include "kernels/cpu/vector_math.h"
#include "kernels/log_probabilities.h"

namespace mantissa::cpu {
namespace {

/// Whether the label's logit is the first largest of the row and no logit is NaN.
bool isCorrect(const float* x, std::int64_t count, std::int64_t label, float largest) {
    if (!(x[label] == largest)) return false;
    for (std::int64_t i = 0; i < count; ++i) {
        if (std::isnan(x[i]) || (x[i] == largest && i < label)) return false;
    }
    return true;
}

/// The largest logit, and the sums of the others relative to it. With NaNs in a row any other logit may be the largest, since the sums are
/// NaN anyway.
struct RowSums {
    float largest, exponentials, differences;
};
MANTISSA_LOOP RowSums sumsOf(const float* x, std::int64_t count) {
    const float largest = largestLane(x, count);
    return {largest, sumLanes(count, [=](std::int64_t i) { return exponentialBelow43(x[i] - largest); }),
            sumLanes(count, [=](std::int64_t i) { return x[i] - largest; })};
}

/// Gradient of a row: (softmax - even) * factor, minus (1 - smoothing) * factor at the label. even: label smoothing's share of each class.
MANTISSA_LOOP void softmaxGradient(const float* x, float* g, std::int64_t count, std::int64_t label, float smoothing, float factor) {
    const float largest = largestLane(x, count), even = smoothing / static_cast<float>(count);
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) g[i] = exponentialBelow43(x[i] - largest);
    const float sum = sumLanes(count, [g](std::int64_t i) { return g[i]; });
    const float atLabel = (g[label] / sum - even - (1 - smoothing)) * factor;
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) g[i] = (g[i] / sum - even) * factor;
    g[label] = atLabel;
}

/// A row's largest logit, the logarithm of the sum of its exponentials, its rounded log-probability at the label, and the sum of all
/// log-probabilities, which only label smoothing needs.
struct RowLogProbabilities {
    float largest, logOfSum, atLabel, sum;
};
template <typename Format>
MANTISSA_INLINE RowLogProbabilities narrowRow(const float* x, std::int64_t count, std::int64_t label, bool isSummed) {
    const float largest = largestLane(x, count);
    const float logOfSum = std::log(sumLanes(count, [=](std::int64_t i) { return exponentialBelow43(x[i] - largest); }));
    const auto at = [=](std::int64_t i) { return rounded<Format>((x[i] - largest) - logOfSum); };
    return {largest, logOfSum, at(label), isSummed ? sumLanes(count, at) : 0};
}
MANTISSA_LOOP RowLogProbabilities narrowRowF16(const float* x, std::int64_t count, std::int64_t label, bool isSummed) {
    return narrowRow<F16Format>(x, count, label, isSummed);
}
MANTISSA_LOOP RowLogProbabilities narrowRowBf16(const float* x, std::int64_t count, std::int64_t label, bool isSummed) {
    return narrowRow<Bf16Format>(x, count, label, isSummed);
}

/// Gradient of a row: g - exp(log-probability) * sum of g. The caller rounds it to the storage dtype.
template <typename Format>
MANTISSA_INLINE void narrowGradient(const float* x, float* gradLogits, std::int64_t count, std::int64_t label, LogProbabilityGradient g,
                                    float largest, float logOfSum) {
    const auto share = [=](std::int64_t i) { return exponentialBelow43(rounded<Format>((x[i] - largest) - logOfSum)) * g.sum; };
    const float atLabel = g.atLabel - share(label);
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) gradLogits[i] = g.elsewhere - share(i);
    gradLogits[label] = atLabel;
}
MANTISSA_LOOP void narrowGradientF16(const float* x, float* gradLogits, std::int64_t count, std::int64_t label, LogProbabilityGradient g,
                                     float largest, float logOfSum) {
    narrowGradient<F16Format>(x, gradLogits, count, label, g, largest, logOfSum);
}
MANTISSA_LOOP void narrowGradientBf16(const float* x, float* gradLogits, std::int64_t count, std::int64_t label, LogProbabilityGradient g,
                                      float largest, float logOfSum) {
    narrowGradient<Bf16Format>(x, gradLogits, count, label, g, largest, logOfSum);
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

namespace {

struct RowLoss {
    float loss = 0;
    bool isCorrect = false;
};

RowLogProbabilities narrowRowOf(const SoftmaxCrossEntropyDesc& desc, const float* x, std::int64_t label) {
    return (desc.compute == Dtype::F16 ? narrowRowF16 : narrowRowBf16)(x, desc.classes, label, desc.labelSmoothing != 0);
}
RowLoss narrowLoss(const SoftmaxCrossEntropyDesc& desc, const float* x, std::int64_t label, const RowLogProbabilities& row) {
    const auto smoothing = static_cast<float>(desc.labelSmoothing);
    const float even = smoothing == 0 ? 0 : smoothing / static_cast<float>(desc.classes) * row.sum;
    return {-((1 - smoothing) * row.atLabel + even), isCorrect(x, desc.classes, label, row.largest)};
}

void narrowGradientOf(Dtype compute, const float* x, float* g, std::int64_t classes, std::int64_t label,
                      const LogProbabilityGradient& gradient, const RowLogProbabilities& row) {
    (compute == Dtype::F16 ? narrowGradientF16 : narrowGradientBf16)(x, g, classes, label, gradient, row.largest, row.logOfSum);
}

RowLoss lossOf(const SoftmaxCrossEntropyDesc& desc, const float* x, std::int64_t label) {
    if (desc.compute != Dtype::F32) return narrowLoss(desc, x, label, narrowRowOf(desc, x, label));
    const auto smoothing = static_cast<float>(desc.labelSmoothing);
    const RowSums sums = sumsOf(x, desc.classes);
    const float atLabel = x[label] - sums.largest;
    float loss = std::log(sums.exponentials) - (smoothing == 0 ? atLabel : (1 - smoothing) * atLabel);
    if (smoothing != 0) loss -= smoothing * (sums.differences / static_cast<float>(desc.classes));
    return {loss, isCorrect(x, desc.classes, label, sums.largest)};
}

/// Writes the mean loss and the number of correct rows.
void writeLoss(const std::vector<RowLoss>& rows, void* meanLoss, void* correctRows) {
    float loss = 0;
    std::int32_t correct = 0;
    for (const RowLoss& row : rows) {
        loss += row.loss;
        correct += row.isCorrect ? 1 : 0;
    }
    *static_cast<float*>(meanLoss) = loss / static_cast<float>(rows.size());
    *static_cast<std::int32_t*>(correctRows) = correct;
}

}  // namespace

std::unique_ptr<Operation> makeSoftmaxCrossEntropy(const SoftmaxCrossEntropyDesc& desc, WorkPool& pool) {
    return makeFunction([desc, &pool, rows = std::vector<RowLoss>(static_cast<std::size_t>(desc.rows))](Operands operands) mutable {
        const auto* labels = static_cast<const std::int32_t*>(operands[1]);
        forRows(pool, desc.rows, desc.classes, [&](std::int64_t begin, std::int64_t count) {
            float* const room = floatScratch(desc.classes);
            for (std::int64_t row = begin; row < begin + count; ++row)
                rows[static_cast<std::size_t>(row)] =
                    lossOf(desc, loadRow(desc.logits, operands[0], row * desc.classes, desc.classes, room), labels[row]);
        });
        writeLoss(rows, operands[2], operands[3]);
    });
}

std::unique_ptr<Operation> makeSoftmaxCrossEntropyGrad(const SoftmaxCrossEntropyGradDesc& desc, WorkPool& pool) {
    return makeFunction([desc, &pool](Operands operands) {
        const auto* labels = static_cast<const std::int32_t*>(operands[1]);
        const float lossGrad = static_cast<const StepScalars*>(operands[2])->lossGrad, smoothing = static_cast<float>(desc.labelSmoothing);
        // Divides by the rows first, as PyTorch's mean does backward: a large loss scale then overflows as late as possible.
        const float gradRow = lossGrad / static_cast<float>(desc.rows);
        const LogProbabilityGradient narrow = logProbabilityGradient(desc.compute, lossGrad, desc.rows, desc.classes, smoothing);
        const SoftmaxCrossEntropyDesc forward{.classes = desc.classes, .compute = desc.compute};
        forRows(pool, desc.rows, desc.classes, [&](std::int64_t begin, std::int64_t count) {
            float* const room = floatScratch(2 * desc.classes);
            for (std::int64_t row = begin; row < begin + count; ++row) {
                const std::int64_t first = row * desc.classes;
                const float* const x = loadRow(desc.logits, operands[0], first, desc.classes, room);
                float* const g = resultRow(desc.compute, operands[3], first, room + desc.classes);
                if (desc.compute == Dtype::F32) {
                    softmaxGradient(x, g, desc.classes, labels[row], smoothing, gradRow);
                } else {
                    narrowGradientOf(desc.compute, x, g, desc.classes, labels[row], narrow, narrowRowOf(forward, x, labels[row]));
                }
                storeRow(desc.compute, operands[3], first, desc.classes, g);
            }
        });
    });
}

std::unique_ptr<Operation> makeLossGrad(const SoftmaxCrossEntropyDesc& desc, WorkPool& pool) {
    return makeFunction([desc, &pool, rows = std::vector<RowLoss>(static_cast<std::size_t>(desc.rows))](Operands operands) mutable {
        const auto* labels = static_cast<const std::int32_t*>(operands[1]);
        const LogProbabilityGradient gradient = logProbabilityGradient(desc.compute, static_cast<const StepScalars*>(operands[6])->lossGrad,
                                                                       desc.rows, desc.classes, static_cast<float>(desc.labelSmoothing));
        forRows(pool, desc.rows, desc.classes, [&](std::int64_t begin, std::int64_t count) {
            float* const room = floatScratch(2 * desc.classes);
            for (std::int64_t row = begin; row < begin + count; ++row) {
                const std::int64_t first = row * desc.classes;
                const float* const x = loadRow(desc.logits, operands[0], first, desc.classes, room);
                const RowLogProbabilities powers = narrowRowOf(desc, x, labels[row]);
                rows[static_cast<std::size_t>(row)] = narrowLoss(desc, x, labels[row], powers);
                narrowGradientOf(desc.compute, x, room + desc.classes, desc.classes, labels[row], gradient, powers);
                storeRow(desc.compute, operands[7], first, desc.classes, room + desc.classes);
            }
        });
        writeLoss(rows, operands[2], operands[3]);
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
