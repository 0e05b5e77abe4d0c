// SPDX-License-Identifier: Apache-2.0
#include "engine/training/audit.h"

namespace mantissa {
namespace {

/// An infinity explains a NaN of the same operation, so it is named first.
std::string className(const ElementClasses& classes) {
    if (classes.positiveInf > 0) return "+Inf";
    if (classes.negativeInf > 0) return "-Inf";
    return "NaN";
}

}  // namespace

std::optional<FirstNonFinite> auditPasses(Executor& executor, const Plan& plan, Queue& queue, std::int64_t begin, std::int64_t end) {
    std::optional<FirstNonFinite> found;
    executor.audit(queue, begin, end, [&](std::int64_t index, int written, const ElementClasses& classes) {
        if (classes.allFinite()) return true;
        const Instruction& instruction = plan.instructions[static_cast<std::size_t>(index)];
        const Buffer& output = plan.buffers[static_cast<std::size_t>(written)];
        found = FirstNonFinite{0,           instruction.layer, instruction.name, std::string(phaseName(instruction.phase)),
                               output.name, className(classes)};
        return false;
    });
    return found;
}

FirstNonFinite auditGradients(Executor& executor, const Plan& plan, Queue& queue) {
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
        const Buffer& buffer = plan.buffers[i];
        if (buffer.home != Home::Gradients || buffer.category != BufferCategory::Gradients) continue;
        const ElementClasses classes = executor.classify(queue, static_cast<int>(i));
        if (!classes.allFinite()) {
            const std::string parameter = buffer.name.substr(0, buffer.name.rfind('.'));
            return {0, parameter.substr(0, parameter.rfind('.')), "unscale", "optimizer", buffer.name, className(classes)};
        }
    }
    return {0, "optimizer", "unscale", "optimizer", "gradient norm", "+Inf"};
}

std::optional<FirstNonFinite> auditStatistics(Executor& executor, const Plan& plan, Queue& queue) {
    for (const int index : plan.statisticBuffers) {
        const ElementClasses classes = executor.classify(queue, index);
        if (classes.allFinite()) continue;
        const std::string& name = plan.buffers[static_cast<std::size_t>(index)].name;
        return FirstNonFinite{0, name.substr(0, name.rfind('.')), "batch_norm", "forward", name, className(classes)};
    }
    return std::nullopt;
}

}  // namespace mantissa
