// SPDX-License-Identifier: Apache-2.0
// The numbers of a format around a value, and the one it is rounded to. Pure functions; any thread.
#pragma once

#include <vector>

#include "engine/diagnosis/number_bits.h"

namespace mantissa {

struct LineTick {
    double value = 0;
    bool isBeyond = false;  // the first number beyond the format's largest, if its exponents continued; it marks overflow
};

struct NumberLine {
    std::vector<LineTick> ticks;  // ascending; empty if the value is not finite
    double value = 0;             // its magnitude for e8m0, which has no sign
    int lower = -1, upper = -1;   // indices of the ticks around the value, equal if it is a number of the format; -1: none
    float rounded = 0;
    bool isTie = false;      // exactly halfway
    bool isOffLine = false;  // beyond the tick with `isBeyond`
    /// The value's position between the two ticks, 0 to 1: the probability that stochastic rounding rounds up.
    double share() const {
        if (lower < 0 || upper < 0 || lower == upper) return 0;
        const double from = ticks[static_cast<std::size_t>(lower)].value, to = ticks[static_cast<std::size_t>(upper)].value;
        return (value - from) / (to - from);
    }
};

/// Returns `reach` ticks on either side of the value, fewer at the end of the format's range.
NumberLine numberLine(Dtype dtype, float value, const RoundingMode& mode = {}, int reach = 4);

}  // namespace mantissa
