// SPDX-License-Identifier: Apache-2.0
// The interface that each backend implements: memory, queues, prepared operations, capabilities with reasons.
//
// Contract
// - Operations are coarse and described by plain structs (`OperationDesc`, operations.h). `supports` returns whether a backend implements
//   one, with a reason if it does not. `prepare` builds it once per plan; `enqueue` only launches it: no allocation, no implicit
//   synchronisation, so that a list of them can be captured.
// - Each operation: operands as stored, arithmetic in fp32 (accumulation too, unless a product sets another accumulator), one rounding to
//   nearest even to the output's storage dtype. Subnormals are kept. NaN and Inf are data.
// - Everything that changes from step to step (scale, learning rate, clip coefficient, found_inf) lives in
//   `StepScalars` in the backend's memory, so a prepared list never has to be rebuilt for it.
// - Deterministic: the same operands, build and machine give the same bits, at any thread count.
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

/// Whether a backend supports something; if not, the reason in one clause ("tf32 is a compute dtype, never storage").
struct Support {
    bool supported = true;
    std::string reason;
};

struct DeviceInfo {
    std::string name;         // "cpu", "cuda:0"
    std::string description;  // "AMD EPYC ..., AVX-512"
    bool available = true;
    std::string reason;  // why it is not available
    int threads = 1;
    std::string busId{};  // PCI address of a GPU in NVML's format, "00000000:C1:00.0"
};

/// A device has failed; the process cannot use it any more. `reason` is the device's own message. Not a std::exception, so that no handler
/// for a refused command or an ended run catches it.
struct DeviceError {
    std::string reason;
};

/// The device does not respond. Releasing its memory would block for ever, so the process must end.
struct SilentDevice : DeviceError {};

class Queue;

/// Enqueued work that is launched as a whole. Its memory and its operations must stay valid.
class CapturedWork {
public:
    virtual ~CapturedWork() = default;
    virtual void launch(Queue& queue) = 0;
};

/// A stream of work, done in order. Only `wait` blocks. A device failure throws DeviceError, from the failing call or a later one.
class Queue {
public:
    virtual ~Queue() = default;
    virtual void wait() = 0;
    /// Whether all enqueued work is done. Does not wait.
    virtual bool isIdle() = 0;

    /// Two points in the work whose times on the device are recorded: a mark is passed when all work enqueued before it is done. Not
    /// allowed in a capture. The default takes the host's clock, for queues whose work is done when `enqueue` returns.
    enum class Mark : std::uint8_t { Begin, End };
    virtual void mark(Mark place) { m_passed[static_cast<std::size_t>(place)] = std::chrono::steady_clock::now(); }
    /// Seconds on the device from Begin to End. Both marks must be set, and waited for.
    virtual double secondsBetweenMarks() { return std::chrono::duration<double>(m_passed[1] - m_passed[0]).count(); }

    /// Name the work that is enqueued in between for the device's profiler ("linear layers.0"). Ranges are not nested.
    virtual void beginRange(const char*) {}
    virtual void endRange() {}

    /// Whether work can be captured; false after the device has refused a capture.
    bool canCapture() const { return offersCapture() && m_captureRefusal.empty(); }
    /// Captures what `enqueue` enqueues, without running it. `enqueue` must not wait or copy from or to the host. Returns null if the
    /// device refuses the capture. Then, and if `enqueue` throws another exception, nothing is captured and the queue is unchanged.
    std::unique_ptr<CapturedWork> capture(const std::function<void()>& enqueue);
    /// The device's reason for refusing a capture; empty: it has refused none.
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
    } catch (const DeviceError& error) {  // a device that has failed throws again at the next call
        m_captureRefusal = error.reason;
        return nullptr;
    }
}

/// How a backend's implementation of an operation departs from the contract above, as library kernels may: one clause each ("cuDNN takes
/// numbers below 2^-126 for 0"); empty: no departure.
struct Departures {
    std::string subnormals;  // subnormal operands or results
    std::string nonFinite;   // how Inf and NaN of an operand propagate
};

/// How a product of operands in block formats is computed: from their codes, and by what, or from decoded numbers, and why.
struct BlockMultiplication {
    bool isNative = false;
    std::string how;
};

/// A prepared operation: shapes, dtypes and kernels are chosen.
class Operation {
public:
    virtual ~Operation() = default;
    /// `operands` in the order listed beside the description; their memory belongs to the operation's backend.
    virtual void enqueue(Queue& queue, std::span<void* const> operands) = 0;
};

class Backend {
public:
    virtual ~Backend() = default;

    virtual const DeviceInfo& device() const = 0;

    /// Whether products in this compute dtype run natively; otherwise they are emulated with fp32 arithmetic.
    virtual bool isNative(Dtype compute) const = 0;

    virtual Support supports(const OperationDesc& desc) const = 0;
    virtual Departures departures(const OperationDesc&) const { return {}; }
    /// Bytes of scratch memory for an operation that names a workspace; 0: null is allowed.
    virtual std::size_t workspaceBytes(const OperationDesc& desc) const = 0;
    /// Whether a product of quantised operands is faster with both contiguous along k: a [m, k] and b [n, k]. The plan then provides them
    /// by the transposed copies of QuantizeDesc.
    virtual bool readsAlongK(const MatmulDesc&) const { return false; }
    /// How this backend computes a product with an operand in a block format.
    virtual BlockMultiplication blockMultiplication(const MatmulDesc&) const { return {false, "decoded to fp32"}; }
    /// Throws std::invalid_argument with the reason of `supports` if the operation is unsupported.
    virtual std::unique_ptr<Operation> prepare(const OperationDesc& desc) = 0;

    /// Whether the backend computes these operations together (kernels/fusion.h).
    virtual bool fuses(std::span<const OperationDesc>) const { return false; }
    /// Operations for which `fuses` holds, as one. Its operands are those of the parts, one part after the other, workspaces included.
    virtual std::unique_ptr<Operation> prepareFused(std::span<const OperationDesc>) { return nullptr; }

    virtual std::unique_ptr<Queue> createQueue() = 0;

    /// Bytes of device memory held by all existing operations themselves: tables and buffers between their kernels.
    virtual std::int64_t operationBytes() const { return 0; }

    /// Bytes that can be allocated now without endangering the machine.
    virtual std::int64_t availableBytes() const = 0;
    /// Zeroed memory, aligned to 64 bytes at least. Throws std::bad_alloc.
    virtual void* allocate(std::size_t bytes) = 0;
    virtual void release(void* memory) noexcept = 0;
    /// Zeroed host memory that operations can write: the host reads their results at the same address, without a queue. Aligned to 64 bytes
    /// at least. Throws std::bad_alloc.
    virtual void* allocateShared(std::size_t bytes) = 0;
    virtual void releaseShared(void* memory) noexcept = 0;
    /// The data at `fromHost` has been read when the call returns.
    virtual void copyIn(Queue& queue, void* to, const void* fromHost, std::size_t bytes) = 0;
    /// The data is at `toHost` after the queue's `wait`.
    virtual void copyOut(Queue& queue, void* toHost, const void* from, std::size_t bytes) = 0;
    virtual void fillZero(Queue& queue, void* to, std::size_t bytes) = 0;
};

/// The CPU backend, always available.
std::shared_ptr<Backend> createCpuBackend();

}  // namespace mantissa
