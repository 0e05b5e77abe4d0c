// SPDX-License-Identifier: Apache-2.0
// Wraps the CUDA runtime: errors as exceptions, streams as queues. A status other than success throws DeviceError with the call's name and
// the runtime's message. A queue belongs to one thread.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "kernels/backend.h"

namespace mantissa::cuda {

/// Throws DeviceError ("cudaMemcpyAsync: an illegal memory access was encountered") unless `status` is a success; OutOfMemory if only
/// memory is lacking.
void check(cudaError_t status, const char* call);

/// Whether the environment sets this variable to a value other than 0.
bool isSet(const char* variable);

/// Selects `device` for this thread's calls. Takes a few nanoseconds if it is already selected; no other code here may select one.
void useDevice(int device);

/// useDevice for releases: ignores a device that no longer responds.
void useDeviceToRelease(int device) noexcept;

/// Bytes that can be allocated on this thread's GPU, less a reserve for libraries' kernels and workspaces.
std::int64_t freeBytes();
/// Throws OutOfMemory for a failed request of a library or the runtime.
[[noreturn]] void throwOutOfMemory(const char* call);

/// Zeroes memory before the call returns: other streams do not wait for the one used here.
void clear(void* memory, std::size_t bytes);

/// A stream of one device; its own calls select that device. Small copies use the queue's pinned memory, so neither direction waits;
/// results are at their destination after `wait`. Larger copies from the host wait.
class CudaQueue final : public Queue {
public:
    explicit CudaQueue(int device);
    ~CudaQueue() override;
    CudaQueue(const CudaQueue&) = delete;
    CudaQueue& operator=(const CudaQueue&) = delete;

    void wait() override;
    void mark(Mark place) override;
    double secondsBetweenMarks() override;
    bool isIdle() override;
    void beginRange(const char* name) override;  // of NVTX, if its header was there
    void endRange() override;

    /// The stream. Selects its device, so a caller that then enqueues is on the right one.
    cudaStream_t stream() const {
        useDevice(m_device);
        return m_stream;
    }
    void copyIn(void* to, const void* fromHost, std::size_t bytes);
    void copyOut(void* toHost, const void* from, std::size_t bytes);

protected:
    /// False if the environment sets MANTISSA_NO_GRAPHS (other than 0).
    bool offersCapture() const override;
    void beginCapture() override;
    std::unique_ptr<CapturedWork> endCapture() override;
    void discardCapture() noexcept override;

private:
    struct Delivery {
        void* to;
        const std::byte* from;
        std::size_t bytes;
    };
    int m_device;
    cudaStream_t m_stream = nullptr;
    cudaEvent_t m_marks[2] = {};
    std::byte* m_pinned = nullptr;  // allocated at first use
    bool m_hasNoPinned = false;     // allocation failed: copies wait
    std::size_t m_pinnedUsed = 0;   // since the last wait
    std::vector<Delivery> m_deliveries;

    std::byte* takePinned(std::size_t bytes);
};

/// Memory of an operation: buffers between its kernels, and tables. Allocated when it is prepared, never in a step.
class Scratch {
public:
    Scratch() = default;
    /// Zeroed. Throws OutOfMemory.
    explicit Scratch(std::size_t bytes);
    /// A copy of a host table.
    template <typename T>
    explicit Scratch(const std::vector<T>& table) : Scratch(table.size() * sizeof(T)) {
        fill(table.data(), table.size() * sizeof(T));
    }
    template <typename T>
    T* as() const {
        return static_cast<T*>(m_memory.get());
    }
    /// Bytes of all existing objects.
    static std::int64_t allBytes();

private:
    struct Free {
        std::int64_t bytes;
        void operator()(void* memory) const;
    };
    std::unique_ptr<void, Free> m_memory;

    void fill(const void* table, std::size_t bytes);
};

/// A queue made by this backend.
inline CudaQueue& cudaQueue(Queue& queue) {
    return static_cast<CudaQueue&>(queue);
}
inline cudaStream_t streamOf(Queue& queue) {
    return cudaQueue(queue).stream();
}

}  // namespace mantissa::cuda
