// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/diagnosis/comparison_plots.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "engine/diagnosis/verdict.h"
#include "gui/app/theme.h"
#include "gui/controls/number_text.h"
#include "gui/controls/tip_width.h"
#include "gui/plots/marks.h"

namespace mantissa::gui {
namespace {

constexpr double kPalest = -6;                  // log10 of the relative difference that is palest
constexpr double kLowest = -7, kHighest = 1.3;  // the ends of the curve's axis; 0 is drawn at the bottom

}  // namespace

QString differenceText(double relative) {
    if (std::isnan(relative)) return QObject::tr("not finite in both");
    if (std::isinf(relative)) return QObject::tr("infinite");
    return relative == 0 ? QObject::tr("equal") : QString::fromStdString(shareText(relative));
}

ComparisonMap::ComparisonMap(QWidget* parent) : LayerPlot(parent) {
    setAccessibleName(tr("How far the runs are apart: layers over steps"));
}

double ComparisonMap::depthOf(double relative) {
    return relative > 0 ? std::clamp(1 - std::log10(relative) / kPalest, 0.0, 1.0) : 0;
}

void ComparisonMap::show(const ComparisonView& view) {
    m_steps.clear();
    m_cells.clear();
    m_apartColumn.reset();
    m_apartRow.reset();
    std::vector<std::string> names;
    for (const StepComparison& comparison : view.comparisons)
        for (const LayerDifference& each : comparison.layers)
            if (each.role == view.role && std::find(names.begin(), names.end(), each.layer) == names.end()) names.push_back(each.layer);
    // Output on top: gradients start there, values and weights end there.
    const bool comesFromBelow = view.role == TensorRole::Value || view.role == TensorRole::Weight;
    if (comesFromBelow) std::reverse(names.begin(), names.end());
    for (const StepComparison& comparison : view.comparisons) {
        std::vector<Cell> column(names.size());
        for (const LayerDifference& each : comparison.layers) {
            const auto row = std::find(names.begin(), names.end(), each.layer);
            if (each.role == view.role && row != names.end())
                column[static_cast<std::size_t>(row - names.begin())] = {true, each.relative()};
        }
        m_steps.push_back(comparison.step);
        m_cells.push_back(std::move(column));
    }
    QString description;
    if (view.apart) {
        const LayerDifference& first = view.comparisons[view.apart->comparison].layers[view.apart->layer];
        m_apartColumn = view.apart->comparison;
        const auto row = std::find(names.begin(), names.end(), first.layer);
        if (first.role == view.role && row != names.end()) m_apartRow = static_cast<std::size_t>(row - names.begin());
        m_apartText = tr("first apart: step %1").arg(groupedText(m_steps[*m_apartColumn]));
        description = tr("%1, %2").arg(m_apartText, QString::fromStdString(first.tensor));
    }
    setAccessibleDescription(description);
    setLayers(std::move(names));
}

double ComparisonMap::columnWidth() const {
    return area().width() / static_cast<double>(std::max<std::size_t>(1, m_steps.size()));
}

QRectF ComparisonMap::cellAt(std::size_t column, std::size_t row) const {
    const QRectF place = rowAt(row);
    return {place.left() + static_cast<double>(column) * columnWidth(), place.top(), columnWidth(),
            place.height() - (place.height() > 6 ? 2 : 0)};
}

void ComparisonMap::drawCell(QPainter& painter, const Cell& cell, const QRectF& place) const {
    const Theme& theme = Theme::current();
    if (!cell.isThere) return painter.fillRect(place, theme.sunken);
    if (!std::isfinite(cell.relative)) return painter.fillRect(place.adjusted(0, 0, 0.5, 0), theme.danger);
    if (cell.relative > 0) return painter.fillRect(place.adjusted(0, 0, 0.5, 0), rampColor(depthOf(cell.relative)));
    painter.fillRect(QRectF(place.left(), place.center().y(), place.width() + 0.5, 1), theme.axis);  // a flat line means no difference
}

void ComparisonMap::drawApart(QPainter& painter) const {
    const Theme& theme = Theme::current();
    const QRectF all = area();
    const double x = cellAt(*m_apartColumn, 0).left(), bottom = rowAt(layers().size() - 1).bottom();
    painter.setPen(QPen(theme.ink, 1.5));
    painter.drawLine(QPointF(x, 3), QPointF(x, bottom));
    painter.setFont(pixelFont(font(), kTagPixels, true));
    const double width = painter.fontMetrics().horizontalAdvance(m_apartText) + 6;
    const bool isRight = x + 5 + width <= all.right();
    const QRectF words(isRight ? x + 5 : x - 5 - width, 0, width, 14);
    painter.drawText(words, (isRight ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter, m_apartText);
    if (!m_apartRow) return;
    QRectF cell = cellAt(*m_apartColumn, *m_apartRow);
    cell.setWidth(std::max(cell.width(), 6.0));  // with many columns a cell is too narrow for a frame
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.raised, 4));
    painter.drawRect(cell);
    painter.setPen(QPen(theme.ink, 2));
    painter.drawRect(cell);
}

void ComparisonMap::drawKey(QPainter& painter) const {
    const Theme& theme = Theme::current();
    const QRectF all = area();
    const double y = height() - 15;
    double x = all.left();
    painter.setFont(pixelFont(font(), kTagPixels));
    const auto word = [&](const QString& text) {
        const double width = painter.fontMetrics().horizontalAdvance(text);
        painter.setPen(theme.ink2);
        painter.drawText(QRectF(x, y - 8, width + 2, 16), Qt::AlignLeft | Qt::AlignVCenter, text);
        x += width + 6;
    };
    painter.fillRect(QRectF(x, y, 14, 1), theme.axis);
    x += 18;
    word(tr("equal"));
    x += 8;
    word(tr("10⁻⁶"));
    QLinearGradient ramp(x, 0, x + 80, 0);
    for (const double at : {0.0, 0.5, 1.0}) ramp.setColorAt(at, rampColor(at));
    painter.fillRect(QRectF(x, y - 5, 80, 10), ramp);
    x += 85;
    word(tr("100 %"));
    x += 8;
    painter.fillRect(QRectF(x, y - 5, 10, 10), theme.danger);
    x += 15;
    word(tr("non-finite ✕"));
    painter.setPen(theme.ink2);
    painter.drawText(QRectF(all.right() - 40, y - 8, 40, 16), Qt::AlignRight | Qt::AlignVCenter, tr("step"));
}

void ComparisonMap::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    drawNames(painter);
    if (layers().empty() || m_steps.empty()) return;
    const QRectF all = area();
    for (std::size_t column = 0; column < m_steps.size(); ++column) {
        bool isBroken = false;
        for (std::size_t row = 0; row < layers().size(); ++row) {
            const Cell& cell = m_cells[column][row];
            drawCell(painter, cell, cellAt(column, row));
            isBroken = isBroken || (cell.isThere && !std::isfinite(cell.relative));
        }
        const QPointF above(cellAt(column, 0).center().x(), all.top() - 5);
        if (isBroken) drawGlyph(painter, Glyph::NaN, above, std::min(8.0, columnWidth()), theme.danger, theme.raised);
    }
    const double bottom = rowAt(layers().size() - 1).bottom();
    painter.setFont(pixelFont(font(), kTagPixels));
    painter.setPen(theme.ink2);
    const auto apart = static_cast<std::size_t>(std::max(1.0, std::ceil(70 / columnWidth())));
    for (std::size_t column = 0; column < m_steps.size(); column += apart)
        painter.drawText(QRectF(cellAt(column, 0).center().x() - 30, bottom + 1, 60, 15), Qt::AlignCenter, groupedText(m_steps[column]));
    if (m_apartColumn) drawApart(painter);
    drawKey(painter);
}

bool ComparisonMap::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return LayerPlot::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    for (std::size_t row = 0; row < layers().size() && !m_steps.empty(); ++row) {
        const QRectF place = rowAt(row);
        if (!place.contains(help->pos())) continue;
        const auto column = std::min(m_steps.size() - 1, static_cast<std::size_t>((help->pos().x() - place.left()) / columnWidth()));
        const Cell& cell = m_cells[column][row];
        showTip(help->globalPos(),
                tr("%1, step %2: %3")
                    .arg(QString::fromStdString(layers()[row]), groupedText(m_steps[column]),
                         cell.isThere ? differenceText(cell.relative) : tr("not compared")),
                this);
        return true;
    }
    QToolTip::hideText();
    return true;
}

ComparisonCurve::ComparisonCurve(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("The chosen layer's difference over steps"));
}

void ComparisonCurve::show(const ComparisonView& view, const std::string& layer) {
    m_points.clear();
    m_bound = view.bound;
    for (const StepComparison& comparison : view.comparisons)
        for (const LayerDifference& each : comparison.layers)
            if (each.role == view.role && each.layer == layer) m_points.push_back({comparison.step, each.relative()});
    m_apart.reset();
    for (std::size_t i = 0; view.apart && i < m_points.size(); ++i)
        if (m_points[i].step == view.comparisons[view.apart->comparison].step) m_apart = i;
    setAccessibleDescription(m_points.empty() ? QString()
                                              : tr("%1 at step %2: %3")
                                                    .arg(QString::fromStdString(layer), groupedText(m_points.back().step),
                                                         differenceText(m_points.back().relative)));
    update();
}

QRectF ComparisonCurve::area() const {
    return QRectF(rect()).adjusted(58, 24, -10, -40);  // as tall as the map
}

double ComparisonCurve::heightOf(double relative) const {
    const QRectF all = area();
    if (std::isnan(relative) || std::isinf(relative)) return all.top();
    const double power = relative > 0 ? std::clamp(std::log10(relative), kLowest, kHighest) : kLowest;
    return all.bottom() - (power - kLowest) / (kHighest - kLowest) * all.height();
}

QPointF ComparisonCurve::placeOf(std::size_t point) const {
    const QRectF all = area();
    const double width = all.width() / static_cast<double>(m_points.size());
    return {all.left() + (static_cast<double>(point) + 0.5) * width, heightOf(m_points[point].relative)};
}

void ComparisonCurve::drawScale(QPainter& painter) const {
    const Theme& theme = Theme::current();
    const QRectF all = area();
    painter.setFont(pixelFont(font(), kTagPixels));
    const auto tick = [&](double y, const QString& text) {
        painter.setPen(QPen(theme.grid, 1));
        painter.drawLine(QPointF(all.left(), y), QPointF(all.right(), y));
        painter.setPen(theme.ink2);
        painter.drawText(QRectF(0, y - 8, all.left() - 8, 16), Qt::AlignRight | Qt::AlignVCenter, text);
    };
    for (const double each : {1.0, 1e-2, 1e-4, 1e-6}) tick(heightOf(each), QString::fromStdString(shareText(each)));
    tick(all.bottom(), tr("equal"));
    painter.setPen(theme.ink2);
    const auto apart = static_cast<std::size_t>(std::max(1.0, std::ceil(70 * static_cast<double>(m_points.size()) / all.width())));
    for (std::size_t i = 0; i < m_points.size(); i += apart)
        painter.drawText(QRectF(placeOf(i).x() - 30, all.bottom() + 1, 60, 15), Qt::AlignCenter, groupedText(m_points[i].step));
    painter.drawText(QRectF(all.right() - 40, height() - 23, 40, 16), Qt::AlignRight | Qt::AlignVCenter, tr("step"));
    if (m_bound == 0) return;
    const double bound = heightOf(m_bound);
    painter.setPen(QPen(theme.accent, 1.5, Qt::DashLine));
    painter.drawLine(QPointF(all.left(), bound), QPointF(all.right(), bound));
    painter.setPen(theme.accentText);
    painter.drawText(QRectF(all.left() + 4, bound - 17, 140, 16), Qt::AlignLeft | Qt::AlignVCenter,
                     tr("apart above %1").arg(QString::fromStdString(shareText(m_bound))));
}

void ComparisonCurve::drawPoints(QPainter& painter) const {
    const Theme& theme = Theme::current();
    const QRectF all = area();
    painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t i = 0; i < m_points.size(); ++i) {
        const QPointF here = placeOf(i);
        if (!std::isfinite(m_points[i].relative)) {
            drawGlyph(painter, Glyph::NaN, here, 8, theme.danger, theme.raised);
            continue;
        }
        const bool isJoined = i > 0 && std::isfinite(m_points[i - 1].relative);
        painter.setPen(QPen(theme.ink, 1.5));
        if (isJoined) painter.drawLine(placeOf(i - 1), here);
        if (m_points.size() > 60) continue;
        painter.setBrush(theme.ink);
        painter.drawEllipse(here, 1.5, 1.5);
    }
    if (!m_apart) return;
    const double x = placeOf(*m_apart).x() - all.width() / static_cast<double>(m_points.size()) / 2;
    painter.setPen(QPen(theme.ink, 1.5));
    painter.drawLine(QPointF(x, 3), QPointF(x, all.bottom()));
    painter.setFont(pixelFont(font(), kTagPixels, true));
    const QString text = tr("first apart: step %1").arg(groupedText(m_points[*m_apart].step));
    const double width = painter.fontMetrics().horizontalAdvance(text) + 6;
    painter.drawText(QRectF(x + 5 + width <= this->width() ? x + 5 : x - 5 - width, 0, width, 14), Qt::AlignCenter, text);
}

void ComparisonCurve::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    if (m_points.empty()) return;
    drawScale(painter);
    drawPoints(painter);
}

}  // namespace mantissa::gui
