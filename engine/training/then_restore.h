// SPDX-License-Identifier: Apache-2.0
// Temporary use of a trainer. One thread at a time.
#pragma once

#include "engine/training/trainer.h"

namespace mantissa {

inline void restoreStep(Trainer& trainer, const StepStart& start) {
    trainer.restore(start.state);
    trainer.putFaults(start.faults);
}

/// Returns use(). Restores the trainer's state before the next step, also if `use` throws.
template <typename Use>
auto thenRestore(Trainer& trainer, Use use) {
    const StepStart start = trainer.stepStart();
    try {
        auto found = use();
        restoreStep(trainer, start);
        return found;
    } catch (...) {
        restoreStep(trainer, start);
        throw;
    }
}

}  // namespace mantissa
