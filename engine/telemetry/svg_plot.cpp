// SPDX-License-Identifier: Apache-2.0
#include "engine/telemetry/svg_plot.h"

#include <algorithm>

#include "engine/telemetry/number_format.h"
#include "engine/telemetry/svg_frame.h"

namespace mantissa {
namespace {

using namespace svg;

constexpr double kPen = 1.6, kUnderlayPen = 3.2;

std::string strokeOf(std::size_t identity, double pen) {
    return std::string("stroke=\"") + runIdentity(identity).light + "\" stroke-width=\"" + number(pen) + "\"";
}

/// Draws the commands of a path, clipped to the plot area, as not every viewer supports clipping.
class ClippedPen {
public:
    explicit ClippedPen(const SvgFrame& frame) : m_top(frame.top()), m_bottom(frame.bottom()) {}

    void lineTo(double x, double y) {
        if (m_isDown) stroke(m_x, m_y, x, y);
        m_isAlone = !m_isDown;
        m_isDown = true;
        m_x = x, m_y = y;
    }
    /// A single point is drawn as a short stroke, to be visible.
    void lift() {
        if (m_isDown && m_isAlone && m_y >= m_top && m_y <= m_bottom) m_commands += "M" + number(m_x) + " " + number(m_y) + "h3";
        m_isDown = m_isDrawing = false;
    }
    double y() const { return m_y; }
    bool isDown() const { return m_isDown; }
    const std::string& commands() const { return m_commands; }

private:
    double m_top, m_bottom;
    double m_x = 0, m_y = 0;
    bool m_isDown = false, m_isAlone = false;
    bool m_isDrawing = false;  // whether the commands end at the pen's position
    std::string m_commands;

    void stroke(double x0, double y0, double x1, double y1) {
        if (std::max(y0, y1) < m_top || std::min(y0, y1) > m_bottom) {
            m_isDrawing = false;
            return;
        }
        const auto crossing = [&](double y) { return x0 + (x1 - x0) * (y - y0) / (y1 - y0); };
        const double from = std::clamp(y0, m_top, m_bottom), to = std::clamp(y1, m_top, m_bottom);
        const std::string startX = number(from == y0 ? x0 : crossing(from)), startY = number(from);
        const std::string endX = number(to == y1 ? x1 : crossing(to)), endY = number(to);
        if (!m_isDrawing) m_commands += "M" + startX + " " + startY;
        m_isDrawing = to == y1;
        if (startX == endX && startY == endY) return;
        m_commands += startY == endY ? "H" + endX : startX == endX ? "V" + endY : "L" + endX + " " + endY;
    }
};

/// A path through the points, with a gap where the axis cannot show one.
std::string path(const SvgFrame& frame, const std::vector<SeriesPoint>& points, bool isStepped, const std::string& style) {
    ClippedPen pen(frame);
    for (const SeriesPoint& p : points) {
        if (!frame.hasPlace(p.y)) {
            pen.lift();
            continue;
        }
        const double x = frame.x(p.x), y = frame.y(p.y);
        if (isStepped && pen.isDown()) pen.lineTo(x, pen.y());
        pen.lineTo(x, y);
    }
    pen.lift();
    return pen.commands().empty() ? "" : "<path d=\"" + pen.commands() + "\" fill=\"none\" stroke-linejoin=\"round\" " + style + "/>\n";
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

/// The runs' lines, within the plot area, and above them their markers, which may lie on its edge.
std::string curves(const SvgPlot& plot, const SvgFrame& frame) {
    const auto has = [](const std::vector<SeriesPoint>& points) { return !points.empty(); };
    const auto lineCount = std::count_if(plot.series.begin(), plot.series.end(), [&](const SvgSeries& s) { return has(s.points); });
    const auto dotCount =
        static_cast<std::size_t>(std::count_if(plot.series.begin(), plot.series.end(), [&](const SvgSeries& s) { return has(s.dots); }));
    std::string raw, lines, dots, markers;
    std::size_t dotted = 0;
    for (const SvgSeries& s : plot.series) {
        const RunIdentity& identity = runIdentity(s.identity);
        // a single raw trace is stronger than several
        raw += path(frame, s.faint, false, strokeOf(s.identity, 0.8) + " stroke-opacity=\"" + (raw.empty() ? "0.35" : "0.14") + "\"");
        // a solid run at the bottom is a wide line, so that coinciding lines are visible; a single line needs no dash
        const std::string dashes = lineCount > 1 ? dash(identity, kPen) : "";
        const bool isUnderlay = lines.empty() && lineCount > 1 && dashes.empty();
        lines += path(frame, s.points, s.isStepped, strokeOf(s.identity, isUnderlay ? kUnderlayPen : kPen) + dashes);
        if (s.dots.empty()) continue;
        dots += path(frame, s.dots, false, strokeOf(s.identity, 1.4) + " stroke-dasharray=\"1.5 3\"");
        // if dots would overlap, each run marks its share of them
        const bool marksAll = s.dots.size() < 2 * dotCount;
        for (std::size_t i = 0; i < s.dots.size(); ++i) {
            if (frame.hasPlace(s.dots[i].y) && (marksAll || i % dotCount == dotted % dotCount))
                markers += marker(identity.marker, identity.light, frame.x(s.dots[i].x), frame.y(s.dots[i].y));
        }
        ++dotted;
    }
    return raw + lines + dots + markers;
}

/// A row of glyphs. Overlapping ones form an episode: each kind once with its count, and a bar of the episode's length.
std::string edgeRow(const SvgFrame& frame, const std::vector<SvgEdge>& edges, const char* color, double y) {
    constexpr double kGlyphWidth = 14;
    const auto countText = [](std::size_t count) { return count > 1 ? "\u00d7" + groupedText(static_cast<std::int64_t>(count)) : ""; };
    std::string out;
    for (std::size_t i = 0; i < edges.size();) {
        std::vector<std::pair<Glyph, std::size_t>> kinds;  // in order of appearance
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
                      "\"/>\n";
    out += "<text x=\"" + number(kSvgLeft) + "\" y=\"20\" font-size=\"13\"><tspan font-weight=\"600\" fill=\"" + kInk + "\">" +
           escapeXml(plot.title) + "</tspan><tspan dx=\"8\" font-size=\"12\" fill=\"" + kInk2 + "\">" + escapeXml(plot.unit) +
           "</tspan></text>\n";
    return out + legend(plot, frame) + axes(frame) + curves(plot, frame) + flags(plot, frame) + edgeRows(plot, frame) + "</svg>\n";
}

std::string svgSample(std::size_t identity) {
    return "<svg width=\"32\" height=\"12\" viewBox=\"0 0 32 12\" aria-hidden=\"true\">" + sampleAt(identity, 0, 6) + "</svg>";
}

}  // namespace mantissa
