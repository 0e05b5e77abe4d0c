// SPDX-License-Identifier: Apache-2.0
// Steps without the host (kernels/step_operations.h), executed immediately.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>

#include "kernels/cpu/operations.h"

namespace mantissa::cpu {
namespace {

std::int64_t clockNs() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void fetchIndices(const AdvanceBatchDesc& desc, std::int64_t batch, const void* batches, void* indices) {
    std::copy_n(static_cast<const std::int32_t*>(batches) + batch * desc.indices, desc.indices, static_cast<std::int32_t*>(indices));
}

}  // namespace

std::unique_ptr<Operation> makeBeginSteps(const BeginStepsDesc&) {
    return makeFunction([](Operands operands) { static_cast<StepLoop*>(operands[0])->clockNs = clockNs(); });
}

std::unique_ptr<Operation> makeAdvanceBatch(const AdvanceBatchDesc& desc) {
    return makeFunction([desc](Operands operands) {
        auto& loop = *static_cast<StepLoop*>(operands[0]);
        if (advanceBatch(desc, loop, *static_cast<const float*>(operands[1]), *static_cast<StepScalars*>(operands[2])))
            fetchIndices(desc, loop.batch, operands[3], operands[4]);
    });
}

std::unique_ptr<Operation> makeJudgeStep(const JudgeStepDesc&) {
    return makeFunction([](Operands operands) {
        judgeStep(*static_cast<StepLoop*>(operands[0]), *static_cast<const float*>(operands[1]), *static_cast<StepScalars*>(operands[2]));
    });
}

std::unique_ptr<Operation> makeAdvanceStep(const AdvanceStepDesc& desc) {
    return makeFunction([desc](Operands operands) {
        auto& loop = *static_cast<StepLoop*>(operands[0]);
        const Advanced advanced = advanceStep(desc, loop, *static_cast<StepScalars*>(operands[1]), static_cast<const double*>(operands[2]),
                                              static_cast<StepSlot*>(operands[4]), clockNs());
        if (advanced.hasNextBatch) fetchIndices(desc.batch, loop.batch, operands[3], operands[5]);
        if (advanced.slot != nullptr) std::atomic_ref(advanced.slot->number).store(advanced.number, std::memory_order_release);
    });
}

std::unique_ptr<Operation> makeCopyState(const CopyStateDesc& desc) {
    return makeFunction([desc](Operands operands) {
        if (desc.onlyWhenHalted && static_cast<const StepLoop*>(operands[0])->isHalted == 0) return;
        std::memcpy(operands[2], operands[1], static_cast<std::size_t>(desc.bytes));
    });
}

}  // namespace mantissa::cpu
