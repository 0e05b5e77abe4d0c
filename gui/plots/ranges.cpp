// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/ranges.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mantissa::gui {
namespace {

constexpr std::size_t kLeastForClipping = 60;   // below, a tail cannot be told from the rest
constexpr double kTailShare = 0.01;
constexpr std::size_t kSample = 4096;

/// Bounds move in such steps: a quarter decade, a power of two, or a "nice" share of a linear range.
double boundStep(const Span& span, AxisScale scale) {
    if (scale == AxisScale::Log10) return 0.25;
    if (scale == AxisScale::Log2) return 1;
    const double raw = span.length() / 4;
    const double magnitude = std::pow(10, std::floor(std::log10(raw)));
    for (const double nice : {1.0, 2.0, 2.5, 5.0})
        if (raw <= nice * magnitude) return nice * magnitude;
    return 10 * magnitude;
}

struct ValueInterval {
    std::size_t first, last;
};

/// One value more on each side than `span` holds, so that lines run out of the plot instead of ending short of its edge.
ValueInterval valuesIn(const Series& series, const Span& span, std::int64_t shownSteps) {
    const std::size_t size = series.countBefore(shownSteps);
    const std::size_t first = series.countBefore(static_cast<std::int64_t>(std::floor(span.first)));
    const std::size_t last = series.countBefore(static_cast<std::int64_t>(std::ceil(span.last)) + 1);
    return {std::min(size, first > 0 ? first - 1 : 0), std::min(size, last + 1)};
}

}  // namespace

double toAxis(AxisScale scale, double value) {
    if (!std::isfinite(value)) return kNaN;
    if (scale == AxisScale::Linear) return value;
    if (!(value > 0)) return kNaN;
    return scale == AxisScale::Log10 ? std::log10(value) : std::log2(value);
}

double fromAxis(AxisScale scale, double coordinate) {
    switch (scale) {
        case AxisScale::Linear: return coordinate;
        case AxisScale::Log10: return std::pow(10, coordinate);
        case AxisScale::Log2: return std::exp2(coordinate);
    }
    return coordinate;
}

RobustRange robustRange(std::vector<double>& values, AxisScale scale) {
    std::erase_if(values, [](double v) { return !std::isfinite(v); });
    RobustRange range;
    if (values.empty()) return range;
    range.isEmpty = false;
    const auto [least, largest] = std::minmax_element(values.begin(), values.end());
    const double lowest = *least, highest = *largest;
    range.span = {lowest, highest};
    if (values.size() < kLeastForClipping) return range;

    // Quantiles of a sample are good enough. The stride is odd, since points come in fours: first, least, largest and last of a column.
    const std::size_t stride = values.size() / kSample | 1;
    std::size_t count = 0;
    for (std::size_t i = 0; i < values.size(); i += stride) values[count++] = values[i];
    const auto end = values.begin() + static_cast<std::ptrdiff_t>(count);
    const auto tail = static_cast<std::ptrdiff_t>(kTailShare * static_cast<double>(count));
    const auto low = values.begin() + tail, high = end - 1 - tail;
    std::nth_element(values.begin(), low, end);
    const double lowQuantile = *low;
    std::nth_element(values.begin(), high, end);
    const double highQuantile = *high;
    // A constant has no spread to go by: then 2 % of it, or a third of a decade, count as one.
    const bool isLinear = scale == AxisScale::Linear;
    const double leastSpread = isLinear ? 0.02 * std::max(std::abs(lowQuantile), std::abs(highQuantile)) : 0.3;
    const double reach = (isLinear ? 1.5 : 3) * std::max(highQuantile - lowQuantile, leastSpread);
    range.clipsAbove = highest > highQuantile + reach;
    range.clipsBelow = lowest < lowQuantile - reach;
    if (range.clipsAbove) range.span.last = highQuantile + 0.1 * reach;
    if (range.clipsBelow) range.span.first = lowQuantile - 0.1 * reach;
    return range;
}

Span calmBounds(const Span& span, AxisScale scale) {
    Span wide = span;
    const double magnitude = std::max(std::abs(span.first), std::abs(span.last));
    const double leastLength = scale == AxisScale::Log10 ? 0.5 : scale == AxisScale::Log2 ? 4 : std::max(0.1 * magnitude, 1e-12);
    if (wide.length() < leastLength) {
        const double middle = (wide.first + wide.last) / 2;
        wide = {middle - leastLength / 2, middle + leastLength / 2};
    }
    const double step = boundStep(wide, scale);
    return {std::floor(wide.first / step) * step, std::ceil(wide.last / step) * step};
}

std::vector<SeriesPoint> visiblePoints(const Series& series, const Span& span, int columns, std::int64_t shownSteps) {
    const ValueInterval values = valuesIn(series, span, shownSteps);
    if (values.first >= values.last) return {};
    return series.visible(series.stepAt(values.first), series.stepAt(values.last - 1) + 1, columns);
}

std::int64_t countNotPositive(const Series& series, const Span& span, std::int64_t shownSteps) {
    const ValueInterval values = valuesIn(series, span, shownSteps);
    if (values.first >= values.last) return 0;
    // The pyramid answers the usual case without a scan; an empty interval's minimum is above everything.
    if (!(series.extremes(series.stepAt(values.first), series.stepAt(values.last - 1) + 1).min <= 0)) return 0;
    std::int64_t count = 0;
    for (std::size_t i = values.first; i < values.last; ++i)
        count += series.classAt(i) == ValueClass::Finite && series.valueAt(i) <= 0;
    return count;
}

}  // namespace mantissa::gui
