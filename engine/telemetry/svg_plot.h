// SPDX-License-Identifier: Apache-2.0
// One line plot over steps as an SVG picture, light, for reports: title and unit on the axis' edge, base line and grid, tick labels to the
// left, skips and non-finite values as glyphs at the edge, settings as dashed lines. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/telemetry/series.h"

namespace mantissa {

enum class SvgScale : std::uint8_t { Linear, Log10, Log2 };

struct SvgSeries {
    std::string name;
    std::size_t identity = 0;                // run_identity.h
    std::vector<SeriesPoint> points;         // y non-finite: a gap, and a glyph
    std::vector<SeriesPoint> faint;          // the raw trace behind; may be empty
    std::vector<SeriesPoint> dots;           // validation: markers joined by dots; may be empty
    std::vector<std::int64_t> skippedSteps;  // a diamond each, folded where they would touch
    bool isStepped = false;                  // a value holds until the next one
};

struct SvgMarker {
    std::size_t identity = 0;
    std::int64_t step = 0;
    std::string label;
};

struct SvgPlot {
    std::string title, unit;
    SvgScale scale = SvgScale::Linear;
    std::int64_t steps = 1;
    int height = 220;
    std::vector<SvgSeries> series;
    std::vector<SvgMarker> markers;
    bool showsMarkerLabels = false;
    bool showsLegend = false;
};

std::string renderSvg(const SvgPlot& plot);

/// `&`, `<`, `>` and quotes made harmless in XML and HTML.
std::string escapeXml(const std::string& text);

}  // namespace mantissa
