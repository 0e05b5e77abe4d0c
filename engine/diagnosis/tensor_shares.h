// SPDX-License-Identifier: Apache-2.0
// Shares of the whole model's numbers that show silent failures, from the tensor statistics of one step. Pure; any thread.
#pragma once

#include <string_view>
#include <vector>

#include "engine/diagnosis/tensor_stats.h"
#include "engine/telemetry/record.h"

namespace mantissa {

/// Names of shares. Each share is from 0 to 1, of the measured elements.
namespace tensor_share {
/// The share of weight gradients that are 0, because they were flushed or are 0 in any format.
inline constexpr std::string_view kZeroGradients = "zero_gradients";
/// The share of nonzero activation gradients that are subnormal in their storage format.
inline constexpr std::string_view kSubnormalGradients = "subnormal_gradients";
/// The share of activations and gradients that are Inf or NaN.
inline constexpr std::string_view kNonFiniteValues = "non_finite_values";
/// The share of nonzero updates that left their weight unchanged: w + dw = w.
inline constexpr std::string_view kLostUpdates = "lost_updates";
/// The share of all weights that the step left unchanged.
inline constexpr std::string_view kUnchangedWeights = "unchanged_weights";

inline constexpr std::string_view kAll[] = {kZeroGradients, kSubnormalGradients, kNonFiniteValues, kLostUpdates, kUnchangedWeights};
}  // namespace tensor_share

/// Returns all shares that the statistics have tensors for, in the order of tensor_share::kAll.
std::vector<NamedValue> tensorShares(const StepStats& statistics);
/// Returns one share; 0 if the statistics have no such tensors.
double tensorShare(const StepStats& statistics, std::string_view name);

}  // namespace mantissa
