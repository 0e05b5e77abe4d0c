// SPDX-License-Identifier: Apache-2.0
// Shares of the whole model's numbers, from the tensor statistics of one step, which show what goes wrong silently. Pure; any thread.
#pragma once

#include <string_view>
#include <vector>

#include "engine/diagnosis/tensor_stats.h"
#include "engine/telemetry/record.h"

namespace mantissa {

/// Names of shares; each is from 0 to 1, of the numbers that the statistics cover.
namespace tensor_share {
/// Of the weights' gradients, those that are 0: flushed ones are among them, and those that are 0 in any format.
inline constexpr std::string_view kZeroGradients = "zero_gradients";
/// Of the activations' gradients other than 0, those that are subnormal in the format that they are stored in.
inline constexpr std::string_view kSubnormalGradients = "subnormal_gradients";
/// Activations and gradients that are Inf or NaN.
inline constexpr std::string_view kNonFiniteValues = "non_finite_values";
/// Of the weights that the step meant to move, those that stayed as they were: w + dw = w.
inline constexpr std::string_view kLostUpdates = "lost_updates";
/// Of all weights, those that the step left as they were.
inline constexpr std::string_view kUnchangedWeights = "unchanged_weights";

inline constexpr std::string_view kAll[] = {kZeroGradients, kSubnormalGradients, kNonFiniteValues, kLostUpdates, kUnchangedWeights};
}  // namespace tensor_share

/// All shares that the statistics have tensors for, in the order of tensor_share::kAll.
std::vector<NamedValue> tensorShares(const StepStats& statistics);
/// One share; 0 where the statistics have no such tensors.
double tensorShare(const StepStats& statistics, std::string_view name);

}  // namespace mantissa
