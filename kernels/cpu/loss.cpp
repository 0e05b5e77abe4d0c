// SPDX-License-Identifier: Apache-2.0
// Softmax cross-entropy and its gradient, fp32. The largest logit is subtracted first, so finite logits never overflow;
// a NaN or +Inf logit makes its row's loss NaN.
#include <cmath>

#include "kernels/cpu/operations.h"

namespace mantissa::cpu {
namespace {

/// The largest of a row; with NaNs in it any other of them will do, as the sum that follows is NaN anyway.
float largestOf(const float* x, std::int64_t count) {
    float largest = x[0];
    for (std::int64_t i = 1; i < count; ++i) largest = x[i] > largest ? x[i] : largest;
    return largest;
}

/// Whether the label holds the row's largest logit (the first of equals), without a NaN beside it.
bool isCorrect(const float* x, std::int64_t count, std::int64_t label) {
    std::int64_t best = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        if (std::isnan(x[i])) return false;
        if (x[i] > x[best]) best = i;
    }
    return best == label;
}

}  // namespace

std::unique_ptr<Operation> makeSoftmaxCrossEntropy(const SoftmaxCrossEntropyDesc& desc) {
    return makeFunction([desc](Operands operands) {
        const auto* logits = static_cast<const float*>(operands[0]);
        const auto* labels = static_cast<const std::int32_t*>(operands[1]);
        float loss = 0;
        std::int32_t correct = 0;
        for (std::int64_t row = 0; row < desc.rows; ++row) {
            const float* x = logits + row * desc.classes;
            const float largest = largestOf(x, desc.classes);
            float sum = 0;
            for (std::int64_t i = 0; i < desc.classes; ++i) sum += std::exp(x[i] - largest);
            loss += std::log(sum) - (x[labels[row]] - largest);
            correct += isCorrect(x, desc.classes, labels[row]) ? 1 : 0;
        }
        *static_cast<float*>(operands[2]) = loss / static_cast<float>(desc.rows);
        *static_cast<std::int32_t*>(operands[3]) = correct;
    });
}

std::unique_ptr<Operation> makeSoftmaxCrossEntropyGrad(const SoftmaxCrossEntropyGradDesc& desc) {
    return makeFunction([desc](Operands operands) {
        const auto* logits = static_cast<const float*>(operands[0]);
        const auto* labels = static_cast<const std::int32_t*>(operands[1]);
        auto* gradLogits = static_cast<float*>(operands[3]);
        // Divided by the rows first, as the mean's own backward does: a large loss scale then overflows as late as possible.
        const float gradRow = static_cast<const StepScalars*>(operands[2])->lossGrad / static_cast<float>(desc.rows);
        for (std::int64_t row = 0; row < desc.rows; ++row) {
            const float* x = logits + row * desc.classes;
            float* g = gradLogits + row * desc.classes;
            const float largest = largestOf(x, desc.classes);
            float sum = 0;
            for (std::int64_t i = 0; i < desc.classes; ++i) sum += g[i] = std::exp(x[i] - largest);
            for (std::int64_t i = 0; i < desc.classes; ++i) {
                g[i] = (g[i] / sum - (i == labels[row] ? 1.0f : 0.0f)) * gradRow;
            }
        }
    });
}

}  // namespace mantissa::cpu
