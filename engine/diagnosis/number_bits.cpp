// SPDX-License-Identifier: Apache-2.0
#include "engine/diagnosis/number_bits.h"

#include <algorithm>
#include <cmath>

namespace mantissa {

double ulpAt(const DtypeFacts& format, double value) {
    const double magnitude = std::max(std::abs(value), format.minNormal);
    return std::ldexp(1.0, std::ilogb(magnitude) - format.mantissaBits);
}

std::string bitText(const DtypeFacts& f, std::uint32_t bits) {
    const int width = f.codeBits();
    std::string text;
    for (int i = width - 1; i >= 0; --i) {
        if (i == f.mantissaBits + f.exponentBits - 1 || i == f.mantissaBits - 1) text += ' ';
        text += (bits >> i & 1u) != 0 ? '1' : '0';
    }
    return f.isSigned ? text : text.substr(1);
}

std::string_view numberClass(const DtypeFacts& f, float value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return "Inf";
    if (value == 0) return "zero";
    return std::fabs(static_cast<double>(value)) < f.minNormal ? "subnormal" : "normal";
}

std::string_view numberClass(const NumberBits& number) {
    return number.isSaturated ? "saturated" : numberClass(facts(number.dtype), number.rounded);
}

float neighbour(const DtypeFacts& f, std::uint32_t bits, bool isUp) {
    const std::uint32_t sign = 1u << (f.exponentBits + f.mantissaBits);
    const bool isNegative = f.isSigned && (bits & sign) != 0;
    const std::uint32_t magnitude = bits & (sign - 1);
    if (magnitude == 0 && f.isSigned) return decodeBits(f.dtype, isUp ? 1u : sign | 1u);
    const bool isOutwards = isNegative != isUp;
    if (isOutwards ? magnitude == sign - 1 : magnitude == 0) return std::nanf("");
    return decodeBits(f.dtype, (isNegative ? sign : 0u) | (isOutwards ? magnitude + 1 : magnitude - 1));
}

NumberBits numberBits(Dtype dtype, float value, const RoundingMode& mode) {
    const DtypeFacts& f = facts(dtype);
    NumberBits number{.dtype = dtype, .bits = encodeBits(dtype, value, mode)};
    number.rounded = decodeBits(dtype, number.bits);
    number.error = static_cast<double>(number.rounded) - static_cast<double>(value);
    number.ulps = std::isfinite(number.error) ? number.error / ulpAt(f, static_cast<double>(value)) : std::nan("");
    const bool isFinite = std::isfinite(number.rounded);
    const auto magnitude = [](float x) { return std::abs(static_cast<double>(x)); };
    number.isSaturated = magnitude(value) >= f.overflowFrom && magnitude(number.rounded) == f.maxFinite;
    number.below = isFinite ? neighbour(f, number.bits, false) : std::nanf("");
    number.above = isFinite ? neighbour(f, number.bits, true) : std::nanf("");
    return number;
}

}  // namespace mantissa
