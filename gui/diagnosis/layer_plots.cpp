// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/diagnosis/layer_plots.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "gui/app/theme.h"
#include "gui/controls/engine_text.h"
#include "gui/controls/number_text.h"
#include "gui/plots/marks.h"

namespace mantissa::gui {
namespace {

constexpr int kRowsTop = 24, kRowsBottom = 40, kRowsRight = 10;  // px around the rows
constexpr double kTallestRow = 48;                               // px
constexpr double kMuchRoom = 22;                                 // powers of two of headroom at which a cell is palest

QColor mixed(const QColor& from, const QColor& to, double share) {
    const auto part = [share](int a, int b) { return static_cast<int>(std::lround(a + (b - a) * share)); };
    return {part(from.red(), to.red()), part(from.green(), to.green()), part(from.blue(), to.blue())};
}

}  // namespace

LayerPlot::LayerPlot(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
}

void LayerPlot::setChosen(const QString& layer) {
    m_chosen = layer;
    update();
}

void LayerPlot::setLayers(std::vector<std::string> layers) {
    if (layers != m_layers) {
        m_layers = std::move(layers);
        measureNames();
    }
    update();
}

void LayerPlot::measureNames() {
    const QFontMetrics metrics(pixelFont(font(), kTickPixels, true));  // the selected name is bold
    m_widestName = 0;
    for (const std::string& layer : m_layers)
        m_widestName = std::max(m_widestName, metrics.horizontalAdvance(QString::fromStdString(layer)));
}

void LayerPlot::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange) measureNames();
    QWidget::changeEvent(event);
}

int LayerPlot::tallest() const {
    return kRowsTop + kRowsBottom + static_cast<int>(kTallestRow * static_cast<double>(m_layers.size()));
}

QColor LayerPlot::rampColor(double share) {
    return mixed(Theme::current().accentWeak, Theme::current().accent, std::clamp(share, 0.0, 1.0));
}

QRectF LayerPlot::area() const {
    const int left = std::min(std::max(m_widestName, 40) + 10, width() * 3 / 10);
    return QRectF(rect()).adjusted(left, kRowsTop, -kRowsRight, -kRowsBottom);
}

QRectF LayerPlot::rowAt(std::size_t row) const {
    const QRectF all = area();
    const double height = std::min(kTallestRow, all.height() / std::max<double>(1, static_cast<double>(m_layers.size())));
    return {all.left(), all.top() + static_cast<double>(row) * height, all.width(), height};
}

void LayerPlot::drawNames(QPainter& painter) const {
    const Theme& theme = Theme::current();
    const double height = m_layers.empty() ? 0 : rowAt(0).height();
    // With many layers, only some names fit.
    const auto stride = static_cast<std::size_t>(std::max(1.0, std::ceil(15 / std::max(height, 1.0))));
    for (std::size_t row = 0; row < m_layers.size(); ++row) {
        const QString name = QString::fromStdString(m_layers[row]);
        const bool isChosen = name == m_chosen;
        if (row % stride != 0 && !isChosen) continue;
        const QRectF place = rowAt(row);
        painter.setFont(pixelFont(font(), kTickPixels, isChosen));
        painter.setPen(theme.ink);
        const QRectF words(0, place.center().y() - 9, place.left() - 6, 18);
        painter.drawText(words, Qt::AlignRight | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(name, Qt::ElideLeft, static_cast<int>(words.width())));
    }
    if (!hasFocus()) return;
    painter.setPen(QPen(theme.accent, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
}

QString LayerPlot::layerAt(double y) const {
    for (std::size_t row = 0; row < m_layers.size(); ++row) {
        const QRectF place = rowAt(row);
        if (y >= place.top() && y < place.bottom()) return QString::fromStdString(m_layers[row]);
    }
    return {};
}

void LayerPlot::mousePressEvent(QMouseEvent* event) {
    const QString layer = layerAt(event->position().y());
    if (!layer.isEmpty()) emit layerChosen(layer);
}

void LayerPlot::keyPressEvent(QKeyEvent* event) {
    const int by = event->key() == Qt::Key_Up ? -1 : event->key() == Qt::Key_Down ? 1 : 0;
    if (by == 0 || m_layers.empty()) return QWidget::keyPressEvent(event);
    const auto at = std::find(m_layers.begin(), m_layers.end(), m_chosen.toStdString());
    const auto last = static_cast<std::ptrdiff_t>(m_layers.size()) - 1;
    const std::ptrdiff_t row = at == m_layers.end() ? 0 : std::clamp<std::ptrdiff_t>(at - m_layers.begin() + by, 0, last);
    emit layerChosen(QString::fromStdString(m_layers[static_cast<std::size_t>(row)]));
}

PrecisionStrip::PrecisionStrip(QWidget* parent) : LayerPlot(parent) {
    setAccessibleName(tr("Precision strip: layers over steps"));
}

void PrecisionStrip::show(const RunMeasurements* measured, StripGroup group, StripMeasure measure) {
    m_measure = measure;
    m_steps.clear();
    m_cells.clear();
    const auto g = static_cast<std::size_t>(group);
    if (measured) {
        for (const StripColumn& column : measured->columns) {
            m_steps.push_back(column.step);
            m_cells.push_back(column.cells[g]);
        }
    }
    setLayers(measured ? measured->layers[g] : std::vector<std::string>());
}

QColor PrecisionStrip::colorOf(StripMeasure measure, const StripCell& cell) {
    const Theme& theme = Theme::current();
    if (cell[static_cast<std::size_t>(StripMeasure::NonFinite)] > 0) return theme.danger;
    const auto value = static_cast<double>(cell[static_cast<std::size_t>(measure)]);
    if (std::isnan(value)) return theme.sunken;
    if (measure == StripMeasure::Headroom) return rampColor(1 - value / kMuchRoom);
    // The square root makes small shares visible.
    return rampColor(std::sqrt(std::clamp(value, 0.0, 1.0)));
}

void PrecisionStrip::drawKey(QPainter& painter) const {
    const Theme& theme = Theme::current();
    const QRectF all = area();
    const double y = height() - 15;
    painter.setFont(pixelFont(font(), kTagPixels));
    const bool isRoom = m_measure == StripMeasure::Headroom;
    QLinearGradient ramp(all.left() + 36, 0, all.left() + 116, 0);
    ramp.setColorAt(0, isRoom ? theme.accent : theme.accentWeak);
    ramp.setColorAt(1, isRoom ? theme.accentWeak : theme.accent);
    painter.setPen(theme.ink2);
    painter.drawText(QRectF(all.left(), y - 8, 32, 16), Qt::AlignRight | Qt::AlignVCenter, isRoom ? tr("0") : tr("0 %"));
    painter.fillRect(QRectF(all.left() + 36, y - 5, 80, 10), ramp);
    painter.drawText(QRectF(all.left() + 120, y - 8, 70, 16), Qt::AlignLeft | Qt::AlignVCenter,
                     isRoom ? tr("%1 bits").arg(static_cast<int>(kMuchRoom)) : tr("100 %"));
    painter.fillRect(QRectF(all.left() + 176, y - 5, 10, 10), theme.danger);
    painter.drawText(QRectF(all.left() + 191, y - 8, all.width() - 191, 16), Qt::AlignLeft | Qt::AlignVCenter, tr("non-finite ✕"));
    painter.drawText(QRectF(all.right() - 40, y - 8, 40, 16), Qt::AlignRight | Qt::AlignVCenter, tr("step"));
}

std::size_t PrecisionStrip::firstShown() const {
    return m_steps.size() - std::min(m_steps.size(), static_cast<std::size_t>(std::max(1.0, area().width())));
}

double PrecisionStrip::cellWidth() const {
    return area().width() / static_cast<double>(std::max<std::size_t>(1, m_steps.size() - firstShown()));
}

void PrecisionStrip::setChosenStep(std::int64_t step) {
    m_chosenStep = step;
    update();
}

QRectF PrecisionStrip::cellAt(const QString& layer, std::int64_t step) const {
    const auto row = std::find(layers().begin(), layers().end(), layer.toStdString());
    const auto at = std::find(m_steps.begin(), m_steps.end(), step);
    if (row == layers().end() || at == m_steps.end() || at - m_steps.begin() < static_cast<std::ptrdiff_t>(firstShown())) return {};
    const QRectF place = rowAt(static_cast<std::size_t>(row - layers().begin()));
    const auto column = static_cast<double>(at - m_steps.begin() - static_cast<std::ptrdiff_t>(firstShown()));
    return {place.left() + column * cellWidth(), place.top(), cellWidth(), place.height() - (place.height() > 6 ? 2 : 0)};
}

void PrecisionStrip::mousePressEvent(QMouseEvent* event) {
    LayerPlot::mousePressEvent(event);
    const QString layer = layerAt(event->position().y());
    const double x = event->position().x() - area().left();
    if (event->button() != Qt::LeftButton || m_steps.empty() || layer.isEmpty() || x < 0 || x >= area().width()) return;
    const auto column = static_cast<std::size_t>(x / cellWidth());
    emit cellChosen(layer, m_steps[std::min(firstShown() + column, m_steps.size() - 1)]);
}

void PrecisionStrip::keyPressEvent(QKeyEvent* event) {
    const int by = event->key() == Qt::Key_Left ? -1 : event->key() == Qt::Key_Right ? 1 : 0;
    const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if ((by == 0 && !isEnter) || m_steps.empty()) return LayerPlot::keyPressEvent(event);
    const auto at = std::find(m_steps.begin(), m_steps.end(), m_chosenStep);
    const auto last = static_cast<std::ptrdiff_t>(m_steps.size()) - 1;
    const std::ptrdiff_t column = at == m_steps.end() ? last : std::clamp<std::ptrdiff_t>(at - m_steps.begin() + by, 0, last);
    setChosenStep(m_steps[static_cast<std::size_t>(column)]);
    if (isEnter && !chosen().isEmpty()) emit cellChosen(chosen(), m_chosenStep);
}

void PrecisionStrip::drawChosen(QPainter& painter) const {
    const QRectF cell = cellAt(chosen(), m_chosenStep);
    if (cell.isEmpty()) return;
    // ink outside and the ground inside are visible on pale and on dark cells
    const Theme& theme = Theme::current();
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.raised, 1));
    painter.drawRect(cell.adjusted(0, 0, 0, 0));
    painter.setPen(QPen(theme.ink, 1.5));
    painter.drawRect(cell.adjusted(-1.5, -1.5, 1.5, 1.5));
}

void PrecisionStrip::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    drawNames(painter);
    if (layers().empty() || m_steps.empty()) {
        painter.setFont(pixelFont(font(), kTickPixels));
        painter.setPen(theme.ink2);
        painter.drawText(rect(), Qt::AlignCenter | Qt::TextWordWrap, tr("No step was measured along the way."));
        return;
    }
    const QRectF all = area();
    const std::size_t first = firstShown(), shown = m_steps.size() - first;
    const double width = cellWidth();
    for (std::size_t c = 0; c < shown; ++c) {
        bool isBroken = false;
        const double left = all.left() + static_cast<double>(c) * width;
        for (std::size_t row = 0; row < layers().size() && row < m_cells[first + c].size(); ++row) {
            const StripCell& cell = m_cells[first + c][row];
            const QRectF place = rowAt(row);
            isBroken = isBroken || cell[static_cast<std::size_t>(StripMeasure::NonFinite)] > 0;
            painter.fillRect(QRectF(left, place.top(), width + 0.5, place.height() - (place.height() > 6 ? 2 : 0)),
                             colorOf(m_measure, cell));
        }
        if (isBroken) drawGlyph(painter, Glyph::NaN, {left + width / 2, all.top() - 8}, 8, theme.danger, theme.raised);
    }
    drawChosen(painter);
    const double bottom = rowAt(layers().size() - 1).bottom();
    painter.setFont(pixelFont(font(), kTagPixels));
    painter.setPen(theme.ink2);
    const auto apart = std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(static_cast<double>(shown) * 70 / all.width())));
    for (std::size_t c = 0; c < shown; c += apart)
        painter.drawText(QRectF(all.left() + (static_cast<double>(c) + 0.5) * width - 30, bottom + 1, 60, 15), Qt::AlignCenter,
                         groupedText(m_steps[first + c]));
    drawKey(painter);
}

UsableScalesPlot::UsableScalesPlot(QWidget* parent) : LayerPlot(parent) {
    setAccessibleName(tr("Usable loss scales of each layer"));
}

void UsableScalesPlot::show(std::vector<UsableScales> usableScales, const UsableScales& common, double used, double tried) {
    m_usableScales = std::move(usableScales);
    m_common = common;
    m_used = used;
    m_tried = tried;
    setAccessibleDescription(engineText(common.sentence));
    std::vector<std::string> names;
    for (const UsableScales& usable : m_usableScales) names.push_back(usable.layer);
    setLayers(std::move(names));
}

void UsableScalesPlot::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    drawNames(painter);
    if (m_usableScales.empty()) return;
    const QRectF all = area();
    const double bottom = rowAt(m_usableScales.size() - 1).bottom();
    double first = std::min(m_used, m_tried) - 4, last = std::max(m_used, m_tried) + 4;
    for (const UsableScales& usable : m_usableScales) {
        if (usable.lowest > 0) first = std::min(first, std::log2(usable.lowest) - 2);
        if (usable.highest < 0x1p100) last = std::max(last, std::log2(usable.highest) + 2);
    }
    const auto placeOf = [&](double power) { return all.left() + (std::clamp(power, first, last) - first) / (last - first) * all.width(); };
    const auto logOf = [&](double scale, double none) { return scale > 0 && std::isfinite(scale) ? std::log2(scale) : none; };
    const bool isSafeKnown = m_common.isKnown() && !m_common.isEmpty() && m_common.overflowedBy.empty();
    if (isSafeKnown) {
        const double left = placeOf(logOf(m_common.lowest, first)), right = placeOf(logOf(m_common.highest, last));
        painter.fillRect(QRectF(left, all.top(), right - left, bottom - all.top()), theme.accentWeak);
    }
    bool hasOpen = false;
    for (std::size_t row = 0; row < m_usableScales.size(); ++row) {
        const UsableScales& usable = m_usableScales[row];
        if (!usable.isKnown()) continue;
        const QRectF place = rowAt(row);
        const double height = std::clamp(place.height() * 0.3, 2.0, 8.0), y = place.center().y();
        if (usable.isEmpty()) {
            painter.setFont(pixelFont(font(), kTagPixels));
            painter.setPen(theme.danger);
            painter.drawText(place, Qt::AlignCenter, tr("✕ no scale fits"));
            continue;
        }
        const double low = placeOf(logOf(usable.lowest, first)), high = placeOf(logOf(usable.highest, last));
        const bool isOpen = !usable.overflowedBy.empty();
        hasOpen |= isOpen;
        painter.fillRect(QRectF(low, y - height / 2, high - low, height),
                         isOpen ? QBrush(theme.neutralBar, Qt::BDiagPattern) : QBrush(theme.neutralBar));
        for (const double used : {m_used})
            if (std::exp2(used) > usable.highest)
                painter.fillRect(QRectF(high, y - height / 2, placeOf(used) - high, height), theme.danger);
        painter.setPen(QPen(theme.ink, 1));
        if (usable.lowest > 0) painter.drawLine(QPointF(low, y - height), QPointF(low, y + height));
        if (usable.highest < 0x1p100 && !isOpen) painter.drawLine(QPointF(high, y - height), QPointF(high, y + height));
    }
    painter.setFont(pixelFont(font(), kTagPixels, true));
    const auto line = [&](double power, const QString& text, const QColor& ink, Qt::PenStyle style, bool toLeft) {
        const double x = placeOf(power), width = painter.fontMetrics().horizontalAdvance(text) + 4;
        painter.setPen(QPen(ink, 1.5, style));
        painter.drawLine(QPointF(x, all.top() - 5), QPointF(x, bottom));
        painter.setPen(ink);
        const double left = std::clamp(toLeft ? x - width : x, 0.0, this->width() - width);
        painter.drawText(QRectF(left, 1, width, 16), Qt::AlignCenter, text);
    };
    if (m_tried != m_used)
        line(m_tried, tr("try %1").arg(scaleText(std::exp2(m_tried))), theme.accentText, Qt::SolidLine, m_tried < m_used);
    line(m_used, tr("used %1").arg(scaleText(std::exp2(m_used))), theme.ink, Qt::DashLine, m_tried > m_used);
    painter.setFont(pixelFont(font(), kTagPixels));
    painter.setPen(theme.ink2);
    const int apart = last - first > 40 ? 16 : 8;
    for (int power = static_cast<int>(std::ceil(first / apart)) * apart; power <= last; power += apart)
        painter.drawText(QRectF(placeOf(power) - 24, bottom + 1, 48, 15), Qt::AlignCenter, powerOfTwoText(power));
    const double y = height() - 15;
    const QRectF key(all.left() + 0.5, y - 4.5, 13, 9);
    const auto explain = [&](const QBrush& fill, const QColor& edge, const QString& text) {
        painter.fillRect(key, fill);
        painter.setPen(QPen(edge, 1));
        painter.drawRect(key);
        painter.setPen(theme.ink2);
        painter.drawText(QRectF(all.left() + 20, y - 8, all.width() - 100, 16), Qt::AlignLeft | Qt::AlignVCenter, text);
    };
    if (isSafeKnown)
        explain(theme.accentWeak, theme.accent, tr("safe for every layer"));
    else if (hasOpen)
        explain(QBrush(theme.neutralBar, Qt::BDiagPattern), theme.neutralBar, tr("overflowed: upper end not known"));
    painter.drawText(QRectF(all.right() - 80, y - 8, 80, 16), Qt::AlignRight | Qt::AlignVCenter, tr("loss scale"));
}

}  // namespace mantissa::gui
