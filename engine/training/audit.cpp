// SPDX-License-Identifier: Apache-2.0
#include "engine/training/audit.h"

#include <algorithm>
#include <cmath>

namespace mantissa {
NonFiniteElement firstNonFinite(std::span<const float> values) {
    auto found = std::find_if(values.begin(), values.end(), [](float value) { return std::isinf(value); });
    if (found != values.end()) return {found - values.begin(), *found > 0 ? "+Inf" : "-Inf"};
    found = std::find_if(values.begin(), values.end(), [](float value) { return std::isnan(value); });
    if (found != values.end()) return {found - values.begin(), "NaN"};
    return {};
}

std::optional<FirstNonFinite> auditPasses(Executor& executor, const Plan& plan, Queue& queue, std::int64_t begin, std::int64_t end,
                                          const std::vector<std::string>& brokenBefore) {
    std::optional<FirstNonFinite> found;
    executor.audit(queue, begin, end, [&](std::int64_t index, int written, const ElementClasses& classes) {
        if (classes.allFinite()) return true;
        const Instruction& instruction = plan.instructions[static_cast<std::size_t>(index)];
        const Buffer& output = plan.buffers[static_cast<std::size_t>(written)];
        if (std::find(brokenBefore.begin(), brokenBefore.end(), output.name) != brokenBefore.end()) return true;
        found = FirstNonFinite{0,
                               instruction.layer,
                               instruction.name,
                               std::string(phaseName(instruction.phase)),
                               output.name,
                               firstNonFinite(executor.values(queue, written)).cls};
        return false;
    });
    return found;
}

FirstNonFinite auditGradients(Executor& executor, const Plan& plan, Queue& queue) {
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
        const Buffer& buffer = plan.buffers[i];
        if (buffer.arena != Arena::Gradients || buffer.category != BufferCategory::Gradients) continue;
        const ElementClasses classes = executor.classify(queue, static_cast<int>(i));
        if (!classes.allFinite()) {
            const std::string parameter = buffer.name.substr(0, buffer.name.rfind('.'));
            return {0,           parameter.substr(0, parameter.rfind('.')),
                    "unscale",   "optimizer",
                    buffer.name, firstNonFinite(executor.values(queue, static_cast<int>(i))).cls};
        }
    }
    return {0, "optimizer", "unscale", "optimizer", "gradient norm", "+Inf"};
}

std::vector<std::string> brokenStatistics(Executor& executor, const Plan& plan, Queue& queue) {
    std::vector<std::string> names;
    for (const int index : plan.statisticBuffers) {
        if (!executor.classify(queue, index).allFinite()) names.push_back(plan.buffers[static_cast<std::size_t>(index)].name);
    }
    return names;
}

std::optional<FirstNonFinite> auditStatistics(Executor& executor, const Plan& plan, Queue& queue) {
    for (const int index : plan.statisticBuffers) {
        const ElementClasses classes = executor.classify(queue, index);
        if (classes.allFinite()) continue;
        const std::string& name = plan.buffers[static_cast<std::size_t>(index)].name;
        return FirstNonFinite{
            0, name.substr(0, name.rfind('.')), "batch_norm", "forward", name, firstNonFinite(executor.values(queue, index)).cls};
    }
    return std::nullopt;
}

}  // namespace mantissa
