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

/// "1 437": a narrow no-break space per thousand.
std::string groupedText(std::int64_t value);
/// `significant` digits without trailing zeros, powers of ten outside 1e-5..1e7: "0.0161", "66 246", "3·10⁻⁸"; "NaN", "+Inf", "−Inf".
std::string numberText(double value, int significant = 4);
/// A fixed number of decimals, so that a column's points align: "0.0081"; non-finite as above.
std::string fixedText(double value, int decimals);
/// "2¹⁶" for a power of two, otherwise as numberText.
std::string powerOfTwoText(double value);
/// "10⁻⁷", "2¹⁶": a base and a superscript exponent.
std::string powerText(int base, int exponent);

}  // namespace mantissa
