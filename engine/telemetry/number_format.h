// SPDX-License-Identifier: Apache-2.0
// Numbers as text. In files: the shortest text that reads back to the same value; nan, inf, -inf as text. For people: thin space per
// thousand, true minus, powers of two as such. No locale anywhere.
#pragma once

#include <cstdint>
#include <string>

namespace mantissa {

std::string shortest(double value);
/// The shortest text that reads back to the same fp32.
std::string shortest(float value);

/// "1 437", with thin spaces, four digits and more.
std::string groupedText(std::int64_t value);
/// "2¹⁶" for a power of two (2⁰ is "1"), otherwise as briefText.
std::string powerOfTwoText(double value);
/// Four significant digits: "0.0161", "1 234", "3.1e-07"; "NaN", "+Inf", "−Inf".
std::string briefText(double value);
/// "10⁻⁷", "2¹⁶": a base and a superscript exponent.
std::string powerText(int base, int exponent);

}  // namespace mantissa
