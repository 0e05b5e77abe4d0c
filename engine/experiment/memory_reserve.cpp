// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/memory_reserve.h"

#include <atomic>
#include <cstdlib>
#include <exception>
#include <new>

namespace mantissa {
namespace {

constexpr std::size_t kReserveBytes = std::size_t{32} << 20;  // nlohmann lists kMaxJsonValues members in 16 MB before it frees them

std::atomic<void*> memoryReserve;

void onNoMemory() {
    void* reserve = std::uncaught_exceptions() > 0 ? memoryReserve.exchange(nullptr) : nullptr;
    if (reserve == nullptr) throw std::bad_alloc();
    std::free(reserve);
}

}  // namespace

void keepMemoryReserve() {
    [[maybe_unused]] static const std::new_handler kBefore = std::set_new_handler(onNoMemory);
    if (memoryReserve.load(std::memory_order_relaxed) != nullptr) return;
    void *none = nullptr, *memory = std::malloc(kReserveBytes);
    if (!memoryReserve.compare_exchange_strong(none, memory)) std::free(memory);
}

}  // namespace mantissa
