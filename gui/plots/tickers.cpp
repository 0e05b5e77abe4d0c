// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/tickers.h"

#include <cmath>

#include "gui/controls/number_text.h"

namespace mantissa::gui {
namespace {

constexpr double kShortDecades = 1.3;  // up to this length, 1-2-5 is more useful than 1-3-10

/// The smallest of 1, 2, 5 times a power of ten that makes at most `count` intervals.
double roundStep(double length, int count) {
    const double raw = length / std::max(count, 1);
    const double magnitude = std::pow(10, std::floor(std::log10(raw)));
    for (const double nice : {1.0, 2.0, 5.0})
        if (raw <= nice * magnitude * (1 + 1e-9)) return nice * magnitude;
    return 10 * magnitude;
}

/// Appends multiples of `step` within the range, computed from integers so that they are exact.
void appendMultiples(const QCPRange& range, double step, QVector<double>& ticks) {
    for (double k = std::ceil(range.lower / step - 1e-9); k * step <= range.upper + 1e-9 * step; ++k) ticks.append(k * step);
}

/// Usual parts of minutes, hours and days.
constexpr double kTimes[] = {1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400};

double timeStep(double length, int count) {
    const double raw = length / count;
    if (raw <= kTimes[0]) return roundStep(length, count);
    for (const double time : kTimes)
        if (raw <= time * (1 + 1e-9)) return time;
    return 86400 * roundStep(length / 86400, count);
}

/// Appends several values within each decade; returns false if they would exceed `count`.
bool appendWithinDecades(const QCPRange& range, std::initializer_list<double> digits, int count, QVector<double>& ticks) {
    QVector<double> found;
    for (double decade = std::floor(range.lower); decade <= range.upper; ++decade)
        for (const double digit : digits) {
            const double tick = decade + std::log10(digit);
            if (tick >= range.lower - 1e-9 && tick <= range.upper + 1e-9) found.append(tick);
        }
    if (found.size() > count || found.size() < 2) return false;
    ticks = found;
    return true;
}

/// Appends decades with values between them if they fit, or multiples of decades.
void appendDecades(const QCPRange& range, int count, QVector<double>& ticks) {
    const bool isFine = (range.size() < kShortDecades && appendWithinDecades(range, {1.0, 2.0, 5.0}, count, ticks)) ||
                        appendWithinDecades(range, {1.0, 3.0}, count, ticks) || appendWithinDecades(range, {1.0}, count, ticks);
    if (!isFine) appendMultiples(range, std::max(1.0, roundStep(range.size(), count)), ticks);
    if (ticks.size() > 1) return;
    const double first = std::ceil(range.lower - 1e-9), last = std::floor(range.upper + 1e-9);
    if (last > first) {  // no multiples in the range: starts at its first decade
        ticks.clear();
        const double apart = std::ceil((last - first) / (count - 1));
        for (double decade = first; decade <= last; decade += apart) ticks.append(decade);
        return;
    }
    // Below one decade: round values at any position.
    const QCPRange values(std::pow(10, range.lower), std::pow(10, range.upper));
    QVector<double> round;
    appendMultiples(values, roundStep(values.size(), count), round);
    ticks.clear();
    for (const double value : round)
        if (value > 0) ticks.append(std::log10(value));
}

/// Appends decades of seconds up to a minute, then minutes, hours and days.
void appendTimes(const QCPRange& range, int count, QVector<double>& ticks) {
    static constexpr double kRound[] = {1e-4, 1e-3, 1e-2, 0.1, 1, 10, 60, 600, 3600, 36000, 86400, 864000};
    for (const double time : kRound)
        if (range.contains(std::log10(time))) ticks.append(std::log10(time));
    if (ticks.size() < 2) {
        ticks.clear();
        appendDecades(range, count, ticks);
    }
}

}  // namespace

void XTicker::generate(const QCPRange& range, const QLocale&, QChar, int, QVector<double>& ticks, QVector<double>* subTicks,
                       QVector<QString>* labels) {
    ticks.clear();
    if (subTicks) subTicks->clear();
    if (labels) labels->clear();
    const int count = std::max(tickCount(), 2);
    double step = m_axis.isTime() ? timeStep(range.size(), count) : roundStep(range.size(), count);
    if (m_axis.isLog) {
        m_axis.isTime() ? appendTimes(range, count, ticks) : appendDecades(range, count, ticks);
    } else {
        if (m_axis.quantity == XQuantity::Step || m_axis.quantity == XQuantity::Samples) step = std::max(1.0, step);
        appendMultiples(range, step, ticks);
    }
    ticks.removeIf([this](double tick) { return !m_axis.isLog && tick < 0; });
    if (!labels) return;
    for (const double tick : ticks) {
        // On a logarithmic axis the precision of a label depends on its size.
        const double resolution = m_axis.isLog ? std::pow(10, tick) * std::min(1.0, range.size()) : step;
        labels->append(axisText(m_axis, tick, resolution));
    }
}

void ValueTicker::generate(const QCPRange& range, const QLocale&, QChar, int, QVector<double>& ticks, QVector<double>* subTicks,
                           QVector<QString>* labels) {
    ticks.clear();
    if (subTicks) subTicks->clear();
    const int count = std::max(tickCount(), 2);
    double step = 1;
    if (m_scale == AxisScale::Log10) {
        appendDecades(range, count, ticks);
    } else if (m_scale == AxisScale::Symlog) {
        step = std::max(1.0, std::ceil(range.size() / count));  // the threshold, its negative, zero, and decades
        appendMultiples(range, step, ticks);
    } else if (m_scale == AxisScale::Log2) {
        while (range.size() / step > count + 0.5) step *= 2;  // `count` intervals have one tick more
        appendMultiples(range, step, ticks);
    } else {
        step = roundStep(range.size(), count);
        if (m_isWhole) step = std::max(1.0, step);
        appendMultiples(range, step, ticks);
    }
    ticks.removeIf([this](double tick) { return tick > m_highest; });
    if (!labels) return;
    labels->clear();
    // All labels of a linear axis have equally many decimals, so that their points align.
    const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
    for (const double tick : ticks) {
        if (m_scale == AxisScale::Log2) labels->append(powerOfTwoText(static_cast<int>(std::lround(tick))));
        if (m_scale == AxisScale::Log10) labels->append(numberText(fromAxis(m_scale, tick)));
        if (m_scale == AxisScale::Symlog) labels->append(numberText(fromAxis(m_scale, tick, m_threshold), 1));
        if (m_scale == AxisScale::Linear) labels->append(decimals > 6 ? numberText(tick, 3) : fixedText(tick, decimals));
    }
}

}  // namespace mantissa::gui
