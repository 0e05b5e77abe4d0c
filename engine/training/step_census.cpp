// SPDX-License-Identifier: Apache-2.0
#include "engine/training/step_census.h"

namespace mantissa {
namespace {

/// An update's census begins with that of what was moved.
static_assert(offsetof(UpdateCensus, moved) == 0);

TensorCensus censusFrom(const LookedAt& look, const UpdateCensus& seen) {
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
            .swallowed = isUpdate ? seen.swallowed : 0};
}

}  // namespace

std::vector<TensorCensus> readCensus(const ReadyPlan& training, Backend& backend, Queue& queue, double lossScale) {
    std::vector<TensorCensus> tensors;
    UpdateCensus seen;
    for (const LookedAt& look : training.plan->looks) {
        const std::size_t bytes = look.role == TensorRole::Update ? sizeof(UpdateCensus) : sizeof(ElementCensus);
        backend.copyOut(queue, &seen, training.executor->address(look.slot), bytes);
        queue.wait();
        tensors.push_back(censusFrom(look, seen));
        tensors.back().passed = look.passedPerScale * lossScale;
    }
    return tensors;
}

}  // namespace mantissa
