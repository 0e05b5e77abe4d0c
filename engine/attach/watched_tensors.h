// SPDX-License-Identifier: Apache-2.0
// Properties of a watched training's tensors, derived from their roles. Pure; any thread.
#pragma once

#include <cmath>
#include <string>

#include "engine/diagnosis/tensor_stats.h"

namespace mantissa {

/// The phase of a step that computes a tensor of this role: "forward", "backward", "optimizer".
inline std::string phaseOf(TensorRole role) {
    return role == TensorRole::Value ? "forward" : isGradient(role) ? "backward" : "optimizer";
}

/// Whether autocast computes a gradient in FP32: those of the weights of embeddings and norms.
inline bool isComputedInFp32(TensorRole role, const std::string& cls) {
    return role == TensorRole::WeightGradient && (cls == "Embedding" || cls.find("Norm") != std::string::npos);
}

/// Whether gradients can be divided by a scale: PyTorch's scaler halves its scale without a limit, down to 0.
inline bool isLossScale(double scale) {
    return scale > 0 && std::isnormal(static_cast<float>(scale));
}

/// Whether the statistics give the largest gradient: all of its elements were counted, are finite, and can be unscaled.
inline bool isLargestKnown(const TensorStats& gradient, double lossScale) {
    return gradient.classes.allFinite() && gradient.classes.count() == gradient.elements && (!gradient.isScaled || isLossScale(lossScale));
}

}  // namespace mantissa
