// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/controls/number_text.h"

#include <QRegularExpression>
#include <charconv>
#include <cmath>

namespace mantissa::gui {
namespace {

constexpr char16_t kThinSpace = u'\u202F';  // narrow and without a line break
constexpr char16_t kMinus = u'\u2212';

/// Groups the integer digits of plain decimal text and puts the true minus.
QString typeset(QString text) {
    const bool isNegative = text.startsWith(u'-');
    if (isNegative) text.remove(0, 1);
    qsizetype end = text.indexOf(u'.');
    if (end < 0) end = text.size();
    for (qsizetype i = end - 3; i > 0; i -= 3) text.insert(i, QChar(kThinSpace));
    if (isNegative) text.prepend(QChar(kMinus));
    return text;
}

QString nonFiniteText(double value) {
    if (std::isnan(value)) return QStringLiteral("NaN");
    return value > 0 ? QStringLiteral("+Inf") : QChar(kMinus) + QStringLiteral("Inf");
}

}  // namespace

QString groupedText(std::int64_t value) {
    return typeset(QString::number(value));
}

QString numberText(double value, int significant) {
    if (!std::isfinite(value)) return nonFiniteText(value);
    if (value == 0) return QStringLiteral("0");
    const double magnitude = std::abs(value);
    if (magnitude < 1e-5 || magnitude >= 1e7) {
        // QString::number formats in the C locale.
        const QString text = QString::number(value, 'e', significant - 1);
        const qsizetype e = text.indexOf(u'e');
        QString digits = text.left(e);
        if (digits.contains(u'.')) {
            while (digits.endsWith(u'0')) digits.chop(1);
            if (digits.endsWith(u'.')) digits.chop(1);
        }
        return typeset(digits) + QStringLiteral("·10") + superscript(text.mid(e + 1).toInt());
    }
    const int integerDigits = static_cast<int>(std::floor(std::log10(magnitude))) + 1;
    const int decimals = std::max(0, significant - integerDigits);
    QString text = QString::number(value, 'f', decimals);
    if (text.contains(u'.')) {
        while (text.endsWith(u'0')) text.chop(1);
        if (text.endsWith(u'.')) text.chop(1);
    }
    return typeset(text);
}

QString fixedText(double value, int decimals) {
    return std::isfinite(value) ? typeset(QString::number(value, 'f', decimals)) : nonFiniteText(value);
}

QString editText(double value) {
    char buffer[40];
    const auto result = std::to_chars(std::begin(buffer), std::end(buffer), value);
    return QString::fromLatin1(buffer, result.ptr - buffer);
}

QString superscript(int value) {
    static constexpr char16_t kDigits[] = u"⁰¹²³⁴⁵⁶⁷⁸⁹";
    QString text;
    for (const QChar c : QString::number(value)) text += c == u'-' ? QChar(u'⁻') : QChar(kDigits[c.digitValue()]);
    return text;
}

QString powerOfTwoText(int exponent) {
    return u'2' + superscript(exponent);
}

std::optional<int> exponentOf(double scale) {
    if (!(scale > 0) || !std::isfinite(scale)) return std::nullopt;
    int exponent = 0;
    // frexp gives a fraction in [0.5, 1): a power of two has exactly 0.5.
    if (std::frexp(scale, &exponent) != 0.5) return std::nullopt;
    return exponent - 1;
}

QString scaleText(double scale) {
    const std::optional<int> exponent = exponentOf(scale);
    return exponent ? powerOfTwoText(*exponent) : numberText(scale);
}

QString shownText(const QString& engineText) {
    static const QRegularExpression power(QStringLiteral("^2\\^(-?[0-9]{1,4})$"));
    const QRegularExpressionMatch match = power.match(engineText);
    return match.hasMatch() ? powerOfTwoText(match.captured(1).toInt()) : engineText;
}

QString bytesText(std::int64_t bytes) {
    static constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB"};
    double value = static_cast<double>(bytes);
    int unit = 0;
    // 999.5 and more would round to "1 000 kB".
    while (std::abs(value) >= 999.5 && unit < 4) {
        value /= 1000;
        ++unit;
    }
    const int decimals = unit > 1 && std::abs(value) < 99.95 ? 1 : 0;
    return fixedText(value, decimals) + QChar(kThinSpace) + QString::fromLatin1(kUnits[unit]);
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
