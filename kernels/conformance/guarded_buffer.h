// SPDX-License-Identifier: Apache-2.0
// Buffers of a backend between two guard bands, and their elements as numbers. Values are transferred only by copyIn and copyOut, so the
// memory may be a device's.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "kernels/backend.h"

namespace mantissa::conformance {

using Bytes = std::vector<std::byte>;

/// A buffer of `bytes` in backend memory with a known pattern on both sides. Begins on a cache line, or `offset` bytes after one.
class GuardedBuffer {
public:
    /// Allocates. Copies use `queue`; null: a new queue.
    GuardedBuffer(Backend& backend, std::size_t bytes, std::size_t offset = 0, std::shared_ptr<Queue> queue = nullptr);
    template <typename T>
    GuardedBuffer(Backend& backend, const std::vector<T>& values) : GuardedBuffer(backend, values.size() * sizeof(T)) {
        write(std::as_bytes(std::span(values)));
    }
    GuardedBuffer(const GuardedBuffer&) = delete;
    GuardedBuffer& operator=(const GuardedBuffer&) = delete;
    ~GuardedBuffer() { m_backend.release(m_base); }

    void* data() const { return static_cast<std::byte*>(m_base) + m_before; }
    void write(std::span<const std::byte> bytes);  // exactly the buffer's size
    Bytes bytes() const;

    template <typename T>
    std::vector<T> read() const {
        std::vector<T> values(m_bytes / sizeof(T));
        m_backend.copyOut(*m_queue, values.data(), data(), m_bytes);
        m_queue->wait();
        return values;
    }

    bool isIntact() const;

private:
    static constexpr std::size_t kBand = 256;
    static constexpr std::byte kPattern{0xA5};
    std::size_t wholeBytes() const { return m_before + m_bytes + kBand; }

    Backend& m_backend;
    std::shared_ptr<Queue> m_queue;
    std::size_t m_before, m_bytes;
    void* m_base;
};

/// Rounds fp32 values and returns them as bytes of `dtype`'s storage.
Bytes stored(Dtype dtype, std::span<const float> values);

/// Converts bytes of `dtype`'s storage to numbers.
std::vector<double> valuesOf(Dtype dtype, std::span<const std::byte> bytes);
inline std::vector<double> valuesOf(Dtype dtype, const GuardedBuffer& buffer) {
    return valuesOf(dtype, buffer.bytes());
}

/// The operands of `enqueue`: `memory`, then the workspace if the operation names one, which may be null.
std::vector<void*> withWorkspace(const OperationDesc& desc, std::vector<void*> memory, std::size_t workspaceBytes, void* workspace);

}  // namespace mantissa::conformance
