// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/memory_reserve.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <new>

namespace mantissa {
namespace {

constexpr std::size_t kHalfBytes = std::size_t{20} << 20;  // nlohmann lists kMaxJsonValues members in 16 MB before it frees them

std::array<std::atomic<void*>, 2> reserveHalves;

bool releaseHalf(std::atomic<void*>& half) {
    void* memory = half.exchange(nullptr);
    std::free(memory);
    return memory != nullptr;
}

void onNoMemory() {
    if (releaseHalf(reserveHalves[0])) return;
    releaseHalf(reserveHalves[1]);
    throw std::bad_alloc();
}

}  // namespace

void keepMemoryReserve() {
    [[maybe_unused]] static const std::new_handler kBefore = std::set_new_handler(onNoMemory);
    for (std::atomic<void*>& half : reserveHalves) {
        if (half.load(std::memory_order_relaxed) != nullptr) continue;
        void *expected = nullptr, *memory = std::malloc(kHalfBytes);
        if (!half.compare_exchange_strong(expected, memory)) std::free(memory);
    }
}

}  // namespace mantissa
