// SPDX-License-Identifier: Apache-2.0
#include "engine/training/step_stats.h"

namespace mantissa {
namespace {

/// The update's statistics start with those of the moved weights.
static_assert(offsetof(UpdateStats, moved) == 0);

TensorStats statsFrom(const LookedAt& look, const UpdateStats& seen) {
    const bool isUpdate = look.role == TensorRole::Update;
    return {.tensor = look.tensor,
            .layer = look.layer,
            .operation = look.operation,
            .phase = std::string(phaseName(look.phase)),
            .role = look.role,
            .storage = look.storage,
            .isScaled = isGradient(look.role),
            .elements = look.elements,
            .classes = seen.moved.classes,
            .smallest = seen.moved.smallest,
            .magnitudes =
                histogramOf(std::span(seen.moved.cells).subspan(seen.moved.firstCell(), seen.moved.cellCount()), seen.moved.firstCell()),
            .meant = isUpdate ? seen.meant : 0,
            .lost = isUpdate ? seen.lost : 0};
}

}  // namespace

std::vector<TensorStats> readStats(const ReadyPlan& training, Backend& backend, Queue& queue, double lossScale) {
    std::vector<TensorStats> tensors;
    UpdateStats seen;
    for (const LookedAt& look : training.plan->looks) {
        const std::size_t bytes = look.role == TensorRole::Update ? sizeof(UpdateStats) : sizeof(ElementStats);
        backend.copyOut(queue, &seen, training.executor->address(look.slot), bytes);
        queue.wait();
        tensors.push_back(statsFrom(look, seen));
        tensors.back().passed = look.passedPerScale * lossScale;
    }
    return tensors;
}

}  // namespace mantissa
