// SPDX-License-Identifier: Apache-2.0
// An independent rounding to narrow formats, from their definitions: a number is an integer times a power of two, and only integer
// arithmetic is used. It shares no code and no constant with kernels/dtype. Slow and simple.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/dtype/rounding.h"  // the names of formats and roundings, nothing else

namespace mantissa::test {

enum class Beyond { Inf, Nan, Largest };  // result of overflow without saturation

/// A format's numbers are significand * 2^(exponent - mantissaBits), 2^mantissaBits <= significand < 2^(mantissaBits + 1), exponents from
/// minExponent on; smaller significands at minExponent; up to largestSignificand at maxExponent.
struct FormatDefinition {
    Dtype dtype;
    std::string_view name;
    int exponentBits, mantissaBits, bias;
    int maxExponent;
    std::uint64_t largestSignificand;
    Beyond beyond;

    int minExponent() const { return 1 - bias; }
    std::uint32_t codes() const { return 1u << (1 + exponentBits + mantissaBits); }
};

/// Returns the definitions of tf32, fp16, bf16, fp8, fp6, fp4.
std::span<const FormatDefinition> formatDefinitions();
const FormatDefinition& definitionOf(Dtype dtype);

/// Rounds fp32 bits and returns fp32 bits. Every NaN becomes 0x7FC00000 or 0xFFC00000. `random`: 32 bits, for stochastic rounding.
std::uint32_t referenceRound(const FormatDefinition& format, Rounding rounding, bool saturate, std::uint32_t bits,
                             std::uint32_t random = 0);

/// Returns the number of a code as fp32 bits, NaN as above.
std::uint32_t referenceDecode(const FormatDefinition& format, std::uint32_t code);

/// Rounds to e8m0, whose codes are powers of two and NaN.
std::uint32_t referenceRoundE8m0(Rounding rounding, bool saturate, std::uint32_t bits, std::uint32_t random = 0);

/// Returns whether both are the same number; all NaNs of one sign are equal.
inline bool isSameNumber(std::uint32_t a, std::uint32_t b) {
    const bool areNan = (a & 0x7FFFFFFFu) > 0x7F800000u && (b & 0x7FFFFFFFu) > 0x7F800000u;
    return areNan ? a >> 31 == b >> 31 : a == b;
}

/// Returns significand * 2^exponent as fp32 bits without a sign; it must be an fp32 number.
std::uint32_t composeFloat(std::uint64_t significand, int exponent);

}  // namespace mantissa::test
