// SPDX-License-Identifier: Apache-2.0
// The possible faults of an operation, and the diagnosis of a wrong result.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/dtype/dtype.h"

namespace mantissa::conformance {

enum class Fault : std::uint8_t {
    GuardBand,      // wrote outside an operand
    InputChanged,   // wrote into a read-only operand
    NotRepeatable,  // other bits in a second run, or with other initial content of the output
    LostNan,
    NewNan,
    Infinity,           // missing, of the wrong sign, or in place of a number
    FlushedSubnormals,  // zeros in place of subnormals, all others right
    RoundedTowardZero,  // each wrong result is the neighbour nearer to 0
    OneUlp,             // each wrong result is a neighbour of the right one
    BeyondLimit,
    NothingProved,  // constant or zero results by the case's design: the case is wrong
    Threw,
};
/// A fault in a clause: "writes outside its buffers".
std::string_view faultName(Fault fault);

/// Diagnoses results stored in `out`, at least one beyond its limit (one for each, or one for all).
Fault diagnose(Dtype out, std::span<const double> actual, std::span<const double> expected, std::span<const double> limits);

}  // namespace mantissa::conformance
