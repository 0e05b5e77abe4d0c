// SPDX-License-Identifier: Apache-2.0
// Building blocks of SVG plots and reports: text, lines, a run's dash and marker, the glyphs of skipped steps and non-finite values.
// Each function returns markup; lengths are CSS pixels. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>

#include "engine/telemetry/run_identity.h"

namespace mantissa {

/// Escapes `&`, `<`, `>` and quotes for XML and HTML; control characters, which XML forbids, become U+FFFD.
std::string escapeXml(const std::string& text);

/// The number of visible characters of UTF-8 text, and its first `count` characters, with an ellipsis if truncated.
std::size_t characterCount(const std::string& text);
std::string shortened(const std::string& text, std::size_t count);

namespace svg {

/// Ink and surfaces of the light theme.
inline constexpr const char *kInk = "#17202A", *kInk2 = "#46515D", *kInk3 = "#626D79", *kGrid = "#E9ECEF", *kAxis = "#9AA3AD",
                            *kSurface = "#FFFFFF";

enum class Anchor : std::uint8_t { Start, Middle, End };
enum class Glyph : std::uint8_t { PositiveInf, NegativeInf, NaN, Skipped };

/// Formats a coordinate: two decimals, no locale.
std::string number(double value);
std::string text(double x, double y, const std::string& content, const char* color, Anchor anchor, int size = 12, bool isBold = false);
/// The approximate width of `text` when drawn: fonts differ, so layouts leave room.
double textWidth(const std::string& text, int size = 12);
/// `style`: attributes, such as stroke="#...".
std::string line(double x1, double y1, double x2, double y2, const std::string& style);
/// The stroke-dasharray of a run for a pen of that width; empty for a solid line.
std::string dash(const RunIdentity& identity, double pen);
std::string marker(RunMarker kind, const char* color, double x, double y);
std::string glyph(Glyph kind, const char* color, double x, double y);

}  // namespace svg
}  // namespace mantissa
