// SPDX-License-Identifier: Apache-2.0
#include "engine/telemetry/svg_frame.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/telemetry/number_format.h"

namespace mantissa {
namespace {

/// The smallest of 1, 2, 5 times a power of ten that divides `span` into at most `ticks` parts.
double niceStep(double span, double ticks) {
    const double raw = span / std::max(ticks, 1.0), power = std::pow(10, std::floor(std::log10(raw)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (raw <= factor * power * (1 + 1e-9)) return factor * power;
    }
    return 10 * power;
}

/// A tick's value without rounding errors of added steps.
std::string tickText(double value, double step) {
    if (std::fabs(value) < step / 2) return "0";
    return numberText(std::round(value / step) * step);
}

}  // namespace

SvgFrame::SvgFrame(const SvgPlot& plot) : m_plot(plot) {
    fitRange();
    m_flagsTop = placeLegend();
    m_edgesTop = m_flagsTop + kSvgFlagRow * placeFlags();
    const auto rows = std::count_if(plot.series.begin(), plot.series.end(), [](const SvgSeries& s) { return !s.edges.empty(); });
    m_top = m_edgesTop + kSvgEdgeRow * static_cast<double>(rows) + 4;
}

double SvgFrame::x(double step) const {
    return kSvgLeft + step / static_cast<double>(std::max<std::int64_t>(m_plot.steps, 1)) * (kSvgRight - kSvgLeft);
}

bool SvgFrame::hasPlace(double value) const {
    return std::isfinite(value) && (m_plot.scale == SvgScale::Linear || value > 0);
}

double SvgFrame::mapped(double value) const {
    if (m_plot.scale == SvgScale::Log10) return std::log10(value);
    return m_plot.scale == SvgScale::Log2 ? std::log2(value) : value;
}

/// Fits lines and dots; raw traces may leave the plot. Linear axes start at 0, log2 ones have a free power of two at each end.
void SvgFrame::fitRange() {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const SvgSeries& s : m_plot.series) {
        for (const auto* points : {&s.points, &s.dots}) {
            for (const SeriesPoint& p : *points) {
                if (!hasPlace(p.y)) continue;
                low = std::min(low, mapped(p.y));
                high = std::max(high, mapped(p.y));
            }
        }
    }
    if (!(low <= high)) return;
    if (m_plot.scale == SvgScale::Log2) {
        m_low = std::floor(low) - 1;
        m_high = std::ceil(high) + 1;
        return;
    }
    const bool isLinear = m_plot.scale == SvgScale::Linear;
    if (isLinear) low = std::min(low, 0.0), high = std::max(high, 0.0);
    const double padding = std::max((high - low) * 0.06, isLinear ? (high > low ? 0.0 : 1.0) : 0.02);
    m_low = isLinear && low == 0 ? 0 : low - padding;
    m_high = high + padding;
}

/// In the title's line, right-aligned, if there is room; else in rows below. Returns the position of the next row.
double SvgFrame::placeLegend() {
    constexpr double kSample = 40, kGap = 24, kTitleLine = 20, kRow = 20;
    constexpr std::size_t kLongest = 32;
    if (!m_plot.showsLegend) return kTitleLine + 10;
    double total = -kGap;
    for (std::size_t i = 0; i < m_plot.series.size(); ++i) {
        m_legend.push_back({i, 0, kTitleLine, shortened(m_plot.series[i].name, kLongest)});
        total += kSample + svg::textWidth(m_legend.back().label) + kGap;
    }
    const double titleEnd = kSvgLeft + svg::textWidth(m_plot.title, 14) + svg::textWidth(m_plot.unit) + 2 * kGap;
    const bool isBeside = kSvgRight - total >= titleEnd;
    double x = isBeside ? kSvgRight - total : kSvgLeft, y = isBeside ? kTitleLine : kTitleLine + kRow;
    for (SvgLegendEntry& entry : m_legend) {
        const double width = kSample + svg::textWidth(entry.label);
        if (x > kSvgLeft && x + width > kSvgRight + 1) {
            x = kSvgLeft;
            y += kRow;
        }
        entry.x = x;
        entry.y = y;
        x += width + kGap;
    }
    return y + 10;
}

/// Places a flag to the right of its line, else to the left, else a row lower. A flag without room has its line and a box without text.
/// Returns the number of rows.
int SvgFrame::placeFlags() {
    constexpr int kMostRows = 3;
    constexpr std::size_t kLongest = 44;
    if (!m_plot.showsMarkerLabels) return 0;
    double free[kMostRows] = {};  // each row's first free position
    int rows = 0;
    for (std::size_t i = 0; i < m_plot.markers.size(); ++i) {
        const SvgMarker& m = m_plot.markers[i];
        const double at = x(static_cast<double>(m.step)), bare = 6 + kSvgFlagMarker * static_cast<double>(m.identities.size());
        const std::string label = shortened(m.label, kLongest);
        const double width = bare + svg::textWidth(label, 11) + 8;
        SvgFlag flag{i, 0, at, width, label};
        bool isPlaced = false;
        for (flag.row = 0; flag.row < kMostRows && !isPlaced; ++flag.row) {
            const bool fitsRight = at >= free[flag.row] && at + width <= kSvgWidth - 2;
            const bool fitsLeft = at - width >= free[flag.row];
            flag.left = fitsRight ? at : at - width;
            isPlaced = fitsRight || fitsLeft;
            if (isPlaced) break;
        }
        if (!isPlaced) {
            flag = {i, kMostRows - 1, at, std::max(bare, 10.0), ""};
            if (at < free[flag.row]) continue;
        }
        free[flag.row] = flag.left + flag.width + 4;
        rows = std::max(rows, flag.row + 1);
        m_flags.push_back(std::move(flag));
    }
    return rows;
}

std::vector<SvgTick> SvgFrame::xTicks() const {
    const double steps = static_cast<double>(std::max<std::int64_t>(m_plot.steps, 1));
    const double step = std::max(1.0, niceStep(steps, 10));
    std::vector<SvgTick> ticks;
    for (double v = 0; v <= steps; v += step) ticks.push_back({x(v), groupedText(static_cast<std::int64_t>(v))});
    return ticks;
}

std::vector<SvgTick> SvgFrame::linearTicks(double low, double high) const {
    constexpr double kApart = 30;
    const double step = niceStep(high - low, m_plot.areaHeight / kApart);
    std::vector<SvgTick> ticks;
    for (double v = std::ceil(low / step) * step; v <= high; v += step) ticks.push_back({y(v), tickText(v, step)});
    return ticks;
}

std::vector<SvgTick> SvgFrame::logTicks() const {
    constexpr double kApart = 20;
    const double decade = m_plot.areaHeight / (m_high - m_low);  // pixels
    std::vector<double> factors{1};
    if (decade * std::log10(2) > kApart) {
        factors = {1, 2, 5};
    } else if (decade * std::log10(3) > kApart) {
        factors = {1, 3};
    }
    const int stride = std::max(1, static_cast<int>(std::ceil(kApart / decade)));
    std::vector<SvgTick> ticks;
    for (int power = static_cast<int>(std::floor(m_low / stride)) * stride; power <= m_high; power += stride) {
        for (const double factor : factors) {
            const double at = power + std::log10(factor);
            if (at < m_low || at > m_high) continue;
            const bool isPlain = power >= -4 && power <= 4;
            const std::string label = isPlain       ? numberText(factor * std::pow(10, power))
                                      : factor == 1 ? powerText(10, power)
                                                    : numberText(factor) + "\u00b7" + powerText(10, power);
            ticks.push_back({yMapped(at), label});
        }
    }
    // within a fraction of a decade, linear ticks are more readable
    return ticks.size() >= 3 ? ticks : linearTicks(std::pow(10, m_low), std::pow(10, m_high));
}

std::vector<SvgTick> SvgFrame::yTicks() const {
    if (m_plot.scale == SvgScale::Linear) return linearTicks(m_low, m_high);
    if (m_plot.scale == SvgScale::Log10) return logTicks();
    constexpr double kApart = 28;
    const double step = std::max(1.0, std::ceil((m_high - m_low) * kApart / m_plot.areaHeight));
    std::vector<SvgTick> ticks;
    for (double v = std::ceil(m_low / step) * step; v <= m_high; v += step)
        ticks.push_back({yMapped(v), powerText(2, static_cast<int>(v))});
    return ticks;
}

}  // namespace mantissa
