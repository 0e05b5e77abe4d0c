// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/ranges.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "gui/plots/wide_loop.h"

namespace mantissa::gui {
namespace {

constexpr std::size_t kLeastForClipping = 60;   // fewer values have no recognisable tail
constexpr double kTailShare = 0.01;
constexpr std::size_t kSample = 4096;

/// Unit of the bounds: a quarter decade, a power of two, or a "nice" share of a linear range.
double boundStep(const Span& span, AxisScale scale) {
    if (scale == AxisScale::Log10 || scale == AxisScale::Symlog) return 0.25;
    if (scale == AxisScale::Log2) return 1;
    const double raw = span.length() / 4;
    const double magnitude = std::pow(10, std::floor(std::log10(raw)));
    for (const double nice : {1.0, 2.0, 2.5, 5.0})
        if (raw <= nice * magnitude) return nice * magnitude;
    return 10 * magnitude;
}

/// Replaces values by their natural logarithms, without a call or a branch. NaN for values that are not positive, normal and finite.
MANTISSA_WIDE_LOOP void takeLogarithms(double* values, std::size_t count) {
    constexpr std::uint64_t kMantissa = (1ull << 52) - 1, kRootOfHalf = 0x3fe6a09e667f3bcd, kTwoTo52 = 0x4330000000000000;
    constexpr std::uint64_t kLeast = 1ull << 52, kInf = 0x7ff0000000000000;  // bits of the smallest normal number, and of infinity
    for (std::size_t i = 0; i < count; ++i) {
        // value = 2^exponent * mantissa, the mantissa between the roots of 1/2 and 2; then the series of 2 artanh(z), |z| < 0.172.
        const auto bits = std::bit_cast<std::uint64_t>(values[i]);
        const std::uint64_t shifted = bits - kRootOfHalf + (1ull << 62);
        const double exponent = std::bit_cast<double>((shifted >> 52) | kTwoTo52) - (0x1p52 + 1024);
        const double mantissa = std::bit_cast<double>((shifted & kMantissa) + kRootOfHalf);
        const double z = (mantissa - 1) / (mantissa + 1), zz = z * z;
        const double rest = zz * (1.0 / 3 + zz * (1.0 / 5 + zz * (1.0 / 7 + zz * (1.0 / 9 + zz * (1.0 / 11 + zz * (1.0 / 13))))));
        const auto logarithm = std::bit_cast<std::uint64_t>(exponent * std::numbers::ln2 + 2 * z * (1 + rest));
        const std::uint64_t isNone = bits - kLeast < kInf - kLeast ? 0 : kInf + 1;  // an added kInf + 1 makes a NaN
        values[i] = std::bit_cast<double>(logarithm | isNone);
    }
}

struct ValueInterval {
    std::size_t first, last;
};

/// Values in `span` and one more on each side, so that lines reach the plot's edge.
ValueInterval valuesIn(const Series& series, const Span& span, std::int64_t shownSteps) {
    const std::size_t size = series.countBefore(shownSteps);
    const std::size_t first = series.countBefore(static_cast<std::int64_t>(std::floor(span.first)));
    const std::size_t last = series.countBefore(static_cast<std::int64_t>(std::ceil(span.last)) + 1);
    return {std::min(size, first > 0 ? first - 1 : 0), std::min(size, last + 1)};
}

}  // namespace

double toAxis(AxisScale scale, double value, double threshold) {
    if (!std::isfinite(value)) return kNaN;
    if (scale == AxisScale::Linear) return value;
    if (scale == AxisScale::Symlog) {
        const double size = std::abs(value) / threshold;
        return size <= 1 ? value / threshold : std::copysign(1 + std::log10(size), value);
    }
    if (!(value > 0)) return kNaN;
    return scale == AxisScale::Log10 ? std::log10(value) : std::log2(value);
}

void toAxis(AxisScale scale, double unit, double threshold, std::vector<SeriesPoint>& points) {
    if (scale == AxisScale::Log2 || scale == AxisScale::Log10) {
        const double perUnit = 1 / unit, perLog = scale == AxisScale::Log2 ? 1 / std::numbers::ln2 : 1 / std::numbers::ln10;
        std::array<double, 256> values;
        for (std::size_t first = 0; first < points.size(); first += values.size()) {
            const std::size_t count = std::min(values.size(), points.size() - first);
            for (std::size_t i = 0; i < count; ++i) values[i] = points[first + i].y * perUnit;
            takeLogarithms(values.data(), count);
            for (std::size_t i = 0; i < count; ++i) points[first + i].y = values[i] * perLog;
        }
        return;
    }
    for (SeriesPoint& point : points) point.y = toAxis(scale, point.y / unit, threshold);
}

double fromAxis(AxisScale scale, double coordinate, double threshold) {
    switch (scale) {
        case AxisScale::Linear: return coordinate;
        case AxisScale::Log10: return std::pow(10, coordinate);
        case AxisScale::Log2: return std::exp2(coordinate);
        case AxisScale::Symlog: {
            const double size = std::abs(coordinate);
            return size <= 1 ? coordinate * threshold : std::copysign(threshold * std::pow(10, size - 1), coordinate);
        }
    }
    return coordinate;
}

double symlogThreshold(std::vector<double>& values) {
    std::erase_if(values, [](double value) { return !std::isfinite(value) || value == 0; });
    if (values.empty()) return 1;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle, {}, [](double value) { return std::abs(value); });
    return std::pow(10, std::floor(std::log10(std::abs(*middle))) - 1);
}

void RobustRange::add(const std::vector<double>& values) {
    for (const double value : values) {
        if (!std::isfinite(value)) continue;
        span = isEmpty ? Span{value, value} : Span{std::min(span.first, value), std::max(span.last, value)};
        isEmpty = false;
    }
}

RobustRange robustRange(std::vector<double>& values, AxisScale scale) {
    std::erase_if(values, [](double v) { return !std::isfinite(v); });
    RobustRange range;
    range.add(values);
    if (values.empty()) return range;
    const double lowest = range.span.first, highest = range.span.last;
    if (values.size() < kLeastForClipping) return range;

    // Quantiles of a sample are sufficient. The stride is odd, since points come in fours: first, least, largest and last of a column.
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
    // A constant has no spread: 2 % of it, or a third of a decade, are used instead.
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
    const bool isDecades = scale == AxisScale::Log10 || scale == AxisScale::Symlog;
    const double leastLength = isDecades ? 0.5 : scale == AxisScale::Log2 ? 4 : magnitude > 0 ? 0.1 * magnitude : 1;
    if (wide.length() < leastLength) {
        const double middle = (wide.first + wide.last) / 2;
        wide = {middle - leastLength / 2, middle + leastLength / 2};
    }
    const double step = boundStep(wide, scale);
    return {std::floor(wide.first / step) * step, std::ceil(wide.last / step) * step};
}

double coveredShare(const Series& series, const Span& span, std::int64_t shownSteps) {
    const ValueInterval values = valuesIn(series, span, shownSteps);
    if (values.first >= values.last) return 0;
    return std::min(1.0, static_cast<double>(series.stepAt(values.last - 1) + 1 - series.stepAt(values.first)) / span.length());
}

std::vector<SeriesPoint> visiblePoints(const Series& series, const Span& span, double columns, std::int64_t shownSteps,
                                       Series::ColumnMemory* memory) {
    const ValueInterval values = valuesIn(series, span, shownSteps);
    if (values.first >= values.last) return {};
    return series.visible(series.stepAt(values.first), series.stepAt(values.last - 1) + 1, columns, memory);
}

namespace {

/// Bisects the intervals whose extremes exceed `values`, down to single values: the time depends on the number of values found.
void findBeyond(const Series& series, std::size_t first, std::size_t last, const Span& values, std::size_t most, StepsBeyond& found) {
    if (first >= last) return;
    constexpr std::size_t kFew = 16;
    const Series::Extremes extremes = series.extremes(series.stepAt(first), series.stepAt(last - 1) + 1);
    const bool isAbove = extremes.max > values.last && found.above.size() < most;
    const bool isBelow = extremes.min < values.first && found.below.size() < most;
    if (!isAbove && !isBelow) return;
    if (last - first > kFew) {
        const std::size_t middle = first + (last - first) / 2;
        findBeyond(series, first, middle, values, most, found);
        findBeyond(series, middle, last, values, most, found);
        return;
    }
    for (std::size_t i = first; i < last; ++i) {
        if (series.classAt(i) != ValueClass::Finite) continue;
        if (series.valueAt(i) > values.last && found.above.size() < most) found.above.push_back(series.stepAt(i));
        if (series.valueAt(i) < values.first && found.below.size() < most) found.below.push_back(series.stepAt(i));
    }
}

}  // namespace

StepsBeyond stepsBeyond(const Series& series, const Span& span, std::int64_t shownSteps, const Span& values, std::size_t most) {
    StepsBeyond found;
    const auto last = static_cast<std::int64_t>(std::floor(span.last)) + 1;
    findBeyond(series, series.countBefore(static_cast<std::int64_t>(std::ceil(span.first))), series.countBefore(std::min(last, shownSteps)), values,
               most, found);
    return found;
}

std::int64_t countNotPositive(const Series& series, const Span& span, std::int64_t shownSteps) {
    const ValueInterval values = valuesIn(series, span, shownSteps);
    if (values.first >= values.last) return 0;
    // The pyramid answers the usual case without a scan; an empty interval's minimum is infinite.
    if (!(series.extremes(series.stepAt(values.first), series.stepAt(values.last - 1) + 1).min <= 0)) return 0;
    std::int64_t count = 0;
    for (std::size_t i = values.first; i < values.last; ++i)
        count += series.classAt(i) == ValueClass::Finite && series.valueAt(i) <= 0;
    return count;
}

}  // namespace mantissa::gui
