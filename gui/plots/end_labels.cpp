// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/end_labels.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gui/controls/run_sample.h"

namespace mantissa::gui {
namespace {

constexpr double kLabelRow = 16, kLeastRow = 12.5, kTextLeft = 22, kMarkerCenter = 13, kLabelMarker = 8, kWordGap = 6;
constexpr int kRightEdge = 8, kWidthStep = 12;  // the width changes in steps, so that single digits do not move the axes
constexpr int kLeastNarrowing = 3 * kWidthStep;
constexpr double kWidestShare = 0.24;  // of the plots' width
constexpr int kMostStepsBack = 64;     // back to the last finite value

/// The run's last visible step.
std::int64_t lastSeen(const RunTrace& trace, const PlotFrame& frame) {
    constexpr double kRounding = 1e-6;  // tolerance for rounding of a step's position
    return static_cast<std::int64_t>(
        std::floor(std::clamp(frame.steps(trace).last + kRounding, -1.0, static_cast<double>(trace.lineSteps() - 1))));
}

/// The step whose value the line ends at on screen; -1: none.
std::int64_t endOf(const Panel& panel, const RunTrace& trace, const PlotFrame& frame) {
    const std::int64_t last = lastSeen(trace, frame);
    for (std::int64_t step = last; step >= std::max<std::int64_t>(0, last - kMostStepsBack); --step)
        if (std::isfinite(panel.cursorY(trace, step))) return step;
    return -1;
}

/// Whether the run's last visible value is NaN or infinite. NaN of the throughput means that it is not known.
bool isBroken(const Panel& panel, const RunTrace& trace, const PlotFrame& frame) {
    if (panel.key() == metricName(Metric::SamplesPerSecond)) return false;
    const Series& raw = trace.raw(panel.key());
    const std::int64_t last = raw.latestStep(lastSeen(trace, frame));
    return last >= 0 && raw.valueClass(last) != ValueClass::Finite && raw.valueClass(last) != ValueClass::Absent;
}

}  // namespace

void EndLabels::clear() {
    m_columns.clear();
    m_labels.clear();
    m_width = 0;
}

bool EndLabels::take(const std::vector<Panel*>& panels, const std::function<PlotFrame(const Panel*)>& frameOf) {
    const QFontMetricsF bold(font(kTickPixels, true)), plain(font(kTickPixels));
    const double widest = kWidestShare * mParentPlot->viewport().width();
    double needed = 0;
    m_columns.clear();
    for (const Panel* panel : panels) {
        Column column{panel->rect(), {}};
        const PlotFrame frame = frameOf(panel);
        for (const RunTrace* trace : frame.runs) {
            if (trace->run->isHidden) continue;
            const std::int64_t step = endOf(*panel, *trace, frame);
            if (step < 0 && !isBroken(*panel, *trace, frame)) continue;
            // A run that has been NaN for long has its label at the top, where its glyphs are.
            const double end = step < 0 ? std::numeric_limits<double>::infinity() : panel->cursorY(*trace, step);
            column.labels.push_back({trace->run->identity, {}, panel->endText(*trace, lastSeen(*trace, frame)), end, {}});
            if (panel != panels.front()) continue;
            const double room = widest - kTextLeft - kRightEdge;
            column.labels.back().name = bold.elidedText(trace->run->name(), Qt::ElideRight, room);
        }
        const bool isTwoRows = standsInTwoRows(column);
        for (Label& label : column.labels) {
            const double name = bold.horizontalAdvance(label.name), value = plain.horizontalAdvance(label.value);
            if (!isTwoRows && name > 0 && name + kWordGap + value > widest - kTextLeft - kRightEdge) label.value.clear();
            const bool isBeside = !isTwoRows && name > 0 && !label.value.isEmpty();
            needed = std::max(needed, kTextLeft + (isBeside ? name + kWordGap + value : std::max(name, value)) + kRightEdge);
        }
        m_columns.push_back(std::move(column));
    }
    const int width = static_cast<int>(std::ceil(needed / kWidthStep)) * kWidthStep;
    // A small decrease of the width does not move the axes.
    if (width <= m_width && m_width - width < kLeastNarrowing) return false;
    m_width = width;
    return true;
}

bool EndLabels::standsInTwoRows(const Column& column) const {
    const bool hasNames = !column.labels.empty() && !column.labels.front().name.isEmpty();
    return hasNames && 2 * kLabelRow * static_cast<double>(column.labels.size()) <= column.rect->height();
}

std::vector<EndLabels::Label> EndLabels::place(const Column& column) const {
    const double all = column.rect->height() + kLabelRow - kLeastRow;
    const double height = standsInTwoRows(column)
                              ? 2 * kLabelRow
                              : std::clamp(all / static_cast<double>(std::max<std::size_t>(1, column.labels.size())), kLeastRow, kLabelRow);
    const QCPAxis* y = column.rect->axis(QCPAxis::atLeft);
    std::vector<Label> labels(column.labels);
    for (Label& label : labels)
        label.end =
            std::clamp(y->coordToPixel(label.end), static_cast<double>(column.rect->top()), static_cast<double>(column.rect->bottom()));
    std::stable_sort(labels.begin(), labels.end(), [](const Label& a, const Label& b) { return a.end < b.end; });
    // Labels that do not fit are left out, from the bottom: overlapping text cannot be read.
    const auto room = static_cast<std::size_t>(all / height + 1e-6);
    if (labels.size() > room) labels.resize(room);
    double top = column.rect->top();
    for (Label& label : labels) {
        top = std::max(top, label.end - std::min(height, kLabelRow) / 2);  // the marker at the line's end needs no leader
        label.box = QRectF(column.rect->right() + kTextLeft, top, m_width - kTextLeft, height);
        top += height;
    }
    double bottom = column.rect->bottom() + 1;
    for (auto it = labels.rbegin(); it != labels.rend() && it->box.bottom() > bottom; ++it) {
        it->box.moveBottom(bottom);
        bottom = it->box.top();
    }
    return labels;
}

void EndLabels::draw(QCPPainter* painter) {
    const Theme& theme = Theme::current();
    const QFont bold = font(kTickPixels, true), plain = font(kTickPixels);
    m_labels.clear();
    for (const Column& column : m_columns) {
        const double right = column.rect->right();
        for (const Label& label : place(column)) {
            const bool isTwoRows = label.box.height() > 1.5 * kLabelRow;
            const double middle = isTwoRows ? label.box.top() + kLabelRow / 2 : label.box.center().y();
            painter->setPen(QPen(theme.axis, 1));
            if (std::abs(middle - label.end) > 2)
                painter->drawLine(QPointF(right + 2, label.end), QPointF(right + kMarkerCenter - 7, middle));
            drawRunMarker(*painter, {right + kMarkerCenter, middle}, kLabelMarker, theme.run(label.identity), theme.surface);
            QRectF row(label.box.left(), middle - kLabelRow / 2, label.box.width(), kLabelRow);
            painter->setFont(bold);
            painter->setPen(theme.ink);
            painter->drawText(row, Qt::AlignVCenter | Qt::AlignLeft, label.name);
            if (isTwoRows)
                row.translate(0, kLabelRow - 1);
            else if (!label.name.isEmpty())
                row.setLeft(row.left() + QFontMetricsF(bold).horizontalAdvance(label.name) + kWordGap);
            painter->setFont(plain);
            painter->setPen(isTwoRows || !label.name.isEmpty() ? theme.ink2 : theme.ink);
            painter->drawText(row, Qt::AlignVCenter | Qt::AlignLeft, label.value);
            m_labels.push_back(label);
        }
    }
}

}  // namespace mantissa::gui
