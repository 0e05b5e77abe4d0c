// SPDX-License-Identifier: Apache-2.0
// fp32 inputs on which roundings to narrower formats go wrong, if they do.
#pragma once

#include <cstdint>

#include "kernels/dtype/rounding.h"

namespace mantissa::test {

/// For each sign and exponent: for each of fp32's fractions with up to `kShift` low bits around a tie of tf32, fp16 or bf16 (and of fp16's
/// and fp32's subnormals, whose ties move up through the fraction), that fraction and its two neighbours, under 33 different leading bits.
/// Then every 4099th of the 2^32 bit patterns (a prime stride: it meets every exponent with changing fractions).
template <typename Use>
void forRoundingInputs(Use&& use) {
    constexpr std::uint32_t kFractionMask = (1u << kFloatMantissaBits) - 1;
    for (std::uint32_t signAndExponent = 0; signAndExponent < 512; ++signAndExponent) {
        for (int tieBit = 0; tieBit <= kFloatMantissaBits; ++tieBit) {
            for (std::uint32_t leading = 0; leading < 33; ++leading) {
                const std::uint32_t tie = leading << (tieBit + 1) | (1u << tieBit);
                for (const std::uint32_t fraction : {tie - 1, tie, tie + 1, leading * 0x3E0F83u}) {
                    use(floatFromBits(signAndExponent << kFloatMantissaBits | (fraction & kFractionMask)));
                }
            }
        }
    }
    for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += 4099) use(floatFromBits(static_cast<std::uint32_t>(bits)));
}

}  // namespace mantissa::test
