// SPDX-License-Identifier: Apache-2.0
#include "kernels/dtype/dtype.h"

#include <cmath>

#include "kernels/dtype/rounding.h"

namespace mantissa {
namespace {

/// Facts that do not follow from the widths: names and use.
struct Identity {
    Dtype dtype;
    std::string_view name, screenName;
    int storageBits;
    bool isStorable;
};

DtypeFacts factsOf(const Identity& id) {
    DtypeFacts f{};
    f.dtype = id.dtype;
    f.name = id.name;
    f.screenName = id.screenName;
    f.storageBits = id.storageBits;
    f.isStorable = id.isStorable;
    return f;
}

/// Derives the range and spacing of a binary format from its widths and the finite codes of the top exponent.
DtypeFacts binaryFormat(const Identity& id, int exponentBits, int mantissaBits, Specials specials) {
    DtypeFacts f = factsOf(id);
    f.isSigned = true;
    f.exponentBits = exponentBits;
    f.mantissaBits = mantissaBits;
    f.bias = (1 << (exponentBits - 1)) - 1;
    f.specials = specials;
    const int maxExponent = specials == Specials::InfAndNan ? f.bias : f.bias + 1, minExponent = 1 - f.bias;
    const double ulpOfMax = std::ldexp(1.0, maxExponent - mantissaBits);
    const double nextPower = std::ldexp(1.0, maxExponent + 1);
    f.maxFinite = nextPower - ulpOfMax;
    // Halfway to the next number, if there were one: the tie would round to it, as the even one ...
    f.overflowFrom = f.maxFinite + ulpOfMax / 2;
    if (specials == Specials::NanOnly) {
        f.maxFinite -= ulpOfMax;  // ... unless the top code is NaN: then the largest number is even and the tie rounds to it.
        f.overflowFrom = static_cast<double>(std::nextafter(static_cast<float>(f.maxFinite + ulpOfMax / 2), INFINITY));
    }
    f.minNormal = std::ldexp(1.0, minExponent);
    f.minSubnormal = std::ldexp(1.0, minExponent - mantissaBits);
    f.epsilon = std::ldexp(1.0, -mantissaBits);
    f.flushBelow = f.minSubnormal / 2;  // the tie rounds to even, i.e. 0
    return f;
}

/// Takes the widths from the type that rounds to the format.
template <int exponentBits, int mantissaBits, Specials specials>
DtypeFacts narrowFormat(const Identity& id, BinaryFormat<exponentBits, mantissaBits, specials>) {
    return binaryFormat(id, exponentBits, mantissaBits, specials);
}

/// Powers of two from 2^-127 to 2^127, and NaN.
DtypeFacts powersOfTwo(const Identity& id) {
    DtypeFacts f = factsOf(id);
    f.exponentBits = 8;
    f.bias = 127;
    f.specials = Specials::NanOnly;
    f.maxFinite = std::ldexp(1.0, 127);
    f.minNormal = f.minSubnormal = std::ldexp(1.0, -127);
    f.epsilon = 1;
    f.overflowFrom = 1.5 * f.maxFinite;
    return f;
}

const std::array kFacts{
    binaryFormat({Dtype::F32, "fp32", "FP32", 32, true}, 8, 23, Specials::InfAndNan),
    narrowFormat({Dtype::TF32, "tf32", "TF32", 32, false}, Tf32Format()),
    narrowFormat({Dtype::F16, "fp16", "FP16", 16, true}, F16Format()),
    narrowFormat({Dtype::BF16, "bf16", "BF16", 16, true}, Bf16Format()),
    narrowFormat({Dtype::E4M3, "fp8_e4m3", "FP8 E4M3", 8, true}, E4m3Format()),
    narrowFormat({Dtype::E5M2, "fp8_e5m2", "FP8 E5M2", 8, true}, E5m2Format()),
    narrowFormat({Dtype::E2M3, "fp6_e2m3", "FP6 E2M3", 6, false}, E2m3Format()),
    narrowFormat({Dtype::E3M2, "fp6_e3m2", "FP6 E3M2", 6, false}, E3m2Format()),
    narrowFormat({Dtype::E2M1, "fp4_e2m1", "FP4 E2M1", 4, false}, E2m1Format()),
    powersOfTwo({Dtype::E8M0, "e8m0", "E8M0", 8, false}),
};

}  // namespace

const DtypeFacts& facts(Dtype dtype) {
    return kFacts[static_cast<std::size_t>(dtype)];
}

std::optional<Dtype> dtypeFromName(std::string_view name) {
    if (name == "e4m3") return Dtype::E4M3;
    if (name == "e5m2") return Dtype::E5M2;
    for (const DtypeFacts& f : kFacts) {
        if (f.name == name) return f.dtype;
    }
    return std::nullopt;
}

}  // namespace mantissa
