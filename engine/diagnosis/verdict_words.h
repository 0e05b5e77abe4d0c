// SPDX-License-Identifier: Apache-2.0
// Sentences of which verdicts are made. Internal to engine/diagnosis. Pure functions; any thread.
#pragma once

#include "engine/diagnosis/examination.h"

namespace mantissa {

/// Compares the gradients of a finite trial with FP32's; empty: not known.
Text agreementText(const Trial& trial);
/// Returns the result of a tried remedy as a clause: "the loss is 2.3 after 100 steps".
Text outcomeText(const Remedy& remedy);
/// Names the changes of settings before the step that may be the cause, a sentence each; empty: there is none.
Text changesText(const RunPast& past);

}  // namespace mantissa
