// SPDX-License-Identifier: Apache-2.0
// The arithmetic of NVIDIA's tensor cores: one definition, for host and device.
//
// The model (MMA-Sim, github.com/microsoft/MMA-Sim, arXiv 2511.10909; Fasi, Higham, Mikaitis, Pranesh, PeerJ CS 7:e330, 2021). One fused
// operation adds `terms` products to a running sum c:
// 1. Each operand is significand * 2^exponent, subnormals at the exponent of their format's smallest normal number. A product's significand
//    is exact and not normalised (below 4), its exponent is the sum of the operands'.
// 2. emax is the largest exponent of the products and of c; a zero counts as 2^-126.
// 3. Every term, including c, is truncated (toward zero) to a multiple of 2^(emax - fractionBits). 4. They are added exactly.
// 5. The sum is normalised once and truncated (toward zero) to `resultBits` fraction bits; in fp16 it is rounded to nearest even instead.
// Sums chain through k in order. NaN and Inf follow IEEE 754. A sum beyond fp32 is Inf.
// Further details of library kernels (tiles, split sums) are not modelled: this is a chain of instructions along k.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "kernels/dtype/accumulator.h"
#include "kernels/dtype/host_device.h"
#include "kernels/dtype/rounding.h"

namespace mantissa {

/// The exponent for alignment of a finite number; a zero's is too low to matter. `minExponent`: of the smallest normal number in the
/// number's format.
inline constexpr int kExponentOfZero = -1000;
MANTISSA_HD inline int alignmentExponent(float value, int minExponent) {
    const std::uint32_t magnitude = floatBits(value) & ~kFloatSign;
    const int exponent = static_cast<int>(magnitude >> kFloatMantissaBits) - kFloatBias;
    const int pinned = exponent < minExponent ? minExponent : exponent;
    return magnitude == 0 ? kExponentOfZero : pinned;
}

inline constexpr int kLowestExponent = -126, kF16MinExponent = -14;

/// 2^exponent for exponents of normal double numbers.
MANTISSA_HD inline double powerOfTwo(int exponent) {
    const auto bits = static_cast<std::uint64_t>(exponent + 1023) << 52;
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

/// Step 5: `sum` holds at most 40 significant bits.
MANTISSA_HD inline float finishSum(double sum, int resultBits, bool roundsToF16) {
    std::uint64_t bits;
    std::memcpy(&bits, &sum, sizeof bits);
    const int exponent = static_cast<int>(bits >> 52 & 0x7FF) - 1023;
    const int pinned = exponent < kLowestExponent ? kLowestExponent : exponent;  // fp32's subnormals have fewer bits
    const double kept = std::trunc(sum * powerOfTwo(resultBits - pinned)) * powerOfTwo(pinned - resultBits);
    const auto cut = static_cast<float>(kept);
    if (!roundsToF16) return cut;
    // Rounding to odd first lets the second rounding see the truncated bits.
    return F16Format::round(floatFromBits(floatBits(cut) | (kept != sum ? 1u : 0u)));
}

/// c + the sum of a[i] * b[i] over `terms`, i < count; operands have strides `strideA` and `strideB`.
MANTISSA_HD inline float fusedDotAdd(const FusedDot& model, const float* a, std::int64_t strideA, int minExponentA, const float* b,
                                     std::int64_t strideB, int minExponentB, std::int64_t count, float c) {
    float special = c - c;  // 0, or NaN where c is not finite
    for (std::int64_t i = 0; i < count; ++i) {
        const float x = a[i * strideA], y = b[i * strideB];
        special += (x - x) + (y - y);
    }
    if (special != 0) {  // NaN: IEEE 754's own sum determines the result
        float sum = c;
        for (std::int64_t i = 0; i < count; ++i) {
            const float x = a[i * strideA], y = b[i * strideB];
            // finite terms cannot change the outcome, and must not overflow into it
            if (x - x != 0 || y - y != 0) sum += x * y;
        }
        return sum;
    }
    int emax = kLowestExponent;
    const auto align = [&emax](int exponent) { emax = exponent > emax ? exponent : emax; };
    align(alignmentExponent(c, model.roundsToF16 ? kF16MinExponent : kLowestExponent));
    for (std::int64_t i = 0; i < count; ++i) {
        align(alignmentExponent(a[i * strideA], minExponentA) + alignmentExponent(b[i * strideB], minExponentB));
    }
    const double unitsPerOne = powerOfTwo(model.fractionBits - emax);
    const auto cut = [unitsPerOne](double exact) { return static_cast<double>(static_cast<std::int64_t>(exact * unitsPerOne)); };
    double sum = cut(static_cast<double>(c));
    for (std::int64_t i = 0; i < count; ++i) sum += cut(static_cast<double>(a[i * strideA]) * static_cast<double>(b[i * strideB]));
    return finishSum(sum * powerOfTwo(emax - model.fractionBits), model.resultBits, model.roundsToF16);
}

}  // namespace mantissa
