// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/architecture.h"

#include <set>

namespace mantissa {

std::vector<LayerLine> layerLines(const Plan& plan) {
    std::vector<LayerLine> lines;
    std::set<int> counted;  // shared parameters count for their first operation
    for (std::int64_t i = plan.prologueEnd; i < plan.forwardEnd; ++i) {
        const Instruction& instruction = plan.instructions[static_cast<std::size_t>(i)];
        if (instruction.isStatistics) continue;
        if (instruction.name == "gather" || instruction.name == "cast" || instruction.name == "quantize") continue;
        const auto bufferAt = [&](int index) -> const Buffer& { return plan.buffers[static_cast<std::size_t>(index)]; };
        const std::int64_t bytes = instruction.output < 0 ? 0 : bufferAt(instruction.output).bytes;
        if (!lines.empty() && lines.back().layer == instruction.layer && lines.back().operation == instruction.name) {
            lines.back().outputBytes += bytes;  // a split, part by part
            continue;
        }
        LayerLine line{instruction.layer, instruction.name, std::string(facts(instruction.compute).name), 0, bytes};
        for (std::size_t p = 0; p < plan.parameterBuffers.size(); ++p) {
            const std::string& name = bufferAt(plan.parameterBuffers[p]).name;
            const bool isOwn =
                name.starts_with(instruction.layer + ".") && name.find('.', instruction.layer.size() + 1) == std::string::npos;
            if (isOwn && counted.insert(plan.parameterBuffers[p]).second) line.parameters += plan.segments[p + 1] - plan.segments[p];
        }
        lines.push_back(std::move(line));
    }
    return lines;
}

}  // namespace mantissa
