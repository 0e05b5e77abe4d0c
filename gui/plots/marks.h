// SPDX-License-Identifier: GPL-3.0-or-later
// The looks of the runs' lines, and the glyphs of non-finite values and skips. (Run markers: gui/controls/run_sample.h.) GUI thread only.
#pragma once

#include <QPainter>

#include "gui/app/theme.h"
#include "gui/plots/line_raster.h"

namespace mantissa::gui {

/// ▲ +Inf, ▼ −Inf, ✕ NaN, ◇ skipped; ⌃ ⌄ a finite value above, below what the axis shows. Run markers never take these shapes.
enum class Glyph { PositiveInf, NegativeInf, NaN, Skipped, Above, Below };

/// Text sizes of the plots, in pixels.
inline constexpr int kTitlePixels = 13, kTickPixels = 12, kTagPixels = 11;
QFont pixelFont(const QFont& base, int pixels, bool isBold = false);

/// A run's line. The solid run is a broad underlay, so that the dashes of lines which coincide with it are seen to.
LineStyle runLine(const RunIdentity& identity);
/// The trace of single steps behind it: a veil, and something one can follow for the selected run.
LineStyle rawLine(const RunIdentity& identity, bool isSelected);
/// The share of a run's line that its dashes cover: 1 for a solid one.
double dashCover(const RunIdentity& identity);
/// Validation: dots whose phase is the run's, so that coinciding lines show every run's colour in turn.
LineStyle dottedLine(const RunIdentity& identity, std::size_t index, std::size_t runCount);

/// A glyph in `color`, outlined with `ground` so that it stands out from lines.
void drawGlyph(QPainter& painter, Glyph glyph, QPointF center, double size, const QColor& color, const QColor& ground);
QString glyphName(Glyph glyph);
/// A sheet with lines on it, for what a user has written.
void drawNoteSign(QPainter& painter, QPointF center, const QColor& ink);

}  // namespace mantissa::gui
