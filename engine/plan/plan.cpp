// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/plan.h"

#include <stdexcept>

namespace mantissa {
std::string_view categoryName(BufferCategory category) {
    switch (category) {
        case BufferCategory::Weights:
            return "weights";
        case BufferCategory::MasterWeights:
            return "master_weights";
        case BufferCategory::Gradients:
            return "gradients";
        case BufferCategory::Optimizer:
            return "optimizer";
        case BufferCategory::Activations:
            return "activations";
        case BufferCategory::Workspace:
            return "workspace";
    }
    return "";
}

int Plan::addBuffer(Buffer buffer) {
    if (buffer.bytes == 0) {
        const std::int64_t elementBytes = buffer.dtype ? static_cast<std::int64_t>(facts(*buffer.dtype).storageBytes()) : 4;
        buffer.bytes = elementCount(buffer.shape) * elementBytes;
    }
    buffers.push_back(std::move(buffer));
    return static_cast<int>(buffers.size()) - 1;
}

int Plan::placeBuffer(Buffer buffer) {
    const int index = addBuffer(std::move(buffer));
    Buffer& placed = buffers[static_cast<std::size_t>(index)];
    std::int64_t& end = arenaBytes[static_cast<std::size_t>(placed.arena)];
    placed.offset = aligned(end);
    end = placed.offset + placed.bytes;
    return index;
}

void appendInstruction(Plan& plan, const Backend& backend, Instruction instruction) {
    const Support support = backend.supports(instruction.operation);
    if (!support.supported) throw std::invalid_argument(instruction.layer + ": " + instruction.name + ": " + support.reason);
    for (const int operand : instruction.operands) {
        if (operand >= 0) instruction.bytes += static_cast<double>(plan.buffers[static_cast<std::size_t>(operand)].bytes);
    }
    if (namesWorkspace(instruction.operation)) {
        const auto scratch = static_cast<std::int64_t>(backend.workspaceBytes(instruction.operation));
        int workspace = -1;
        if (scratch > 0) {
            Buffer buffer{.name = instruction.layer + " " + instruction.name + " workspace", .category = BufferCategory::Workspace};
            buffer.bytes = scratch;
            buffer.isScratch = true;
            workspace = plan.addBuffer(std::move(buffer));
        }
        instruction.operands.push_back(workspace);
    }
    plan.instructions.push_back(std::move(instruction));
}

}  // namespace mantissa
