// SPDX-License-Identifier: Apache-2.0
// One number in one format: its bits, rounded value, error and neighbours. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/dtype/dtype.h"
#include "kernels/dtype/rounding.h"
#include "kernels/dtype/rounding_mode.h"

namespace mantissa {

/// Returns sign, exponent and mantissa of a code, "0 01111 1000000000"; for e8m0 only the exponent.
std::string bitText(const DtypeFacts& format, std::uint32_t bits);

/// Returns "NaN", "Inf", "zero", "subnormal" or "normal".
std::string_view numberClass(const DtypeFacts& format, float value);

/// The distance between adjacent numbers of the format at a finite `value`; below the normal numbers, the distance of subnormals.
double ulpAt(const DtypeFacts& format, double value);

/// Returns the format's next value towards +Inf or -Inf; NaN if there is none.
float neighbour(const DtypeFacts& format, std::uint32_t bits, bool isUp);

struct NumberBits {
    Dtype dtype = Dtype::F32;
    std::uint32_t bits = 0;
    float rounded = 0;
    double error = 0;            // rounded - value; NaN or infinite if one of them is
    double ulps = 0;             // error in ulps of the format at the value; NaN if the error is not finite
    float below = 0, above = 0;  // neighbours of `rounded`; NaN: none
    bool isSaturated = false;    // a value that overflows, Inf too, became the largest finite number

    double relativeError(float value) const { return error / static_cast<double>(value < 0 ? -value : value); }
};

/// Returns the class of the rounded number as above, or "saturated".
std::string_view numberClass(const NumberBits& number);

/// Rounds `value` to `dtype` and returns the result's bits, error and neighbours.
NumberBits numberBits(Dtype dtype, float value, const RoundingMode& mode = {});

}  // namespace mantissa
