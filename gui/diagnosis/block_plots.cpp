// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/diagnosis/block_plots.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "gui/app/theme.h"
#include "gui/controls/number_text.h"
#include "gui/controls/tip_width.h"
#include "gui/diagnosis/block_model.h"
#include "gui/diagnosis/layer_plots.h"
#include "gui/plots/marks.h"

namespace mantissa::gui {
namespace {

constexpr double kBarEvery = 5;                   // dB to which the colour bar's ends are rounded
constexpr double kLongestBar = 40;                // dB; blocks above it are nearly exact and have the colour of its end
constexpr int kKeyHeight = 22, kAxisHeight = 18;  // px

/// "7", or "4 to 7".
QString rangeText(std::int64_t first, std::int64_t last) {
    return first == last ? groupedText(first) : BlockMapPlot::tr("%1 to %2").arg(groupedText(first), groupedText(last));
}

}  // namespace

BlockMapPlot::BlockMapPlot(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("SQNR of the operand's blocks"));
}

void BlockMapPlot::show(const OperandBlocks& operand) {
    m_operand = operand;
    double least = INFINITY, most = -INFINITY;
    for (const float each : m_operand.map.sqnr) {
        if (!std::isfinite(each)) continue;
        least = std::min(least, static_cast<double>(each));
        most = std::max(most, static_cast<double>(each));
    }
    const bool hasAny = least <= most;
    m_least = hasAny ? kBarEvery * std::floor(least / kBarEvery) : 0;
    const double upper = std::min(kBarEvery * std::ceil(most / kBarEvery), m_least + kLongestBar);
    m_most = hasAny ? std::max(m_least + kBarEvery, upper) : kBarEvery;
    setAccessibleDescription(hasAny ? tr("from %1 to %2").arg(sqnrText(least), sqnrText(most)) : QString());
    update();
}

QRectF BlockMapPlot::area() const {
    return QRectF(rect()).adjusted(0, 0, -1, -kKeyHeight);
}

QRectF BlockMapPlot::cellAt(int row, int col) const {
    const QRectF all = area();
    const double width = all.width() / m_operand.map.cols, height = all.height() / m_operand.map.rows;
    return {all.left() + col * width, all.top() + row * height, width, height};
}

/// A low ratio has the full colour.
QColor BlockMapPlot::colorOf(double sqnr) const {
    const Theme& theme = Theme::current();
    if (std::isnan(sqnr)) return theme.sunken;
    if (std::isinf(sqnr)) return sqnr < 0 ? theme.danger : LayerPlot::rampColor(0);
    return LayerPlot::rampColor(1 - std::min(1.0, (sqnr - m_least) / (m_most - m_least)));
}

void BlockMapPlot::paintEvent(QPaintEvent*) {
    const BlockMap& map = m_operand.map;
    if (map.rows < 1 || map.cols < 1) return;
    QPainter painter(this);
    for (int row = 0; row < map.rows; ++row) {
        for (int col = 0; col < map.cols; ++col)
            painter.fillRect(cellAt(row, col), colorOf(static_cast<double>(map.sqnr[static_cast<std::size_t>(row * map.cols + col)])));
    }
    painter.setPen(QPen(Theme::current().line, 1));
    painter.drawRect(area());
    drawKey(painter);
}

void BlockMapPlot::drawKey(QPainter& painter) const {
    const Theme& theme = Theme::current();
    constexpr double kRamp = 80;
    const double y = height() - kKeyHeight / 2.0 + 2;
    double x = 0;
    painter.setFont(pixelFont(font(), kTagPixels));
    const auto word = [&](const QString& text) {
        const double width = painter.fontMetrics().horizontalAdvance(text);
        painter.setPen(theme.ink2);
        painter.drawText(QRectF(x, y - 8, width + 2, 16), Qt::AlignLeft | Qt::AlignVCenter, text);
        x += width + 6;
    };
    const auto patch = [&](const QColor& color, const QString& text) {
        x += 8;
        painter.fillRect(QRectF(x, y - 5, 10, 10), color);
        painter.setPen(QPen(theme.line, 1));
        painter.drawRect(QRectF(x, y - 5, 10, 10));
        x += 15;
        word(text);
    };
    word(tr("SQNR %1").arg(fixedText(m_least, 0)));
    QLinearGradient ramp(x, 0, x + kRamp, 0);
    for (const double at : {0.0, 0.5, 1.0}) ramp.setColorAt(at, LayerPlot::rampColor(1 - at));
    painter.fillRect(QRectF(x, y - 5, kRamp, 10), ramp);
    x += kRamp + 5;
    word(tr("%1 dB").arg(fixedText(m_most, 0)));
    const std::vector<float>& cells = m_operand.map.sqnr;
    if (std::any_of(cells.begin(), cells.end(), [](float each) { return std::isnan(each); })) patch(theme.sunken, sqnrText(NAN));
    if (m_operand.nanScales > 0) patch(theme.danger, sqnrText(-INFINITY));
}

QString BlockMapPlot::cellText(int row, int col) const {
    const BlockMap& map = m_operand.map;
    const auto at = static_cast<std::size_t>(row * map.cols + col);
    const std::int64_t rows = (m_operand.rows + m_operand.blockRows - 1) / m_operand.blockRows,
                       cols = (m_operand.cols + m_operand.blockCols - 1) / m_operand.blockCols;
    const std::int64_t firstRow = row * map.blockRowsPerCell, firstCol = col * map.blockColsPerCell;
    const QString place = tr("block row %1, column %2")
                              .arg(rangeText(firstRow, std::min(rows, firstRow + map.blockRowsPerCell) - 1),
                                   rangeText(firstCol, std::min(cols, firstCol + map.blockColsPerCell) - 1));
    const QString flushed = tr("%1 % flushed").arg(fixedText(100 * static_cast<double>(map.flushed[at]), 1));
    const QString text = tr("%1: %2, %3").arg(place, sqnrText(static_cast<double>(map.sqnr[at])), flushed);
    return map.blockRowsPerCell * map.blockColsPerCell > 1 ? text + u'\n' + tr("The worst of these blocks.") : text;
}

bool BlockMapPlot::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const BlockMap& map = m_operand.map;
    const QRectF all = area();
    if (map.rows < 1 || map.cols < 1 || !all.contains(help->pos())) {
        QToolTip::hideText();
        return true;
    }
    const auto place = [](double at, double length, int count) { return std::clamp(static_cast<int>(at / length * count), 0, count - 1); };
    const int row = place(help->pos().y() - all.top(), all.height(), map.rows),
              col = place(help->pos().x() - all.left(), all.width(), map.cols);
    showTip(help->globalPos(), cellText(row, col), this, cellAt(row, col).toAlignedRect());
    return true;
}

ScaleHistogram::ScaleHistogram(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("How many blocks have a scale of each power of two"));
}

void ScaleHistogram::show(const std::vector<ScaleBin>& scales) {
    m_scales = scales;
    setAccessibleDescription(
        m_scales.empty() ? QString()
                         : tr("from %1 to %2").arg(powerOfTwoText(m_scales.front().exponent), powerOfTwoText(m_scales.back().exponent)));
    update();
}

QRectF ScaleHistogram::area() const {
    return QRectF(rect()).adjusted(0, 4, -1, -kAxisHeight);
}

QRectF ScaleHistogram::barAt(int exponent) const {
    const QRectF all = area();
    const double width = all.width() / exponents();
    std::int64_t most = 1, here = 0;
    for (const ScaleBin& bin : m_scales) {
        most = std::max(most, bin.blocks);
        if (bin.exponent == exponent) here = bin.blocks;
    }
    // The square root makes rare scales visible.
    const double height = all.height() * std::sqrt(static_cast<double>(here) / static_cast<double>(most));
    return {all.left() + (exponent - firstExponent()) * width, all.bottom() - height, std::max(1.0, width - 1), height};
}

void ScaleHistogram::paintEvent(QPaintEvent*) {
    if (m_scales.empty()) return;
    const Theme& theme = Theme::current();
    QPainter painter(this);
    for (const ScaleBin& bin : m_scales) painter.fillRect(barAt(bin.exponent), theme.accent);
    const QRectF all = area();
    painter.setPen(QPen(theme.axis, 1));
    painter.drawLine(all.bottomLeft(), all.bottomRight());
    painter.setFont(pixelFont(font(), kTagPixels));
    painter.setPen(theme.ink2);
    const QRectF words(all.left(), all.bottom() + 1, all.width(), kAxisHeight - 2);
    painter.drawText(words, Qt::AlignLeft | Qt::AlignVCenter, powerOfTwoText(firstExponent()));
    if (m_scales.size() > 1) painter.drawText(words, Qt::AlignRight | Qt::AlignVCenter, powerOfTwoText(m_scales.back().exponent));
    painter.drawText(words, Qt::AlignHCenter | Qt::AlignVCenter, tr("scales of blocks"));
}

bool ScaleHistogram::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    for (const ScaleBin& bin : m_scales) {
        const QRectF bar = barAt(bin.exponent);
        if (help->pos().x() < bar.left() || help->pos().x() > bar.right()) continue;
        showTip(
            help->globalPos(),
            tr("%1 to below %2: %3 blocks").arg(powerOfTwoText(bin.exponent), powerOfTwoText(bin.exponent + 1), groupedText(bin.blocks)),
            this);
        return true;
    }
    QToolTip::hideText();
    return true;
}

}  // namespace mantissa::gui
