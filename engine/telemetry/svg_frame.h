// SPDX-License-Identifier: Apache-2.0
// The layout of an SVG plot: rows above the plot area, axes, ticks, flags, legend. From top to bottom: title (and the legend, if it fits),
// legend rows, flags, glyph rows, plot area, step labels. Lengths are CSS pixels. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "engine/telemetry/svg_plot.h"

namespace mantissa {

// left and right edge of the plot area are equal in all plots, so that they align vertically
inline constexpr double kSvgWidth = 960, kSvgLeft = 56, kSvgRight = kSvgWidth - 20;
inline constexpr double kSvgFlagRow = 22, kSvgFlagMarker = 12, kSvgEdgeRow = 16;

struct SvgTick {
    double at;
    std::string label;
};

/// A box at an event's line; without a label if it would overlap others.
struct SvgFlag {
    std::size_t marker;  // index into SvgPlot::markers
    int row;
    double left, width;
    std::string label;
};

struct SvgLegendEntry {
    std::size_t series;
    double x, y;  // left end of its line; base line of its text
    std::string label;
};

class SvgFrame {
public:
    explicit SvgFrame(const SvgPlot& plot);

    double flagsTop() const { return m_flagsTop; }
    double edgesTop() const { return m_edgesTop; }
    double top() const { return m_top; }
    double bottom() const { return m_top + m_plot.areaHeight; }
    double height() const { return bottom() + 30; }

    double x(double step) const;
    /// Whether a value can be drawn on the axis: finite, and positive on a log axis.
    bool hasPlace(double value) const;
    double y(double value) const { return yMapped(mapped(value)); }

    std::vector<SvgTick> xTicks() const;
    std::vector<SvgTick> yTicks() const;
    const std::vector<SvgFlag>& flags() const { return m_flags; }
    const std::vector<SvgLegendEntry>& legend() const { return m_legend; }

private:
    const SvgPlot& m_plot;         // outlives the frame
    double m_low = 0, m_high = 1;  // mapped
    double m_flagsTop = 0, m_edgesTop = 0, m_top = 0;
    std::vector<SvgFlag> m_flags;
    std::vector<SvgLegendEntry> m_legend;

    double mapped(double value) const;
    double yMapped(double value) const { return bottom() - (value - m_low) / (m_high - m_low) * (bottom() - top()); }
    double placeLegend();
    int placeFlags();
    void fitRange();
    std::vector<SvgTick> logTicks() const;
    std::vector<SvgTick> linearTicks(double low, double high) const;
};

}  // namespace mantissa
