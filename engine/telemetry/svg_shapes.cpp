// SPDX-License-Identifier: Apache-2.0
#include "engine/telemetry/svg_shapes.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

namespace mantissa {
namespace {

bool isContinuation(char c) {
    return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u;
}

}  // namespace

std::string escapeXml(const std::string& raw) {
    static constexpr std::pair<char, const char*> kEscapes[] = {
        {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
    std::string out;
    for (const char c : raw) {
        const auto* const escape =
            std::find_if(std::begin(kEscapes), std::end(kEscapes), [&](const auto& each) { return each.first == c; });
        const bool isControl = static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t';
        out += escape != std::end(kEscapes) ? escape->second : isControl ? "\uFFFD" : std::string(1, c);
    }
    return out;
}

std::size_t characterCount(const std::string& text) {
    std::size_t count = 0;
    for (const char c : text) count += isContinuation(c) ? 0 : 1;
    return count;
}

std::string shortened(const std::string& text, std::size_t count) {
    if (characterCount(text) <= count) return text;
    std::size_t end = 0, seen = 0;
    for (; end < text.size(); ++end) {
        if (!isContinuation(text[end]) && ++seen == count) break;  // room for the ellipsis
    }
    return text.substr(0, end) + "\u2026";
}

namespace svg {

std::string number(double value) {
    char buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, 2).ptr;
    std::string digits(buffer, end);
    while (digits.back() == '0') digits.pop_back();
    if (digits.back() == '.') digits.pop_back();
    return digits;
}

std::string text(double x, double y, const std::string& content, const char* color, Anchor anchor, int size, bool isBold) {
    static constexpr const char* kAnchors[] = {"start", "middle", "end"};
    return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" fill=\"" + color + "\" text-anchor=\"" +
           kAnchors[static_cast<int>(anchor)] + "\" font-size=\"" + std::to_string(size) + "\"" + (isBold ? " font-weight=\"600\"" : "") +
           ">" + escapeXml(content) + "</text>\n";
}

double textWidth(const std::string& content, int size) {
    constexpr double kPerCharacter = 0.54;  // of the font size: Noto Sans in ordinary words, with room for wider fonts
    return kPerCharacter * size * static_cast<double>(characterCount(content));
}

std::string line(double x1, double y1, double x2, double y2, const std::string& style) {
    return "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) + "\" y2=\"" + number(y2) + "\" " + style +
           "/>\n";
}

std::string dash(const RunIdentity& identity, double pen) {
    std::string lengths;
    for (const double length : identity.dash) {
        if (length > 0) lengths += (lengths.empty() ? "" : " ") + number(length * pen);
    }
    return lengths.empty() ? "" : " stroke-dasharray=\"" + lengths + "\"";
}

std::string marker(RunMarker kind, const char* color, double x, double y) {
    const std::string fill = std::string("fill=\"") + color + "\"";
    const std::string open = std::string("fill=\"") + kSurface + "\" stroke=\"" + color + "\" stroke-width=\"1.8\"";
    const auto circle = [&](double radius, const std::string& paint) {
        return "<circle cx=\"" + number(x) + "\" cy=\"" + number(y) + "\" r=\"" + number(radius) + "\" " + paint + "/>\n";
    };
    const auto square = [&](double half, const std::string& paint) {
        return "<rect x=\"" + number(x - half) + "\" y=\"" + number(y - half) + "\" width=\"" + number(2 * half) + "\" height=\"" +
               number(2 * half) + "\" " + paint + "/>\n";
    };
    const auto strokes = [&](const std::string& relative, double pen) {
        return "<path d=\"M" + number(x) + " " + number(y) + relative + "\" fill=\"none\" stroke=\"" + color + "\" stroke-width=\"" +
               number(pen) + "\"/>\n";
    };
    switch (kind) {
        case RunMarker::Disc:
            return circle(3.5, fill);
        case RunMarker::Square:
            return square(3.2, fill);
        case RunMarker::Plus:
            return strokes("m-4.2 0h8.4m-4.2 -4.2v8.4", 2.4);
        case RunMarker::Ring:
            return circle(3.4, open);
        case RunMarker::OpenSquare:
            return square(3, open);
        case RunMarker::Star:
            return strokes("m-4.2 0h8.4m-6.3 -3.6l4.2 7.2m0 -7.2l-4.2 7.2", 1.8);
    }
    return "";
}

std::string glyph(Glyph kind, const char* color, double x, double y) {
    const auto shape = [&](const char* relative, const std::string& paint) {
        return "<path d=\"M" + number(x) + " " + number(y) + relative + "\" " + paint + "/>\n";
    };
    const std::string fill = std::string("fill=\"") + color + "\"";
    const std::string strokes = std::string("fill=\"none\" stroke=\"") + color + "\" stroke-width=\"2.2\"";
    const std::string open = std::string("fill=\"") + kSurface + "\" stroke=\"" + color + "\" stroke-width=\"1.8\"";
    switch (kind) {
        case Glyph::PositiveInf:
            return shape("m0 -4.5l4.5 8.5h-9z", fill);
        case Glyph::NegativeInf:
            return shape("m0 4.5l4.5 -8.5h-9z", fill);
        case Glyph::NaN:
            return shape("m-3.6 -3.6l7.2 7.2m0 -7.2l-7.2 7.2", strokes);
        case Glyph::Skipped:
            return shape("m0 -4.6l4.6 4.6l-4.6 4.6l-4.6 -4.6z", open);
    }
    return "";
}

}  // namespace svg
}  // namespace mantissa
