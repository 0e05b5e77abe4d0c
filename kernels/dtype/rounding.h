// SPDX-License-Identifier: Apache-2.0
// Rounding to nearest even, encoding and decoding: the one definition, for host and device, generic over the widths of an
// IEEE-like format (Inf and NaN at the top exponent). A code is the format's own bits, right-aligned: 16 for fp16 and bf16, 19 for tf32.
// - Overflow gives Inf from halfway past the largest finite value (DtypeFacts::overflowFrom); subnormals are exact; -0 keeps its sign.
// - NaN stays NaN with its sign; it becomes quiet and keeps the payload bits that fit. fp32 to fp32 changes no bit. Decoding
//   is exact; fp16's makes NaN quiet, as the processors' own conversion does.
// No branches on values, so loops over these vectorise. They rely on the processor's default rounding, and must not meet -ffast-math.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/dtype/dtype.h"
#include "kernels/dtype/host_device.h"

namespace mantissa {

inline constexpr std::uint32_t kFloatSign = 0x80000000u;
inline constexpr std::uint32_t kFloatInf = 0x7F800000u;
inline constexpr std::uint32_t kFloatQuietBit = 0x00400000u;
inline constexpr int kFloatMantissaBits = 23;
inline constexpr int kFloatBias = 127;

MANTISSA_HD inline std::uint32_t floatBits(float value) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

MANTISSA_HD inline float floatFromBits(std::uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

/// condition ? yes : no by masks: compilers turn chained conditionals back into branches, which do not vectorise.
MANTISSA_HD inline std::uint32_t select(bool condition, std::uint32_t yes, std::uint32_t no) {
    const std::uint32_t mask = 0u - static_cast<std::uint32_t>(condition);
    return (yes & mask) | (no & ~mask);
}

/// A format of `exponentBits` and `mantissaBits` with IEEE's layout, narrower than fp32.
template <int exponentBits, int mantissaBits>
struct IeeeFormat {
    static_assert(exponentBits >= 2 && exponentBits <= 8 && mantissaBits >= 1 && mantissaBits < kFloatMantissaBits);
    static constexpr int kShift = kFloatMantissaBits - mantissaBits;  // fraction bits that are dropped
    static constexpr int kBias = (1 << (exponentBits - 1)) - 1;
    static constexpr int kSignShift = 31 - exponentBits - mantissaBits;  // from fp32's sign to the code's
    static constexpr std::uint32_t kInf = ((1u << exponentBits) - 1u) << mantissaBits;
    static constexpr std::uint32_t kQuietBit = 1u << (mantissaBits - 1);

    MANTISSA_HD static std::uint32_t encode(float value) {
        if constexpr (exponentBits == 8) {
            return roundBits(value) >> kShift;
        } else {
            const std::uint32_t bits = floatBits(value);
            const std::uint32_t magnitude = bits & ~kFloatSign;
            // Adding 2^(e + kShift), e the exponent with its floor at the format's subnormals, makes the processor round |value| to
            // a multiple of the format's ulp at e. The sum's low bits then count ulps: the implicit one and its carry come along.
            constexpr std::uint32_t kLowest = static_cast<std::uint32_t>(kFloatBias + 1 - kBias) << kFloatMantissaBits;
            constexpr std::uint32_t kHighest = static_cast<std::uint32_t>(kFloatBias + kBias) << kFloatMantissaBits;
            std::uint32_t exponent = magnitude & kFloatInf;
            exponent = select(exponent < kLowest, kLowest, exponent);
            exponent = select(exponent > kHighest, kHighest, exponent);
            const std::uint32_t ulpAnchor = exponent + (static_cast<std::uint32_t>(kShift) << kFloatMantissaBits);
            const std::uint32_t ulps = floatBits(floatFromBits(magnitude) + floatFromBits(ulpAnchor)) - ulpAnchor;
            std::uint32_t code = ((exponent - kLowest) >> kShift) + ulps;
            code = select(code > kInf, kInf, code);
            code = select(magnitude > kFloatInf, kInf | kQuietBit | (magnitude >> kShift & (kQuietBit - 1u)), code);
            return code | (bits & kFloatSign) >> kSignShift;
        }
    }

    MANTISSA_HD static float decode(std::uint32_t code) {
        const std::uint32_t sign = (code << kSignShift) & kFloatSign;
        const std::uint32_t magnitude = (code & ((1u << (exponentBits + mantissaBits)) - 1u)) << kShift;
        if constexpr (exponentBits == 8) {
            return floatFromBits(sign | magnitude);
        } else {
            constexpr std::uint32_t kRebias = static_cast<std::uint32_t>(kFloatBias - kBias) << kFloatMantissaBits;
            constexpr std::uint32_t kMinNormal = kRebias + (1u << kFloatMantissaBits);
            // A subnormal is its fraction beside an implicit one, less that one: exact, and never an fp32 subnormal on the way.
            const std::uint32_t subnormal = floatBits(floatFromBits(magnitude + kMinNormal) - floatFromBits(kMinNormal));
            const std::uint32_t normal = magnitude + kRebias;
            const std::uint32_t payload = magnitude & ((1u << kFloatMantissaBits) - 1u);
            const std::uint32_t special = select(payload != 0, payload | kFloatQuietBit, 0u) | kFloatInf;
            const std::uint32_t finite = select(magnitude < (1u << kFloatMantissaBits), subnormal, normal);
            const std::uint32_t bits = select(magnitude >= kInf << kShift, special, finite);
            return floatFromBits(sign | bits);
        }
    }

    MANTISSA_HD static float round(float value) {
        if constexpr (exponentBits == 8) {
            return floatFromBits(roundBits(value));
        } else {
            return decode(encode(value));
        }
    }

private:
    /// fp32's bits rounded in place, for formats with fp32's exponent range: adding just under half an ulp, or half when odd, carries
    /// where it must, subnormals, overflow and sign included.
    MANTISSA_HD static std::uint32_t roundBits(float value) {
        const std::uint32_t bits = floatBits(value);
        const std::uint32_t carried = bits + ((1u << (kShift - 1)) - 1u) + (bits >> kShift & 1u);
        return (value != value ? bits | kFloatQuietBit : carried) & ~((1u << kShift) - 1u);
    }
};

using Tf32Format = IeeeFormat<8, 10>;
using F16Format = IeeeFormat<5, 10>;
using Bf16Format = IeeeFormat<8, 7>;

MANTISSA_HD inline std::uint32_t encodeBits(Dtype dtype, float value) {
    switch (dtype) {
        case Dtype::TF32:
            return Tf32Format::encode(value);
        case Dtype::F16:
            return F16Format::encode(value);
        case Dtype::BF16:
            return Bf16Format::encode(value);
        case Dtype::F32:
            break;
    }
    return floatBits(value);
}

MANTISSA_HD inline float decodeBits(Dtype dtype, std::uint32_t code) {
    switch (dtype) {
        case Dtype::TF32:
            return Tf32Format::decode(code);
        case Dtype::F16:
            return F16Format::decode(code);
        case Dtype::BF16:
            return Bf16Format::decode(code);
        case Dtype::F32:
            break;
    }
    return floatFromBits(code);
}

/// The nearest value of the format, ties to even.
MANTISSA_HD inline float roundTo(Dtype dtype, float value) {
    return decodeBits(dtype, encodeBits(dtype, value));
}

}  // namespace mantissa
