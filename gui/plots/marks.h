// SPDX-License-Identifier: GPL-3.0-or-later
// The styles of the runs' lines, and the glyphs of non-finite values and skips. (Run markers: gui/controls/run_sample.h.) GUI thread only.
#pragma once

#include <QPainter>

#include "gui/app/theme.h"
#include "gui/plots/line_raster.h"

namespace mantissa::gui {

/// Glyphs: ▲ +Inf, ▼ −Inf, ✕ NaN, ◇ skipped; ⌃ ⌄ a finite value above or below the visible range. Run markers never use these shapes.
enum class Glyph { PositiveInf, NegativeInf, NaN, Skipped, Above, Below };

/// Text sizes of the plots, in pixels.
inline constexpr int kTitlePixels = 13, kTickPixels = 12, kTagPixels = 11;
QFont pixelFont(const QFont& base, int pixels, bool isBold = false);

/// Returns the style of a run's line. A solid line is broad, so that dashed lines which coincide with it stay visible.
LineStyle runLine(const RunIdentity& identity);
/// Returns the style of the raw trace behind it: faint, and stronger for the selected run.
LineStyle rawLine(const RunIdentity& identity, bool isSelected);
/// Returns the share of a run's line that its dashes cover: 1 for a solid one.
double dashCover(const RunIdentity& identity);
/// Returns the style of validation: dots whose phase depends on the run, so that coinciding lines show every run's colour in turn.
LineStyle dottedLine(const RunIdentity& identity, std::size_t index, std::size_t runCount);

/// Draws a glyph in `color`, outlined with `ground` to separate it from lines.
void drawGlyph(QPainter& painter, Glyph glyph, QPointF center, double size, const QColor& color, const QColor& ground);
QString glyphName(Glyph glyph);
/// Draws the icon of a note: a sheet with lines.
void drawNoteSign(QPainter& painter, QPointF center, const QColor& ink);

}  // namespace mantissa::gui
