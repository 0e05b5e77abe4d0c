// SPDX-License-Identifier: Apache-2.0
// Which operations have to compute in FP32 so that a run stays within a narrow format, and what that costs. One thread at a time.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/training/examiner.h"
#include "engine/training/step_trials.h"

namespace mantissa {

/// How much of a step's passes some places take: shares of the floating point operations, and of the bytes that are read and written.
struct PlacesCost {
    double flops = 0, bytes = 0;
};
/// `places`: layers, or kinds of operations.
PlacesCost costOf(const Plan& plan, const std::vector<std::string>& places);

/// "linear" of "linear_grad_weight", and "activation" of "relu_grad": the forward operation, by which an override names a kind.
std::string forwardKind(const std::string& operation);

/// Whether an override can name the layer: it has operations of its own, and is no part of the optimizer.
bool isOverridable(const std::string& layer);

/// The layer at fault; then as many layers as it takes until so many steps from this one on overflow no more on the way forward, found by
/// adding the layer of each overflow; then the blocks around the layer, and its kind of operation. Cheapest first; sets that are nearly
/// the whole model are left out. Trains copies of the step's run as long as `goesOn`.
std::vector<std::vector<std::string>> candidatePlaces(StepTrials& trials, const ProvenanceCard& card, std::int64_t steps,
                                                      const StepsGoOn& goesOn);

}  // namespace mantissa
