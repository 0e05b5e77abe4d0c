// SPDX-License-Identifier: Apache-2.0
// What a look at a step's tensors comes to in a few shares of the whole model: what goes wrong silently, to be plotted. Pure; any thread.
#pragma once

#include <string_view>
#include <vector>

#include "engine/diagnosis/tensor_census.h"
#include "engine/telemetry/record.h"

namespace mantissa {

/// Shares from 0 to 1, each of what was seen of the tensors.
namespace look {
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
}  // namespace look

/// Those of which the look has tensors, in the order of look::kAll.
std::vector<NamedValue> lookValues(const StepCensus& look);
/// One of them; 0 where the look has no such tensors.
double lookValue(const StepCensus& look, std::string_view name);

}  // namespace mantissa
