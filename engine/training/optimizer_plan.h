// SPDX-License-Identifier: Apache-2.0
// The last part of a plan: unscale and check, then the update of the weights. Pure; any thread.
#pragma once

#include "engine/plan/plan.h"
#include "engine/training/settings.h"

namespace mantissa {

/// Appends unscaling, check and clip coefficient, then the update, which reads learning rate, clip coefficient and found_inf from the step
/// scalars. `graph`: the plan's; Muon updates the weights of its hidden linear layers. `keepsMomentum` as in `buildPlans`.
void appendOptimizer(Plan& plan, const Graph& graph, const TrainingSettings& training, const Backend& backend, bool keepsMomentum);

/// The factor of the learning rate by a matrix's shape, by its name in torch.optim.Muon. Throws std::invalid_argument for another name.
double muonRateFactor(const std::string& adjustLrFn, std::int64_t rows, std::int64_t cols);

/// Returns for each parameter whether its weights decay.
std::vector<bool> decaysOf(const Plan& plan, const OptimizerSettings& settings);

/// Whether a step with these settings fills SGD's momentum buffer.
bool usesMomentum(const OptimizerSettings& settings);

}  // namespace mantissa
