// SPDX-License-Identifier: Apache-2.0
// The emulated card as tests set it and look at it. One OS thread at a time; each begins on the first device.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace mantissa::emulation {

struct Counts {
    std::int64_t enqueued = 0;  // kernels, copies and fills, by themselves
    std::int64_t recorded = 0;  // into graphs
    std::int64_t graphLaunches = 0, synchronisations = 0;
    std::int64_t done = 0;  // of all that was enqueued or launched: a microsecond each, as events and the clock have it
    std::int64_t devicesSet = 0;
    std::int64_t strays = 0;  // streams and handles given back on another device than their own
    std::int64_t graphs = 0;  // that are there, before they are made ready to be launched
};
Counts& counts();

/// What the calls answer. Set before a backend is made.
struct Card {
    cudaError_t probe = cudaSuccess;    // of counting devices
    cudaError_t failure = cudaSuccess;  // of waiting: sticky
    int count = 1, driver = CUDART_VERSION;
    int capability = 90;
    std::size_t memoryBytes = std::size_t{4} << 30;
    bool tellsMemory = true;        // false: it is so full that even this cannot be asked
    std::int64_t clockStepNs = 32;  // how often the clock moves
};
Card& card();

/// This thread's.
int currentDevice();

/// The device that was this thread's when the memory was asked for.
int deviceOf(const void* memory);

}  // namespace mantissa::emulation
