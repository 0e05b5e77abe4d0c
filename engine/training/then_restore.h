// SPDX-License-Identifier: Apache-2.0
// Temporary use of a trainer. One thread at a time.
#pragma once

#include "engine/training/trainer.h"

namespace mantissa {

/// Returns use(). Restores the trainer's state before the next step, also if `use` throws.
template <typename Use>
auto thenRestore(Trainer& trainer, Use use) {
    const StepStart start = trainer.stepStart();
    const auto restore = [&] {
        trainer.restore(start.state);
        trainer.putFaults(start.faults);
    };
    try {
        auto found = use();
        restore();
        return found;
    } catch (...) {
        restore();
        throw;
    }
}

}  // namespace mantissa
