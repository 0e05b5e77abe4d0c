// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/diagnosis/race_plot.h"

#include <QHelpEvent>
#include <QLineF>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <map>

#include "gui/app/theme.h"
#include "gui/controls/number_text.h"
#include "gui/controls/tip_width.h"
#include "gui/plots/marks.h"

namespace mantissa::gui {
namespace {

constexpr int kRaceLeft = 40, kRaceTop = 22, kRaceRight = 176, kRaceBottom = 36;  // px around the plot
constexpr int kLabelPixels = 15;                                                  // least distance of two labels
constexpr double kLowestShown = -40, kHighestShown = 60;                          // powers of two: values beyond are drawn at the edge
constexpr double kSkipApart = 7;                                                  // px: closer skips are drawn as one

/// log2 of a scale, limited to the axis.
double logOf(double scale) {
    return std::clamp(scale > 0 ? std::log2(scale) : kLowestShown, kLowestShown, kHighestShown);
}

/// Stride of 1, 2 or 5 times a power of ten with at most `ticks` ticks.
std::int64_t roundStride(std::int64_t span, int ticks) {
    std::int64_t stride = 1;
    for (int i = 0; span / stride > ticks; ++i) stride = i % 3 == 1 ? stride / 2 * 5 : stride * 2;
    return stride;
}

/// Dash pattern of a chosen line by its number.
QList<qreal> raceDash(std::size_t number) {
    static const QList<qreal> kDashes[] = {{}, {6, 3}, {2, 2}, {8, 2, 2, 2}, {4, 2, 1, 2, 1, 2}};
    return kDashes[number % std::size(kDashes)];
}

}  // namespace

/// Maps steps and scales to the plot.
struct RacePlot::View {
    QRectF area;
    std::int64_t first = 0, count = 1;
    double low = 0, high = 1;

    double x(double step) const { return area.left() + (step - static_cast<double>(first)) / static_cast<double>(count) * area.width(); }
    double y(double power) const { return area.bottom() - (power - low) / (high - low) * area.height(); }
};

struct RacePlot::Label {
    QString text;
    double x = 0, lineY = 0, y = 0;  // end of the line, and middle of the label
    bool isStrong = false;
};

RacePlot::RacePlot(const RaceModel* model, QWidget* parent) : QWidget(parent), m_model(model) {
    setAccessibleName(tr("Loss scales of the race over the steps"));
    connect(model, &QAbstractItemModel::dataChanged, this, [this] { update(); });
    connect(model, &QAbstractItemModel::modelReset, this, [this] { update(); });
}

void RacePlot::setChosen(std::vector<int> rows) {
    m_chosen = std::move(rows);
    QStringList names;
    for (const int row : m_chosen) names << m_model->row(row).name;
    setAccessibleDescription(tr("Strong: %1").arg(names.join(QStringLiteral(", "))));
    update();
}

void RacePlot::setAwaited(std::int64_t steps) {
    m_awaited = steps;
    update();
}

bool RacePlot::isChosen(int row) const {
    return std::find(m_chosen.begin(), m_chosen.end(), row) != m_chosen.end();
}

RacePlot::View RacePlot::view() const {
    View view;
    view.area = QRectF(rect()).adjusted(kRaceLeft, kRaceTop, -kRaceRight, -kRaceBottom);
    const auto& steps = m_model->thresholds();
    view.first = steps.empty() ? 0 : steps.front().step;
    view.count = std::max({m_awaited, static_cast<std::int64_t>(steps.size()), std::int64_t{1}});
    double low = kHighestShown, high = kLowestShown;
    for (const StepThreshold& each : steps) {
        if (each.highest > 0 && each.highest < kHighestLossScale) high = std::max(high, logOf(each.overflowFrom));
    }
    for (const RaceEntrant& entrant : m_model->rows()) {
        const std::vector<float>& scales = entrant.result.scales;
        for (std::size_t i = 0; i < scales.size(); ++i) {
            const double power = logOf(static_cast<double>(scales[i]));
            high = std::max(high, power);
            if (i > 0 || scales.size() == 1) low = std::min(low, power);  // a first scale far below all others would take half the plot
        }
    }
    if (low > high) low = 0, high = 24;
    view.low = std::floor(low) - 1;
    view.high = std::ceil(high) + 1;
    return view;
}

void RacePlot::drawAxes(QPainter& painter, const View& view) const {
    const Theme& theme = Theme::current();
    painter.setFont(pixelFont(font(), kTickPixels));
    const int apart = view.high - view.low > 40 ? 8 : view.high - view.low > 12 ? 4 : 2;
    for (int power = static_cast<int>(std::ceil(view.low / apart)) * apart; power <= view.high; power += apart) {
        const double y = std::round(view.y(power)) + 0.5;
        painter.setPen(QPen(theme.grid, 1));
        painter.drawLine(QPointF(view.area.left(), y), QPointF(view.area.right(), y));
        painter.setPen(theme.ink2);
        painter.drawText(QRectF(0, y - 9, kRaceLeft - 8, 18), Qt::AlignRight | Qt::AlignVCenter, powerOfTwoText(power));
    }
    painter.setPen(QPen(theme.axis, 1));
    painter.drawLine(view.area.bottomLeft(), view.area.bottomRight());
    painter.setPen(theme.ink2);
    const std::int64_t stride = roundStride(view.count, std::max(2, static_cast<int>(view.area.width()) / 110));
    for (std::int64_t step = (view.first + stride - 1) / stride * stride; step <= view.first + view.count; step += stride)
        painter.drawText(QRectF(view.x(static_cast<double>(step)) - 40, view.area.bottom() + 3, 80, 16), Qt::AlignCenter,
                         groupedText(step));
    painter.drawText(QRectF(view.area.right() - 60, view.area.bottom() + 18, 60, 16), Qt::AlignRight | Qt::AlignVCenter, tr("step"));
    painter.setFont(pixelFont(font(), kTickPixels, true));
    painter.setPen(theme.ink);
    painter.drawText(QRectF(view.area.left(), 0, 200, 18), Qt::AlignLeft | Qt::AlignVCenter, tr("loss scale"));
}

void RacePlot::drawThreshold(QPainter& painter, const View& view) const {
    const auto& steps = m_model->thresholds();
    if (steps.empty()) return;
    const Theme& theme = Theme::current();
    QPainterPath bound;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const double power = steps[i].highest > 0 ? std::log2(steps[i].overflowFrom) : view.low;
        const double y = std::clamp(view.y(power), view.area.top(), view.area.bottom());
        const double x = view.x(static_cast<double>(steps[i].step));
        i == 0 ? bound.moveTo(x, y) : bound.lineTo(x, y);
        bound.lineTo(view.x(static_cast<double>(steps[i].step + 1)), y);
    }
    const double right = view.x(static_cast<double>(steps.back().step + 1));
    QPainterPath above = bound;
    above.lineTo(right, view.area.top());
    above.lineTo(view.x(static_cast<double>(steps.front().step)), view.area.top());
    above.closeSubpath();
    painter.fillPath(above, theme.dangerFill);
    QColor edge = theme.danger;
    edge.setAlphaF(static_cast<float>(std::clamp(0.25 * view.area.width() / static_cast<double>(view.count), 0.2, 0.8)));
    painter.setPen(QPen(edge, 1));  // paler where steps are dense
    painter.drawPath(bound);
    painter.setFont(pixelFont(font(), kTagPixels, true));
    painter.setPen(theme.danger);
    painter.drawText(QRectF(view.area.left() + 8, view.area.top() + 4, view.area.width() - 16, 16), Qt::AlignRight | Qt::AlignVCenter,
                     tr("✕ overflows: the step is skipped"));
}

void RacePlot::drawLine(QPainter& painter, const View& view, const RacedScaler& result, const QPen& pen) const {
    const auto& steps = m_model->thresholds();
    QPainterPath path;
    double last = NAN;
    for (std::size_t i = 0; i < result.scales.size() && i < steps.size(); ++i) {
        const double y = view.y(logOf(static_cast<double>(result.scales[i])));
        const double x = view.x(static_cast<double>(steps[i].step));
        if (i == 0) path.moveTo(x, y);
        if (y != last) path.lineTo(x, path.currentPosition().y()), path.lineTo(x, y);
        last = y;
    }
    if (result.scales.empty()) return;
    path.lineTo(view.x(static_cast<double>(steps[result.scales.size() - 1].step + 1)), last);
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    painter.setClipRect(view.area.adjusted(-2, -2, 2, 2));
    painter.drawPath(path);
    painter.setClipping(false);
    if (!result.isOver()) return;
    const QPointF end = path.currentPosition();
    painter.setPen(QPen(pen.color(), 2));
    painter.drawLine(end - QPointF(0, 6), end + QPointF(0, 6));
}

void RacePlot::drawSkips(QPainter& painter, const View& view, const RacedScaler& result) const {
    const Theme& theme = Theme::current();
    const auto& steps = m_model->thresholds();
    QPointF before(-1e9, 0);
    for (const std::int64_t step : result.skipped) {
        const auto place = static_cast<std::size_t>(step - steps.front().step);
        if (place >= result.scales.size()) continue;
        const QPointF at(view.x(static_cast<double>(step) + 0.5), view.y(logOf(static_cast<double>(result.scales[place]))));
        if (QLineF(before, at).length() < kSkipApart) continue;
        drawGlyph(painter, Glyph::Skipped, at, 9, theme.accentText, theme.raised);
        before = at;
    }
}

/// Each strong line has a label; pale lines that end at one place share a label.
std::vector<RacePlot::Label> RacePlot::labels(const View& view) const {
    std::vector<Label> labels;
    std::map<int, QStringList> pale;
    std::map<int, double> ends;
    for (int row = 0; row < m_model->rowCount(); ++row) {
        const RaceEntrant& entrant = m_model->row(row);
        if (entrant.result.scales.empty()) continue;
        const double y = view.y(logOf(static_cast<double>(entrant.result.scales.back())));
        const double x = view.x(static_cast<double>(m_model->thresholds()[entrant.result.scales.size() - 1].step + 1));
        const QString name = entrant.result.isOver() ? tr("%1, ended").arg(entrant.name) : entrant.name;
        if (isChosen(row)) {
            labels.push_back({name, x, y, y, true});
        } else {
            const int place = static_cast<int>(std::lround(y));
            pale[place] << name;
            ends[place] = std::max(ends[place], x);
        }
    }
    const QFontMetrics metrics(pixelFont(font(), kTagPixels));
    for (const auto& [place, names] : pale) {
        QString text = names.join(QStringLiteral(", "));
        if (names.size() > 1 && metrics.horizontalAdvance(text) > kRaceRight - 24)
            text = tr("%1 and %2 more").arg(names.front()).arg(names.size() - 1);
        labels.push_back({text, ends[place], static_cast<double>(place), static_cast<double>(place), false});
    }
    std::stable_sort(labels.begin(), labels.end(), [](const Label& a, const Label& b) { return a.lineY < b.lineY; });
    for (std::size_t i = 1; i < labels.size(); ++i) labels[i].y = std::max(labels[i].y, labels[i - 1].y + kLabelPixels);
    double below = view.area.bottom() + kLabelPixels / 2.0;
    for (std::size_t i = labels.size(); i-- > 0;) {
        labels[i].y = std::min(labels[i].y, below);
        below = labels[i].y - kLabelPixels;
    }
    return labels;
}

void RacePlot::drawLabels(QPainter& painter, const View& view) const {
    const Theme& theme = Theme::current();
    for (const Label& label : labels(view)) {
        const double left = view.area.right() + 18;
        painter.setFont(pixelFont(font(), kTagPixels, label.isStrong));
        painter.setPen(QPen(label.isStrong ? theme.accent : theme.controlBorder, 1));
        painter.drawLine(QPointF(view.area.right() + 2, label.lineY), QPointF(left - 3, label.y));
        painter.setPen(label.isStrong ? theme.accentText : theme.ink3);
        const QRectF place(left, label.y - 8, width() - left - 2, 16);
        painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(label.text, Qt::ElideRight, static_cast<int>(place.width())));
    }
}

void RacePlot::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const View seen = view();
    const Theme& theme = Theme::current();
    drawAxes(painter, seen);
    painter.setRenderHint(QPainter::Antialiasing);
    drawThreshold(painter, seen);
    for (int row = 0; row < m_model->rowCount(); ++row)
        if (!isChosen(row)) drawLine(painter, seen, m_model->row(row).result, QPen(theme.neutralBar, 1));
    for (std::size_t i = m_chosen.size(); i-- > 0;) {
        QPen pen(theme.accent, i == 0 ? 2.5 : 2);
        pen.setCapStyle(Qt::FlatCap);
        if (const QList<qreal> dash = raceDash(i); !dash.empty()) pen.setDashPattern(dash);
        drawLine(painter, seen, m_model->row(m_chosen[i]).result, pen);
    }
    for (std::size_t i = m_chosen.size(); i-- > 0;) drawSkips(painter, seen, m_model->row(m_chosen[i]).result);
    drawLabels(painter, seen);
}

QString RacePlot::stepText(std::int64_t step) const {
    const auto& steps = m_model->thresholds();
    if (steps.empty() || step < steps.front().step || step > steps.back().step) return {};
    const auto place = static_cast<std::size_t>(step - steps.front().step);
    const double highest = steps[place].highest;
    QString text = highest <= 0 ? tr("No loss scale is usable at step %1.").arg(groupedText(step))
                   : highest < kHighestLossScale
                       ? tr("The highest usable loss scale at step %1 is %2.").arg(groupedText(step), scaleText(highest))
                       : tr("Every loss scale is usable at step %1.").arg(groupedText(step));
    for (const int row : m_chosen) {
        const RaceEntrant& entrant = m_model->row(row);
        if (place >= entrant.result.scales.size()) continue;
        const bool isSkipped = std::binary_search(entrant.result.skipped.begin(), entrant.result.skipped.end(), step);
        const QString scale = scaleText(static_cast<double>(entrant.result.scales[place]));
        text += u'\n' + (isSkipped ? tr("%1: %2, skipped") : tr("%1: %2")).arg(entrant.name, scale);
    }
    return text;
}

bool RacePlot::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const View seen = view();
    const double part = (help->pos().x() - seen.area.left()) / seen.area.width();
    const QString text = seen.area.contains(help->pos())
                             ? stepText(seen.first + static_cast<std::int64_t>(part * static_cast<double>(seen.count)))
                             : QString();
    showTip(help->globalPos(), text, this);
    return true;
}

}  // namespace mantissa::gui
