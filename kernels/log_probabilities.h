// SPDX-License-Identifier: Apache-2.0
// The gradient of the log-probabilities in a cross-entropy whose logits are in a 16-bit format F, as in PyTorch under CUDA autocast:
// log_softmax returns F, nll_loss runs in fp32, and its gradient is rounded to F in the backward pass (cross_entropy_loss in
// aten/src/ATen/native/LossNLL.cpp passes the logits' type to log_softmax). Shared by host and device. Pure; any thread.
#pragma once

#include <cstdint>

#include "kernels/dtype/host_device.h"
#include "kernels/dtype/rounding.h"

namespace mantissa {

/// The gradient of one row's log-probabilities, each rounded to the format: at the label, at all other classes, and their sum over the row
/// in fp32.
/// In fp16 and without smoothing, the gradient at the label is infinite from a lossGrad of 65520 a row on, for any logits.
/// In fp16 and without smoothing, the gradient at the label is infinite from a lossGrad of 65520 a row on, whatever the logits are.
struct LogProbabilityGradient {
    float atLabel = 0, elsewhere = 0, sum = 0;
};
MANTISSA_HD inline LogProbabilityGradient logProbabilityGradient(Dtype format, float lossGrad, std::int64_t rows, std::int64_t classes,
                                                                 float labelSmoothing) {
    const auto rowCount = static_cast<float>(rows), classCount = static_cast<float>(classes);
    LogProbabilityGradient gradient{.atLabel = roundTo(format, -((1 - labelSmoothing) * lossGrad / rowCount))};
    if (labelSmoothing != 0) {
        gradient.elsewhere = roundTo(format, -(labelSmoothing / classCount * lossGrad / rowCount));
        gradient.atLabel = roundTo(format, gradient.atLabel + gradient.elsewhere);
    }
    gradient.sum = gradient.atLabel + gradient.elsewhere * (classCount - 1);
    return gradient;
}

}  // namespace mantissa
