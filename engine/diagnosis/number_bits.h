// SPDX-License-Identifier: Apache-2.0
// One number in one format: its bits, what it is rounded to, how far that is, and its neighbours. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/dtype/dtype.h"
#include "kernels/dtype/rounding.h"
#include "kernels/dtype/rounding_mode.h"

namespace mantissa {

/// "0 01111 1000000000": sign, exponent and mantissa of a code; of e8m0 the exponent alone.
std::string bitText(const DtypeFacts& format, std::uint32_t bits);

/// "NaN", "Inf", "zero", "subnormal", "normal"
std::string_view numberClass(const DtypeFacts& format, float value);

/// The next value of the format towards +Inf or -Inf, through the order of its codes; NaN where there is none.
float neighbour(const DtypeFacts& format, std::uint32_t bits, bool isUp);

struct NumberBits {
    Dtype dtype = Dtype::F32;
    std::uint32_t bits = 0;
    float rounded = 0;
    double error = 0;            // rounded - value; NaN or infinite where one of them is
    double ulps = 0;             // the same in units in the last place of the format at the value; NaN where that is not finite
    float below = 0, above = 0;  // neighbours of what it is rounded to; NaN: none

    double relativeError(float value) const { return error / static_cast<double>(value < 0 ? -value : value); }
};

/// Every format is a rounding of fp32.
NumberBits numberBits(Dtype dtype, float value, const RoundingMode& mode = {});

}  // namespace mantissa
