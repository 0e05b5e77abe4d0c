// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/x_axis.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gui/controls/number_text.h"

namespace mantissa::gui {
namespace {

constexpr int kParts = 32;  // parts of an uneven axis, each with its share of the pixel columns
constexpr double kMinute = 60, kHour = 3600, kDay = 86400;

int decimalsFor(double resolution) {
    return resolution > 0 ? std::clamp(-static_cast<int>(std::floor(std::log10(resolution) + 1e-9)), 0, 9) : 0;
}

/// Two digits before the point: "05", "05.2".
QString sixtieths(double value, int decimals) {
    return (value < 9.5 ? QStringLiteral("0") : QString()) + fixedText(value, decimals);
}

}  // namespace

QString quantityName(XQuantity quantity) {
    static constexpr const char* kNames[] = {QT_TRANSLATE_NOOP("QObject", "step"), QT_TRANSLATE_NOOP("QObject", "samples"),
                                             QT_TRANSLATE_NOOP("QObject", "epoch"), QT_TRANSLATE_NOOP("QObject", "wall time"),
                                             QT_TRANSLATE_NOOP("QObject", "training time")};
    return QObject::tr(kNames[static_cast<int>(quantity)]);
}

QString quantityMeaning(XQuantity quantity) {
    static constexpr const char* kMeanings[] = {
        QT_TRANSLATE_NOOP("QObject", "The number of the step, from 0."),
        QT_TRANSLATE_NOOP("QObject", "Samples that the run has used up, that step's included."),
        QT_TRANSLATE_NOOP("QObject", "Samples used up by the number of training samples."),
        QT_TRANSLATE_NOOP("QObject", "Seconds since training began, whichever run had its turn; pauses do not count."),
        QT_TRANSLATE_NOOP("QObject", "Seconds of its steps alone, without validation.")};
    return QObject::tr(kMeanings[static_cast<int>(quantity)]);
}

QString axisName(const XAxis& axis) {
    return axis.isLog ? QObject::tr("%1, log").arg(quantityName(axis.quantity)) : quantityName(axis.quantity);
}

double StepPlaces::x(double step) const {
    if (!m_progress) return step;
    const double value = m_progress->at(m_axis.quantity, step);
    return m_axis.isLog ? (value > 0 ? std::log10(value) : -std::numeric_limits<double>::infinity()) : value;
}

double StepPlaces::step(double x) const {
    if (!m_progress) return x;
    return m_progress->stepAt(m_axis.quantity, m_axis.isLog ? std::pow(10, x) : x);
}

std::vector<SeriesPoint> visiblePoints(const Series& series, const StepPlaces& places, const Span& span, int columns,
                                       std::int64_t shownSteps) {
    if (!places.isUneven()) return visiblePoints(series, places.steps(span), columns, shownSteps);
    // Each part of the axis gets its share of the columns, whatever its number of steps: each pixel shows its own values.
    std::vector<SeriesPoint> points;
    for (int part = 0; part < kParts; ++part) {
        const Span steps = places.steps({span.first + span.length() * part / kParts, span.first + span.length() * (part + 1) / kParts});
        // A part has one extra value on each side: points of the previous part are not repeated.
        for (const SeriesPoint& point : visiblePoints(series, steps, std::max(columns / kParts, 1), shownSteps))
            if (points.empty() || point.x > points.back().x || (point.x == points.back().x && point.y != points.back().y))
                points.push_back(point);
    }
    return points;
}

std::vector<SeriesPoint> linePoints(const Series& series, const StepPlaces& places, const Span& span, int columns, std::int64_t shownSteps,
                                    Series::ColumnMemory& memory) {
    if (places.isUneven()) return visiblePoints(series, places, span, columns, shownSteps);
    const Span steps = places.steps(span);
    return visiblePoints(series, steps, columns * coveredShare(series, steps, shownSteps), shownSteps, &memory);
}

void placeOn(const StepPlaces& places, std::vector<SeriesPoint>& points) {
    if (places.isPlain()) return;
    for (SeriesPoint& point : points) point.x = places.x(point.x);
    std::erase_if(points, [](const SeriesPoint& point) { return !std::isfinite(point.x); });
}

QString durationText(double seconds, double resolution) {
    const int decimals = decimalsFor(resolution);
    const double parts = std::pow(10, decimals), shown = std::round(seconds * parts) / parts;
    if (shown == 0) return QStringLiteral("0");
    const double difference = resolution * (1 + 1e-9);
    if (difference >= kDay) return QObject::tr("%1 d").arg(numberText(shown / kDay));
    if (difference >= kHour && std::fmod(shown, kHour) == 0) return QObject::tr("%1 h").arg(numberText(shown / kHour));
    if (shown < kMinute) return QObject::tr("%1 s").arg(fixedText(shown, decimals));
    const double hours = std::floor(shown / kHour), minutes = std::floor(std::fmod(shown, kHour) / kMinute),
                 rest = std::fmod(shown, kMinute);
    const QString end = QStringLiteral(":") + sixtieths(rest, decimals);
    return hours > 0 ? fixedText(hours, 0) + QStringLiteral(":") + sixtieths(minutes, 0) + end : fixedText(minutes, 0) + end;
}

QString axisText(const XAxis& axis, double coordinate, double resolution) {
    const double value = axis.isLog ? std::pow(10, coordinate) : coordinate;
    switch (axis.quantity) {
        case XQuantity::Step:
        case XQuantity::Samples:
            return groupedText(std::llround(value));
        case XQuantity::Epoch:
            return fixedText(value, decimalsFor(resolution));
        case XQuantity::WallTime:
        case XQuantity::TrainingTime:
            return durationText(value, resolution);
    }
    return {};
}

}  // namespace mantissa::gui
