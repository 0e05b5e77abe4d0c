// SPDX-License-Identifier: Apache-2.0
// Sums and exp for loops compiled by MANTISSA_LOOP: inlined into them, with identical bits on every instruction set.
#pragma once

#include <cstdint>

#include "kernels/cpu/vector_loop.h"
#include "kernels/dtype/rounding.h"

#define MANTISSA_INLINE inline __attribute__((always_inline))

namespace mantissa::cpu {

/// Rounds an elementary result to the format, to nearest even, in a loop that is compiled once per format.
template <typename Format>
MANTISSA_INLINE float rounded(float value) {
    return Format::template round<Rounding::NearestEven>(value);
}

/// The number of parallel partial sums: one 512-bit vector, or two or four smaller ones. Element i goes to lane i % kLanes, and lanes are
/// folded in halves: the order does not depend on the processor.
inline constexpr std::int64_t kLanes = 16;

/// Folds the halves of `width` lanes into each other until one is left.
template <std::int64_t width, typename Fold>
MANTISSA_INLINE float foldLanes(const float* lanes, Fold fold) {
    if constexpr (width == 1) {
        return lanes[0];
    } else {
        float half[width / 2];
        for (std::int64_t l = 0; l < width / 2; ++l) half[l] = fold(lanes[l], lanes[l + width / 2]);
        return foldLanes<width / 2>(half, fold);
    }
}

/// Folds term(0) to term(count - 1), each lane starting with `start`. (gcc 12 vectorises a loop over lanes only if it has not unrolled it.)
template <typename Term, typename Fold>
MANTISSA_INLINE float reduceLanes(std::int64_t count, float start, Term term, Fold fold) {
    float lanes[kLanes];
    for (float& lane : lanes) lane = start;
    std::int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
#pragma GCC unroll 1
        for (std::int64_t l = 0; l < kLanes; ++l) lanes[l] = fold(lanes[l], term(i + l));
    }
    for (std::int64_t l = 0; i + l < count; ++l) lanes[l] = fold(lanes[l], term(i + l));
    return foldLanes<kLanes>(lanes, fold);
}

template <typename Term>
MANTISSA_INLINE float sumLanes(std::int64_t count, Term term) {
    return reduceLanes(count, 0.0f, term, [](float a, float b) { return a + b; });
}

/// The largest element; NaN is ignored, except in the first position of a lane.
MANTISSA_INLINE float largestLane(const float* x, std::int64_t count) {
    return reduceLanes(
        count, x[0], [x](std::int64_t i) { return x[i]; }, [](float a, float b) { return b > a ? b : a; });
}

/// Adds elementwise: sums[i] += values[i].
void addInto(float* sums, const float* values, std::int64_t count);

/// e^x as power * 2^exponent, with power between about 0.7 and 1.42, for x from -104 to 89. x = n ln 2 + r, n an integer and |r| <= ln 2 /
/// 2; ln 2 in two parts of which the first times n is exact; e^r by the polynomial of Cephes' expf (S. Moshier, 1984).
struct ExponentialParts {
    float power;
    std::int32_t exponent;
};
MANTISSA_INLINE ExponentialParts exponentialParts(float x) {
    constexpr float kLog2E = 1.44269504088896341f, kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f;
    constexpr float kWholes = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer in the low bits
    const float shifted = x * kLog2E + kWholes, n = shifted - kWholes;
    const float r = (x - n * kLn2High) - n * kLn2Low;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    return {(p * (r * r) + r) + 1.0f, static_cast<std::int32_t>(floatBits(shifted)) - static_cast<std::int32_t>(0x4B400000)};
}
MANTISSA_INLINE float floatPowerOfTwo(std::int32_t exponent) {
    return floatFromBits(static_cast<std::uint32_t>(exponent + kFloatBias) << kFloatMantissaBits);
}

/// e^x with at most 1 ulp error (subnormal results: 1 of theirs); Inf, 0 and NaN as usual.
MANTISSA_INLINE float exponential(float x) {
    x = x > 89.0f ? 89.0f : x;      // Inf from 88.73 on
    x = x < -104.0f ? -104.0f : x;  // 0 below -103.98
    const ExponentialParts parts = exponentialParts(x);
    // 2^exponent as a product of two factors, each within range for exponents from -150 to 129.
    const std::int32_t half = parts.exponent >> 1;
    return parts.power * floatPowerOfTwo(half) * floatPowerOfTwo(parts.exponent - half);
}

/// exponential(x) for x up to 43, in fewer instructions: power * 2^(exponent + 64) is exact for exponents from -150 to 62, so only the last
/// product rounds.
MANTISSA_INLINE float exponentialBelow43(float x) {
    constexpr std::int32_t kOffset = 64;
    x = x < -104.0f ? -104.0f : x;
    const ExponentialParts parts = exponentialParts(x);
    return parts.power * floatPowerOfTwo(parts.exponent + kOffset) * floatPowerOfTwo(-kOffset);
}

/// Phi(x), the standard normal distribution function, from exp(-x^2 / 2). Near |x| = 0 as 1/2 + erf(x / sqrt 2) / 2, farther out by erfc(a)
/// exp(a^2) as a polynomial in 1 / (1 + a / 2). Both polynomials were fitted at Chebyshev nodes with weights of the relative error, 1.3e-9
/// and 5.3e-9, before their coefficients were rounded to fp32.
MANTISSA_INLINE float normalCdf(float x, float exponentialOfMinusHalfSquare) {
    constexpr float kRootHalf = 0.707106781186547524f;
    const float a = (x < 0 ? -x : x) * kRootHalf, z = a * a, half = 0.5f * a;
    float near = 7.847259257687256e-05f;
    near = near * z - 0.0008008189033716917f;
    near = near * z + 0.005188099108636379f;
    near = near * z - 0.026853691786527634f;
    near = near * z + 0.1128358244895935f;
    near = near * z - 0.3761262595653534f;
    near = near * z + 1.1283791065216064f;
    const float t = 1 / (1 + half);
    float far = 0.07953356951475143f;
    far = far * t - 0.1804085075855255f;
    far = far * t + 0.018303437158465385f;
    far = far * t + 0.11083666235208511f;
    far = far * t + 0.1553225964307785f;
    far = far * t + 0.25380441546440125f;
    far = far * t + 0.280834436416626f;
    far = far * t + 0.28221556544303894f;
    far = far * t - 4.812309725821251e-06f;
    const float tail = a < 1 ? 0.5f - half * near : 0.5f * (far * exponentialOfMinusHalfSquare);  // NaN is no less than 1
    return x < 0 ? tail : 1 - tail;
}

/// The derivative of silu(x) = x s(x), s the logistic function.
MANTISSA_INLINE float siluSlope(float x) {
    const float s = 1 / (1 + exponential(-x));
    return s * (1 + x * (1 - s));
}

}  // namespace mantissa::cpu
