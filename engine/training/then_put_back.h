// SPDX-License-Identifier: Apache-2.0
// Uses a trainer for something else than training. One thread at a time.
#pragma once

#include "engine/training/trainer.h"

namespace mantissa {

/// What `use` returns. The trainer is put back to where it was, also when `use` throws.
template <typename Use>
auto thenPutBack(Trainer& trainer, Use use) {
    const StepStart start = trainer.stepStart();
    const auto putBack = [&] {
        trainer.restore(start.state);
        trainer.putFaults(start.faults);
    };
    try {
        auto found = use();
        putBack();
        return found;
    } catch (...) {
        putBack();
        throw;
    }
}

}  // namespace mantissa
