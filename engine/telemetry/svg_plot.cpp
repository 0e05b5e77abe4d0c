// SPDX-License-Identifier: Apache-2.0
#include "engine/telemetry/svg_plot.h"

#include <algorithm>
#include <cmath>

#include "engine/telemetry/number_format.h"
#include "engine/telemetry/svg_frame.h"

namespace mantissa {
namespace {

using namespace svg;

constexpr double kPen = 1.6, kUnderlayPen = 3.2;

std::string strokeOf(std::size_t identity, double pen) {
    return std::string("stroke=\"") + runIdentity(identity).light + "\" stroke-width=\"" + number(pen) + "\"";
}

/// A path through the points; a gap where one has no place on the axis. A point between gaps is a short stroke, else it would not be seen.
std::string path(const SvgFrame& frame, const std::vector<SeriesPoint>& points, bool isStepped, const std::string& style) {
    std::string d;
    bool isDown = false, isAlone = false;
    const auto lift = [&] {
        if (isAlone) d += "h3";
        isDown = isAlone = false;
    };
    for (const SeriesPoint& p : points) {
        if (!frame.hasPlace(p.y)) {
            lift();
            continue;
        }
        const std::string x = number(frame.x(p.x)), y = number(frame.y(p.y));
        d += !isDown ? "M" + x + " " + y : isStepped ? "H" + x + "V" + y : "L" + x + " " + y;
        isAlone = !isDown;
        isDown = true;
    }
    lift();
    return d.empty() ? "" : "<path d=\"" + d + "\" fill=\"none\" stroke-linejoin=\"round\" " + style + "/>\n";
}

std::string axes(const SvgFrame& frame) {
    const std::string grid = std::string("stroke=\"") + kGrid + "\"", axis = std::string("stroke=\"") + kAxis + "\"";
    std::string out;
    for (const SvgTick& tick : frame.yTicks()) {
        out += line(kSvgLeft, tick.at, kSvgRight, tick.at, grid) + text(kSvgLeft - 8, tick.at + 4, tick.label, kInk2, Anchor::End);
    }
    out += line(kSvgLeft, frame.bottom(), kSvgRight, frame.bottom(), axis);
    out += text(kSvgLeft - 12, frame.bottom() + 18, "step", kInk3, Anchor::End);
    for (const SvgTick& tick : frame.xTicks()) out += text(tick.at, frame.bottom() + 18, tick.label, kInk2, Anchor::Middle);
    return out;
}

/// The runs' lines, clipped to the plot area, and above them the markers of their dots, which may stand on its edge.
std::string curves(const SvgPlot& plot, const SvgFrame& frame) {
    const auto has = [](const std::vector<SeriesPoint>& points) { return !points.empty(); };
    const auto lineCount = std::count_if(plot.series.begin(), plot.series.end(), [&](const SvgSeries& s) { return has(s.points); });
    const auto dotCount =
        static_cast<std::size_t>(std::count_if(plot.series.begin(), plot.series.end(), [&](const SvgSeries& s) { return has(s.dots); }));
    std::string raw, lines, dots, markers;
    std::size_t dotted = 0;
    for (const SvgSeries& s : plot.series) {
        const RunIdentity& identity = runIdentity(s.identity);
        // one raw trace is strong, more of them would turn to mud
        raw += path(frame, s.faint, false, strokeOf(s.identity, 0.8) + " stroke-opacity=\"" + (raw.empty() ? "0.35" : "0.14") + "\"");
        // a solid run at the bottom is a broad underlay, so that lines that coincide are seen to coincide; a line alone needs no dash
        const std::string dashes = lineCount > 1 ? dash(identity, kPen) : "";
        const bool isUnderlay = lines.empty() && lineCount > 1 && dashes.empty();
        lines += path(frame, s.points, s.isStepped, strokeOf(s.identity, isUnderlay ? kUnderlayPen : kPen) + dashes);
        if (s.dots.empty()) continue;
        dots += path(frame, s.dots, false, strokeOf(s.identity, 1.4) + " stroke-dasharray=\"1.5 3\"");
        // where dots would lie on each other, each run marks its share of them
        const bool marksAll = s.dots.size() < 2 * dotCount;
        for (std::size_t i = 0; i < s.dots.size(); ++i) {
            if (frame.hasPlace(s.dots[i].y) && (marksAll || i % dotCount == dotted % dotCount))
                markers += marker(identity.marker, identity.light, frame.x(s.dots[i].x), frame.y(s.dots[i].y));
        }
        ++dotted;
    }
    return "<g clip-path=\"url(#area)\">\n" + raw + lines + dots + "</g>\n" + markers;
}

/// A row of glyphs. What would touch is one episode: each kind once with its number, and a bar as long as the episode.
std::string edgeRow(const SvgFrame& frame, const std::vector<SvgEdge>& edges, const char* color, double y) {
    constexpr double kGlyphWidth = 14;
    const auto countText = [](std::size_t count) { return count > 1 ? "\u00d7" + groupedText(static_cast<std::int64_t>(count)) : ""; };
    std::string out;
    for (std::size_t i = 0; i < edges.size();) {
        std::vector<std::pair<Glyph, std::size_t>> kinds;  // in the order of their first appearance
        const auto width = [&] {
            double sum = 0;
            for (const auto& [kind, count] : kinds) sum += kGlyphWidth + textWidth(countText(count), 11) + (count > 1 ? 4 : 0);
            return sum;
        };
        const double first = frame.x(static_cast<double>(edges[i].step));
        double last = first;
        for (; i < edges.size(); ++i) {
            const double x = frame.x(static_cast<double>(edges[i].step));
            if (!kinds.empty() && x > last + kGlyphWidth && x > first + width()) break;
            const auto known = std::find_if(kinds.begin(), kinds.end(), [&](const auto& k) { return k.first == edges[i].glyph; });
            if (known == kinds.end()) {
                kinds.emplace_back(edges[i].glyph, 1);
            } else {
                ++known->second;
            }
            last = x;
        }
        if (last - first > kGlyphWidth) {
            out += line(first, y + 7, last, y + 7, std::string("stroke=\"") + color + "\" stroke-width=\"2\" stroke-opacity=\"0.5\"");
        }
        double x = std::min(first, kSvgRight - width() + kGlyphWidth);
        for (const auto& [kind, count] : kinds) {
            out += glyph(kind, color, x, y);
            if (count > 1) out += text(x + 8, y + 4, countText(count), kInk2, Anchor::Start, 11);
            x += kGlyphWidth + textWidth(countText(count), 11) + (count > 1 ? 4 : 0);
        }
    }
    return out;
}

std::string edgeRows(const SvgPlot& plot, const SvgFrame& frame) {
    std::string out;
    double y = frame.edgesTop() + kSvgEdgeRow / 2;
    for (const SvgSeries& s : plot.series) {
        if (s.edges.empty()) continue;
        std::vector<SvgEdge> up, down;
        for (const SvgEdge& edge : s.edges) (edge.glyph == Glyph::NegativeInf ? down : up).push_back(edge);
        out += edgeRow(frame, up, runIdentity(s.identity).light, y) +
               edgeRow(frame, down, runIdentity(s.identity).light, frame.bottom() - kSvgEdgeRow / 2);
        y += kSvgEdgeRow;
    }
    return out;
}

std::string flags(const SvgPlot& plot, const SvgFrame& frame) {
    std::string lines, boxes;
    for (const SvgMarker& m : plot.markers) {
        const double x = frame.x(static_cast<double>(m.step));
        lines += line(x, frame.flagsTop(), x, frame.bottom(), std::string("stroke=\"") + kInk3 + "\" stroke-dasharray=\"4 3\"");
    }
    for (const SvgFlag& flag : frame.flags()) {
        const double top = frame.flagsTop() + kSvgFlagRow * flag.row;
        boxes += "<rect x=\"" + number(flag.left) + "\" y=\"" + number(top) + "\" width=\"" + number(flag.width) +
                 "\" height=\"18\" rx=\"3\" fill=\"" + kSurface + "\" stroke=\"" + kAxis + "\"/>\n";
        double x = flag.left + 9;
        for (const std::size_t identity : plot.markers[flag.marker].identities) {
            boxes += marker(runIdentity(identity).marker, runIdentity(identity).light, x, top + 9);
            x += kSvgFlagMarker;
        }
        if (!flag.label.empty()) boxes += text(x - 3, top + 13, flag.label, kInk, Anchor::Start, 11);
    }
    return lines + boxes;
}

std::string sampleAt(std::size_t identity, double x, double y) {
    const RunIdentity& run = runIdentity(identity);
    return line(x, y, x + 32, y, strokeOf(identity, 2) + dash(run, kPen)) + marker(run.marker, run.light, x + 16, y);
}

std::string legend(const SvgPlot& plot, const SvgFrame& frame) {
    std::string out;
    for (const SvgLegendEntry& entry : frame.legend()) {
        out += sampleAt(plot.series[entry.series].identity, entry.x, entry.y - 4) +
               text(entry.x + 40, entry.y, entry.label, kInk, Anchor::Start);
    }
    return out;
}

}  // namespace

std::string renderSvg(const SvgPlot& plot) {
    const SvgFrame frame(plot);
    std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + number(kSvgWidth) + " " + number(frame.height()) +
                      "\" font-family=\"Noto Sans, DejaVu Sans, sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"" + kSurface +
                      "\"/>\n<clipPath id=\"area\"><rect x=\"" + number(kSvgLeft) + "\" y=\"" + number(frame.top()) + "\" width=\"" +
                      number(kSvgRight - kSvgLeft) + "\" height=\"" + number(frame.bottom() - frame.top()) + "\"/></clipPath>\n";
    out += "<text x=\"" + number(kSvgLeft) + "\" y=\"20\" font-size=\"13\"><tspan font-weight=\"600\" fill=\"" + kInk + "\">" +
           escapeXml(plot.title) + "</tspan><tspan dx=\"8\" font-size=\"12\" fill=\"" + kInk2 + "\">" + escapeXml(plot.unit) +
           "</tspan></text>\n";
    return out + legend(plot, frame) + axes(frame) + curves(plot, frame) + flags(plot, frame) + edgeRows(plot, frame) + "</svg>\n";
}

std::string svgSample(std::size_t identity) {
    return "<svg width=\"32\" height=\"12\" viewBox=\"0 0 32 12\" aria-hidden=\"true\">" + sampleAt(identity, 0, 6) + "</svg>";
}

}  // namespace mantissa
