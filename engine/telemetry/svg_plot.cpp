// SPDX-License-Identifier: Apache-2.0
#include "engine/telemetry/svg_plot.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "engine/telemetry/run_identity.h"

namespace mantissa {
namespace {

// Geometry in CSS pixels; left and right are the same for all plots, so that they align one below the other.
constexpr double kWidth = 960, kLeft = 64, kRight = 24, kTop = 34, kBottom = 30, kFlagRow = 22;
constexpr const char *kInk = "#17202A", *kInk2 = "#46515D", *kInk3 = "#626D79", *kGrid = "#E9ECEF", *kAxis = "#9AA3AD";

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", value);
    return text;
}

std::string text(double x, double y, const std::string& content, const char* color, const char* anchor, int size = 12,
                 bool isBold = false) {
    return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" fill=\"" + color + "\" text-anchor=\"" + anchor + "\" font-size=\"" +
           std::to_string(size) + "\"" + (isBold ? " font-weight=\"600\"" : "") + ">" + escapeXml(content) + "</text>\n";
}

std::string line(double x1, double y1, double x2, double y2, const std::string& style) {
    return "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) + "\" y2=\"" + number(y2) + "\" " + style +
           "/>\n";
}

std::string dashOf(const RunIdentity& identity, double pen) {
    std::string dash;
    for (const double length : identity.dash) {
        if (length > 0) dash += (dash.empty() ? "" : " ") + number(length * pen);
    }
    return dash.empty() ? "" : " stroke-dasharray=\"" + dash + "\"";
}

std::string marker(RunMarker kind, const char* color, double x, double y) {
    const std::string cx = number(x), cy = number(y), c = color;
    const auto square = [&](double half, const std::string& paint) {
        return "<rect x=\"" + number(x - half) + "\" y=\"" + number(y - half) + "\" width=\"" + number(2 * half) + "\" height=\"" +
               number(2 * half) + "\" " + paint + "/>\n";
    };
    switch (kind) {
        case RunMarker::Disc:
            return "<circle cx=\"" + cx + "\" cy=\"" + cy + "\" r=\"3.5\" fill=\"" + c + "\"/>\n";
        case RunMarker::Square:
            return square(3.2, "fill=\"" + c + "\"");
        case RunMarker::Plus:
            return "<path d=\"M" + number(x - 4) + " " + cy + "h8M" + cx + " " + number(y - 4) + "v8\" stroke=\"" + c +
                   "\" stroke-width=\"2.4\"/>\n";
        case RunMarker::Ring:
            return "<circle cx=\"" + cx + "\" cy=\"" + cy + "\" r=\"3.4\" fill=\"#FFFFFF\" stroke=\"" + c + "\" stroke-width=\"1.8\"/>\n";
        case RunMarker::OpenSquare:
            return square(3.2, "fill=\"#FFFFFF\" stroke=\"" + c + "\" stroke-width=\"1.8\"");
        case RunMarker::Star:
            return "<path d=\"M" + number(x - 4) + " " + cy + "h8M" + number(x - 2) + " " + number(y - 3.4) + "l4 6.8M" + number(x + 2) +
                   " " + number(y - 3.4) + "l-4 6.8\" stroke=\"" + c + "\" stroke-width=\"1.8\"/>\n";
    }
    return "";
}

std::string superscript(int exponent) {
    static constexpr const char* kDigits[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                              "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
    std::string result = exponent < 0 ? "\u207b" : "";
    for (const char digit : std::to_string(std::abs(exponent))) result += kDigits[digit - '0'];
    return result;
}

std::string tickText(double value) {
    char raw[32];
    std::snprintf(raw, sizeof raw, "%.4g", value);
    return raw;
}

/// The plot's own coordinates: steps and values to pixels.
class Frame {
public:
    explicit Frame(const SvgPlot& plot) : m_plot(plot) {
        double low = std::numeric_limits<double>::infinity(), high = -low;
        const auto take = [&](const std::vector<SeriesPoint>& points) {
            for (const SeriesPoint& p : points) {
                if (!std::isfinite(p.y) || (plot.scale != SvgScale::Linear && p.y <= 0)) continue;
                low = std::min(low, mapped(p.y));
                high = std::max(high, mapped(p.y));
            }
        };
        for (const SvgSeries& s : plot.series) {
            take(s.points);
            take(s.dots);
        }
        if (!(low <= high)) low = 0, high = 1;
        if (plot.scale == SvgScale::Linear) low = std::min(low, 0.0);
        if (plot.scale == SvgScale::Log2) low = std::floor(low) - 1, high = std::ceil(high) + 1;
        const double padding = plot.scale == SvgScale::Log2 ? 0 : std::max((high - low) * 0.06, 1e-9);
        m_low = plot.scale == SvgScale::Linear && low == 0 ? 0 : low - padding;
        m_high = high + padding;
    }
    double top() const { return kTop + (m_plot.showsMarkerLabels && !m_plot.markers.empty() ? kFlagRow : 0); }
    double bottom() const { return m_plot.height - kBottom; }
    double x(double step) const {
        return kLeft + step / static_cast<double>(std::max<std::int64_t>(m_plot.steps - 1, 1)) * (kWidth - kLeft - kRight);
    }
    bool isDrawable(double value) const { return std::isfinite(value) && (m_plot.scale == SvgScale::Linear || value > 0); }
    double y(double value) const { return yMapped(mapped(value)); }
    double yMapped(double v) const { return bottom() - (std::clamp(v, m_low, m_high) - m_low) / (m_high - m_low) * (bottom() - top()); }
    double low() const { return m_low; }
    double high() const { return m_high; }

    double mapped(double value) const {
        if (m_plot.scale == SvgScale::Log10) return std::log10(value);
        return m_plot.scale == SvgScale::Log2 ? std::log2(value) : value;
    }

private:
    const SvgPlot& m_plot;
    double m_low = 0, m_high = 1;
};

double niceStep(double span, int ticks) {
    const double raw = span / ticks, power = std::pow(10, std::floor(std::log10(raw)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (raw <= factor * power) return factor * power;
    }
    return 10 * power;
}

std::string yTick(const Frame& frame, double mappedValue, const std::string& label) {
    const double y = frame.yMapped(mappedValue);
    return line(kLeft, y, kWidth - kRight, y, std::string("stroke=\"") + kGrid + "\"") + text(kLeft - 8, y + 4, label, kInk2, "end");
}

std::string yAxis(const SvgPlot& plot, const Frame& frame) {
    std::string out;
    if (plot.scale == SvgScale::Linear) {
        const double step = niceStep(frame.high() - frame.low(), 4);
        for (double v = std::ceil(frame.low() / step) * step; v <= frame.high(); v += step)
            out += yTick(frame, v, tickText(std::abs(v) < step / 2 ? 0 : v));
    } else if (plot.scale == SvgScale::Log2) {
        const double step = std::max(1.0, std::ceil((frame.high() - frame.low()) / 5));
        for (double v = std::ceil(frame.low() / step) * step; v <= frame.high(); v += step)
            out += yTick(frame, v, "2" + superscript(static_cast<int>(v)));
    } else {
        const bool isWide = frame.high() - frame.low() > 2.2;
        for (int decade = static_cast<int>(std::floor(frame.low())); decade <= frame.high(); ++decade) {
            for (const double factor : {1.0, 3.0}) {
                const double v = decade + std::log10(factor);
                if (v < frame.low() || v > frame.high() || (isWide && factor > 1 && frame.high() - frame.low() > 4)) continue;
                out += yTick(frame, v, tickText(factor * std::pow(10, decade)));
            }
        }
    }
    return out;
}

std::string xAxis(const SvgPlot& plot, const Frame& frame) {
    std::string out = line(kLeft, frame.bottom(), kWidth - kRight, frame.bottom(), std::string("stroke=\"") + kAxis + "\"");
    const double step = std::max(1.0, niceStep(static_cast<double>(plot.steps), 8));
    for (double v = 0; v < static_cast<double>(plot.steps); v += step)
        out += text(frame.x(v), frame.bottom() + 18, tickText(v), kInk2, "middle");
    return out;
}

/// A path through the drawable points; a gap where one is not.
std::string path(const Frame& frame, const std::vector<SeriesPoint>& points, bool isStepped, const std::string& style) {
    std::string d;
    bool isDown = false;
    for (const SeriesPoint& p : points) {
        if (!frame.isDrawable(p.y)) {
            isDown = false;
            continue;
        }
        const std::string x = number(frame.x(p.x)), y = number(frame.y(p.y));
        d += !isDown ? "M" + x + " " + y : isStepped ? "H" + x + "V" + y : "L" + x + " " + y;
        isDown = true;
    }
    return d.empty() ? "" : "<path d=\"" + d + "\" fill=\"none\" stroke-linejoin=\"round\" " + style + "/>\n";
}

std::string glyph(const char* kind, const char* color, double x, double y, std::size_t count) {
    const std::string at = "M" + number(x) + " " + number(y);
    std::string shape;
    const std::string fill = std::string("fill=\"") + color + "\" stroke=\"#FFFFFF\" stroke-width=\"0.8\"";
    const std::string open = std::string("fill=\"#FFFFFF\" stroke=\"") + color + "\" stroke-width=\"1.8\"";
    switch (kind[0]) {
        case '^':
            shape = "<path d=\"" + at + "m0 -5l5 9h-10z\" " + fill + "/>";
            break;
        case 'v':
            shape = "<path d=\"" + at + "m0 5l5 -9h-10z\" " + fill + "/>";
            break;
        case 'x':
            shape = "<path d=\"" + at + "m-4 -4l8 8m0 -8l-8 8\" stroke=\"" + color + "\" stroke-width=\"2.2\"/>";
            break;
        default:
            shape = "<path d=\"" + at + "m0 -5l5 5l-5 5l-5 -5z\" " + open + "/>";
            break;
    }
    return shape + "\n" + (count > 1 ? text(x + 8, y + 4, "\u00d7" + std::to_string(count), kInk2, "start", 11) : "");
}

/// Glyphs of one kind, folded where they would touch, with their number.
std::string glyphs(const Frame& frame, const char* kind, const char* color, const std::vector<double>& steps, double y) {
    constexpr double kTouch = 26;
    std::string out;
    for (std::size_t i = 0; i < steps.size();) {
        std::size_t end = i + 1;
        while (end < steps.size() && frame.x(steps[end]) - frame.x(steps[end - 1]) < kTouch) ++end;
        out += glyph(kind, color, frame.x(steps[i]), y, end - i);
        i = end;
    }
    return out;
}

std::string drawSeries(const Frame& frame, const SvgSeries& s, std::size_t row) {
    const RunIdentity& identity = runIdentity(s.identity);
    // the first run is a broad underlay, so that lines that coincide are seen to coincide
    const double pen = s.identity == 0 ? 3.2 : 1.6;
    const std::string stroke = std::string("stroke=\"") + identity.light + "\" ";
    std::string out = path(frame, s.faint, false, stroke + "stroke-width=\"0.8\" stroke-opacity=\"0.22\"");
    out += path(frame, s.points, s.isStepped, stroke + "stroke-width=\"" + number(pen) + "\"" + dashOf(identity, 1.6));
    out += path(frame, s.dots, false, stroke + "stroke-width=\"1.4\" stroke-dasharray=\"1.5 3\"");
    for (const SeriesPoint& p : s.dots) {
        if (frame.isDrawable(p.y)) out += marker(identity.marker, identity.light, frame.x(p.x), frame.y(p.y));
    }
    std::vector<double> up, down, nan, skipped(s.skippedSteps.begin(), s.skippedSteps.end());
    for (const SeriesPoint& p : s.points) {
        if (std::isnan(p.y)) nan.push_back(p.x);
        if (std::isinf(p.y)) (p.y > 0 ? up : down).push_back(p.x);
    }
    const double edge = frame.top() + 8 + 13 * static_cast<double>(row);
    out += glyphs(frame, "o", identity.light, skipped, edge) + glyphs(frame, "^", identity.light, up, edge) +
           glyphs(frame, "x", identity.light, nan, edge);
    return out + glyphs(frame, "v", identity.light, down, frame.bottom() - 8);
}

std::string drawMarkers(const SvgPlot& plot, const Frame& frame) {
    std::string out;
    double freeFrom = 0;
    for (const SvgMarker& m : plot.markers) {
        const double x = frame.x(static_cast<double>(m.step));
        out += line(x, plot.showsMarkerLabels ? kTop + 8 : frame.top(), x, frame.bottom(),
                    std::string("stroke=\"") + kInk3 + "\" stroke-dasharray=\"4 3\"");
        if (!plot.showsMarkerLabels) continue;
        const RunIdentity& identity = runIdentity(m.identity);
        const double width = 26 + 6.4 * static_cast<double>(m.label.size());
        const bool hasRoom = x >= freeFrom && x + width < kWidth;
        out += "<rect x=\"" + number(x) + "\" y=\"" + number(kTop - 2) + "\" width=\"" + number(hasRoom ? width : 16) +
               "\" height=\"18\" rx=\"3\" fill=\"#FFFFFF\" stroke=\"" + kAxis + "\"/>\n";
        out += marker(identity.marker, identity.light, x + 8, kTop + 7);
        if (hasRoom) out += text(x + 18, kTop + 11, m.label, kInk, "start", 11);
        freeFrom = x + (hasRoom ? width : 16) + 4;
    }
    return out;
}

std::string drawLegend(const SvgPlot& plot) {
    std::string out;
    double x = kWidth - kRight;
    for (std::size_t i = plot.series.size(); i-- > 0;) {
        const SvgSeries& s = plot.series[i];
        const RunIdentity& identity = runIdentity(s.identity);
        x -= 7.2 * static_cast<double>(s.name.size());
        out += text(x, 20, s.name, kInk, "start");
        out += line(x - 36, 16, x - 8, 16, std::string("stroke=\"") + identity.light + "\" stroke-width=\"2\"" + dashOf(identity, 1.6));
        out += marker(identity.marker, identity.light, x - 22, 16);
        x -= 54;
    }
    return out;
}

}  // namespace

std::string escapeXml(const std::string& raw) {
    std::string out;
    for (const char c : raw) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            case '\'':
                out += "&#39;";
                break;
            default:
                out += c;
        }
    }
    return out;
}

std::string renderSvg(const SvgPlot& plot) {
    const Frame frame(plot);
    std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + number(kWidth) + " " + std::to_string(plot.height) +
                      "\" font-family=\"Noto Sans, DejaVu Sans, sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"#FFFFFF\"/>\n";
    out += "<text x=\"" + number(kLeft) + "\" y=\"20\" font-size=\"13\"><tspan font-weight=\"600\" fill=\"" + kInk + "\">" +
           escapeXml(plot.title) + "</tspan><tspan dx=\"8\" fill=\"" + kInk2 + "\">" + escapeXml(plot.unit) + "</tspan></text>\n";
    if (plot.showsLegend) out += drawLegend(plot);
    out += yAxis(plot, frame) + xAxis(plot, frame) + drawMarkers(plot, frame);
    std::size_t row = 0;
    for (const SvgSeries& s : plot.series) {
        const bool hasGlyphs = !s.skippedSteps.empty() ||
                               std::any_of(s.points.begin(), s.points.end(), [](const SeriesPoint& p) { return !std::isfinite(p.y); });
        out += drawSeries(frame, s, row);
        row += hasGlyphs ? 1 : 0;
    }
    return out + "</svg>\n";
}

}  // namespace mantissa
