// SPDX-License-Identifier: Apache-2.0
#include "engine/diagnosis/given_number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <string>

namespace mantissa {
namespace {

/// The number that the whole text is; `how`: its base, or the format of a floating-point number.
template <class Number, class How>
std::optional<Number> readWhole(std::string_view text, How how) {
    Number number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number, how);
    if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

std::optional<double> readDouble(std::string_view text, std::chars_format format = std::chars_format::general) {
    return readWhole<double>(text, format);
}

/// Two or three groups of digits 0 and 1.
bool isBitText(std::string_view text) {
    return text.find(' ') != std::string_view::npos && text.find_first_not_of("01 ") == std::string_view::npos;
}

std::optional<TypedNumber> typedBits(std::string_view digits, int base, Dtype dtype) {
    const auto code = readWhole<std::uint32_t>(digits, base);
    const int width = facts(dtype).codeBits();
    if (!code || (width < 32 && *code >> width != 0)) return std::nullopt;
    const GivenNumber number = givenBits(dtype, *code);
    return TypedNumber{number, static_cast<double>(number.value)};
}

/// The absolute value of a number.
std::optional<double> readMagnitude(std::string_view text) {
    if (text == "nan") return std::nan("");
    if (text == "inf" || text == "infinity") return INFINITY;
    if (text == "pi" || text == "π") return std::numbers::pi;
    if (text.starts_with("2^")) {
        const auto power = readDouble(text.substr(2));
        return power && std::abs(*power) < 1000 ? std::optional(std::exp2(*power)) : std::nullopt;
    }
    if (const auto bar = text.find('/'); bar != std::string_view::npos) {
        const auto above = readDouble(text.substr(0, bar)), below = readDouble(text.substr(bar + 1));
        return above && below ? std::optional(*above / *below) : std::nullopt;
    }
    if (text.starts_with("0x")) return readDouble(text.substr(2), std::chars_format::hex);
    return readDouble(text);
}

}  // namespace

GivenNumber givenBits(Dtype dtype, std::uint32_t bits) {
    return {decodeBits(dtype, bits), dtype, bits};
}

GivenNumber withFlippedBit(const NumberBits& number, int bit) {
    return givenBits(number.dtype, number.bits ^ 1u << bit);
}

NumberBits numberBits(const GivenNumber& given, Dtype dtype, const RoundingMode& mode) {
    const DtypeFacts& f = facts(dtype);
    NumberBits number = numberBits(dtype, given.value, mode);
    if (given.heldIn == dtype) {
        number.bits = given.heldBits;
        number.rounded = given.value;
        number.error = std::isfinite(given.value) ? 0 : std::nan("");
        number.ulps = number.error;
        number.isSaturated = false;
        if (std::isfinite(given.value)) {
            number.below = neighbour(f, number.bits, false);
            number.above = neighbour(f, number.bits, true);
        }
    }
    if (std::isinf(number.rounded)) (number.rounded > 0 ? number.below : number.above) = neighbour(f, number.bits, number.rounded < 0);
    return number;
}

std::optional<TypedNumber> readNumber(std::string_view given, Dtype bitsOf) {
    std::string text(given);
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(c < 128 ? std::tolower(c) : c); });
    text.erase(0, text.find_first_not_of(' '));
    text.erase(text.find_last_not_of(' ') + 1);
    if (isBitText(text)) {
        text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
        if (static_cast<int>(text.size()) != facts(bitsOf).codeBits()) return std::nullopt;
        return typedBits(text, 2, bitsOf);
    }
    if (text.starts_with("0b")) return typedBits(std::string_view(text).substr(2), 2, bitsOf);
    if (text.starts_with("0x") && text.find_first_of(".p") == std::string::npos)
        return typedBits(std::string_view(text).substr(2), 16, bitsOf);
    const bool isNegative = text.starts_with('-');
    const std::string_view rest = std::string_view(text).substr(isNegative || text.starts_with('+') ? 1 : 0);
    if (rest.starts_with('-') || rest.starts_with('+')) return std::nullopt;
    const auto magnitude = readMagnitude(rest);
    if (!magnitude) return std::nullopt;
    const double exact = isNegative ? -*magnitude : *magnitude;
    return TypedNumber{{static_cast<float>(exact)}, exact};
}

}  // namespace mantissa
