// SPDX-License-Identifier: Apache-2.0
// Formats numbers. For files: the shortest text that reads back to the same value; nan, inf, -inf. For display: thin space per thousand,
// true minus, powers of two. Independent of the locale.
#pragma once

#include <cstdint>
#include <string>

namespace mantissa {

std::string shortest(double value);
/// The shortest text that reads back to the same fp32 value.
std::string shortest(float value);

/// Groups thousands with a narrow no-break space: "1 437".
std::string groupedText(std::int64_t value);
/// Formats with `significant` digits without trailing zeros, and powers of ten outside 1e-5..1e7: "0.0161", "66 246", "3·10⁻⁸"; "NaN",
/// "+Inf", "−Inf".
std::string numberText(double value, int significant = 4);
/// Formats with a fixed number of decimals, to align columns: "0.0081"; non-finite as numberText.
std::string fixedText(double value, int decimals);
/// "2¹⁶" for a power of two, otherwise numberText.
std::string powerOfTwoText(double value);
/// A base with a superscript exponent: "10⁻⁷", "2¹⁶".
std::string powerText(int base, int exponent);

}  // namespace mantissa
