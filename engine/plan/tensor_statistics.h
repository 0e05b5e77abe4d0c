// SPDX-License-Identifier: Apache-2.0
// Adds tensor statistics to a plan as instructions: transient buffers share memory, so each is measured right after it is
// written. Steps without statistics skip them. They change no value and no buffer's place: a plan with statistics has the memory layout of
// the plan without. Pure values; any thread.
#pragma once

#include "engine/plan/plan.h"

namespace mantissa {

/// The description of an instruction's output for statistics, without a slot.
MeasuredTensor writtenBy(const Instruction& made, const Buffer& buffer);

/// Adds statistics to a training plan that is complete but not laid out: of every floating-point tensor that forward and backward write, of
/// the weights after the update, and of the update. Weight copies are left out: their rounding follows from the weights. `decays`: for each
/// parameter, whether the optimizer moves it without a gradient too. `isPartial`: as in StatsDesc.
void addTensorStatistics(Plan& plan, const Backend& backend, const std::vector<bool>& decays, bool isPartial);

/// At loss scale 1, the gradient at a label's log-probability, which is rounded in a cross-entropy's gradient but not stored. 0 for other
/// instructions, and if the policy computes the loss in fp32 regardless of the logits' format.
double passedPerScale(const Policy& policy, const Instruction& made);

/// The role of a floating-point buffer in tensor statistics.
TensorRole tensorRoleOf(const Buffer& buffer);

}  // namespace mantissa
