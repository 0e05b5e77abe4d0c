// SPDX-License-Identifier: Apache-2.0
// A line plot over steps as an SVG image in the light theme, for reports: title and unit aligned with the axis, base line and grid,
// right-aligned tick labels. Skipped steps and non-finite values are glyphs in rows above the plot, one row per run, and do not affect the
// axis; changes of settings are dashed lines with flags. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/telemetry/series.h"
#include "engine/telemetry/svg_shapes.h"

namespace mantissa {

enum class SvgScale : std::uint8_t { Linear, Log10, Log2 };

/// A skipped step or a non-finite value: a glyph above the plot, for -Inf below.
struct SvgEdge {
    std::int64_t step = 0;
    svg::Glyph glyph = svg::Glyph::Skipped;
};

struct SvgSeries {
    std::string name;
    std::size_t identity = 0;         // run_identity.h
    std::vector<SeriesPoint> points;  // y NaN: a gap
    std::vector<SeriesPoint> faint;   // the raw values behind; may be empty
    std::vector<SeriesPoint> dots;    // validation: markers joined by a dotted line; may be empty
    std::vector<SvgEdge> edges;       // by step
    bool isStepped = false;           // each value is drawn constant until the next one
};

struct SvgMarker {
    std::int64_t step = 0;
    std::string label;
    std::vector<std::size_t> identities;  // the affected runs, as markers before the label; may be empty
};

struct SvgPlot {
    std::string title, unit;
    SvgScale scale = SvgScale::Linear;
    std::int64_t steps = 1;
    int areaHeight = 160;  // of the plot area only; the image grows with its rows of flags and glyphs
    std::vector<SvgSeries> series;
    std::vector<SvgMarker> markers;  // by step
    bool showsMarkerLabels = false;
    bool showsLegend = false;
};

std::string renderSvg(const SvgPlot& plot);

/// A run's line with its marker in the middle, for legends and tables: a complete <svg> of 32 x 12.
std::string svgSample(std::size_t identity);

}  // namespace mantissa
