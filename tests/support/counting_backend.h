// SPDX-License-Identifier: Apache-2.0
// A backend that counts the bytes that are allocated and not released yet.
#pragma once

#include <map>

#include "tests/support/forwarding_backend.h"

namespace mantissa::test {

class CountingBackend : public ForwardingBackend {
public:
    std::map<void*, std::int64_t> live;
    std::int64_t liveBytes() const {
        std::int64_t sum = 0;
        for (const auto& [memory, bytes] : live) sum += bytes;
        return sum;
    }
    void* allocate(std::size_t bytes) override {
        void* memory = inner->allocate(bytes);
        live[memory] = static_cast<std::int64_t>(bytes);
        return memory;
    }
    void release(void* memory) noexcept override {
        live.erase(memory);
        inner->release(memory);
    }
};

}  // namespace mantissa::test
