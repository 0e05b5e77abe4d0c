// SPDX-License-Identifier: Apache-2.0
#include "engine/training/injection.h"

#include <algorithm>
#include <stdexcept>

#include "kernels/dtype/rounding.h"

namespace mantissa {
namespace {

/// The floating point buffers that an instruction writes: its output, then the others.
std::vector<int> writtenBy(const Instruction& instruction) {
    std::vector<int> written = instruction.others;
    written.insert(written.begin(), instruction.output);
    std::erase(written, -1);
    return written;
}

/// "layers.0.weight" of "layers.0.weight as fp16".
std::string valueOf(const std::string& tensor) {
    return tensor.substr(0, tensor.rfind(" as "));
}

/// Names of the tensors in which the plan stores this value in other formats.
std::string madeInstead(const std::string& tensor, const Plan& plan) {
    std::vector<std::string> made;
    for (const Instruction& instruction : plan.instructions) {
        for (const int buffer : writtenBy(instruction)) {
            const std::string& name = plan.buffers[static_cast<std::size_t>(buffer)].name;
            if (valueOf(name) == valueOf(tensor) && std::find(made.begin(), made.end(), name) == made.end()) made.push_back(name);
        }
    }
    std::string text;
    for (const std::string& name : made) text += (text.empty() ? " (did you mean '" : " or '") + name + "'";
    return text + (text.empty() ? "" : "?)");
}

/// Index in the whole tensor of an element of a part, which has some of its columns.
std::int64_t elementOfWhole(const Buffer& part, const Buffer& whole, std::int64_t element) {
    const std::int64_t columns = part.shape.back(), width = whole.shape.back();
    const std::int64_t first = part.firstByte / static_cast<std::int64_t>(facts(*part.dtype).storageBytes());
    return element / columns * width + first + element % columns;
}

const std::vector<float>& valuesIn(const Dataset& data, Arena arena) {
    return arena == Arena::Inputs ? data.trainInputs : data.trainTargets;
}

}  // namespace

std::vector<ElementWrite> elementWrites(const TensorInjection& injection, const Plan& plan) {
    const auto part = std::find_if(plan.buffers.begin(), plan.buffers.end(),
                                   [&](const Buffer& each) { return each.whole >= 0 && each.name == injection.tensor; });
    for (std::size_t i = 0; i < plan.instructions.size(); ++i) {
        for (const int written : writtenBy(plan.instructions[i])) {
            const bool isPart = part != plan.buffers.end() && part->whole == written;
            const Buffer &whole = plan.buffers[static_cast<std::size_t>(written)], &buffer = isPart ? *part : whole;
            if (buffer.name != injection.tensor) continue;
            const std::int64_t count = elementCount(buffer.shape), element = injection.element.value_or(count / 2);
            if (element < 0 || element >= count)
                throw std::invalid_argument("tensor '" + buffer.name + "' has elements 0 to " + std::to_string(count - 1) + ", and no " +
                                            std::to_string(element));
            const std::uint32_t bits = encodeBits(*buffer.dtype, injection.value);
            std::vector<ElementWrite> writes{
                {static_cast<std::int64_t>(i), written, isPart ? elementOfWhole(buffer, whole, element) : element, bits}};
            for (const int operand : plan.instructions[i].operands) {
                if (operand < 0 || plan.buffers[static_cast<std::size_t>(operand)].transposeOf != written) continue;
                const Shape& transposed = plan.buffers[static_cast<std::size_t>(operand)].shape;
                writes.push_back(
                    {static_cast<std::int64_t>(i), operand, element % transposed[0] * transposed[1] + element / transposed[0], bits});
            }
            return writes;
        }
    }
    throw std::invalid_argument("no instruction of this run makes a tensor '" + injection.tensor + "'" +
                                madeInstead(injection.tensor, plan));
}

float StepFaults::putIntoData(RunMemory& memory, const Dataset& data, Arena arena, std::size_t at, float value) {
    memory.writeSample(arena, at, value);
    m_faults.data.push_back({arena, at, value});
    return valuesIn(data, arena)[at];
}

void StepFaults::add(const TensorInjection& injection, const Plan& plan) {
    elementWrites(injection, plan);
    m_faults.tensors.push_back(injection);
}

void StepFaults::check(const Plan& plan) const {
    for (const TensorInjection& injection : m_faults.tensors) elementWrites(injection, plan);
}

void StepFaults::putAgain(const Faults& faults, RunMemory& memory, const Plan& plan) {
    for (const DataFault& fault : faults.data) memory.writeSample(fault.arena, fault.at, fault.value);
    m_faults.data = faults.data;
    m_faults.tensors.clear();
    for (const TensorInjection& injection : faults.tensors) {
        try {
            add(injection, plan);
        } catch (const std::invalid_argument&) {
            // made in the other format only: this plan has no such tensor
        }
    }
}

void StepFaults::arm(Executor& executor, const Plan& plan, bool isFirstMicroBatch) const {
    if (m_faults.tensors.empty()) return;
    std::vector<ElementWrite> writes;
    for (const TensorInjection& injection : m_faults.tensors) {
        for (const ElementWrite& write : elementWrites(injection, plan)) {
            if (isFirstMicroBatch || write.instruction >= plan.backwardEnd) writes.push_back(write);
        }
    }
    executor.setWrites(std::move(writes));
}

void StepFaults::takeBack(RunMemory& memory, const Dataset& data) {
    for (const DataFault& fault : m_faults.data) memory.writeSample(fault.arena, fault.at, valuesIn(data, fault.arena)[fault.at]);
    m_faults.data.clear();
    if (m_faults.tensors.empty()) return;
    m_faults.tensors.clear();
    memory.training().executor->setWrites({});
}

}  // namespace mantissa
