// SPDX-License-Identifier: Apache-2.0
#include "engine/telemetry/number_format.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>

namespace mantissa {
namespace {

constexpr std::string_view kThinSpace = "\u2009", kMinus = "\u2212";

template <typename Float>
std::string shortestOf(Float value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    char text[64];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    return {text, end};
}

}  // namespace

std::string shortest(double value) {
    return shortestOf(value);
}
std::string shortest(float value) {
    return shortestOf(value);
}

std::string groupedText(std::int64_t value) {
    std::string digits = std::to_string(value);
    const bool isNegative = value < 0;
    if (isNegative) digits.erase(0, 1);
    for (std::size_t end = digits.size(); end > 3;) {
        end -= 3;
        digits.insert(end, kThinSpace);
    }
    return isNegative ? std::string(kMinus) + digits : digits;
}

std::string powerText(int base, int exponent) {
    static constexpr const char* kDigits[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                              "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
    std::string text = std::to_string(base);
    if (exponent < 0) text += "\u207b";
    for (const char digit : std::to_string(std::abs(exponent))) text += kDigits[digit - '0'];
    return text;
}

std::string powerOfTwoText(double value) {
    int exponent = 0;
    if (!std::isfinite(value) || value <= 0 || std::frexp(value, &exponent) != 0.5 || value == 1) return briefText(value);
    return powerText(2, exponent - 1);
}

std::string briefText(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "+Inf" : std::string(kMinus) + "Inf";
    if (value == std::trunc(value) && std::fabs(value) < 1e7) return groupedText(static_cast<std::int64_t>(value));
    if (std::fabs(value) >= 1000 && std::fabs(value) < 1e7) return groupedText(std::llround(value));
    char text[64];
    const auto end = std::to_chars(text, text + sizeof text, std::fabs(value), std::chars_format::general, 4).ptr;
    return (value < 0 ? std::string(kMinus) : std::string()) + std::string(text, end);
}

}  // namespace mantissa
