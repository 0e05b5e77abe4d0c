// SPDX-License-Identifier: GPL-3.0-or-later
// Formats and parses numbers for the window. The format is defined in engine/telemetry/number_format and independent of the locale. Pure
// functions; any thread.
#pragma once

#include <QString>
#include <cstdint>
#include <optional>

namespace mantissa::gui {

/// Formats an integer with groups separated by a narrow no-break space: "1 247".
QString groupedText(std::int64_t value);

/// Formats a value with `significant` digits without trailing zeros, as a power of ten outside 1e-5..1e7: "0.0081", "66 246", "3·10⁻⁸";
/// "NaN", "+Inf", "−Inf".
QString numberText(double value, int significant = 4);

/// Formats a value with a fixed number of decimals, so that decimal points align: "0.0081"; non-finite as above.
QString fixedText(double value, int decimals);

/// Returns the shortest text that reads back as `value`, for a text field: "0.001", "1e-12".
QString editText(double value);

/// Formats a power of two: "2¹⁹".
QString powerOfTwoText(int exponent);

/// Formats a loss scale: "2¹⁹" if it is a power of two, else as numberText.
QString scaleText(double scale);

/// Replaces powers of two in a text by superscripts: "scale 2^18" -> "scale 2¹⁸"; everything else unchanged.
QString shownText(QString text);

/// Rounds to `significant` digits, also before the decimal point: 74 362 to 74 400.
double toDigits(double value, int significant);

/// Formats a size in decimal units: "571 kB", "3.2 MB".
QString bytesText(std::int64_t bytes);

/// A unit shared by several sizes, so that they compare: the largest that keeps three digits of the largest size.
struct ByteUnit {
    double bytes = 1;
    QString name;
};
ByteUnit sharedUnit(std::int64_t largest);
/// Formats a size in a unit, without the unit's name.
QString inUnit(std::int64_t bytes, const ByteUnit& unit, int decimals = 0);

/// Parses typed text: decimal point, exponent, thin or plain spaces, true minus, "2^18". Nothing if it is not a finite number.
std::optional<double> parseNumber(const QString& text);

}  // namespace mantissa::gui
