// SPDX-License-Identifier: Apache-2.0
// Runs a plan: instructions prepared once, operands bound once; a step only enqueues.
// An audit runs the same instructions with a look at every output.
// One thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/plan/plan.h"

namespace mantissa {

/// Where each home begins, in the backend's memory. Homes that a plan does not use may be null.
using HomePointers = std::array<void*, kHomeCount>;

/// A number put into what an instruction has made, each time that it has run.
struct ElementWrite {
    std::int64_t instruction = -1;
    int buffer = -1;
    std::int64_t element = 0;
    std::uint32_t bits = 0;  // as the buffer stores it
};

class Executor {
public:
    /// `plan` must outlive the executor.
    Executor(const Plan& plan, Backend& backend, const HomePointers& homes);

    /// Enqueues instructions [begin, end), looks only when asked to. Does not wait. Ranges that come again are captured, where the queue
    /// can, and launched as a whole.
    void run(Queue& queue, std::int64_t begin, std::int64_t end, bool looks = false);

    /// The same without a capture, and without what `setWrites` asks for: for those who capture it themselves.
    void enqueue(Queue& queue, std::int64_t begin, std::int64_t end, bool looks);

    /// From now on `run`, and so an audit, writes these; none give the plan as it was. The queue must have come to an end.
    void setWrites(std::vector<ElementWrite> writes);

    /// Looks at each output of each of [begin, end) after running it, and calls `look` with its element classes.
    /// Stops early when `look` returns false.
    using Look = std::function<bool(std::int64_t instruction, int buffer, const ElementClasses& classes)>;
    void audit(Queue& queue, std::int64_t begin, std::int64_t end, const Look& look);

    /// Classes of the elements that a buffer holds now; waits for the queue. The buffer must be of a floating point dtype.
    ElementClasses classify(Queue& queue, int buffer);

    /// What a buffer of a floating point dtype holds now, as fp32; waits for the queue.
    std::vector<float> values(Queue& queue, int buffer);
    /// An element's bits as stored.
    std::uint32_t bits(Queue& queue, int buffer, std::int64_t element);

    /// Element `at` of a buffer of 32-bit whole numbers; waits for the queue.
    std::int32_t wholeNumber(Queue& queue, int buffer, std::int64_t at);

    /// The address of a buffer.
    void* address(int buffer) const;

    /// Of the device, that the plan's operations hold for themselves.
    std::int64_t operationBytes() const { return m_operationBytes; }

private:
    const Plan& m_plan;
    Backend& m_backend;
    HomePointers m_homes;
    std::vector<std::unique_ptr<Operation>> m_operations;
    std::vector<bool> m_isLook;
    std::vector<void*> m_operands;            // all instructions' operands, one after another
    std::vector<std::size_t> m_firstOperand;  // one more entry than instructions
    std::vector<ElementWrite> m_writes;       // in the order of their instructions
    std::int64_t m_operationBytes;

    /// Of instructions [begin, end).
    struct Captured {
        std::int64_t begin, end;
        bool looks;
        std::unique_ptr<CapturedWork> work;  // null until the range comes a second time: the first time libraries make themselves ready
    };
    std::vector<Captured> m_captured;

    void runWhole(Queue& queue, std::int64_t begin, std::int64_t end, bool looks);
};

/// Memory of a backend, released with it.
class DeviceMemory {
public:
    DeviceMemory() = default;
    /// `purpose`, for people: "the gradients". Throws OutOfMemory.
    DeviceMemory(Backend& backend, std::int64_t bytes, const char* purpose);
    /// The host's, which operations write to as well (Backend::allocateShared).
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
