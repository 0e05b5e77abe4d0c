// SPDX-License-Identifier: Apache-2.0
#include "engine/training/step_stats.h"

namespace mantissa {
namespace {

/// The update's statistics start with those of the moved weights.
static_assert(offsetof(UpdateStats, moved) == 0);

TensorStats statsFrom(const MeasuredTensor& measured, const UpdateStats& seen) {
    const bool isUpdate = measured.role == TensorRole::Update;
    return {.tensor = measured.tensor,
            .layer = measured.layer,
            .operation = measured.operation,
            .phase = std::string(phaseName(measured.phase)),
            .role = measured.role,
            .storage = measured.storage,
            .isScaled = isGradient(measured.role),
            .elements = measured.elements,
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
    for (const MeasuredTensor& measured : training.plan->measured) {
        const std::size_t bytes = measured.role == TensorRole::Update ? sizeof(UpdateStats) : sizeof(ElementStats);
        backend.copyOut(queue, &seen, training.executor->address(measured.slot), bytes);
        queue.wait();
        tensors.push_back(statsFrom(measured, seen));
        tensors.back().passed = measured.passedPerScale * lossScale;
    }
    return tensors;
}

}  // namespace mantissa
