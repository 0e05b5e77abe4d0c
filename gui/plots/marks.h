// SPDX-License-Identifier: GPL-3.0-or-later
// The pens of the runs' lines, and the glyphs of non-finite values and skips. (Run markers: gui/controls/run_sample.h.) GUI thread only.
#pragma once

#include <QPainter>
#include <QPen>

#include "gui/app/theme.h"

namespace mantissa::gui {

/// ▲ +Inf, ▼ −Inf, ✕ NaN, ◇ skipped. Run markers never take these shapes.
enum class Glyph { PositiveInf, NegativeInf, NaN, Skipped };

/// Text sizes of the plots, in pixels.
inline constexpr int kTitlePixels = 13, kTickPixels = 12, kTagPixels = 11;
QFont pixelFont(const QFont& base, int pixels, bool isBold = false);

/// The pen of a run's line. The solid run is a broad underlay, so that the dashes of lines which coincide with it are seen to.
QPen linePen(const RunIdentity& identity);
/// Validation: dots whose phase is the run's, so that coinciding lines show every run's colour in turn.
QPen dottedPen(const RunIdentity& identity, int index, int runCount);

/// A glyph in `color`, outlined with `ground` so that it stands out from lines.
void drawGlyph(QPainter& painter, Glyph glyph, QPointF center, double size, const QColor& color, const QColor& ground);
QString glyphName(Glyph glyph);

}  // namespace mantissa::gui
