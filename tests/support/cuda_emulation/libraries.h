// SPDX-License-Identifier: Apache-2.0
// Counters and switches of the emulated cuBLASLt and cuDNN, for tests. One OS thread at a time.
#pragma once

#include <cstdint>

namespace mantissa::emulation {

struct LibraryCalls {
    std::int64_t products = 0, heuristics = 0;  // of cuBLASLt
    std::int64_t blockProducts = 0;             // those with a scale for each block
    std::int64_t lastAlgorithm = -1;            // the last product's algorithm: its index in the offered list
    std::int64_t convolutions = 0;              // of cuDNN
    std::int64_t graphs = 0;                    // those of them run as graphs
    double milliseconds = 0;                    // emulated time of cuBLASLt's kernels so far
    std::int64_t graphsMade = 0;                // graphs built by cuDNN, for new shapes
    bool hasNoGraphs = false;                   // set by tests: cuDNN's frontend is missing
    bool hasNoMemory = false;                   // set by tests: there is no memory for the next graph
    bool refuses = false;                       // set by tests: neither library offers an algorithm
};
LibraryCalls& libraryCalls();

}  // namespace mantissa::emulation
