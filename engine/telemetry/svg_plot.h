// SPDX-License-Identifier: Apache-2.0
// One line plot over steps as an SVG picture, light, for reports: title and unit on the axis' edge, base line and grid, tick labels right-
// aligned beside it. Skips and non-finite values stand as glyphs in rows above the plot, a row a run, and never bend the axis; settings
// that took effect are dashed lines with flags. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/telemetry/series.h"
#include "engine/telemetry/svg_shapes.h"

namespace mantissa {

enum class SvgScale : std::uint8_t { Linear, Log10, Log2 };

/// A skip or a non-finite value: a glyph above the plot, -Inf below.
struct SvgEdge {
    std::int64_t step = 0;
    svg::Glyph glyph = svg::Glyph::Skipped;
};

struct SvgSeries {
    std::string name;
    std::size_t identity = 0;         // run_identity.h
    std::vector<SeriesPoint> points;  // y NaN: a gap
    std::vector<SeriesPoint> faint;   // the raw trace behind; may be empty
    std::vector<SeriesPoint> dots;    // validation: markers joined by dots; may be empty
    std::vector<SvgEdge> edges;       // by step
    bool isStepped = false;           // a value holds until the next one
};

struct SvgMarker {
    std::int64_t step = 0;
    std::string label;
    std::vector<std::size_t> identities;  // the runs it is about, as markers before the label; may be empty
};

struct SvgPlot {
    std::string title, unit;
    SvgScale scale = SvgScale::Linear;
    std::int64_t steps = 1;
    int areaHeight = 160;  // of the plot area alone; the picture grows with its rows of flags and glyphs
    std::vector<SvgSeries> series;
    std::vector<SvgMarker> markers;  // by step
    bool showsMarkerLabels = false;
    bool showsLegend = false;
};

std::string renderSvg(const SvgPlot& plot);

/// A run's line with its marker in the middle, as legends and tables show it: a complete <svg> of 32 x 12.
std::string svgSample(std::size_t identity);

}  // namespace mantissa
