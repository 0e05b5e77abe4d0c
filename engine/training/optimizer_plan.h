// SPDX-License-Identifier: Apache-2.0
// The last part of a plan: unscale and check, then the update of the weights. Pure; any thread.
#pragma once

#include "engine/plan/plan.h"
#include "engine/training/settings.h"

namespace mantissa {

/// Appends unscaling, check and clip coefficient, then the update, which reads learning rate, clip coefficient and found_inf from the step
/// scalars. `keepsMomentum` as in `buildPlans`.
void appendOptimizer(Plan& plan, const TrainingSettings& training, const Backend& backend, bool keepsMomentum);

/// Returns for each parameter whether its weights decay.
std::vector<bool> decaysOf(const Plan& plan, const OptimizerSettings& settings);

/// Whether a step with these settings fills SGD's momentum buffer.
bool usesMomentum(const OptimizerSettings& settings);

}  // namespace mantissa
