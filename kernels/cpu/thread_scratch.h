// SPDX-License-Identifier: Apache-2.0
// Scratch memory per thread, and oneDNN on one thread.
#pragma once

#include <omp.h>

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/signal_stack.h"

namespace mantissa::cpu {

/// Scratch memory of the calling thread, shared by all operations: its contents are valid until the next call. It grows to the largest
/// requested size.
void* threadScratch(std::size_t bytes);

inline float* floatScratch(std::int64_t count) {
    return static_cast<float*>(threadScratch(static_cast<std::size_t>(count) * sizeof(float)));
}

/// Limits oneDNN to one thread: it reads the calling thread's OpenMP limit, both when a primitive is made and when it runs.
class OneThread {
public:
    OneThread() : m_before(omp_get_max_threads()) {
        ensureSignalStack();
        if (m_before > 1) omp_set_num_threads(1);
    }
    ~OneThread() {
        if (m_before > 1) omp_set_num_threads(m_before);
    }
    OneThread(const OneThread&) = delete;
    OneThread& operator=(const OneThread&) = delete;

private:
    int m_before;
};

}  // namespace mantissa::cpu
