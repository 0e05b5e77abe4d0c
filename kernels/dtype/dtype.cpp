// SPDX-License-Identifier: Apache-2.0
#include "kernels/dtype/dtype.h"

#include <cmath>

namespace mantissa {
namespace {

/// All facts of an IEEE-like format (with Inf and NaN at the top exponent) follow from its widths.
DtypeFacts ieeeLike(Dtype dtype, std::string_view name, std::string_view screenName, int exponentBits, int mantissaBits, int storageBits,
                    bool isStorable) {
    const int bias = (1 << (exponentBits - 1)) - 1;
    const int maxExponent = bias, minExponent = 1 - bias;
    DtypeFacts f{};
    f.dtype = dtype;
    f.name = name;
    f.screenName = screenName;
    f.exponentBits = exponentBits;
    f.mantissaBits = mantissaBits;
    f.bias = bias;
    f.storageBits = storageBits;
    f.isStorable = isStorable;
    f.maxFinite = std::ldexp(2.0 - std::ldexp(1.0, -mantissaBits), maxExponent);
    f.minNormal = std::ldexp(1.0, minExponent);
    f.minSubnormal = std::ldexp(1.0, minExponent - mantissaBits);
    f.epsilon = std::ldexp(1.0, -mantissaBits);
    f.overflowFrom = std::ldexp(2.0 - std::ldexp(1.0, -mantissaBits - 1), maxExponent);  // halfway to the next power of two
    f.flushBelow = f.minSubnormal / 2;                                                   // the tie goes to even, which is 0
    return f;
}

const std::array kFacts{
    ieeeLike(Dtype::F32, "fp32", "FP32", 8, 23, 32, true),
    ieeeLike(Dtype::TF32, "tf32", "TF32", 8, 10, 32, false),
    ieeeLike(Dtype::F16, "fp16", "FP16", 5, 10, 16, true),
    ieeeLike(Dtype::BF16, "bf16", "BF16", 8, 7, 16, true),
};

}  // namespace

const DtypeFacts& facts(Dtype dtype) {
    return kFacts[static_cast<std::size_t>(dtype)];
}

std::optional<Dtype> dtypeFromName(std::string_view name) {
    for (const DtypeFacts& f : kFacts) {
        if (f.name == name) return f.dtype;
    }
    return std::nullopt;
}

}  // namespace mantissa
