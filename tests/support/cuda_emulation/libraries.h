// SPDX-License-Identifier: Apache-2.0
// What tests see of the stand-ins for cuBLASLt and cuDNN. One OS thread at a time.
#pragma once

#include <cstdint>

namespace mantissa::emulation {

struct LibraryCalls {
    std::int64_t products = 0, heuristics = 0;  // of cuBLASLt
    std::int64_t lastAlgorithm = -1;            // of a product: the order in which it was offered
    std::int64_t convolutions = 0;              // of cuDNN
    std::int64_t graphs = 0;                    // those of them that were graphs
    double milliseconds = 0;                    // what cuBLASLt's kernels have taken so far, by their own account
    std::int64_t graphsMade = 0;                // by cuDNN, for shapes that it has not met before
    bool hasNoGraphs = false;                   // set by tests: cuDNN's frontend was not found
    bool hasNoMemory = false;                   // set by tests: for the next graph
    bool refuses = false;                       // set by tests: neither library has anything to offer
};
LibraryCalls& libraryCalls();

}  // namespace mantissa::emulation
