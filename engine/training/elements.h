// SPDX-License-Identifier: Apache-2.0
// After the fact: repeats one step for the values of single elements, as it was and in fp32. Deterministic. One thread at a time.
#pragma once

#include "engine/diagnosis/elements.h"
#include "engine/training/trainer.h"

namespace mantissa {

/// The elements of the step that comes next, as the statistics of it would count them: of several micro-batches, the last one's. Afterwards
/// the trainer is as it was, but that it keeps no bad steps until it is told to. Throws std::invalid_argument, in a sentence, for a tensor
/// that the step does not make, and, of Flushed, where the step cannot be repeated in fp32.
ElementsFound readElements(Trainer& trainer, const ElementRequest& request);

}  // namespace mantissa
