// SPDX-License-Identifier: Apache-2.0
// Values of single elements of a step, from repeating it as it was and in fp32. Deterministic. One thread at a time.
#pragma once

#include "engine/diagnosis/elements.h"
#include "engine/training/trainer.h"

namespace mantissa {

/// Returns the requested elements of the next step; with micro-batches, of the last one, like tensor statistics. Restores the trainer,
/// except that `keepNonFiniteSteps` is off. Throws std::invalid_argument, with a sentence, for a tensor that the step does not have, and
/// for Flushed if the step cannot be repeated in fp32.
ElementsFound readElements(Trainer& trainer, const ElementRequest& request);

}  // namespace mantissa
