// SPDX-License-Identifier: Apache-2.0
// Facts about a watched training's tensors that follow from their roles. Pure; any thread.
#pragma once

#include <cmath>
#include <string>

#include "engine/diagnosis/tensor_stats.h"

namespace mantissa {

/// The phase of a step in which a tensor of that role is made: "forward", "backward", "optimizer".
inline std::string phaseOf(TensorRole role) {
    switch (role) {
        case TensorRole::Value:
            return "forward";
        case TensorRole::Gradient:
        case TensorRole::WeightGradient:
            return "backward";
        case TensorRole::Update:
        case TensorRole::Weight:
        case TensorRole::Statistic:
            return "optimizer";
    }
    return "";
}

/// Autocast computes the weights' gradients of embeddings and norms in FP32.
inline bool isComputedInFp32(TensorRole role, const std::string& cls) {
    return role == TensorRole::WeightGradient && (cls == "Embedding" || cls.find("Norm") != std::string::npos);
}

/// PyTorch halves its own without end, down to 0: nothing can be divided by that.
inline bool isLossScale(double scale) {
    return scale > 0 && std::isnormal(static_cast<float>(scale));
}

/// Whether the largest gradient follows from the statistics: all of its elements were counted, are finite, and can be unscaled.
inline bool isLargestKnown(const TensorStats& gradient, double lossScale) {
    return gradient.classes.allFinite() && gradient.classes.count() == gradient.elements && (!gradient.isScaled || isLossScale(lossScale));
}

}  // namespace mantissa
