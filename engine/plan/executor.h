// SPDX-License-Identifier: Apache-2.0
// Runs a plan: instructions are prepared and operands bound once; a step only enqueues. An audit runs the instructions and classifies every
// output. One thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/plan/plan.h"

namespace mantissa {

/// The start of each arena in the backend's memory. Arenas that a plan does not use may be null.
using ArenaPointers = std::array<void*, kArenaCount>;

/// A value written into an instruction's result after each run of the instruction.
struct ElementWrite {
    std::int64_t instruction = -1;
    int buffer = -1;
    std::int64_t element = 0;
    std::uint32_t bits = 0;  // in the buffer's storage format
};

class Executor {
public:
    /// `plan` must outlive the executor.
    Executor(const Plan& plan, Backend& backend, const ArenaPointers& arenas);

    /// Enqueues instructions [begin, end), with statistics instructions only if `measures`. The parts of a group are computed one by one if
    /// `measures`, or if the range has only some of them. Does not wait. Repeated ranges are captured, if
    /// the queue supports it, and launched as a whole.
    void run(Queue& queue, std::int64_t begin, std::int64_t end, bool measures = false);

    /// Enqueues without a capture and without the writes of `setWrites`, for callers that capture the work themselves.
    void enqueue(Queue& queue, std::int64_t begin, std::int64_t end, bool measures);

    /// Runs instructions [begin, end) one by one, without statistics instructions and without the writes of `setWrites`, and adds the
    /// device's seconds of each to its element of `seconds`, which has one for each instruction of the plan. The seconds of a group are
    /// divided among its instructions by the memory that they touch.
    void time(Queue& queue, std::int64_t begin, std::int64_t end, std::span<double> seconds);

    /// Sets the writes of later `run` and `audit` calls; none: the plan unchanged. The queue must be idle.
    void setWrites(std::vector<ElementWrite> writes);

    /// Runs [begin, end) and calls `observe` with the element classes of each output after its instruction. Stops early if `observe`
    /// returns false. `after`, if there is one, is called after each instruction, also after those without an output.
    using AfterEach = std::function<void(std::int64_t instruction)>;
    using Observer = std::function<bool(std::int64_t instruction, int buffer, const ElementClasses& classes)>;
    void audit(Queue& queue, std::int64_t begin, std::int64_t end, const Observer& observe, const AfterEach& after = {});

    /// Classes of a buffer's current elements; waits for the queue. The buffer must have a floating-point dtype.
    ElementClasses classify(Queue& queue, int buffer);

    /// Current values of a floating-point buffer, as fp32; waits for the queue.
    std::vector<float> values(Queue& queue, int buffer);
    /// The stored bytes of a buffer.
    std::vector<std::byte> bytes(Queue& queue, int buffer);
    /// An element's stored bits.
    std::uint32_t bits(Queue& queue, int buffer, std::int64_t element);

    /// Element `at` of a buffer of 32-bit integers; waits for the queue.
    std::int32_t wholeNumber(Queue& queue, int buffer, std::int64_t at);

    /// The address of a buffer.
    void* address(int buffer) const;

    /// Bytes of device memory that the plan's operations hold themselves.
    std::int64_t operationBytes() const { return m_operationBytes; }

private:
    const Plan& m_plan;
    Backend& m_backend;
    ArenaPointers m_arenas;
    std::vector<std::unique_ptr<Operation>> m_operations;
    std::vector<bool> m_isStatistics;
    std::vector<std::string> m_names;         // for the device's profiler: "linear layers.0"
    std::vector<void*> m_operands;            // operands of all instructions, concatenated
    std::vector<std::size_t> m_firstOperand;  // one more entry than instructions
    struct Group {
        std::int64_t first = 0, last = 0;  // instructions
        double bytes = 0;
        std::string name;
        std::vector<OperationDesc> parts;
        std::vector<void*> operands;
        std::unique_ptr<Operation> operation;  // null: this backend computes the parts alone
    };
    std::vector<Group> m_groups;
    std::vector<ElementWrite> m_writes;  // in the order of their instructions
    std::int64_t m_operationBytes;

    /// The captured work of instructions [begin, end).
    struct Captured {
        std::int64_t begin, end;
        bool measures;
        std::unique_ptr<CapturedWork> work;  // null until the range's second run: libraries initialise in the first one
    };
    std::vector<Captured> m_captured;

    void runWhole(Queue& queue, std::int64_t begin, std::int64_t end, bool measures);
    /// The group of an instruction, if [begin, end) has all of it; null: none.
    const Group* wholeGroup(std::int64_t instruction, std::int64_t begin, std::int64_t end) const;
};

/// Memory of a backend, released by the destructor.
class DeviceMemory {
public:
    DeviceMemory() = default;
    /// Allocates. `purpose` is for error messages: "the gradients". Throws OutOfMemory.
    DeviceMemory(Backend& backend, std::int64_t bytes, const char* purpose);
    /// Allocates host memory that operations can write (Backend::allocateShared).
    static DeviceMemory shared(Backend& backend, std::int64_t bytes);
    void* data() const { return m_memory.get(); }
    std::int64_t bytes() const { return m_bytes; }

private:
    struct Release {
        Backend* backend;
        bool isShared;
        void operator()(void* memory) const { isShared ? backend->releaseShared(memory) : backend->release(memory); }
    };
    std::unique_ptr<void, Release> m_memory;
    std::int64_t m_bytes = 0;
};

}  // namespace mantissa
