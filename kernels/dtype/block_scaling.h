// SPDX-License-Identifier: Apache-2.0
// The arithmetic of block formats: scales from magnitudes, numbers to elements, and back. One definition, for host and device. All of it is
// fp32, each operation rounded to nearest even, in the order written; fl() marks an operation where the order matters. a is the largest
// magnitude of a block, A of the tensor; A ignores NaN.
//
// MX (OCP Microscaling Formats 1.0): a block has one e8m0 scale X = 2^e; element q = R(x * 2^-e), number q * X. M = m * 2^emax, 1 <= m < 2,
// is the element format's largest number.
//   floor     e = floor(log2 a) - emax: the specification. An a above M * X, as large as 2 * 2^emax * X, saturates.
//   round-up  e = the exponent of fl(a * fl(1 / M)), plus one if its significand is above 1: Transformer Engine d0067d0,
//             common/util/ptx.cuh float_to_e8m0. Inf gives 2^127.
//   rceil     as round-up, but Inf gives NaN: torchao 36027d8, prototype/mx_formats/mx_tensor.py.
//   ceil      e = ceil(log2 a) - emax: torchao.
//   even      as floor, of a rounded to the element's digits, ties up: torchao. An a that this takes to 2^128 still has the scale
//             2^(128 - emax).
//   power-of-two  e = -floor(log2 of fl(M / a)), a quotient above fp32's range counted as its largest number; a = 0 gives 0: Transformer
//             Engine d0067d0, Float8BlockScaling with power-of-two scales, and DeepSeek-V3 (arXiv 2412.19437). There the scale of Inf is 0
//             and the numbers of its block become NaN; here the scale is NaN.
// e is at least -127; a = 0 gives -127 in the others. Inf gives the scale NaN, except in round-up. A NaN gives the scale NaN.
// In blocks of scale 2^-127 Transformer Engine and torchao up to 0.18 do not multiply by 2^127 but by 1 or 2^126; here it is 2^127.
//
// Block FP8 with the rule fp32 (Transformer Engine, Float8BlockScaling without power-of-two scales: common/recipe/recipe_common.cuh
// compute_scale_from_types, common/transpose/quantize_transpose_vector_blockwise.cu, with its default amax_epsilon of 0): a block has one
// fp32 scale. s = fl(M / a), bf16's largest number where that exceeds fp32's range (operands are bf16 tensors), 1 where a is 0;
// q = R(fl(x * s)); the stored scale is fl(1 / s), and the number fl(q * fl(1 / s)). Inf or NaN gives the scale NaN. (There a ignores NaN,
// which only its own element keeps; with Inf s is 1, and Inf is stored as M.) DeepGEMM's helpers raise a to 1e-4 at least and store
// fl(a / M); s is fl(M / a) or fl(1 / fl(a / M)).
//
// NVFP4 (arXiv 2509.25149): blocks of e2m1, one e4m3 scale s each, one fp32 factor S for the tensor.
//   te        Transformer Engine d0067d0, common/cast/nvfp4/core_nvfp4.cuh:
//             S = min(fl(2688 / A), largest fp32), 1 where A is 0 or S is 0 (A is Inf);
//             s = e4m3(min(fl(a * fl(S * fl(1 / 6))), 448)); f = min(fl(1 / fl(s * fl(1 / S))), largest fp32);
//             q = e2m1(fl(x * f)); number fl(q * s * fl(1 / S)). s may be 0.
//   exact     S as above; s = e4m3(fl(fl(a * S) / 6)); q = e2m1(fl(fl(x * S) / s)), 0 for s = 0; number fl(q * s / S).
//   torchao-inference  torchao 0.18, nvfp4_quantize: S = fl(A / 2688); s = e4m3(fl(fl(a / 6) / S) held to 2^-6 ... 448);
//             q = e2m1(fl(x * fl(fl(1 / S) / s))); number q * fl(S * s). A tensor of zeros has S = 0 and becomes NaN, as there.
//   llama.cpp GGUF type 40, ggml-quants.c: no S; s = e4m3(fl(a / 6)) with ties away from 0, at most 7 * 2^-9 below 2^-6, 448 from 256 on;
//             q the first k of 0, 0.5, ..., 6 with the least |fl(|x| - k s)|, sign of x except for 0. a ignores NaN; NaN and Inf become 0,
//             as there.
// In the first three a NaN makes its block's scale NaN. (Transformer Engine's sources ignore it and store the element 6: here no NaN is
// lost.) Elements saturate. In a block whose scale is NaN all elements have the code of a positive NaN.
#pragma once

#include "kernels/dtype/block_format.h"
#include "kernels/dtype/rounding.h"

namespace mantissa {

inline constexpr std::uint32_t kFloatNan = kFloatInf | kFloatQuietBit;
inline constexpr std::uint32_t kFloatLargest = kFloatInf - 1u;

/// The smaller of both; unlike fmin it keeps a NaN.
MANTISSA_HD inline float atMost(float x, float limit) {
    return x > limit ? limit : x;
}

/// The parameters of an element format in MX rules.
struct MxElement {
    std::uint32_t largestExponent;  // emax
    std::uint32_t digits;           // fraction bits
    float inverseOfLargest;         // fl(1 / M)
    float largest;                  // M
};

template <typename Format>
constexpr MxElement mxElement() {
    constexpr std::uint32_t kExponent = (Format::kLargest >> kFloatMantissaBits) - static_cast<std::uint32_t>(kFloatBias);
    constexpr std::uint32_t kSignificand = Format::kLargest & (kFloatImplicitBit - 1u);
    float largest = 1.0f + static_cast<float>(kSignificand) / static_cast<float>(kFloatImplicitBit);
    for (std::uint32_t i = 0; i < kExponent; ++i) largest *= 2;
    return {kExponent, static_cast<std::uint32_t>(kFloatMantissaBits - Format::kShift), 1.0f / largest, largest};
}

/// The parameters of e4m3, e5m2, e2m3, e3m2 and e2m1.
inline MxElement mxElementOf(Dtype element) {
    return withFormat(element, [](auto format) {
        using Format = decltype(format);
        if constexpr (requires { Format::kShift; }) return mxElement<Format>();
        return MxElement{};
    });
}

/// The e8m0 code of a scale. `a`: a magnitude as fp32 bits; Inf and NaN are allowed.
template <ScaleRule rule>
MANTISSA_HD inline std::uint32_t mxScaleCode(MxElement element, std::uint32_t a) {
    const std::uint32_t fractionMask = kFloatImplicitBit - 1u;
    if constexpr (rule == ScaleRule::RoundUp || rule == ScaleRule::Rceil) {
        const std::uint32_t ratio = floatBits(floatFromBits(a) * element.inverseOfLargest);
        // Of a subnormal ratio the code 0 is 2^-127, the fraction 0x400000.
        const std::uint32_t fraction = ratio & fractionMask, none = ratio < kFloatImplicitBit ? kFloatImplicitBit / 2 : 0u;
        const std::uint32_t code = (ratio >> kFloatMantissaBits) + (fraction > none ? 1u : 0u);
        const std::uint32_t ofInf = rule == ScaleRule::RoundUp ? E8m0Format::kMaxFinite : E8m0Format::kNan;
        return a > kFloatInf ? E8m0Format::kNan : a == kFloatInf ? ofInf : code;
    } else if constexpr (rule == ScaleRule::PowerOfTwo) {
        const std::uint32_t quotient = floatBits(element.largest / floatFromBits(a));
        const std::uint32_t exponent = (quotient > kFloatLargest ? kFloatLargest : quotient) >> kFloatMantissaBits;
        const auto bias = static_cast<std::uint32_t>(kFloatBias);
        return a >= kFloatInf ? E8m0Format::kNan : a == 0 ? bias : 2 * bias - exponent;
    } else {
        std::uint32_t exponent = a >> kFloatMantissaBits;
        if constexpr (rule == ScaleRule::Ceil) exponent += (a & fractionMask) != 0 ? 1u : 0u;
        if constexpr (rule == ScaleRule::Even)
            exponent = (a + (1u << (static_cast<std::uint32_t>(kFloatMantissaBits) - element.digits - 1u))) >> kFloatMantissaBits;
        const std::uint32_t code = exponent > element.largestExponent ? exponent - element.largestExponent : 0u;
        return a >= kFloatInf ? E8m0Format::kNan : code;
    }
}

/// The factor s of a block's numbers under the rule fp32. `a`: a magnitude as fp32 bits; Inf and NaN are allowed.
MANTISSA_HD inline float fp32Factor(MxElement element, std::uint32_t a) {
    constexpr std::uint32_t kLargestBf16 = 0x7F7F0000u;
    const std::uint32_t quotient = floatBits(element.largest / floatFromBits(a));
    const float s = floatFromBits(quotient > kFloatLargest ? kLargestBf16 : quotient);
    return a >= kFloatInf ? floatFromBits(kFloatNan) : a == 0 ? 1.0f : s;
}

/// The stored scale of a block with this factor.
MANTISSA_HD inline float fp32Scale(float factor) {
    return factor != factor ? floatFromBits(kFloatNan) : 1 / factor;
}

/// 2^-e for the code of 2^e; NaN for the code of NaN.
MANTISSA_HD inline float mxFactor(std::uint32_t code) {
    return E8m0Format::decode(code == E8m0Format::kNan ? code : E8m0Format::kMaxFinite - code);
}

/// One dialect of NVFP4. tensorScale: S from `largest`, A. scaleCode: the code of s, from a magnitude as fp32 bits. blockFactor: the factor
/// of a block's elements. scaled: x in the element's range, before rounding and saturation. number: the decoded q.
template <Nvfp4Dialect dialect>
struct Nvfp4 {
    static constexpr float kLargestElement = 6, kLargestScale = 448;

    MANTISSA_HD static float tensorScale(float largest) {
        constexpr float kProduct = kLargestScale * kLargestElement;
        if constexpr (dialect == Nvfp4Dialect::LlamaCpp) return 1;
        if constexpr (dialect == Nvfp4Dialect::TorchaoInference) return largest / kProduct;
        const float scale = atMost(kProduct / largest, floatFromBits(kFloatLargest));
        return largest == 0 || scale == 0 ? 1 : scale;
    }

    MANTISSA_HD static std::uint32_t scaleCode(std::uint32_t magnitude, float S) {
        const float a = floatFromBits(magnitude);
        if constexpr (dialect == Nvfp4Dialect::Te) {
            return E4m3Format::encode(atMost(a * (S * (1 / kLargestElement)), kLargestScale));
        } else if constexpr (dialect == Nvfp4Dialect::Exact) {
            return E4m3Format::encode(atMost(a * S / kLargestElement, kLargestScale));
        } else if constexpr (dialect == Nvfp4Dialect::TorchaoInference) {
            const float scale = a / kLargestElement / S;
            return E4m3Format::encode(scale < 0x1p-6f ? 0x1p-6f : atMost(scale, kLargestScale)) & 0x7Fu;
        } else {
            return scaleCodeOfLlamaCpp(a / kLargestElement);
        }
    }

    MANTISSA_HD static float blockFactor(float s, float S) {
        if constexpr (dialect == Nvfp4Dialect::Te) return atMost(1 / (s * (1 / S)), floatFromBits(kFloatLargest));
        if constexpr (dialect == Nvfp4Dialect::TorchaoInference) return 1 / S / s;
        return s;
    }

    MANTISSA_HD static float scaled(float x, float factor, float S) {
        if constexpr (dialect != Nvfp4Dialect::Exact) return x * factor;
        const float quotient = x * S / factor, zero = floatFromBits(floatBits(x) & kFloatSign);
        return factor == 0 ? zero : quotient;
    }

    MANTISSA_HD static float number(float q, float s, float S) {
        if constexpr (dialect == Nvfp4Dialect::Te) return q * s * (1 / S);
        if constexpr (dialect == Nvfp4Dialect::Exact) return q * s / S;
        if constexpr (dialect == Nvfp4Dialect::TorchaoInference) return q * (S * s);
        return q * s;
    }

    /// llama.cpp's element: the first code with the smallest distance, in fp32.
    MANTISSA_HD static std::uint32_t nearestCode(float x, float s) {
        const float magnitude = floatFromBits(floatBits(x) & ~kFloatSign);
        float least = magnitude;
        std::uint32_t best = 0;
        for (std::uint32_t code = 1; code < 8; ++code) {
            const float difference = magnitude - E2m1Format::decode(code) * s;
            const float distance = floatFromBits(floatBits(difference) & ~kFloatSign);
            best = distance < least ? code : best;
            least = distance < least ? distance : least;
        }
        return best == 0 ? 0u : best | floatBits(x) >> 31 << 3;
    }

private:
    MANTISSA_HD static std::uint32_t scaleCodeOfLlamaCpp(float x) {
        constexpr std::uint32_t kDropped = 20, kMinNormal = E4m3Format::kMinNormal;
        const std::uint32_t bits = floatBits(x);
        const float halfUp = atMost(x, 0x1p-6f) * 0x1p9f + 0.5f;
        const auto ulps = static_cast<std::uint32_t>(static_cast<std::int32_t>(halfUp));
        const std::uint32_t subnormal = ulps > 7 ? 7u : ulps;
        // Values that round to 256 or more become the largest number, 448.
        const std::uint32_t rounded = (bits - E4m3Format::kRebias + (1u << (kDropped - 1u))) >> kDropped;
        return bits < kMinNormal ? subnormal : rounded >= 15u << 3 ? E4m3Format::kMaxFinite : rounded;
    }
};

/// Calls use(tag) with tag.kValue the rule: the only switch over the rules of e8m0 scales.
template <ScaleRule rule>
struct ScaleRuleTag {
    static constexpr ScaleRule kValue = rule;
};
template <typename Use>
MANTISSA_HD inline auto withScaleRule(ScaleRule rule, Use use) {
    switch (rule) {
        case ScaleRule::RoundUp:
            return use(ScaleRuleTag<ScaleRule::RoundUp>{});
        case ScaleRule::Rceil:
            return use(ScaleRuleTag<ScaleRule::Rceil>{});
        case ScaleRule::Ceil:
            return use(ScaleRuleTag<ScaleRule::Ceil>{});
        case ScaleRule::Even:
            return use(ScaleRuleTag<ScaleRule::Even>{});
        case ScaleRule::PowerOfTwo:
            return use(ScaleRuleTag<ScaleRule::PowerOfTwo>{});
        case ScaleRule::Floor:
        case ScaleRule::Fp32:  // fp32Factor(): not of e8m0 scales
            break;
    }
    return use(ScaleRuleTag<ScaleRule::Floor>{});
}

/// Calls use(Nvfp4<dialect>{}): the only switch over dialects.
template <typename Use>
MANTISSA_HD inline auto withDialect(Nvfp4Dialect dialect, Use use) {
    switch (dialect) {
        case Nvfp4Dialect::Exact:
            return use(Nvfp4<Nvfp4Dialect::Exact>{});
        case Nvfp4Dialect::TorchaoInference:
            return use(Nvfp4<Nvfp4Dialect::TorchaoInference>{});
        case Nvfp4Dialect::LlamaCpp:
            return use(Nvfp4<Nvfp4Dialect::LlamaCpp>{});
        case Nvfp4Dialect::Te:
            break;
    }
    return use(Nvfp4<Nvfp4Dialect::Te>{});
}

}  // namespace mantissa
