// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "gui/controls/number_text.h"
#include "gui/plots/folding.h"
#include "gui/plots/panel.h"

namespace mantissa::gui {
namespace {

constexpr double kTouch = GlyphRow::kSize + 2;   // centres nearer than this would touch
constexpr double kBarFrom = 44;                  // a group as wide as this becomes a bar with its count inside
constexpr double kTag = 40;                      // from a glyph to the end of its count
constexpr int kRows = 3;

bool isAtBottom(Glyph glyph) {
    return glyph == Glyph::NegativeInf || glyph == Glyph::Below;
}

QString countTag(std::int64_t count) {
    return QStringLiteral("\u00D7") + groupedText(count);
}

}  // namespace

GlyphRow::GlyphRow(QCustomPlot* plot, QCPAxisRect* rect) : QCPLayerable(plot, QStringLiteral("glyphs"), rect), m_rect(rect) {}

void GlyphRow::add(Glyph glyph, std::span<const std::int64_t> steps, const PlotFrame& frame, const RunTrace& trace) {
    const RunState& run = *trace.run;
    const auto end = std::lower_bound(steps.begin(), steps.end(), trace.shownSteps);
    const StepToPixel toPixel{frame.x, static_cast<double>(m_rect->left()), static_cast<double>(m_rect->width()),
                              frame.places(trace)};
    const QColor color = frame.colorOf(trace, Theme::current().run(run.identity).color);
    for (const MarkGroup& group : foldMarks({steps.begin(), end}, toPixel, kTouch, kTag))
        m_marks.push_back({glyph, group.left, group.right, group.firstStep, group.lastStep, group.count, 0, color, run.name()});
}

double GlyphRow::groupWidth(const GlyphMark& mark) const {
    if (mark.count == 1) return kSize;
    const double text = QFontMetricsF(pixelFont(mParentPlot->font(), kTagPixels)).horizontalAdvance(countTag(mark.count));
    const double span = mark.right - mark.left + kSize;
    return span >= kBarFrom ? std::max(span, kSize + text + 12) : std::max(span, kSize + text + 4);
}

void GlyphRow::arrange() {
    std::stable_sort(m_marks.begin(), m_marks.end(), [](const GlyphMark& a, const GlyphMark& b) { return a.left < b.left; });
    // What is below lives at the bottom edge, everything else at the top: two sets of rows.
    for (const bool isBottom : {false, true}) {
        std::vector<Extent> extents;
        std::vector<GlyphMark*> members;
        for (GlyphMark& mark : m_marks) {
            if (isAtBottom(mark.glyph) != isBottom) continue;
            extents.push_back({mark.left - kSize / 2, mark.left - kSize / 2 + groupWidth(mark)});
            members.push_back(&mark);
        }
        const std::vector<int> rows = packRows(extents, kRows, 3);
        for (std::size_t i = 0; i < members.size(); ++i) members[i]->row = rows[i];
    }
}

void GlyphRow::applyDefaultAntialiasingHint(QCPPainter* painter) const {
    painter->setAntialiasing(true);
}

void GlyphRow::draw(QCPPainter* painter) {
    const Theme& theme = Theme::current();
    painter->setClipRect(m_rect->rect().adjusted(-8, -2, 14, 2));
    painter->setFont(pixelFont(mParentPlot->font(), kTagPixels));
    for (const GlyphMark& mark : m_marks) {
        const double inset = 1 + kRowHeight / 2 + mark.row * kRowHeight;
        const double y = isAtBottom(mark.glyph) ? m_rect->bottom() - inset : m_rect->top() + inset;
        if (mark.count > 1 && mark.right - mark.left + kSize >= kBarFrom) {
            QRectF bar(mark.left - kSize / 2, y - 6.5, groupWidth(mark), 13);
            if (bar.right() > m_rect->right() + 4) bar.moveRight(m_rect->right() + 4);      // its count may be wider than its steps
            painter->setPen(QPen(mark.color, 1.4));
            painter->setBrush(theme.surface);
            painter->drawRoundedRect(bar, 2, 2);
            drawGlyph(*painter, mark.glyph, {bar.left() + 9, y}, kSize - 2, mark.color, theme.surface);
            painter->setPen(theme.ink);
            painter->drawText(bar.adjusted(17, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft, countTag(mark.count));
            continue;
        }
        drawGlyph(*painter, mark.glyph, {mark.left, y}, kSize, mark.color, theme.surface);
        if (mark.count == 1) continue;
        painter->setPen(theme.ink2);
        painter->drawText(QRectF(mark.left + kSize / 2 + 3, y - 8, 100, 16), Qt::AlignVCenter | Qt::AlignLeft, countTag(mark.count));
    }
}

}  // namespace mantissa::gui
