// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/bits/dot_plot.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "engine/telemetry/number_format.h"
#include "gui/app/theme.h"
#include "gui/bits/bits_text.h"
#include "gui/controls/number_text.h"
#include "gui/plots/marks.h"

namespace mantissa::gui {
namespace {

constexpr double kDotLeft = 50, kDotRight = 226, kDotTop = 26, kDotBottom = 38;  // px around the plot
constexpr double kLowestPower = -10;                                             // below the usual smallest relative error of fp32 sums
constexpr double kExactGap = 22;                                                 // px below the lowest power; exact results are drawn there

}  // namespace

DotPlot::DotPlot(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("Relative error against length"));
}

void DotPlot::show(std::vector<DotRow> rows, int chosen) {
    m_rows = std::move(rows);
    m_chosen = chosen;
    double low = -6, high = -1;
    m_longest = 1;
    for (const DotRow& row : m_rows) {
        for (const DotError& each : row.errors) {
            m_longest = std::max(m_longest, each.length);
            if (!(each.relative > 0) || !std::isfinite(each.relative)) continue;
            low = std::min(low, std::floor(std::log10(each.relative)));
            high = std::max(high, std::ceil(std::log10(each.relative)));
        }
    }
    m_axis = {std::max(low, kLowestPower), std::min(high, 4.0)};
    const bool hasChosen = m_chosen >= 0 && m_chosen < static_cast<int>(m_rows.size());
    const DotRow* row = hasChosen ? &m_rows[static_cast<std::size_t>(m_chosen)] : nullptr;
    setAccessibleDescription(row && !row->errors.empty() ? dotSentence(row->way, row->errors.back()) : QString());
    update();
}

QRectF DotPlot::area() const {
    return QRectF(rect()).adjusted(kDotLeft, kDotTop, -kDotRight, -kDotBottom - kExactGap);
}

QPointF DotPlot::place(const DotError& error) const {
    const QRectF plot = area();
    const double span = std::max(1.0, std::log2(m_longest));
    const double x = plot.left() + std::log2(error.length) / span * plot.width();
    if (error.relative == 0) return {x, plot.bottom() + kExactGap};
    if (!std::isfinite(error.relative)) return {x, plot.top()};
    const double power = std::clamp(std::log10(error.relative), m_axis.first, m_axis.last);
    return {x, plot.bottom() - (power - m_axis.first) / m_axis.length() * plot.height()};
}

void DotPlot::drawGrid(QPainter& painter) const {
    const Theme& theme = Theme::current();
    const QRectF plot = area();
    painter.setFont(pixelFont(font(), kTitlePixels, true));
    painter.setPen(theme.ink);
    painter.drawText(QRectF(kDotLeft, 0, plot.width(), 18), Qt::AlignLeft | Qt::AlignVCenter, tr("Relative error"));
    painter.setFont(pixelFont(font(), kTagPixels));
    const int first = static_cast<int>(m_axis.first), last = static_cast<int>(m_axis.last);
    for (int power = first; power <= last; ++power) {
        const double y = plot.bottom() - (power - m_axis.first) / m_axis.length() * plot.height();
        painter.setPen(QPen(theme.grid, 1));
        painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
        if ((power - first) % (last - first > 8 ? 2 : 1) != 0) continue;
        painter.setPen(theme.ink2);
        painter.drawText(QRectF(0, y - 8, kDotLeft - 8, 16), Qt::AlignRight | Qt::AlignVCenter,
                         power == 0 ? QStringLiteral("1") : QString::fromStdString(powerText(10, power)));
    }
    const double base = plot.bottom() + kExactGap;
    painter.setPen(theme.ink2);
    painter.drawText(QRectF(0, base - 8, kDotLeft - 8, 16), Qt::AlignRight | Qt::AlignVCenter, tr("exact"));
    painter.setPen(QPen(theme.axis, 1));
    painter.drawLine(QPointF(plot.left(), base), QPointF(plot.right(), base));
    painter.setPen(theme.ink2);
    const int octaves = static_cast<int>(std::log2(m_longest)), stride = octaves > 8 ? 4 : 2;
    for (int octave = 0; octave <= octaves; octave += stride) {
        const double x = plot.left() + octave / std::max(1.0, std::log2(m_longest)) * plot.width();
        painter.drawText(QRectF(x - 40, base + 2, 80, 16), Qt::AlignCenter, groupedText(std::int64_t{1} << octave));
    }
    painter.drawText(QRectF(plot.left(), base + 18, plot.width(), 16), Qt::AlignRight | Qt::AlignVCenter, tr("products"));
}

void DotPlot::drawWay(QPainter& painter, const DotRow& row, bool isChosen) const {
    const Theme& theme = Theme::current();
    QPolygonF line;
    for (const DotError& each : row.errors)
        if (std::isfinite(each.result)) line << place(each);
    painter.setPen(QPen(isChosen ? theme.accent : theme.neutralBar, isChosen ? 2.4 : 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawPolyline(line);
    for (const DotError& each : row.errors) {
        if (std::isfinite(each.result)) continue;
        const Glyph glyph = std::isnan(each.result) ? Glyph::NaN : each.result > 0 ? Glyph::PositiveInf : Glyph::NegativeInf;
        drawGlyph(painter, glyph, {place(each).x(), area().top()}, isChosen ? 10 : 7, theme.danger, theme.raised);
    }
}

/// Draws names at the ends of the lines: the selected line's first, others where they do not overlap.
void DotPlot::drawNames(QPainter& painter) const {
    const Theme& theme = Theme::current();
    const QRectF plot = area();
    std::vector<int> order{m_chosen};
    for (int i = 0; i < static_cast<int>(m_rows.size()); ++i)
        if (i != m_chosen) order.push_back(i);
    std::vector<double> taken;
    for (const int i : order) {
        if (i < 0 || i >= static_cast<int>(m_rows.size()) || m_rows[static_cast<std::size_t>(i)].errors.empty()) continue;
        const DotRow& row = m_rows[static_cast<std::size_t>(i)];
        const double y = place(row.errors.back()).y();
        if (std::any_of(taken.begin(), taken.end(), [&](double each) { return std::abs(each - y) < 13; })) continue;
        taken.push_back(y);
        painter.setFont(pixelFont(font(), kTagPixels, i == m_chosen));
        painter.setPen(i == m_chosen ? theme.accentText : theme.ink2);
        const QString name = painter.fontMetrics().elidedText(wayText(row.way), Qt::ElideRight, static_cast<int>(kDotRight) - 10);
        painter.drawText(QRectF(plot.right() + 8, y - 8, kDotRight - 10, 16), Qt::AlignLeft | Qt::AlignVCenter, name);
    }
}

void DotPlot::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    drawGrid(painter);
    for (int i = 0; i < static_cast<int>(m_rows.size()); ++i)
        if (i != m_chosen) drawWay(painter, m_rows[static_cast<std::size_t>(i)], false);
    if (m_chosen >= 0 && m_chosen < static_cast<int>(m_rows.size())) drawWay(painter, m_rows[static_cast<std::size_t>(m_chosen)], true);
    drawNames(painter);
}

}  // namespace mantissa::gui
