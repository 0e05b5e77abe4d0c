// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/thread_scratch.h"

#include <memory>
#include <new>

namespace mantissa::cpu {

void* threadScratch(std::size_t bytes) {
    constexpr std::align_val_t kAlignment{64};
    struct Free {
        void operator()(void* memory) const { ::operator delete(memory, kAlignment); }
    };
    thread_local std::unique_ptr<void, Free> scratch;
    thread_local std::size_t size = 0;
    if (bytes > size) {
        scratch.reset();
        size = 0;
        scratch.reset(::operator new(bytes, kAlignment));
        size = bytes;
    }
    return scratch.get();
}

}  // namespace mantissa::cpu
