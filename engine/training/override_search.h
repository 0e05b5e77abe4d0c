// SPDX-License-Identifier: Apache-2.0
// Search for the operations that must compute in FP32 so that a run stays in the range of a narrow format, and their cost. One thread at a
// time.
#pragma once

#include <string>
#include <vector>

#include "engine/training/examiner.h"
#include "engine/training/step_trials.h"

namespace mantissa {

/// The shares of some places in a step's passes: of floating-point operations, and of bytes read and written.
struct PlacesCost {
    double flops = 0, bytes = 0;
};
/// Returns the cost of `places`: layers, or kinds of operations.
PlacesCost costOf(const Plan& plan, const std::vector<std::string>& places);

/// Returns the forward operation, by which an override names a kind: "linear" for "linear_grad_weight", "activation" for "relu_grad".
std::string forwardKind(const std::string& operation);

/// Whether an override can name the layer; not for data and the optimizer.
bool isOverridable(const std::string& layer);

/// Returns sets of places, the cheapest first: the card's layer; this layer with the layer of each further forward overflow, until `steps`
/// steps have none; the blocks around the layer; its kind of operation. Sets that cover nearly the whole model are omitted. Trains copies
/// of the run as long as `goesOn` returns true.
std::vector<std::vector<std::string>> candidatePlaces(StepTrials& trials, const ProvenanceCard& card, std::int64_t steps,
                                                      const StepsGoOn& goesOn);

}  // namespace mantissa
