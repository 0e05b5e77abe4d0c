// SPDX-License-Identifier: Apache-2.0
// The stand-ins for cuBLASLt and cuDNN within a test: counted from 0, and as they were afterwards.
#pragma once

#include "tests/support/cuda_emulation/libraries.h"

namespace mantissa::test {

class LibraryGuard {
public:
    explicit LibraryGuard(bool refuses = false) {
        emulation::libraryCalls() = {};
        emulation::libraryCalls().refuses = refuses;
    }
    ~LibraryGuard() { emulation::libraryCalls() = {}; }
    LibraryGuard(const LibraryGuard&) = delete;
    LibraryGuard& operator=(const LibraryGuard&) = delete;
};

}  // namespace mantissa::test
