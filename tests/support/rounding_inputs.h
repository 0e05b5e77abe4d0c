// SPDX-License-Identifier: Apache-2.0
// fp32 inputs that are critical for rounding to narrower formats, as bits.
#pragma once

#include <cstdint>

#include "tests/support/rounding_reference.h"

namespace mantissa::test {

/// Calls `use` for each sign and exponent: for each of fp32's fractions with up to 23 low bits around a tie of a narrower format (and of
/// its subnormals, whose ties move up through the fraction), that fraction and its two neighbours, with 33 different leading bits; then for
/// every 4099th of the 2^32 bit patterns (a prime stride: it covers every exponent with changing fractions).
template <typename Use>
void forRoundingInputs(Use&& use) {
    constexpr std::uint32_t kFractionMask = (1u << 23) - 1;
    for (std::uint32_t signAndExponent = 0; signAndExponent < 512; ++signAndExponent) {
        for (int tieBit = 0; tieBit <= 23; ++tieBit) {
            for (std::uint32_t leading = 0; leading < 33; ++leading) {
                const std::uint32_t tie = leading << (tieBit + 1) | (1u << tieBit);
                for (const std::uint32_t fraction : {tie - 1, tie, tie + 1, leading * 0x3E0F83u}) {
                    use(signAndExponent << 23 | (fraction & kFractionMask));
                }
            }
        }
    }
    for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += 4099) use(static_cast<std::uint32_t>(bits));
}

/// Calls `use` for every number of a format and every tie between two of them, including the one past the largest, each with its two fp32
/// neighbours.
template <typename Use>
void forNumbersAndTies(const FormatDefinition& f, Use&& use) {
    const auto useAround = [&](std::uint32_t magnitude) {
        for (const std::uint32_t bits : {magnitude == 0 ? 0 : magnitude - 1, magnitude, magnitude + 1}) {
            use(bits);
            use(bits | 1u << 31);
        }
    };
    for (int exponent = f.minExponent(); exponent <= f.maxExponent; ++exponent) {
        const int ulp = exponent - f.mantissaBits;
        const std::uint64_t first = exponent == f.minExponent() ? 0 : std::uint64_t{1} << f.mantissaBits;
        const std::uint64_t last = exponent == f.maxExponent ? f.largestSignificand : (std::uint64_t{2} << f.mantissaBits) - 1;
        for (std::uint64_t significand = first; significand <= last; ++significand) {
            useAround(composeFloat(significand, ulp));
            useAround(composeFloat(2 * significand + 1, ulp - 1));
        }
    }
}

}  // namespace mantissa::test
