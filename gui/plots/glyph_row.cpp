// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "gui/controls/number_text.h"
#include "gui/plots/folding.h"
#include "gui/plots/panel.h"

namespace mantissa::gui {
namespace {

constexpr double kTouch = GlyphRow::kSize + 2;  // centres nearer than this would touch
constexpr double kBarFrom = 44;                 // a group as wide as this becomes a bar with its count inside
constexpr double kTag = 40;                     // from a glyph to the end of its count
constexpr int kRows = 3;

bool isAtBottom(Glyph glyph) {
    return glyph == Glyph::NegativeInf || glyph == Glyph::Below;
}

QString countTag(std::int64_t count) {
    return QStringLiteral("\u00D7") + groupedText(count);
}

/// A look that is drawn once and then laid down, around `center`, on whole device pixels, where it is as sharp as a drawing: outlined
/// strokes and words take their time, and a storm has hundreds of marks. `size`: of what `draw` puts around the middle of a stamp.
template <typename Key, typename Draw>
void layStamp(QCPPainter* painter, std::map<Key, QPixmap>& stamps, const Key& key, QPointF center, QSizeF size, const Draw& draw) {
    const double scale = painter->deviceTransform().m11();
    constexpr std::size_t kMostStamps = 512;  // a fading line's mark is another one in each shade
    if (stamps.size() > kMostStamps) stamps.clear();
    QPixmap& stamp = stamps[key];
    if (stamp.isNull()) {
        stamp = QPixmap(static_cast<int>(std::ceil(size.width() * scale)), static_cast<int>(std::ceil(size.height() * scale)));
        stamp.setDevicePixelRatio(scale);
        stamp.fill(Qt::transparent);
        QPainter to(&stamp);
        to.setRenderHint(QPainter::Antialiasing);
        draw(to, QRectF(QPointF(0, 0), stamp.deviceIndependentSize()));
    }
    const auto onPixel = [scale](double at) { return std::round(at * scale) / scale; };
    const QSizeF laid = stamp.deviceIndependentSize();
    painter->drawPixmap(QPointF(onPixel(center.x() - laid.width() / 2), onPixel(center.y() - laid.height() / 2)), stamp);
}

void drawMark(QCPPainter* painter, GlyphRow::Stamps& stamps, const GlyphMark& mark, QPointF center, double size) {
    const QColor& ground = Theme::current().surface;
    if (painter->modes().testFlag(QCPPainter::pmVectorized)) return drawGlyph(*painter, mark.glyph, center, size, mark.color, ground);
    layStamp(painter, stamps, {mark.glyph, mark.color.rgba(), ground.rgba(), size, painter->deviceTransform().m11()}, center,
             {size + 6, size + 6},
             [&](QPainter& to, const QRectF& box) { drawGlyph(to, mark.glyph, box.center(), size, mark.color, ground); });
}

/// "×3", from `left` on.
void drawTag(QCPPainter* painter, GlyphRow::Tags& tags, const GlyphMark& mark, double left, double middle, const QColor& ink) {
    const QSizeF size(std::ceil(mark.tag) + 2, 16);
    const auto write = [&](QPainter& to, const QRectF& box) {
        to.setFont(painter->font());
        to.setPen(ink);
        to.drawText(box, Qt::AlignVCenter | Qt::AlignLeft, countTag(mark.count));
    };
    const QRectF box(QPointF(left, middle - size.height() / 2), size);
    if (painter->modes().testFlag(QCPPainter::pmVectorized)) return write(*painter, box);
    layStamp(painter, tags, {mark.count, ink.rgba(), painter->deviceTransform().m11()}, box.center(), size, write);
}

/// The box of a group with its count inside. On a screen it is made of whole device pixels: filling and outlining a rounded path as wide
/// as the plot takes a tenth of a millisecond, and a storm has dozens.
void drawBar(QCPPainter* painter, const QRectF& bar, const QColor& edge) {
    const QColor& ground = Theme::current().surface;
    if (painter->modes().testFlag(QCPPainter::pmVectorized)) {
        painter->setPen(QPen(edge, 1.4));
        painter->setBrush(ground);
        painter->drawRoundedRect(bar, 2, 2);
        return;
    }
    const double scale = painter->deviceTransform().m11();
    const auto onPixel = [scale](double at) { return std::round(at * scale) / scale; };
    const QRectF box(QPointF(onPixel(bar.left()), onPixel(bar.top())), QPointF(onPixel(bar.right()), onPixel(bar.bottom())));
    const double line = onPixel(1.4);
    painter->setAntialiasing(false);
    painter->fillRect(box.adjusted(line, 0, -line, 0), edge);  // without its corners
    painter->fillRect(box.adjusted(0, line, 0, -line), edge);
    painter->fillRect(box.adjusted(line, line, -line, -line), ground);
    painter->setAntialiasing(true);
}

}  // namespace

GlyphRow::GlyphRow(QCustomPlot* plot, QCPAxisRect* rect) : QCPLayerable(plot, QStringLiteral("glyphs"), rect), m_rect(rect) {}

void GlyphRow::add(Glyph glyph, std::span<const std::int64_t> steps, const PlotFrame& frame, const RunTrace& trace) {
    const RunState& run = *trace.run;
    const auto end = std::lower_bound(steps.begin(), steps.end(), trace.lineSteps());
    const StepToPixel toPixel{frame.x, static_cast<double>(m_rect->left()), static_cast<double>(m_rect->width()), frame.places(trace)};
    const QColor color = frame.colorOf(trace, Theme::current().run(run.identity).color);
    for (const MarkGroup& group : foldMarks({steps.begin(), end}, toPixel, kTouch, kTag))
        m_marks.push_back({glyph, group.left, group.right, group.firstStep, group.lastStep, group.count, 0, color, run.name()});
}

void GlyphRow::arrange() {
    const QFontMetricsF metrics(pixelFont(mParentPlot->font(), kTagPixels));
    std::map<std::int64_t, double> tags;  // widths by count: measuring text takes longer than all else here
    for (GlyphMark& mark : m_marks) {
        const double span = mark.right - mark.left + kSize;
        mark.width = span;
        if (mark.count == 1) continue;
        double& tag = tags[mark.count];
        if (tag == 0) tag = metrics.horizontalAdvance(countTag(mark.count));
        mark.tag = tag;
        mark.width = std::max(span, kSize + tag + (span >= kBarFrom ? 12 : 4));
    }
    std::stable_sort(m_marks.begin(), m_marks.end(), [](const GlyphMark& a, const GlyphMark& b) { return a.left < b.left; });
    // What is below lives at the bottom edge, everything else at the top: two sets of rows.
    for (const bool isBottom : {false, true}) {
        std::vector<Extent> extents;
        std::vector<GlyphMark*> members;
        for (GlyphMark& mark : m_marks) {
            if (isAtBottom(mark.glyph) != isBottom) continue;
            extents.push_back({mark.left - kSize / 2, mark.left - kSize / 2 + mark.width});
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
    if (painter->font() != m_tagFont) m_tags.clear();
    m_tagFont = painter->font();
    for (const GlyphMark& mark : m_marks) {
        const double inset = 1 + kRowHeight / 2 + mark.row * kRowHeight;
        const double y = isAtBottom(mark.glyph) ? m_rect->bottom() - inset : m_rect->top() + inset;
        if (mark.count > 1 && mark.right - mark.left + kSize >= kBarFrom) {
            QRectF bar(mark.left - kSize / 2, y - 6.5, mark.width, 13);
            if (bar.right() > m_rect->right() + 4) bar.moveRight(m_rect->right() + 4);  // its count may be wider than its steps
            drawBar(painter, bar, mark.color);
            drawMark(painter, m_stamps, mark, {bar.left() + 9, y}, kSize - 2);
            drawTag(painter, m_tags, mark, bar.left() + 17, y, theme.ink);
            continue;
        }
        drawMark(painter, m_stamps, mark, {mark.left, y}, kSize);
        if (mark.count > 1) drawTag(painter, m_tags, mark, mark.left + kSize / 2 + 3, y, theme.ink2);
    }
}

}  // namespace mantissa::gui
