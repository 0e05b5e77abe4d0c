// SPDX-License-Identifier: Apache-2.0
// Looks at a plan's tensors, as instructions among the others: transient buffers share memory, so each is looked at right after it is
// written. A step that is not to be measured passes over them. They change no value, and move no buffer: a plan with looks lies in memory
// as the one without. Pure values; any thread.
#pragma once

#include "engine/plan/plan.h"

namespace mantissa {

/// What an instruction has written, by the names that a look at it has; it has no slot.
LookedAt writtenBy(const Instruction& made, const Buffer& buffer);

/// Appends looks to a training plan that is complete but not laid out: at every floating-point tensor that forward and backward write, at
/// the weights after the update, and at what it moved them by. Weight copies are left out: what their format does to them follows from the
/// weights. `decays`: for each parameter, whether the optimizer means to move it without a gradient too. `isPartial`: as of StatsDesc.
void addLooks(Plan& plan, const Backend& backend, const std::vector<bool>& decays, bool isPartial);

/// Of a loss scale of 1, the gradient at a label's log-probability that passes through a cross-entropy's gradient and is stored nowhere. 0
/// for other instructions, and where the policy computes the loss in fp32 whatever the logits are in.
double passedPerScale(const Policy& policy, const Instruction& made);

/// What a floating-point buffer stands for in tensor statistics.
TensorRole tensorRoleOf(const Buffer& buffer);

}  // namespace mantissa
