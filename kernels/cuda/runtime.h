// SPDX-License-Identifier: Apache-2.0
// The CUDA runtime as this folder uses it: errors in words, streams as queues.
// A status that is not success is thrown as DeviceError, with the call's name and the runtime's own words; a queue's thread is its user's.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "kernels/backend.h"

namespace mantissa::cuda {

/// Throws DeviceError ("cudaMemcpyAsync: an illegal memory access was encountered") unless `status` is a success, OutOfMemory where memory
/// is all that there is too little of.
void check(cudaError_t status, const char* call);

/// Whether the environment has this switch, and not as 0.
bool isSet(const char* variable);

/// Makes `device` the one that this thread's calls go to. A few nanoseconds where it is that already; nothing else here may change it.
void useDevice(int device);

/// The same for whoever gives something back, where a device that does not answer any more is no news.
void useDeviceToRelease(int device) noexcept;

/// Bytes of this thread's card that could be allocated now, but for what libraries' kernels and workspaces are left.
std::int64_t freeBytes();
/// What a library or the runtime asked for and did not get.
[[noreturn]] void throwOutOfMemory(const char* call);

/// Zeros, there before the call returns: other streams do not wait for the one that it goes through.
void clear(void* memory, std::size_t bytes);

/// A stream of one device, whose own calls go there whatever the thread has used before. Small copies go through pinned memory of the
/// queue's own, so that neither asking for a result nor handing something over waits; results are where they were asked for after `wait`.
/// Larger ones from the host wait.
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

    /// Whoever enqueues asks for it first, and so is on the stream's device.
    cudaStream_t stream() const {
        useDevice(m_device);
        return m_stream;
    }
    void copyIn(void* to, const void* fromHost, std::size_t bytes);
    void copyOut(void* toHost, const void* from, std::size_t bytes);

protected:
    /// Not where the environment has MANTISSA_NO_GRAPHS, and not as 0.
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
    std::byte* m_pinned = nullptr;  // made when it is first used
    bool m_hasNoPinned = false;     // there was none to be had: copies wait
    std::size_t m_pinnedUsed = 0;   // since the last wait
    std::vector<Delivery> m_deliveries;

    std::byte* takePinned(std::size_t bytes);
};

/// Memory of an operation's own: what passes from one of its kernels to the next, and tables. Made when it is prepared, never in a step.
class Scratch {
public:
    Scratch() = default;
    /// Zeroed. Throws OutOfMemory.
    explicit Scratch(std::size_t bytes);
    /// A copy of a table of the host's.
    template <typename T>
    explicit Scratch(const std::vector<T>& table) : Scratch(table.size() * sizeof(T)) {
        fill(table.data(), table.size() * sizeof(T));
    }
    template <typename T>
    T* as() const {
        return static_cast<T*>(m_memory.get());
    }
    /// Of all that are there.
    static std::int64_t allBytes();

private:
    struct Free {
        std::int64_t bytes;
        void operator()(void* memory) const;
    };
    std::unique_ptr<void, Free> m_memory;

    void fill(const void* table, std::size_t bytes);
};

/// A queue that this backend has made.
inline CudaQueue& cudaQueue(Queue& queue) {
    return static_cast<CudaQueue&>(queue);
}
inline cudaStream_t streamOf(Queue& queue) {
    return cudaQueue(queue).stream();
}

}  // namespace mantissa::cuda
