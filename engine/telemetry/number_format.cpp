// SPDX-License-Identifier: Apache-2.0
#include "engine/telemetry/number_format.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>

namespace mantissa {
namespace {

constexpr std::string_view kThinSpace = "\u202f";  // narrow and without a line break
constexpr std::string_view kMinus = "\u2212";

template <typename Float>
std::string shortestOf(Float value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    char text[64];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    return {text, end};
}

std::string digits(double value, std::chars_format format, int precision) {
    char text[400];  // the largest double has 309 integer digits
    return {text, std::to_chars(text, text + sizeof text, value, format, precision).ptr};
}

/// Groups the integer digits of plain decimal text and writes a typographic minus; a value rounded to zero has no sign.
std::string typeset(std::string text) {
    const bool isNegative = text.starts_with('-');
    if (isNegative) text.erase(0, 1);
    for (std::size_t end = std::min(text.find('.'), text.size()); end > 3;) {
        end -= 3;
        text.insert(end, kThinSpace);
    }
    const bool isZero = text.find_first_of("123456789") == std::string::npos;
    return isNegative && !isZero ? std::string(kMinus) + text : text;
}

std::string withoutTrailingZeros(std::string text) {
    if (text.find('.') == std::string::npos) return text;
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text;
}

std::string nonFiniteText(double value) {
    if (std::isnan(value)) return "NaN";
    return value > 0 ? "+Inf" : std::string(kMinus) + "Inf";
}

}  // namespace

std::string shortest(double value) {
    return shortestOf(value);
}
std::string shortest(float value) {
    return shortestOf(value);
}

std::string groupedText(std::int64_t value) {
    return typeset(std::to_string(value));
}

std::string fixedText(double value, int decimals) {
    return std::isfinite(value) ? typeset(digits(value, std::chars_format::fixed, decimals)) : nonFiniteText(value);
}

std::string numberText(double value, int significant) {
    if (!std::isfinite(value)) return nonFiniteText(value);
    if (value == 0) return "0";
    const double magnitude = std::fabs(value);
    if (magnitude < 1e-5 || magnitude >= 1e7) {
        const std::string text = digits(value, std::chars_format::scientific, significant - 1);
        const std::size_t e = text.find('e');
        return typeset(withoutTrailingZeros(text.substr(0, e))) + "\u00b7" + powerText(10, std::stoi(text.substr(e + 1)));
    }
    const int integerDigits = static_cast<int>(std::floor(std::log10(magnitude))) + 1;
    return typeset(withoutTrailingZeros(digits(value, std::chars_format::fixed, std::max(0, significant - integerDigits))));
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
    // frexp gives a fraction in [0.5, 1): a power of two has exactly 0.5
    int exponent = 0;
    const bool isPower = std::isfinite(value) && value > 0 && std::frexp(value, &exponent) == 0.5;
    return isPower ? powerText(2, exponent - 1) : numberText(value);
}

}  // namespace mantissa
