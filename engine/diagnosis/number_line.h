// SPDX-License-Identifier: Apache-2.0
// The numbers of a format around a value, and where it is rounded to among them. Pure functions; any thread.
#pragma once

#include <vector>

#include "engine/diagnosis/number_bits.h"

namespace mantissa {

struct LineTick {
    double value = 0;
    bool isBeyond = false;  // the number that would follow the largest one, if the format went on: what overflows is measured by it
};

struct NumberLine {
    std::vector<LineTick> ticks;  // ascending; empty where the value is not finite
    double value = 0;             // e8m0 has no sign: the magnitude
    int lower = -1, upper = -1;   // ticks that the value lies between, the same one where it is a number of the format; -1: none
    float rounded = 0;
    bool isTie = false;      // exactly halfway
    bool isOffLine = false;  // farther away than the first number that the format does not have
    /// The value's place between the two, 0 to 1: what stochastic rounding goes up with.
    double share() const {
        if (lower < 0 || upper < 0 || lower == upper) return 0;
        const double from = ticks[static_cast<std::size_t>(lower)].value, to = ticks[static_cast<std::size_t>(upper)].value;
        return (value - from) / (to - from);
    }
};

/// `reach` ticks on either side of the value, fewer where the format ends.
NumberLine numberLine(Dtype dtype, float value, const RoundingMode& mode = {}, int reach = 4);

}  // namespace mantissa
