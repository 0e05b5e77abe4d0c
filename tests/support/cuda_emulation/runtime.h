// SPDX-License-Identifier: Apache-2.0
// The emulated GPU's state, for tests. One OS thread at a time; each starts on the first device.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace mantissa::emulation {

struct Counts {
    std::int64_t enqueued = 0;  // kernels, copies and fills outside of graphs
    std::int64_t recorded = 0;  // into graphs
    std::int64_t graphLaunches = 0, synchronisations = 0;
    std::int64_t done = 0;  // work completed of all enqueued or launched; 1 us each in events and the clock
    std::int64_t devicesSet = 0;
    std::int64_t strays = 0;  // streams and handles destroyed while another device was current
    std::int64_t graphs = 0;  // existing graphs, not counting executables
};
Counts& counts();

/// The results of the emulated calls. Set before a backend is created.
struct Card {
    cudaError_t probe = cudaSuccess;    // of cudaGetDeviceCount
    cudaError_t failure = cudaSuccess;  // of synchronisation: sticky
    int count = 1, driver = CUDART_VERSION;
    int capability = 90;
    std::size_t memoryBytes = std::size_t{4} << 30;
    bool tellsMemory = true;        // false: memory is so full that even this query fails
    std::int64_t clockStepNs = 32;  // resolution of the clock
};
Card& card();

/// Returns this thread's device.
int currentDevice();

/// Returns the device that was current when the memory was allocated.
int deviceOf(const void* memory);

}  // namespace mantissa::emulation
