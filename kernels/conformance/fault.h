// SPDX-License-Identifier: Apache-2.0
// What can be wrong with an operation, by name, and the name of what is wrong with a result.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/dtype/dtype.h"

namespace mantissa::conformance {

enum class Fault : std::uint8_t {
    GuardBand,      // wrote outside an operand
    InputChanged,   // wrote into an operand that is only read
    NotRepeatable,  // other bits when run again, or when the output held something else before
    LostNan,
    NewNan,
    Infinity,           // one is missing, is of the other sign, or stands where a number belongs
    FlushedSubnormals,  // zeros in place of subnormals, all else right
    RoundedTowardZero,  // each wrong result is the neighbour nearer to 0
    OneUlp,             // each wrong result is a neighbour of the right one
    BeyondLimit,
    NothingProved,  // constant or zero results by the case's own making: the case is wrong
    Threw,
};
/// A clause: "writes outside its buffers".
std::string_view faultName(Fault fault);

/// Of results of which at least one is beyond its limit (one for each, or one for all), stored in `out`.
Fault diagnose(Dtype out, std::span<const double> actual, std::span<const double> expected, std::span<const double> limits);

}  // namespace mantissa::conformance
