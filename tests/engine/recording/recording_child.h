// SPDX-License-Identifier: Apache-2.0
// What the killed child and its parent agree on.
#pragma once

#include <chrono>
#include <cstdint>

namespace mantissa::test {

struct Stamp {
    std::int64_t step, ns;
};

inline std::int64_t monotonicNs() {
    return std::chrono::steady_clock::now().time_since_epoch().count();  // CLOCK_MONOTONIC: one for all processes
}

}  // namespace mantissa::test
