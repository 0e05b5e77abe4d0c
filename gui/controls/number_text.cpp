// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/controls/number_text.h"

#include <QRegularExpression>
#include <charconv>
#include <cmath>

#include "engine/telemetry/number_format.h"

namespace mantissa::gui {
namespace {

constexpr char16_t kThinSpace = u'\u202F';  // narrow and without a line break
constexpr char16_t kMinus = u'\u2212';

}  // namespace

QString groupedText(std::int64_t value) {
    return QString::fromStdString(mantissa::groupedText(value));
}

QString numberText(double value, int significant) {
    return QString::fromStdString(mantissa::numberText(value, significant));
}

QString fixedText(double value, int decimals) {
    return QString::fromStdString(mantissa::fixedText(value, decimals));
}

QString editText(double value) {
    return QString::fromStdString(shortest(value));
}

QString powerOfTwoText(int exponent) {
    return QString::fromStdString(powerText(2, exponent));
}

QString scaleText(double scale) {
    return QString::fromStdString(mantissa::powerOfTwoText(scale));
}

QString shownText(QString text) {
    static const QRegularExpression power(QStringLiteral("(?<![0-9.])2\\^(-?[0-9]{1,4})(?![0-9])"));
    for (QRegularExpressionMatch match = power.match(text); match.hasMatch(); match = power.match(text))
        text.replace(match.capturedStart(), match.capturedLength(), powerOfTwoText(match.captured(1).toInt()));
    return text;
}

double toDigits(double value, int significant) {
    if (!std::isfinite(value) || value == 0) return value;
    const double unit = std::pow(10, std::floor(std::log10(std::abs(value))) + 1 - significant);
    return std::round(value / unit) * unit;
}

QString bytesText(std::int64_t bytes) {
    static constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB"};
    double value = static_cast<double>(bytes);
    int unit = 0;
    // 999.5 and above would round to "1 000 kB".
    while (std::abs(value) >= 999.5 && unit < 4) {
        value /= 1000;
        ++unit;
    }
    const int decimals = unit > 1 && std::abs(value) < 99.95 ? 1 : 0;
    return fixedText(value, decimals) + QChar(kThinSpace) + QString::fromLatin1(kUnits[unit]);
}

ByteUnit sharedUnit(std::int64_t largest) {
    if (largest >= 10'000'000'000) return {1e9, QStringLiteral("GB")};
    if (largest >= 10'000'000) return {1e6, QStringLiteral("MB")};
    if (largest >= 10'000) return {1e3, QStringLiteral("kB")};
    return {1, QStringLiteral("B")};
}

QString inUnit(std::int64_t bytes, const ByteUnit& unit, int decimals) {
    return fixedText(static_cast<double>(bytes) / unit.bytes, decimals);
}

std::optional<double> parseNumber(const QString& typed) {
    QString text = typed;
    text.remove(QRegularExpression(QStringLiteral("[\\s\\x{202F}\\x{2009}]")));
    text.replace(QChar(kMinus), u'-');
    static const QRegularExpression power(QStringLiteral("^2\\^(-?[0-9]{1,4})$"));
    if (const QRegularExpressionMatch match = power.match(text); match.hasMatch()) {
        const double value = std::ldexp(1.0, match.captured(1).toInt());
        return std::isfinite(value) && value > 0 ? std::optional(value) : std::nullopt;
    }
    const std::string bytes = text.toStdString();
    double value = 0;
    const auto result = std::from_chars(bytes.data(), bytes.data() + bytes.size(), value);
    if (result.ec != std::errc() || result.ptr != bytes.data() + bytes.size() || !std::isfinite(value)) return std::nullopt;
    return value;
}

}  // namespace mantissa::gui
