// SPDX-License-Identifier: Apache-2.0
// The interface that each backend implements: memory, queues, prepared operations, capabilities with reasons.
//
// Contract
// - Operations are coarse and described by plain structs (`OperationDesc`, operations.h). `supports` answers whether a
//   backend can do one, with a reason in words when it cannot. `prepare` builds it once per plan; `enqueue`
//   only launches it: no allocation, no implicit synchronisation, so that a list of them can be captured.
// - Each operation: operands as stored, arithmetic in fp32 (accumulation too, unless a product asks for another), one rounding to nearest
//   even to the output's storage dtype. Subnormals are kept. NaN and Inf are data.
// - Everything that changes from step to step (scale, learning rate, clip coefficient, found_inf) lives in
//   `StepScalars` in the backend's memory, so a prepared list never has to be rebuilt for it.
// - Deterministic: same operands, same build, same machine: same bits, whatever the thread count.
//
// Threads: a Backend may be shared; a Queue and the operations enqueued on it belong to one thread at a time.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "kernels/operations.h"

namespace mantissa {

/// The answer to "can you?", with the reason for a no in one clause ("tf32 is a compute dtype, never storage").
struct Support {
    bool supported = true;
    std::string reason;
};

struct DeviceInfo {
    std::string name;         // "cpu", "cuda:0"
    std::string description;  // "AMD EPYC ..., AVX-512"
    bool available = true;
    std::string reason;  // why not available
    int threads = 1;
    std::string busId{};  // of a card, "00000000:C1:00.0", as NVML names it too
};

/// A device that cannot go on, with its own words: nothing more can be asked of it in this process. No std::exception: nothing on the way
/// up may take it for the refusal of a command or the end of one run.
struct DeviceError {
    std::string reason;
};

/// One that does not answer any more. Giving its memory back would wait for it for ever, so the process ends around it.
struct SilentDevice : DeviceError {};

class Queue;

/// Work that was enqueued once and is launched as a whole. The memory that it works on, and the operations, stay where they were.
class CapturedWork {
public:
    virtual ~CapturedWork() = default;
    virtual void launch(Queue& queue) = 0;
};

/// A stream of work, in order. Nothing waits unless `wait` is called. Throws DeviceError where the device fails, then or at a later call.
class Queue {
public:
    virtual ~Queue() = default;
    virtual void wait() = 0;
    /// Whether all that was enqueued has been done. Does not wait.
    virtual bool isIdle() = 0;

    /// Two places in the work, whose time on the device is kept: a mark is passed when all that was enqueued before it is done. Not in a
    /// capture. By the clock where work is done when it has been enqueued.
    enum class Mark : std::uint8_t { Begin, End };
    virtual void mark(Mark place) { m_passed[static_cast<std::size_t>(place)] = std::chrono::steady_clock::now(); }
    /// From the one to the other, when both were set and waited for.
    virtual double secondsBetweenMarks() { return std::chrono::duration<double>(m_passed[1] - m_passed[0]).count(); }

    /// Whether work can be captured: false as well after the device has refused a capture.
    bool canCapture() const { return offersCapture() && m_captureRefusal.empty(); }
    /// What `enqueue` enqueues is captured and not done. No waiting and no copies from or to the host in it. Null where the device refuses
    /// it. Then, and when `enqueue` throws anything else, nothing is captured, and the queue is as it was.
    std::unique_ptr<CapturedWork> capture(const std::function<void()>& enqueue);
    /// Why the device has refused a capture, in its own words; empty: it has refused none.
    const std::string& captureRefusal() const { return m_captureRefusal; }

protected:
    virtual bool offersCapture() const { return false; }
    virtual void beginCapture() {}
    virtual std::unique_ptr<CapturedWork> endCapture() { return nullptr; }
    virtual void discardCapture() noexcept {}

private:
    std::array<std::chrono::steady_clock::time_point, 2> m_passed{};
    std::string m_captureRefusal;
};

inline std::unique_ptr<CapturedWork> Queue::capture(const std::function<void()>& enqueue) {
    try {
        beginCapture();
        try {
            enqueue();
        } catch (...) {
            discardCapture();
            throw;
        }
        return endCapture();
    } catch (const DeviceError& error) {  // a device that has failed says so again at the next call
        m_captureRefusal = error.reason;
        return nullptr;
    }
}

/// Where the way that a backend has chosen for an operation departs from the contract above, as kernels of a library may: one clause each
/// ("cuDNN takes numbers below 2^-126 for 0"); empty: it does not.
struct Departures {
    std::string subnormals;  // small numbers
    std::string nonFinite;   // where Inf and NaN of an operand go
};

/// An operation made ready: shapes, dtypes and kernels chosen.
class Operation {
public:
    virtual ~Operation() = default;
    /// `operands` as listed beside the description; their memory belongs to the same backend.
    virtual void enqueue(Queue& queue, std::span<void* const> operands) = 0;
};

class Backend {
public:
    virtual ~Backend() = default;

    virtual const DeviceInfo& device() const = 0;

    /// Whether products in this compute dtype run natively, or are emulated around fp32 arithmetic.
    virtual bool isNative(Dtype compute) const = 0;

    virtual Support supports(const OperationDesc& desc) const = 0;
    virtual Departures departures(const OperationDesc&) const { return {}; }
    /// Bytes of scratch memory that an operation wants which names a workspace; 0: null will do.
    virtual std::size_t workspaceBytes(const OperationDesc& desc) const = 0;
    /// Whether a product of quantised operands is faster where both lie along k: a [m, k] and b [n, k]. Then a plan has them so, by the
    /// transposed copies of QuantizeDesc.
    virtual bool readsAlongK(const MatmulDesc&) const { return false; }
    /// Throws std::invalid_argument with `supports`' reason when unsupported.
    virtual std::unique_ptr<Operation> prepare(const OperationDesc& desc) = 0;

    virtual std::unique_ptr<Queue> createQueue() = 0;

    /// Bytes of the device that operations hold for themselves: tables and what passes between their kernels; of all that are there.
    virtual std::int64_t operationBytes() const { return 0; }

    /// Bytes that could be allocated now without harm to the machine.
    virtual std::int64_t availableBytes() const = 0;
    /// Zeroed memory, aligned to 64 bytes at least. Throws std::bad_alloc.
    virtual void* allocate(std::size_t bytes) = 0;
    virtual void release(void* memory) noexcept = 0;
    /// Zeroed memory of the host's that operations write to as well: what one has written the host reads at the same address, without a
    /// queue. Aligned as the other. Throws std::bad_alloc.
    virtual void* allocateShared(std::size_t bytes) = 0;
    virtual void releaseShared(void* memory) noexcept = 0;
    /// What lies at `fromHost` has been taken when the call returns.
    virtual void copyIn(Queue& queue, void* to, const void* fromHost, std::size_t bytes) = 0;
    /// Is there after the queue's `wait`.
    virtual void copyOut(Queue& queue, void* toHost, const void* from, std::size_t bytes) = 0;
    virtual void fillZero(Queue& queue, void* to, std::size_t bytes) = 0;
};

/// The CPU backend, always there.
std::shared_ptr<Backend> createCpuBackend();

}  // namespace mantissa
