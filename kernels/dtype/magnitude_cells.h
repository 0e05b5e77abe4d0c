// SPDX-License-Identifier: Apache-2.0
// Cells of magnitudes: the binary exponent, and a part of the range between two powers of two. The parts are so fine that counts by cell
// determine how any tensor format rounds a tensor, scaled by any power of two. Host and device; any thread.
//
// The cuts are the significands at which rounding to nearest even changes a number's kind. With m fraction bits, 2 - 2^-m times half the
// smallest normal number rounds up to it (a tie, to even), and 2 - 2^-(m+1) times the top power of two rounds beyond the largest number.
// e4m3, whose top code is NaN, keeps the tie at 464 = 1.8125 * 2^8. An exact power of two is a separate part: half the smallest subnormal
// rounds to 0, anything above it does not. A test compares the cuts with the properties of the formats.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/dtype/rounding.h"

namespace mantissa {

/// The exponents of fp32, subnormals included.
inline constexpr int kLeastExponent = -149, kMostExponent = 127;
inline constexpr int kExponentCount = kMostExponent - kLeastExponent + 1;

/// The smallest fraction field of parts 1, 2, ...; part 0 is the power of two itself.
inline constexpr std::array<std::uint32_t, 9> kPartStarts{
    1,         // above a power of two
    0x600000,  // 1.75: e5m2 rounds up to its smallest normal number
    0x680001,  // above 1.8125: e4m3 overflows
    0x700000,  // 1.875: e4m3 rounds up to normal; e5m2 overflows
    0x7F0000,  // 2 - 2^-7: bf16 rounds up to normal
    0x7F8000,  // 2 - 2^-8: bf16 overflows
    0x7FE000,  // 2 - 2^-10: fp16 and tf32 round up to normal
    0x7FF000,  // 2 - 2^-11: fp16 and tf32 overflow
    0x7FFFFF,  // 2 - 2^-23: fp32 rounds up to normal
};
inline constexpr int kPartCount = static_cast<int>(kPartStarts.size()) + 1;
inline constexpr int kCellCount = kExponentCount * kPartCount;

MANTISSA_HD constexpr int partOf(std::uint32_t fraction) {
    constexpr auto kStarts = kPartStarts;  // a local copy: device code cannot refer to the host's
    int part = 0;
    for (const std::uint32_t start : kStarts) part += fraction >= start ? 1 : 0;
    return part;
}

constexpr int cellIndex(int exponent, int part) {
    return (exponent - kLeastExponent) * kPartCount + part;
}

/// The cell of a finite non-zero number.
MANTISSA_HD inline int cellOf(float value) {
    std::uint32_t magnitude = floatBits(value) & ~kFloatSign;
    int exponent = -kFloatBias;
    if (magnitude < kFloatImplicitBit) {  // subnormal: 2^24 times it is not, and exact
        magnitude = floatBits(floatFromBits(magnitude) * 0x1p24f);
        exponent -= 24;
    }
    exponent += static_cast<int>(magnitude >> kFloatMantissaBits);
    return cellIndex(exponent, partOf(magnitude & (kFloatImplicitBit - 1)));
}

}  // namespace mantissa
