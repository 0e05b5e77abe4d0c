// SPDX-License-Identifier: Apache-2.0
// Rounding, encoding and decoding: one definition, for host and device, generic over the widths of a binary format. A code is the format's
// own bits, right-aligned: 16 for fp16 and bf16, 19 for tf32, 8 for fp8.
//
// Rounding depends on the dropped fraction of an ulp; subnormals of the target have the ulp of its smallest normal number.
// - nearest-even, nearest-away: the closer neighbour; a tie goes to the even code, or away from 0.
// - toward-zero: the neighbour nearer to 0. A finite value never overflows: it gives the largest finite value at most.
// - stochastic: away from 0 with a probability that equals the fraction, for normal and subnormal targets alike: 32 random bits, added to
//   the fraction in units of 2^-32, produce the carry. Below 2^-8 of the smallest subnormal the fraction is truncated to a multiple of
//   2^-32, elsewhere it is exact.
//
// Overflow (a value that rounds beyond the largest finite one, with unbounded exponent) gives Inf; NaN in e4m3 and e8m0, which have no Inf;
// the largest finite value in fp6 and fp4, which have neither. Saturating modes give the largest finite value in all formats, also for an
// infinite input.
//
// NaN stays NaN with its sign, and becomes quiet. Codes keep the payload bits that fit (NVIDIA's conversions to fp8 give 0x7F instead);
// `round` keeps all of them, except that e4m3 and e8m0 have only one NaN. fp6 and fp4 have no NaN: encoding gives the positive largest
// value, as the hardware does.
//
// -0 keeps its sign. fp32 to fp32 changes no bit. Decoding is exact; it makes NaN quiet where the exponent is narrower.
//
// Loops over these functions vectorise if floating-point traps are disabled (-fno-trapping-math: otherwise conditionals become branches).
// They need the processor's default rounding, and must not be compiled with -ffast-math.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/dtype/dtype.h"
#include "kernels/dtype/host_device.h"
#include "kernels/dtype/rounding_mode.h"
#include "kernels/random/philox.h"

namespace mantissa {

MANTISSA_HD inline std::uint32_t randomBits(const RoundingMode& mode, std::uint64_t index) {
    return randomBits(mode.seed, RandomUse::StochasticRounding, mode.stream, index);
}

inline constexpr std::uint32_t kFloatSign = 0x80000000u;
inline constexpr std::uint32_t kFloatInf = 0x7F800000u;
inline constexpr std::uint32_t kFloatQuietBit = 0x00400000u;
inline constexpr std::uint32_t kFloatImplicitBit = 0x00800000u;
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

/// 1 if a dropped fraction of an ulp, in units of 2^-32, rounds a magnitude up. Not for nearest-even, which also depends on the kept
/// digits.
template <Rounding rounding>
MANTISSA_HD inline std::uint32_t roundsUp(std::uint32_t fraction, std::uint32_t random) {
    static_assert(rounding != Rounding::NearestEven);
    if constexpr (rounding == Rounding::NearestAway) return fraction >> 31;
    if constexpr (rounding == Rounding::Stochastic) return fraction + random < fraction;
    return 0;
}

/// A format of a sign, `exponentBits` and `mantissaBits`, narrower than fp32.
template <int exponentBits, int mantissaBits, Specials specials = Specials::InfAndNan>
struct BinaryFormat {
    static_assert(exponentBits >= 2 && exponentBits <= 8 && mantissaBits >= 1 && mantissaBits < kFloatMantissaBits);
    static constexpr bool kHasFloatRange = exponentBits == 8;
    static constexpr int kShift = kFloatMantissaBits - mantissaBits;  // fraction bits that are dropped
    static constexpr int kBias = (1 << (exponentBits - 1)) - 1;
    static constexpr int kSignShift = 31 - exponentBits - mantissaBits;  // from fp32's sign bit to the code's

    // Codes without their sign.
    static constexpr std::uint32_t kAllOnes = (1u << (exponentBits + mantissaBits)) - 1u;
    static constexpr std::uint32_t kTopExponent = kAllOnes >> mantissaBits << mantissaBits;
    static constexpr std::uint32_t kMaxFinite = specials == Specials::InfAndNan ? kTopExponent - 1u
                                                : specials == Specials::NanOnly ? kAllOnes - 1u
                                                                                : kAllOnes;
    static constexpr std::uint32_t kOverflow = specials == Specials::None ? kMaxFinite : kMaxFinite + 1u;  // Inf, or the only NaN

    // Magnitudes as fp32 bits.
    static constexpr std::uint32_t kRebias = static_cast<std::uint32_t>(kFloatBias - kBias) << kFloatMantissaBits;
    static constexpr std::uint32_t kMinNormal = kRebias + kFloatImplicitBit;
    static constexpr std::uint32_t kLargest = (kMaxFinite << kShift) + kRebias;
    static constexpr std::uint32_t kDropped = (1u << kShift) - 1u;
    /// The first one that nearest-even rounds beyond the largest: half an ulp above it if the largest is odd; otherwise the tie still
    /// rounds to it.
    static constexpr std::uint32_t kOverflowFrom = kLargest + (1u << (kShift - 1)) + (1u - (kMaxFinite & 1u));

    template <Rounding rounding = Rounding::NearestEven>
    MANTISSA_HD static std::uint32_t encode(float value, std::uint32_t random = 0) {
        if constexpr (kHasFloatRange) return floatBits(round<rounding>(value, random)) >> kShift;
        const std::uint32_t bits = floatBits(value), magnitude = bits & ~kFloatSign;
        std::uint32_t code = 0;
        if constexpr (rounding == Rounding::NearestEven) {
            code = nearestEvenCode(magnitude);
        } else {
            code = shiftedCode<rounding>(magnitude, random);
        }
        const std::uint32_t sign = (bits & kFloatSign) >> kSignShift;
        if constexpr (specials == Specials::None) return magnitude > kFloatInf ? kMaxFinite : code | sign;
        return (magnitude > kFloatInf ? nanCode(magnitude) : code) | sign;
    }

    MANTISSA_HD static float decode(std::uint32_t code) {
        const std::uint32_t sign = (code << kSignShift) & kFloatSign;
        const std::uint32_t magnitude = (code & kAllOnes) << kShift;
        if constexpr (kHasFloatRange) return floatFromBits(sign | magnitude);
        // A subnormal is its fraction with an implicit one, minus that one: exact, without fp32 subnormals as intermediate values.
        const std::uint32_t subnormal = floatBits(floatFromBits(magnitude + kMinNormal) - floatFromBits(kMinNormal));
        std::uint32_t decoded = magnitude < kFloatImplicitBit ? subnormal : magnitude + kRebias;
        if constexpr (specials == Specials::NanOnly) {
            decoded = magnitude > kMaxFinite << kShift ? kFloatInf | kFloatQuietBit : decoded;
        } else if constexpr (specials == Specials::InfAndNan) {
            const std::uint32_t payload = magnitude & (kFloatImplicitBit - 1u);
            const std::uint32_t special = kFloatInf | (payload != 0 ? payload | kFloatQuietBit : 0u);
            decoded = magnitude > kMaxFinite << kShift ? special : decoded;
        }
        return floatFromBits(sign | decoded);
    }

    /// Rounds to the format; the value as fp32.
    template <Rounding rounding = Rounding::NearestEven>
    MANTISSA_HD static float round(float value, std::uint32_t random = 0) {
        const std::uint32_t bits = floatBits(value), sign = bits & kFloatSign;
        if constexpr (kHasFloatRange) {
            return floatFromBits(value != value ? bits | kFloatQuietBit : roundInPlace<rounding>(bits, random));
        } else if constexpr (rounding == Rounding::NearestEven) {
            return floatFromBits(nearestEven(bits & ~kFloatSign) | sign);
        } else {
            const std::uint32_t nan = specials == Specials::NanOnly ? kFloatInf | kFloatQuietBit | sign : bits | kFloatQuietBit;
            return floatFromBits(value != value ? nan : floatBits(decode(encode<rounding>(value, random))));
        }
    }

private:
    MANTISSA_HD static std::uint32_t nanCode(std::uint32_t magnitude) {
        if constexpr (specials != Specials::InfAndNan) return kAllOnes;
        constexpr std::uint32_t kQuietBit = 1u << (mantissaBits - 1);
        return kTopExponent | kQuietBit | (magnitude >> kShift & (kQuietBit - 1u));
    }

    /// In formats with fp32's exponents a carry is always right: subnormals, overflow and sign included. The result for NaN is meaningless.
    template <Rounding rounding>
    MANTISSA_HD static std::uint32_t roundInPlace(std::uint32_t bits, std::uint32_t random) {
        std::uint32_t carried = bits;
        if constexpr (rounding == Rounding::NearestEven) carried += (kDropped >> 1) + (bits >> kShift & 1u);
        if constexpr (rounding == Rounding::NearestAway) carried += (kDropped >> 1) + 1u;
        if constexpr (rounding == Rounding::Stochastic) carried += random >> (32 - kShift);
        return carried & ~kDropped;
    }

    /// 2^(e + kShift), e the exponent of a magnitude, at least that of the format's subnormals. Adding it makes the processor round to
    /// nearest even, to a multiple of the format's ulp at e. For magnitudes below kOverflowFrom.
    MANTISSA_HD static float ulpAnchor(std::uint32_t magnitude) {
        const std::uint32_t exponent = magnitude & kFloatInf;
        return floatFromBits((exponent > kMinNormal ? exponent : kMinNormal) + (static_cast<std::uint32_t>(kShift) << kFloatMantissaBits));
    }

    /// Uses as few instructions as possible: it limits the speed of rounding arrays.
    MANTISSA_HD static std::uint32_t nearestEven(std::uint32_t magnitude) {
        const float x = floatFromBits(magnitude);
        if constexpr (specials == Specials::InfAndNan) {
            const float anchor = ulpAnchor(magnitude < kLargest ? magnitude : kLargest);
            // After scaling, values beyond the format's largest number exceed fp32's too: they become Inf, and stay Inf when scaled back.
            constexpr std::uint32_t kOne = static_cast<std::uint32_t>(kFloatBias) << kFloatMantissaBits;
            constexpr std::uint32_t kUp = 3 * kOne - (kLargest & kFloatInf), kDown = 2 * kOne - kUp;
            return floatBits(((x + anchor) - anchor) * floatFromBits(kUp) * floatFromBits(kDown));
        } else {
            const float anchor = ulpAnchor(magnitude);
            const std::uint32_t rounded = floatBits((x + anchor) - anchor);
            if constexpr (specials == Specials::NanOnly) return magnitude >= kOverflowFrom ? kFloatInf | kFloatQuietBit : rounded;
            const std::uint32_t beyond = magnitude > kFloatInf ? magnitude | kFloatQuietBit : kLargest;
            return magnitude >= kOverflowFrom ? beyond : rounded;
        }
    }

    /// The low bits of the anchored sum count ulps, including the implicit bit and its carry.
    MANTISSA_HD static std::uint32_t nearestEvenCode(std::uint32_t magnitude) {
        const float anchor = ulpAnchor(magnitude);
        const std::uint32_t ulps = floatBits(floatFromBits(magnitude) + anchor) - floatBits(anchor);
        const std::uint32_t exponent = floatBits(anchor) - (static_cast<std::uint32_t>(kShift) << kFloatMantissaBits);
        return magnitude >= kOverflowFrom ? kOverflow : ((exponent - kMinNormal) >> kShift) + ulps;
    }

    /// Integer arithmetic: the significand is shifted to whole ulps, and the bits shifted out are the fraction. fp32's subnormals are so
    /// far below these formats that their missing implicit bit does not matter: it is shifted out of the fraction's 32 bits too.
    template <Rounding rounding>
    MANTISSA_HD static std::uint32_t shiftedCode(std::uint32_t magnitude, std::uint32_t random) {
        constexpr std::uint32_t kLowestField = kMinNormal >> kFloatMantissaBits;
        const std::uint32_t field = magnitude >> kFloatMantissaBits;
        const std::uint32_t significand = (magnitude & (kFloatImplicitBit - 1u)) | kFloatImplicitBit;
        const std::uint32_t above = field > kLowestField ? field - kLowestField : 0u;
        const std::uint32_t dropped = static_cast<std::uint32_t>(kShift) + kLowestField + above - field;
        const std::uint32_t left = dropped < 32 ? 32 - dropped : 0u, right = dropped > 32 ? dropped - 32 : 0u;
        const std::uint32_t kept = significand >> (dropped < 31 ? dropped : 31u);
        const std::uint32_t fraction = significand << left >> (right < 31 ? right : 31u);
        const std::uint32_t code = (above << mantissaBits) + kept + roundsUp<rounding>(fraction, random);
        const bool staysFinite = rounding == Rounding::TowardZero && magnitude < kFloatInf;
        const std::uint32_t most = staysFinite ? kMaxFinite : kOverflow;
        return code > most ? most : code;
    }
};

using Tf32Format = BinaryFormat<8, 10>;
using F16Format = BinaryFormat<5, 10>;
using Bf16Format = BinaryFormat<8, 7>;
using E4m3Format = BinaryFormat<4, 3, Specials::NanOnly>;
using E5m2Format = BinaryFormat<5, 2>;
using E2m3Format = BinaryFormat<2, 3, Specials::None>;
using E3m2Format = BinaryFormat<3, 2, Specials::None>;
using E2m1Format = BinaryFormat<2, 1, Specials::None>;

/// fp32 itself: no rounding.
struct F32Format {
    static constexpr std::uint32_t kLargest = kFloatInf - 1u;

    template <Rounding rounding = Rounding::NearestEven>
    MANTISSA_HD static std::uint32_t encode(float value, std::uint32_t = 0) {
        return floatBits(value);
    }
    MANTISSA_HD static float decode(std::uint32_t code) { return floatFromBits(code); }
    template <Rounding rounding = Rounding::NearestEven>
    MANTISSA_HD static float round(float value, std::uint32_t = 0) {
        return value;
    }
};

/// e8m0: powers of two, the scales of blocks; fp32's exponent field, and code 0 for 2^-127. Sign and zero are lost. At a tie of two powers
/// of two the larger one is nearest, as in IEEE 754-2019 section 4.3.1 for numbers of one digit.
struct E8m0Format {
    static constexpr std::uint32_t kMaxFinite = 0xFE, kNan = 0xFF;
    static constexpr std::uint32_t kSmallest = kFloatImplicitBit / 2, kLargest = kMaxFinite << kFloatMantissaBits;  // as fp32 bits

    template <Rounding rounding = Rounding::NearestEven>
    MANTISSA_HD static std::uint32_t encode(float value, std::uint32_t random = 0) {
        constexpr Rounding kRounding = rounding == Rounding::NearestEven ? Rounding::NearestAway : rounding;
        const std::uint32_t magnitude = floatBits(value) & ~kFloatSign;
        const std::uint32_t aboveSmallest = magnitude > kSmallest ? magnitude - kSmallest : 0u;
        const std::uint32_t fraction = magnitude < kFloatImplicitBit ? aboveSmallest << 10 : magnitude << 9;
        const std::uint32_t code = (magnitude >> kFloatMantissaBits) + roundsUp<kRounding>(fraction, random);
        return magnitude > kFloatInf || code > kMaxFinite ? kNan : code;
    }
    MANTISSA_HD static float decode(std::uint32_t code) {
        const std::uint32_t power = code == 0 ? kSmallest : code << kFloatMantissaBits;
        return floatFromBits(code == kNan ? kFloatInf | kFloatQuietBit : power);
    }
    template <Rounding rounding = Rounding::NearestEven>
    MANTISSA_HD static float round(float value, std::uint32_t random = 0) {
        return decode(encode<rounding>(value, random));
    }
};

/// Clamps to +-largest, including Inf; NaN stays. Rounding is monotone, so clamping before it is equivalent.
MANTISSA_HD inline float saturated(float value, float largest) {
    const float below = value > largest ? largest : value;
    return below < -largest ? -largest : below;
}

/// Calls use(Format{}) with the format's arithmetic: the only switch over formats.
template <typename Use>
MANTISSA_HD inline auto withFormat(Dtype dtype, Use use) {
    switch (dtype) {
        case Dtype::TF32:
            return use(Tf32Format{});
        case Dtype::F16:
            return use(F16Format{});
        case Dtype::BF16:
            return use(Bf16Format{});
        case Dtype::E4M3:
            return use(E4m3Format{});
        case Dtype::E5M2:
            return use(E5m2Format{});
        case Dtype::E2M3:
            return use(E2m3Format{});
        case Dtype::E3M2:
            return use(E3m2Format{});
        case Dtype::E2M1:
            return use(E2m1Format{});
        case Dtype::E8M0:
            return use(E8m0Format{});
        case Dtype::F32:
            break;
    }
    return use(F32Format{});
}

/// A rounding as a type, for code that is compiled once per rounding.
template <Rounding rounding>
struct RoundingTag {
    static constexpr Rounding kValue = rounding;
};

/// Calls use(RoundingTag<...>{}): the only switch over roundings.
template <typename Use>
MANTISSA_HD inline auto withRounding(Rounding rounding, Use use) {
    switch (rounding) {
        case Rounding::NearestAway:
            return use(RoundingTag<Rounding::NearestAway>{});
        case Rounding::TowardZero:
            return use(RoundingTag<Rounding::TowardZero>{});
        case Rounding::Stochastic:
            return use(RoundingTag<Rounding::Stochastic>{});
        case Rounding::NearestEven:
            break;
    }
    return use(RoundingTag<Rounding::NearestEven>{});
}

/// The code of element `index` of an array; only stochastic rounding uses the index.
MANTISSA_HD inline std::uint32_t encodeBits(Dtype dtype, float value, const RoundingMode& mode = {}, std::uint64_t index = 0) {
    return withFormat(dtype, [&](auto format) {
        return withRounding(mode.rounding, [&](auto tag) {
            using Format = decltype(format);
            constexpr Rounding kRounding = decltype(tag)::kValue;
            const std::uint32_t random = kRounding == Rounding::Stochastic ? randomBits(mode, index) : 0u;
            return Format::template encode<kRounding>(mode.saturate ? saturated(value, floatFromBits(Format::kLargest)) : value, random);
        });
    });
}

MANTISSA_HD inline float decodeBits(Dtype dtype, std::uint32_t code) {
    return withFormat(dtype, [&](auto format) { return decltype(format)::decode(code); });
}

/// The rounded value of element `index`, as fp32.
MANTISSA_HD inline float roundTo(Dtype dtype, float value, const RoundingMode& mode = {}, std::uint64_t index = 0) {
    return withFormat(dtype, [&](auto format) {
        return withRounding(mode.rounding, [&](auto tag) {
            using Format = decltype(format);
            constexpr Rounding kRounding = decltype(tag)::kValue;
            const std::uint32_t random = kRounding == Rounding::Stochastic ? randomBits(mode, index) : 0u;
            return Format::template round<kRounding>(mode.saturate ? saturated(value, floatFromBits(Format::kLargest)) : value, random);
        });
    });
}

}  // namespace mantissa
