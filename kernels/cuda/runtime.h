// SPDX-License-Identifier: Apache-2.0
// The CUDA runtime as this folder uses it: errors in words, streams as queues.
// A status that is not success is thrown as DeviceError, with the call's name and the runtime's own words; a queue's thread is its user's.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <vector>

#include "kernels/backend.h"

namespace mantissa::cuda {

/// Throws DeviceError ("cudaMemcpyAsync: an illegal memory access was encountered") unless `status` is a success.
void check(cudaError_t status, const char* call);

/// A stream.
class CudaQueue final : public Queue {
public:
    CudaQueue();
    ~CudaQueue() override;
    CudaQueue(const CudaQueue&) = delete;
    CudaQueue& operator=(const CudaQueue&) = delete;

    void wait() override;
    void beginRecording() override;
    std::unique_ptr<Recording> endRecording() override;

    cudaStream_t stream() const { return m_stream; }

private:
    cudaStream_t m_stream = nullptr;
};

/// Memory of an operation's own: what passes from one of its kernels to the next, and tables. Made when it is prepared, never in a step.
class Scratch {
public:
    Scratch() = default;
    /// Zeroed. Throws std::bad_alloc.
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

private:
    struct Free {
        void operator()(void* memory) const { cudaFree(memory); }
    };
    std::unique_ptr<void, Free> m_memory;

    void fill(const void* table, std::size_t bytes);
};

/// Of a queue that this backend has made.
inline cudaStream_t streamOf(Queue& queue) {
    return static_cast<CudaQueue&>(queue).stream();
}

}  // namespace mantissa::cuda
