// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "gui/controls/number_text.h"
#include "gui/plots/folding.h"
#include "gui/plots/panel.h"

namespace mantissa::gui {
namespace {

constexpr double kTouch = GlyphRow::kSize + 2;   // closer centres would touch
constexpr double kBoxFrom = 44;                  // steps of this width get a box
constexpr double kTagReach = 40;                 // from a glyph to the end of its count
constexpr double kPartGap = 3, kBoxInset = 3.5;  // between parts; from a box to its content
constexpr double kBeyondAxes = 4;                // to the right of the axes

bool hasBox(const GlyphBar& bar) {
    return bar.right - bar.left >= kBoxFrom;
}

QString countTag(std::int64_t count) {
    return QStringLiteral("\u00D7") + groupedText(count);
}

/// Draws a mark once and copies its pixmap to whole device pixels around `center`: outlined strokes and text are slow, and a burst has
/// hundreds of marks. `size`: of the area that `draw` paints around its centre.
template <typename Key, typename Draw>
void layStamp(QCPPainter* painter, std::map<Key, QPixmap>& stamps, const Key& key, QPointF center, QSizeF size, const Draw& draw) {
    const double scale = painter->deviceTransform().m11();
    constexpr std::size_t kMostStamps = 512;  // each shade of a fading line has its own mark
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

/// Draws "×3", starting at `left`.
void drawTag(QCPPainter* painter, GlyphRow::Tags& tags, const GlyphMark& mark, double width, double left, double middle,
             const QColor& ink) {
    const QSizeF size(std::ceil(width) + 2, 16);
    const auto write = [&](QPainter& to, const QRectF& box) {
        to.setFont(painter->font());
        to.setPen(ink);
        to.drawText(box, Qt::AlignVCenter | Qt::AlignLeft, countTag(mark.count));
    };
    const QRectF box(QPointF(left, middle - size.height() / 2 - 1), size);  // digits have no descenders
    if (painter->modes().testFlag(QCPPainter::pmVectorized)) return write(*painter, box);
    layStamp(painter, tags, {mark.count, ink.rgba(), painter->deviceTransform().m11()}, box.center(), size, write);
}

/// Draws a group's box for its count. On a screen its edges are whole device pixels: filling and outlining a rounded path of the plot's
/// width takes a tenth of a millisecond, and a burst has dozens.
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

void GlyphRow::clear() {
    m_marks.clear();
    m_bars.clear();
}

void GlyphRow::add(Glyph glyph, std::span<const std::int64_t> steps, const PlotFrame& frame, const RunTrace& trace) {
    const RunState& run = *trace.run;
    const auto end = std::lower_bound(steps.begin(), steps.end(), trace.lineSteps());
    const StepToPixel toPixel{frame.x, static_cast<double>(m_rect->left()), static_cast<double>(m_rect->width()), frame.places(trace)};
    const QColor color = frame.colorOf(trace, Theme::current().run(run.identity).color);
    for (const MarkGroup& group : foldMarks({steps.begin(), end}, toPixel, kTouch, kTagReach))
        m_marks.push_back({glyph, group.left, group.right, group.firstStep, group.lastStep, group.count, color, run.id});
}

double GlyphRow::tagWidth(std::int64_t count) {
    if (count == 1) return 0;
    double& width = m_tagWidths[count];
    if (width == 0) width = QFontMetricsF(font(kTagPixels)).horizontalAdvance(countTag(count));
    return width;
}

void GlyphRow::join(GlyphBar& into, const GlyphBar& bar) {
    into.left = std::min(into.left, bar.left);
    into.right = std::max(into.right, bar.right);
    for (const GlyphMark& part : bar.parts) {
        const auto same = std::find_if(into.parts.begin(), into.parts.end(),
                                       [&](const GlyphMark& each) { return each.glyph == part.glyph && each.run == part.run; });
        if (same == into.parts.end()) {
            into.parts.push_back(part);
            continue;
        }
        same->right = std::max(same->right, part.right);
        same->firstStep = std::min(same->firstStep, part.firstStep);
        same->lastStep = std::max(same->lastStep, part.lastStep);
        same->count += part.count;
    }
    double width = 0;
    for (GlyphMark& part : into.parts) {
        part.width = kSize + (part.count > 1 ? kPartGap + tagWidth(part.count) : 0);
        width += part.width + kPartGap;
    }
    into.width = std::max(into.right - into.left, width - kPartGap + (hasBox(into) ? 2 * kBoxInset : 0));
    into.drawn = std::min(into.left, std::max<double>(m_rect->left(), m_rect->right() + kBeyondAxes - into.width));
}

void GlyphRow::placeParts(GlyphBar& bar) {
    double left = bar.drawn + (hasBox(bar) ? kBoxInset : 0);
    for (GlyphMark& part : bar.parts) {
        part.drawn = left;
        left += part.width + kPartGap;
    }
}

void GlyphRow::arrange() {
    m_tagWidths.clear();  // the font may have changed
    std::stable_sort(m_marks.begin(), m_marks.end(), [](const GlyphMark& a, const GlyphMark& b) { return a.left < b.left; });
    for (const GlyphMark& mark : m_marks) {
        GlyphBar bar{mark.left - kSize / 2, mark.right + kSize / 2};
        join(bar, {bar.left, bar.right, 0, 0, {mark}});
        while (!m_bars.empty() && bar.drawn < m_bars.back().end() + kPartGap) {
            join(m_bars.back(), bar);
            bar = std::move(m_bars.back());
            m_bars.pop_back();
        }
        m_bars.push_back(std::move(bar));
    }
    for (GlyphBar& bar : m_bars) placeParts(bar);
}

const GlyphMark* GlyphRow::markAt(QPointF place) const {
    constexpr double kReach = 3;
    if (place.y() < m_rect->top() - kHeight || place.y() > m_rect->top()) return nullptr;
    for (const GlyphBar& bar : m_bars) {
        if (place.x() < bar.drawn - kReach || place.x() > bar.end() + kReach) continue;
        const auto after =
            std::find_if(bar.parts.begin() + 1, bar.parts.end(), [&](const GlyphMark& part) { return part.drawn > place.x(); });
        return &*(after - 1);
    }
    return nullptr;
}

void GlyphRow::draw(QCPPainter* painter) {
    const Theme& theme = Theme::current();
    painter->setClipRect(QRect(m_rect->left() - 8, m_rect->top() - kHeight, m_rect->width() + 22, kHeight));
    painter->setFont(font(kTagPixels));
    if (painter->font() != m_tagFont) m_tags.clear();
    m_tagFont = painter->font();
    const double middle = m_rect->top() - kHeight / 2.0;
    for (const GlyphBar& bar : m_bars) {
        const bool isBoxed = hasBox(bar);
        const auto isOfOther = [&](const GlyphMark& part) { return part.run != bar.parts.front().run; };
        const bool isShared = std::any_of(bar.parts.begin(), bar.parts.end(), isOfOther);
        if (isBoxed) drawBar(painter, {bar.drawn, middle - 7.5, bar.width, 15}, isShared ? theme.ink3 : bar.parts.front().color);
        for (const GlyphMark& part : bar.parts) {
            drawMark(painter, m_stamps, part, {part.drawn + kSize / 2, middle}, isBoxed ? kSize - 2 : kSize);
            if (part.count == 1) continue;
            const double tag = kSize + kPartGap;
            drawTag(painter, m_tags, part, part.width - tag, part.drawn + tag, middle, isBoxed ? theme.ink : theme.ink2);
        }
    }
}

}  // namespace mantissa::gui
