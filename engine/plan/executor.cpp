// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/executor.h"

#include <algorithm>

#include "kernels/out_of_memory.h"

namespace mantissa {

DeviceMemory::DeviceMemory(Backend& backend, std::int64_t bytes, const char* purpose)
    : m_memory(nullptr, Release{&backend, false}), m_bytes(bytes) {
    if (bytes == 0) return;
    try {
        m_memory.reset(backend.allocate(static_cast<std::size_t>(bytes)));
    } catch (const std::bad_alloc&) {
        throw OutOfMemory(purpose, bytes, backend.availableBytes());
    }
}

DeviceMemory DeviceMemory::shared(Backend& backend, std::int64_t bytes) {
    DeviceMemory memory;
    memory.m_memory = {backend.allocateShared(static_cast<std::size_t>(bytes)), Release{&backend, true}};
    memory.m_bytes = bytes;
    return memory;
}

Executor::Executor(const Plan& plan, Backend& backend, const ArenaPointers& arenas) : m_plan(plan), m_backend(backend), m_arenas(arenas) {
    m_operations.reserve(plan.instructions.size());
    const std::int64_t ofOthers = backend.operationBytes();
    for (const Instruction& instruction : plan.instructions) {
        m_operations.push_back(backend.prepare(instruction.operation));
        m_isStatistics.push_back(instruction.isStatistics);
        m_names.push_back(instruction.name + ' ' + instruction.layer);
        m_firstOperand.push_back(m_operands.size());
        for (const int operand : instruction.operands) m_operands.push_back(operand < 0 ? nullptr : address(operand));
    }
    m_firstOperand.push_back(m_operands.size());
    for (std::size_t i = 0; i < plan.instructions.size(); ++i) {
        const Instruction& instruction = plan.instructions[i];
        if (instruction.group < 0) continue;
        m_groups.resize(std::max(m_groups.size(), static_cast<std::size_t>(instruction.group) + 1));
        Group& group = m_groups[static_cast<std::size_t>(instruction.group)];
        if (!instruction.isFollower) group.first = static_cast<std::int64_t>(i);
        group.last = static_cast<std::int64_t>(i);
        group.bytes += instruction.bytes;
        if (group.parts.size() < 4) group.name += (group.name.empty() ? "" : ", ") + m_names[i];
        group.parts.push_back(instruction.operation);
        group.operands.insert(group.operands.end(), m_operands.data() + m_firstOperand[i], m_operands.data() + m_firstOperand[i + 1]);
    }
    for (Group& group : m_groups) {
        if (backend.fuses(group.parts)) group.operation = backend.prepareFused(group.parts);
    }
    m_operationBytes = backend.operationBytes() - ofOthers;
}

void* Executor::address(int buffer) const {
    const Buffer& b = m_plan.buffers[static_cast<std::size_t>(buffer)];
    return static_cast<std::byte*>(m_arenas[static_cast<std::size_t>(b.arena)]) + b.offset;
}

void Executor::setWrites(std::vector<ElementWrite> writes) {
    m_writes = std::move(writes);
    std::stable_sort(m_writes.begin(), m_writes.end(),
                     [](const ElementWrite& a, const ElementWrite& b) { return a.instruction < b.instruction; });
}

void Executor::runWhole(Queue& queue, std::int64_t begin, std::int64_t end, bool measures) {
    constexpr std::int64_t kWorthCapturing = 4;
    if (!queue.canCapture() || end - begin < kWorthCapturing) return enqueue(queue, begin, end, measures);
    const auto found = std::find_if(m_captured.begin(), m_captured.end(),
                                    [&](const Captured& c) { return c.begin == begin && c.end == end && c.measures == measures; });
    if (found == m_captured.end()) {
        m_captured.push_back({begin, end, measures, nullptr});
        return enqueue(queue, begin, end, measures);
    }
    if (found->work == nullptr) found->work = queue.capture([&] { enqueue(queue, begin, end, measures); });
    if (found->work == nullptr) return enqueue(queue, begin, end, measures);  // the device refused the capture
    found->work->launch(queue);
}

void Executor::run(Queue& queue, std::int64_t begin, std::int64_t end, bool measures) {
    if (m_writes.empty()) return runWhole(queue, begin, end, measures);
    std::int64_t done = begin;
    for (const ElementWrite& write : m_writes) {
        if (write.instruction < begin || write.instruction >= end) continue;
        enqueue(queue, done, write.instruction + 1, measures);
        done = write.instruction + 1;
        const std::size_t bytes = facts(*m_plan.buffers[static_cast<std::size_t>(write.buffer)].dtype).storageBytes();
        auto* const to = static_cast<std::byte*>(address(write.buffer)) + static_cast<std::size_t>(write.element) * bytes;
        m_backend.copyIn(queue, to, &write.bits, bytes);  // little-endian: the low bytes come first
    }
    enqueue(queue, done, end, measures);
}

const Executor::Group* Executor::wholeGroup(std::int64_t instruction, std::int64_t begin, std::int64_t end) const {
    const int index = m_plan.instructions[static_cast<std::size_t>(instruction)].group;
    if (index < 0) return nullptr;
    const Group& group = m_groups[static_cast<std::size_t>(index)];
    return group.operation != nullptr && group.first >= begin && group.last < end ? &group : nullptr;
}

namespace {

/// Names work for the device's profiler until it ends.
class NamedRange {
public:
    NamedRange(Queue& queue, const std::string& name) : m_queue(queue) { queue.beginRange(name.c_str()); }
    ~NamedRange() { m_queue.endRange(); }
    NamedRange(const NamedRange&) = delete;
    NamedRange& operator=(const NamedRange&) = delete;

private:
    Queue& m_queue;
};

}  // namespace

void Executor::enqueue(Queue& queue, std::int64_t begin, std::int64_t end, bool measures) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
        if (m_isStatistics[i] && !measures) continue;
        if (const Group* group = measures ? nullptr : wholeGroup(static_cast<std::int64_t>(i), begin, end)) {
            if (group->first != static_cast<std::int64_t>(i)) continue;
            const NamedRange range(queue, group->name);
            group->operation->enqueue(queue, group->operands);
            continue;
        }
        const std::size_t first = m_firstOperand[i];
        const NamedRange range(queue, m_names[i]);
        m_operations[i]->enqueue(queue, std::span<void* const>(m_operands.data() + first, m_firstOperand[i + 1] - first));
    }
}

void Executor::time(Queue& queue, std::int64_t begin, std::int64_t end, std::span<double> seconds) {
    std::vector<double> ofGroups(m_groups.size());
    for (std::int64_t i = begin; i < end; ++i) {
        const Instruction& instruction = m_plan.instructions[static_cast<std::size_t>(i)];
        const Group* const group = wholeGroup(i, begin, end);
        if (group == nullptr || group->first == i) {
            queue.mark(Queue::Mark::Begin);
            if (group != nullptr) {
                group->operation->enqueue(queue, group->operands);
            } else {
                enqueue(queue, i, i + 1, false);
            }
            queue.mark(Queue::Mark::End);
            queue.wait();
        }
        if (group == nullptr) {
            seconds[static_cast<std::size_t>(i)] += queue.secondsBetweenMarks();
            continue;
        }
        double& all = ofGroups[static_cast<std::size_t>(instruction.group)];
        if (group->first == i) all = queue.secondsBetweenMarks();
        seconds[static_cast<std::size_t>(i)] += all * instruction.bytes / group->bytes;
    }
}

ElementClasses Executor::classify(Queue& queue, int buffer) {
    const Buffer& b = m_plan.buffers[static_cast<std::size_t>(buffer)];
    const DeviceMemory found(m_backend, sizeof(ElementClasses), "the classes of a tensor's elements");
    const std::array<void*, 2> operands{address(buffer), found.data()};
    m_backend.prepare(ClassifyDesc{elementCount(b.shape), *b.dtype})->enqueue(queue, operands);
    ElementClasses classes;
    m_backend.copyOut(queue, &classes, found.data(), sizeof classes);
    queue.wait();
    return classes;
}

std::vector<float> Executor::values(Queue& queue, int buffer) {
    const Buffer& b = m_plan.buffers[static_cast<std::size_t>(buffer)];
    const std::int64_t count = elementCount(b.shape);
    std::vector<float> numbers(static_cast<std::size_t>(count));
    const DeviceMemory wide(m_backend, count * static_cast<std::int64_t>(sizeof(float)), "a tensor that is read");
    const std::array<void*, 2> operands{address(buffer), wide.data()};
    m_backend.prepare(CastDesc{count, *b.dtype, Dtype::F32})->enqueue(queue, operands);
    m_backend.copyOut(queue, numbers.data(), wide.data(), numbers.size() * sizeof(float));
    queue.wait();
    return numbers;
}

std::vector<std::byte> Executor::bytes(Queue& queue, int buffer) {
    std::vector<std::byte> stored(static_cast<std::size_t>(m_plan.buffers[static_cast<std::size_t>(buffer)].bytes));
    m_backend.copyOut(queue, stored.data(), address(buffer), stored.size());
    queue.wait();
    return stored;
}

std::uint32_t Executor::bits(Queue& queue, int buffer, std::int64_t element) {
    const Buffer& b = m_plan.buffers[static_cast<std::size_t>(buffer)];
    const std::size_t width = facts(*b.dtype).storageBytes();
    std::uint32_t code = 0;
    m_backend.copyOut(queue, &code, static_cast<const std::byte*>(address(buffer)) + static_cast<std::size_t>(element) * width, width);
    queue.wait();
    return code;
}

std::int32_t Executor::wholeNumber(Queue& queue, int buffer, std::int64_t at) {
    std::int32_t number = 0;
    m_backend.copyOut(queue, &number, static_cast<const std::int32_t*>(address(buffer)) + at, sizeof number);
    queue.wait();
    return number;
}

void Executor::audit(Queue& queue, std::int64_t begin, std::int64_t end, const Observer& observe, const AfterEach& after) {
    for (std::int64_t i = begin; i < end; ++i) {
        run(queue, i, i + 1);
        if (after) after(i);
        const Instruction& instruction = m_plan.instructions[static_cast<std::size_t>(i)];
        if (instruction.output >= 0 && !observe(i, instruction.output, classify(queue, instruction.output))) return;
        for (const int other : instruction.others) {
            if (!observe(i, other, classify(queue, other))) return;
        }
    }
}

}  // namespace mantissa
