// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as the window writes and reads them. How they are written is engine/telemetry/number_format's business; no locale. Pure
// functions; any thread.
#pragma once

#include <QString>
#include <cstdint>
#include <optional>

namespace mantissa::gui {

/// "1 247" with a narrow no-break space.
QString groupedText(std::int64_t value);

/// `significant` digits without trailing zeros, powers of ten outside 1e-5..1e7: "0.0081", "66 246", "3·10⁻⁸"; "NaN", "+Inf", "−Inf".
QString numberText(double value, int significant = 4);

/// A fixed number of decimals, so that a row's points align: "0.0081"; non-finite as above.
QString fixedText(double value, int decimals);

/// The shortest text that reads back as `value`, as a text field shows it: "0.001", "1e-12".
QString editText(double value);

/// "2¹⁹"
QString powerOfTwoText(int exponent);

/// A loss scale: "2¹⁹" when it is a power of two, else numberText.
QString scaleText(double scale);

/// A value in the engine's words with powers raised: "2^18" -> "2¹⁸"; everything else unchanged.
QString shownText(const QString& engineText);

/// "571 kB", "3.2 MB": decimal units.
QString bytesText(std::int64_t bytes);

/// A unit that several amounts share, so that their numbers compare: the largest that keeps three digits of the largest one.
struct ByteUnit {
    double bytes = 1;
    QString name;
};
ByteUnit sharedUnit(std::int64_t largest);
/// The number alone, without its unit.
QString inUnit(std::int64_t bytes, const ByteUnit& unit, int decimals = 0);

/// What a user typed: decimal point, exponent, thin or plain spaces, true minus, "2^18". Nothing when it is no finite number.
std::optional<double> parseNumber(const QString& text);

}  // namespace mantissa::gui
