// SPDX-License-Identifier: Apache-2.0
// Steps without the host: what stands in kernels/step_operations.h, done at once.
#include <algorithm>

#include "kernels/cpu/operations.h"

namespace mantissa::cpu {

std::unique_ptr<Operation> makeJudgeStep(const JudgeStepDesc&) {
    return makeFunction([](Operands operands) {
        judgeStep(*static_cast<StepLoop*>(operands[0]), *static_cast<const float*>(operands[1]), *static_cast<StepScalars*>(operands[2]));
    });
}

std::unique_ptr<Operation> makeAdvanceStep(const AdvanceStepDesc& desc) {
    return makeFunction([desc](Operands operands) {
        auto& loop = *static_cast<StepLoop*>(operands[0]);
        const bool goesOn = advanceStep(desc, loop, *static_cast<const float*>(operands[1]), *static_cast<StepScalars*>(operands[2]),
                                        static_cast<const double*>(operands[3]), static_cast<StepOutcome*>(operands[5]));
        if (!goesOn) return;
        std::copy_n(static_cast<const std::int32_t*>(operands[4]) + loop.done * desc.indices, desc.indices,
                    static_cast<std::int32_t*>(operands[6]));
    });
}

}  // namespace mantissa::cpu
