// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/diagnosis/microscope.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <climits>
#include <cmath>
#include <limits>

#include "gui/app/theme.h"
#include "gui/controls/number_text.h"
#include "gui/plots/marks.h"
#include "kernels/dtype/dtype.h"

namespace mantissa::gui {
namespace {

constexpr int kMicroLeft = 46, kMicroRight = 8, kMicroTop = 46, kMicroBottom = 22;  // px around the bars
constexpr double kLeastBarTarget = 22;                                              // px: least clickable height of a bar
constexpr double kLineReach = 7;  // px on both sides of the scale's line that count as the line
constexpr int kFarEdge = 24;      // powers of two: a window's edge farther from the numbers is not drawn

}  // namespace

Microscope::Microscope(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Microscope: how often which magnitudes come"));
    setMouseTracking(true);
}

void Microscope::show(MicroscopeView view) {
    m_view = std::move(view);
    if (m_pointed && std::none_of(m_view.bins.begin(), m_view.bins.end(),
                                  [this](const ExponentBin& bin) { return bin.exponent == *m_pointed && bin.count > 0; }))
        m_pointed.reset();
    setCursor(m_pointed ? Qt::PointingHandCursor : m_view.isScaled ? Qt::SizeHorCursor : Qt::ArrowCursor);
    const QString keys = m_view.isScaled
                             ? tr("Loss scale used %1, tried %2; left and right arrow try another one, up and down choose a bar, "
                                  "Enter lists its elements")
                                   .arg(powerOfTwoText(m_view.usedScale), powerOfTwoText(m_view.tried))
                             : tr("These numbers carry no loss scale; up and down choose a bar, Enter lists its elements");
    const ElementClasses& stored = m_view.stored;
    setAccessibleDescription(
        stored.allFinite() ? keys
                           : tr("%1. In no bar: %2 +Inf, %3 \u2212Inf, %4 NaN")
                                 .arg(keys, groupedText(stored.positiveInf), groupedText(stored.negativeInf), groupedText(stored.nan)));
    update();
}

QRectF Microscope::area() const {
    return QRectF(rect()).adjusted(kMicroLeft, kMicroTop, -kMicroRight, -kMicroBottom);
}

Microscope::Edges Microscope::edges() const {
    if (m_view.block) return {std::log2(m_view.block->flushBelow), std::log2(m_view.block->normalFrom), std::log2(m_view.block->largest)};
    const DtypeFacts& fact = facts(m_view.format);
    return {std::log2(fact.flushBelow), std::log2(fact.minNormal), std::log2(fact.overflowFrom)};
}

Span Microscope::axis() const {
    const Edges edge = edges();
    double first = edge.normal, last = edge.overflow;
    if (!m_view.bins.empty()) {
        first = m_view.bins.front().exponent;
        last = m_view.bins.back().exponent + 1;
        // The window's edges, if they are near.
        const double low = edge.flush - 3, high = edge.overflow + (m_view.block ? 0 : 4);
        if (low > first - kFarEdge) first = std::min(first, low);
        if (high < last + kFarEdge) last = std::max(last, high);
    }
    if (m_view.isScaled) {
        first = std::min<double>(first, std::min(m_view.usedScale, m_view.tried) - 1);
        last = std::max<double>(last, std::max(m_view.usedScale, m_view.tried) + 1);
    }
    return {std::floor(first) - 1, std::ceil(last) + 1};
}

double Microscope::place(double power) const {
    const Span span = axis();
    const QRectF bars = area();
    return bars.left() + (power - span.first) / span.length() * bars.width();
}

double Microscope::top() const {
    std::int64_t most = 10;
    for (const ExponentBin& bin : m_view.bins) most = std::max(most, bin.count);
    return std::log10(static_cast<double>(most)) * 1.06;
}

void Microscope::drawZones(QPainter& painter) const {
    const Theme& theme = Theme::current();
    const QRectF bars = area();
    painter.setFont(pixelFont(font(), kTagPixels));
    const auto zone = [&](double from, double to, const QColor& fill, const QString& name, const QColor& ink) {
        const double left = std::clamp(place(from), bars.left(), bars.right()), right = std::clamp(place(to), bars.left(), bars.right());
        if (right - left < 1) return;
        painter.fillRect(QRectF(left, bars.top(), right - left, bars.height()), fill);
        painter.setPen(ink);
        if (painter.fontMetrics().horizontalAdvance(name) < right - left)
            painter.drawText(QRectF(left, bars.top() - 17, right - left, 15), Qt::AlignCenter, name);
    };
    const auto [flush, normal, over] = edges();
    zone(-1e4, flush, theme.sunken, tr("flushed to 0"), theme.ink2);
    zone(flush, normal, theme.accentWeak, tr("subnormal"), theme.ink2);
    zone(normal, over, theme.raised, tr("normal"), theme.ink2);
    if (!m_view.block) zone(over, 1e4, theme.dangerFill, tr("overflow"), theme.danger);
    painter.setPen(QPen(theme.axis, 1));
    for (const double edge : {flush, normal, over}) {
        const double x = place(edge);
        if (x > bars.left() && x < bars.right()) painter.drawLine(QPointF(x, bars.top()), QPointF(x, bars.bottom()));
    }
    // counts, one line per power of ten
    painter.setPen(theme.ink2);
    const int decades = static_cast<int>(top()), stride = std::max(1, decades / 4 + (decades % 4 > 0 ? 1 : 0));
    for (int decade = 0; decade <= decades; decade += stride) {
        const double y = bars.bottom() - decade / top() * bars.height();
        painter.setPen(QPen(theme.grid, 1));
        if (decade > 0) painter.drawLine(QPointF(bars.left(), y), QPointF(bars.right(), y));
        painter.setPen(theme.ink2);
        painter.drawText(QRectF(0, y - 8, bars.left() - 6, 16), Qt::AlignRight | Qt::AlignVCenter,
                         groupedText(std::llround(std::pow(10, decade))));
    }
    painter.setPen(QPen(theme.axis, 1));
    painter.drawLine(bars.bottomLeft(), bars.bottomRight());
    const Span span = axis();
    const int apart = span.length() > 64 ? 32 : span.length() > 36 ? 8 : 4;
    painter.setPen(theme.ink2);
    for (int power = static_cast<int>(std::ceil(span.first / apart)) * apart; power <= span.last; power += apart)
        painter.drawText(QRectF(place(power) - 24, bars.bottom() + 3, 48, 16), Qt::AlignHCenter | Qt::AlignTop, powerOfTwoText(power));
}

/// A count of one is still visible.
double Microscope::heightOf(std::int64_t count) const {
    return count == 0 ? 0.0 : std::max(2.0, std::log10(static_cast<double>(count)) / top() * area().height());
}

QRectF Microscope::barOf(const ExponentBin& bin) const {
    const double left = place(bin.exponent), width = place(bin.exponent + 1) - left, height = heightOf(bin.count);
    return {left + 0.5, area().bottom() - height, std::max(1.0, width - 1), height};
}

void Microscope::drawBins(QPainter& painter) const {
    const Theme& theme = Theme::current();
    const QRectF bars = area();
    const double overflow = m_view.block ? std::numeric_limits<double>::infinity() : edges().overflow;
    for (const ExponentBin& bin : m_view.bins) {
        const QRectF bar = barOf(bin);
        painter.fillRect(bar, bin.exponent >= overflow ? theme.danger : theme.neutralBar);
        const bool isChosen = m_view.chosen == bin.exponent;
        if (bin.count == 0 || (!isChosen && m_pointed != bin.exponent)) continue;
        painter.setPen(QPen(isChosen ? theme.accent : theme.ink, isChosen ? 2 : 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(bar.adjusted(0, -1, 0, 0));
    }
    if (!m_view.isScaled || m_view.tried == m_view.usedScale) return;
    const int shift = m_view.tried - m_view.usedScale;
    QPainterPath outline;
    bool isFirst = true;
    for (const ExponentBin& bin : m_view.bins) {
        const double left = place(bin.exponent + shift), right = place(bin.exponent + shift + 1), y = bars.bottom() - heightOf(bin.count);
        if (std::exchange(isFirst, false)) outline.moveTo(left, bars.bottom());
        outline.lineTo(left, y);
        outline.lineTo(right, y);
    }
    if (isFirst) return;
    outline.lineTo(outline.currentPosition().x(), bars.bottom());
    painter.setClipRect(bars);
    painter.setPen(QPen(theme.accent, 1.6));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(outline);
    painter.setClipping(false);
}

void Microscope::drawScales(QPainter& painter) const {
    if (!m_view.isScaled) return;
    const Theme& theme = Theme::current();
    const QRectF bars = area();
    painter.setRenderHint(QPainter::Antialiasing);
    const double used = place(m_view.usedScale), tried = place(m_view.tried);
    painter.setPen(QPen(theme.ink, 1, Qt::DashLine));
    painter.drawLine(QPointF(used, 20), QPointF(used, bars.bottom()));
    painter.setPen(QPen(theme.accent, 1.6));
    painter.drawLine(QPointF(tried, 20), QPointF(tried, bars.bottom()));
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.accent);
    painter.drawRoundedRect(QRectF(tried - 6, 17, 12, 14), 3, 3);
    painter.setPen(QPen(theme.onAccent, 1.4));
    for (const double x : {-2.0, 2.0}) painter.drawLine(QPointF(tried + x, 20), QPointF(tried + x, 28));
    if (hasFocus()) {
        painter.setPen(QPen(theme.accent, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(tried - 9, 14, 18, 20), 4, 4);
    }
    // The two labels do not overlap, and name their lines.
    painter.setFont(pixelFont(font(), kTagPixels, true));
    const bool isSame = m_view.tried == m_view.usedScale;
    const QString triedText = (isSame ? tr("used %1, drag it") : tr("try %1")).arg(powerOfTwoText(m_view.tried)),
                  usedText = tr("used %1").arg(powerOfTwoText(m_view.usedScale));
    const bool isLeft = m_view.tried <= m_view.usedScale;
    const auto write = [&](double x, const QString& text, const QColor& ink, bool toLeft) {
        const double width = painter.fontMetrics().horizontalAdvance(text) + 4;
        double left = toLeft ? x - width + 4 : x - 4;
        left = std::clamp(left, 0.0, std::max(0.0, this->width() - width));
        painter.setPen(ink);
        painter.drawText(QRectF(left, 0, width, 15), Qt::AlignLeft | Qt::AlignVCenter, text);
    };
    write(tried, triedText, isSame ? theme.ink : theme.accentText, isLeft);
    if (!isSame) write(used, usedText, theme.ink, !isLeft);
}

/// Infinities lie beyond the right end of the axis, in the range of overflow: one line for each kind, with the glyphs of the plots.
void Microscope::drawNonFinite(QPainter& painter) const {
    constexpr double kGlyph = 9, kLine = 15, kMargin = 4;  // px
    const Theme& theme = Theme::current();
    const QRectF bars = area();
    const std::pair<Glyph, std::int64_t> kinds[] = {
        {Glyph::PositiveInf, m_view.stored.positiveInf}, {Glyph::NegativeInf, m_view.stored.negativeInf}, {Glyph::NaN, m_view.stored.nan}};
    painter.setFont(pixelFont(font(), kTagPixels));
    double top = bars.top() + kMargin;
    for (const auto& [glyph, count] : kinds) {
        if (count == 0) continue;
        const QString text = u'\u00D7' + groupedText(count);
        const QRectF line(bars.left(), top, bars.width() - kMargin, kLine);
        painter.setPen(theme.danger);
        painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, text);
        const double x = line.right() - painter.fontMetrics().horizontalAdvance(text) - kGlyph;
        drawGlyph(painter, glyph, {x, line.center().y()}, kGlyph, theme.danger, theme.raised);
        top += kLine;
    }
}

void Microscope::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    drawZones(painter);
    drawBins(painter);
    drawScales(painter);
    drawNonFinite(painter);
}

void Microscope::tryAt(double x) {
    if (!m_view.isScaled) return;
    const Span span = axis();
    const QRectF bars = area();
    const double power = span.first + (x - bars.left()) / std::max(1.0, bars.width()) * span.length();
    const int exponent = std::clamp(static_cast<int>(std::lround(power)), -126, 126);
    if (exponent != m_view.tried) emit scaleTried(exponent);
}

std::optional<int> Microscope::binAt(QPointF at) const {
    if (m_view.isScaled && std::abs(at.x() - place(m_view.tried)) < kLineReach) return std::nullopt;
    for (const ExponentBin& bin : m_view.bins) {
        QRectF bar = barOf(bin);
        bar.setTop(std::min(bar.top(), bar.bottom() - kLeastBarTarget));
        if (bin.count > 0 && bar.contains(at)) return bin.exponent;
    }
    return std::nullopt;
}

void Microscope::point(std::optional<int> exponent) {
    if (exponent == m_pointed) return;
    m_pointed = exponent;
    setCursor(m_pointed ? Qt::PointingHandCursor : m_view.isScaled ? Qt::SizeHorCursor : Qt::ArrowCursor);
    const auto bin =
        std::find_if(m_view.bins.begin(), m_view.bins.end(), [&](const ExponentBin& each) { return each.exponent == exponent; });
    setToolTip(bin == m_view.bins.end()
                   ? QString()
                   : tr("%1 from %2 to %3: click for the elements")
                         .arg(groupedText(bin->count), powerOfTwoText(bin->exponent), powerOfTwoText(bin->exponent + 1)));
    update();
}

/// A press on a bar is a click; after a move it drags the scale.
void Microscope::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    m_pressedAt = event->position();
    m_isBarPressed = binAt(m_pressedAt).has_value();
    if (!m_isBarPressed) tryAt(m_pressedAt.x());
}

void Microscope::mouseMoveEvent(QMouseEvent* event) {
    if (!event->buttons().testFlag(Qt::LeftButton)) return point(binAt(event->position()));
    if (m_isBarPressed && (event->position() - m_pressedAt).manhattanLength() < QApplication::startDragDistance()) return;
    m_isBarPressed = false;
    tryAt(event->position().x());
}

void Microscope::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !std::exchange(m_isBarPressed, false)) return;
    if (const auto exponent = binAt(m_pressedAt)) emit binChosen(*exponent);
}

void Microscope::leaveEvent(QEvent* event) {
    QWidget::leaveEvent(event);
    point(std::nullopt);
}

/// Moves to the next bar with a count; at first to the highest bar.
void Microscope::moveBin(int by) {
    std::vector<int> full;
    for (const ExponentBin& bin : m_view.bins)
        if (bin.count > 0) full.push_back(bin.exponent);
    if (full.empty()) return;
    const auto at = std::find(full.begin(), full.end(), m_pointed.value_or(m_view.chosen.value_or(INT_MIN)));
    if (at == full.end()) {
        const auto most = std::max_element(m_view.bins.begin(), m_view.bins.end(),
                                           [](const ExponentBin& a, const ExponentBin& b) { return a.count < b.count; });
        return point(most->exponent);
    }
    point(full[static_cast<std::size_t>(
        std::clamp<std::ptrdiff_t>(at - full.begin() + by, 0, static_cast<std::ptrdiff_t>(full.size()) - 1))]);
}

void Microscope::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Up || event->key() == Qt::Key_Down) return moveBin(event->key() == Qt::Key_Up ? 1 : -1);
    const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (isEnter && m_pointed) return emit binChosen(*m_pointed);
    const int by = event->key() == Qt::Key_Left ? -1 : event->key() == Qt::Key_Right ? 1 : 0;
    if (by == 0 || !m_view.isScaled) return QWidget::keyPressEvent(event);
    emit scaleTried(std::clamp(m_view.tried + by, -126, 126));
}

}  // namespace mantissa::gui
