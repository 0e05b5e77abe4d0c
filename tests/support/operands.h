// SPDX-License-Identifier: Apache-2.0
// Buffers of a backend between two guard bands, and one operation run on them: enqueue, wait, guards looked at.
// For any backend; values travel with copyIn and copyOut only.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "kernels/backend.h"
#include "kernels/dtype/rounding.h"

namespace mantissa::test {

/// `bytes` in backend memory with a band of a known pattern on both sides, aligned to 64.
class GuardedBuffer {
public:
    GuardedBuffer(Backend& backend, std::size_t bytes)
        : m_backend(backend), m_queue(backend.createQueue()), m_bytes(bytes), m_base(backend.allocate(bytes + 2 * kBand)) {
        const std::vector<std::byte> pattern(bytes + 2 * kBand, kPattern);
        m_backend.copyIn(*m_queue, m_base, pattern.data(), pattern.size());
        m_queue->wait();
    }
    template <typename T>
    GuardedBuffer(Backend& backend, const std::vector<T>& values) : GuardedBuffer(backend, values.size() * sizeof(T)) {
        m_backend.copyIn(*m_queue, data(), values.data(), m_bytes);
        m_queue->wait();
    }
    GuardedBuffer(const GuardedBuffer&) = delete;
    GuardedBuffer& operator=(const GuardedBuffer&) = delete;
    ~GuardedBuffer() { m_backend.release(m_base); }

    void* data() const { return static_cast<std::byte*>(m_base) + kBand; }

    template <typename T>
    std::vector<T> read() const {
        std::vector<T> values(m_bytes / sizeof(T));
        m_backend.copyOut(*m_queue, values.data(), data(), m_bytes);
        m_queue->wait();
        return values;
    }

    bool isIntact() const {
        std::vector<std::byte> all(m_bytes + 2 * kBand);
        m_backend.copyOut(*m_queue, all.data(), m_base, all.size());
        m_queue->wait();
        const auto isPattern = [](std::byte b) { return b == kPattern; };
        return std::all_of(all.begin(), all.begin() + kBand, isPattern) && std::all_of(all.end() - kBand, all.end(), isPattern);
    }

private:
    static constexpr std::size_t kBand = 256;
    static constexpr std::byte kPattern{0xA5};
    Backend& m_backend;
    std::unique_ptr<Queue> m_queue;
    std::size_t m_bytes;
    void* m_base;
};

/// fp32 values as the bytes of `dtype`'s storage, rounded.
inline std::vector<std::byte> stored(Dtype dtype, std::span<const float> values) {
    const std::size_t size = facts(dtype).storageBytes();
    std::vector<std::byte> bytes(values.size() * size);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint32_t code = encodeBits(dtype, values[i]);  // little-endian: the low bytes come first
        std::memcpy(bytes.data() + i * size, &code, size);
    }
    return bytes;
}

/// The bytes of `dtype`'s storage as values.
inline std::vector<double> valuesOf(Dtype dtype, const GuardedBuffer& buffer) {
    const std::size_t size = facts(dtype).storageBytes();
    const auto bytes = buffer.read<std::byte>();
    std::vector<double> values(bytes.size() / size);
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::uint32_t code = 0;
        std::memcpy(&code, bytes.data() + i * size, size);
        values[i] = static_cast<double>(decodeBits(dtype, code));
    }
    return values;
}

/// Prepares and runs one operation, with a workspace of exactly the size it asks for; a null operand stays null.
inline void runOperation(Backend& backend, const OperationDesc& desc, std::initializer_list<const GuardedBuffer*> buffers) {
    const std::size_t workspaceBytes = backend.workspaceBytes(desc);
    const GuardedBuffer workspace(backend, workspaceBytes);
    std::vector<void*> operands;
    for (const GuardedBuffer* buffer : buffers) operands.push_back(buffer != nullptr ? buffer->data() : nullptr);
    if (std::holds_alternative<MatmulDesc>(desc)) operands.push_back(workspaceBytes > 0 ? workspace.data() : nullptr);
    const auto queue = backend.createQueue();
    backend.prepare(desc)->enqueue(*queue, operands);
    queue->wait();
    EXPECT_TRUE(workspace.isIntact()) << "workspace";
    std::size_t index = 0;
    for (const GuardedBuffer* buffer : buffers) {
        EXPECT_TRUE(buffer == nullptr || buffer->isIntact()) << "guards of operand " << index;
        ++index;
    }
}

}  // namespace mantissa::test
