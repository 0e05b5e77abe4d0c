// SPDX-License-Identifier: Apache-2.0
// The classes of a tensor's elements. Plain values; any thread.
#pragma once

#include <cstdint>

namespace mantissa {

/// Counts of six element classes, and the largest magnitude.
struct ElementClasses {
    std::int64_t negativeInf = 0, negative = 0, zero = 0, positive = 0, positiveInf = 0, nan = 0;
    std::int64_t firstNonFinite = -1;  // index, or -1
    double absMax = 0;                 // over finite elements
    bool allFinite() const { return nonFinite() == 0; }
    std::int64_t nonFinite() const { return negativeInf + positiveInf + nan; }
    std::int64_t count() const { return nonFinite() + negative + zero + positive; }
    bool operator==(const ElementClasses&) const = default;
};

}  // namespace mantissa
