// SPDX-License-Identifier: Apache-2.0
#include "kernels/conformance/guarded_buffer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels/dtype/rounding.h"

namespace mantissa::conformance {

GuardedBuffer::GuardedBuffer(Backend& backend, std::size_t bytes, std::size_t offset, std::shared_ptr<Queue> queue)
    : m_backend(backend),
      m_queue(queue != nullptr ? std::move(queue) : backend.createQueue()),
      m_before(kBand + offset),
      m_bytes(bytes),
      m_base(backend.allocate(m_before + bytes + kBand)) {
    const Bytes pattern(wholeBytes(), kPattern);
    m_backend.copyIn(*m_queue, m_base, pattern.data(), pattern.size());
    m_queue->wait();
}

void GuardedBuffer::write(std::span<const std::byte> bytes) {
    m_backend.copyIn(*m_queue, data(), bytes.data(), m_bytes);
    m_queue->wait();
}

Bytes GuardedBuffer::bytes() const {
    return read<std::byte>();
}

bool GuardedBuffer::isIntact() const {
    Bytes all(wholeBytes());
    m_backend.copyOut(*m_queue, all.data(), m_base, all.size());
    m_queue->wait();
    const auto isPattern = [](std::byte b) { return b == kPattern; };
    return std::all_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(m_before), isPattern) &&
           std::all_of(all.end() - static_cast<std::ptrdiff_t>(kBand), all.end(), isPattern);
}

Bytes stored(Dtype dtype, std::span<const float> values) {
    const std::size_t size = facts(dtype).storageBytes();
    Bytes bytes(values.size() * size);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint32_t code = encodeBits(dtype, values[i]);  // little-endian: the low bytes come first
        std::memcpy(bytes.data() + i * size, &code, size);
    }
    return bytes;
}

std::vector<double> valuesOf(Dtype dtype, std::span<const std::byte> bytes) {
    const std::size_t size = facts(dtype).storageBytes();
    std::vector<double> values(bytes.size() / size);
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::uint32_t code = 0;
        std::memcpy(&code, bytes.data() + i * size, size);
        values[i] = static_cast<double>(decodeBits(dtype, code));
    }
    return values;
}

std::vector<void*> withWorkspace(const OperationDesc& desc, std::vector<void*> memory, std::size_t workspaceBytes, void* workspace) {
    if (namesWorkspace(desc)) memory.push_back(workspaceBytes > 0 ? workspace : nullptr);
    return memory;
}

}  // namespace mantissa::conformance
