// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/bits/bits_text.h"

#include <QCoreApplication>
#include <cmath>

#include "gui/controls/engine_text.h"
#include "gui/controls/number_text.h"
#include "gui/diagnosis/examination_text.h"

namespace mantissa::gui {
QString roundingText(Rounding rounding) {
    const QString names[] = {QObject::tr("to nearest, ties to even"), QObject::tr("to nearest, ties away from 0"), QObject::tr("toward 0"),
                             QObject::tr("stochastic")};
    return names[static_cast<std::size_t>(rounding)];
}

QString valueText(double value) {
    return numberText(value, 9);
}

QString valueOrDash(double value) {
    return std::isnan(value) ? QStringLiteral("\u2013") : valueText(value);
}

QString lineSentence(Dtype format, const NumberLine& line, const RoundingMode& mode) {
    const QString name = formatText(format);
    const auto rounded = static_cast<double>(line.rounded);
    if (std::isnan(line.value)) return QObject::tr("NaN is on no line. %1 makes of it: %2.").arg(name, valueText(rounded));
    if (std::isinf(line.value))
        return QObject::tr("%1 is beyond the ends of the line. %2 makes of it: %3.").arg(valueText(line.value), name, valueText(rounded));
    const QString value = valueText(line.value);
    const QString becomes = QObject::tr("it becomes %2, rounded %1").arg(roundingText(mode.rounding), valueText(rounded));
    if (line.lower == line.upper) return QObject::tr("%1 is a number of %2.").arg(value, name);
    if (line.lower < 0 || line.isOffLine) return QObject::tr("%1 is beyond %2; %3.").arg(value, name, becomes);
    const LineTick &from = line.ticks[static_cast<std::size_t>(line.lower)], &to = line.ticks[static_cast<std::size_t>(line.upper)];
    QString beyond;
    if (to.isBeyond || from.isBeyond)
        beyond = QObject::tr(", and %1 does not have %2").arg(name, valueText(to.isBeyond ? to.value : from.value));
    if (line.isTie)
        return QObject::tr("A tie: %1 is exactly halfway between %2 and %3%4; %5.")
            .arg(value, valueText(from.value), valueText(to.value), beyond, becomes);
    const QString share = numberText(100 * line.share(), 3);
    if (mode.rounding == Rounding::Stochastic)
        return QObject::tr("%1 goes up to %2 in %3 % of all draws, else down to %4%5; in this draw it becomes %6.")
            .arg(value, valueText(to.value), share, valueText(from.value), beyond, valueText(rounded));
    return QObject::tr("%1 lies %2 % of the way from %3 to %4%5; %6.")
        .arg(value, share, valueText(from.value), valueText(to.value), beyond, becomes);
}

QString typedNote(const TypedNumber& typed) {
    if (!typed.isRounded()) return {};
    return QObject::tr("Taken as the nearest FP32 number, %1: every format is a rounding of FP32.")
        .arg(numberText(static_cast<double>(typed.number.value), 12));
}

QString dotValuesText(DotValues values) {
    const QString names[] = {QObject::tr("normal, mean 0"), QObject::tr("uniform, 0 to 1"), QObject::tr("one large, many small"),
                             QObject::tr("alternating signs")};
    return names[static_cast<std::size_t>(values)];
}

QString wayText(const SumWay& way) {
    const QString format = formatText(way.format);
    switch (way.order) {
        case SumOrder::InOrder:
            return (way.rounding.rounding == Rounding::Stochastic ? QObject::tr("%1, rounded stochastically")
                                                                  : QObject::tr("%1, sequential"))
                .arg(format);
        case SumOrder::Chunked:
            return QObject::tr("%1, chunks of %2").arg(format).arg(way.chunk);
        case SumOrder::Pairwise:
            return QObject::tr("%1, pairwise").arg(format);
        case SumOrder::Kahan:
            return QObject::tr("%1, Kahan").arg(format);
        case SumOrder::TensorCore:
        case SumOrder::Promoted:
            break;
    }
    const QString core = nameText(accumulatorScreenName(way.core));
    return way.order == SumOrder::TensorCore ? core : QObject::tr("%1, FP32 every %2").arg(core).arg(way.chunk);
}

QString wayHint(const SumWay& way) {
    switch (way.order) {
        case SumOrder::InOrder:
            if (way.format == Dtype::F32) return QObject::tr("Each product is added to the sum, and the sum rounded to FP32.");
            return way.rounding.rounding == Rounding::Stochastic
                       ? QObject::tr(
                             "Each sum is rounded up with the probability of its fraction: what one addition loses, others make up for on "
                             "average.")
                       : QObject::tr(
                             "Each product is added to the sum, and the sum rounded. Once a product is less than half the gap at the sum, "
                             "nothing changes any more.");
        case SumOrder::Chunked:
            return QObject::tr(
                "Each chunk has a sum of its own, which stays small; the chunks' sums are added at the end, in the same format.");
        case SumOrder::Pairwise:
            return QObject::tr("Halves of halves: what is added is of like size, and each product goes through few roundings.");
        case SumOrder::Kahan:
            return QObject::tr("A second number of the format carries what the sum has lost, and gives it back with the next product.");
        case SumOrder::TensorCore:
        case SumOrder::Promoted:
            break;
    }
    const QString fused = QObject::tr(
        "A few products at a time are cut to the scale of the largest, added exactly, and cut again. Errors are in ulp of the sum's own "
        "format.");
    return way.order == SumOrder::TensorCore ? fused
                                             : fused + u' ' + QObject::tr("After each chunk the sum moves to FP32, and begins at 0 again.");
}

QString dotSentence(const SumWay& way, const DotError& found) {
    const QString name = wayText(way), count = groupedText(found.length);
    if (!std::isfinite(found.result))
        return QObject::tr("%1: the sum of %2 products is %3; the exact value is %4.")
            .arg(name, count, valueText(static_cast<double>(found.result)), valueText(found.exact));
    if (found.error == 0) return QObject::tr("%1: the sum of %2 products is exact, %3.").arg(name, count, valueText(found.exact));
    return QObject::tr("%1: %2 products give %3; the exact value is %4. That is %5 ulp of %6 off.")
        .arg(name, count, valueText(static_cast<double>(found.result)), valueText(found.exact), numberText(found.ulps, 3),
             formatText(way.format));
}

}  // namespace mantissa::gui
