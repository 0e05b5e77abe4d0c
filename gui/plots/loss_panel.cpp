// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "gui/controls/number_text.h"
#include "gui/controls/run_sample.h"
#include "gui/plots/metric_panels.h"

namespace mantissa::gui {
namespace {

constexpr double kMarkerDistance = 36;   // pixels between validation markers, of whichever run

}  // namespace

void LossPanel::ValidationMarkers::draw(QCPPainter* painter) {
    const auto* rect = static_cast<const QCPAxisRect*>(parentLayerable());
    const QCPAxis* x = rect->axis(QCPAxis::atBottom);
    const QCPAxis* y = rect->axis(QCPAxis::atLeft);
    const Theme& theme = Theme::current();
    const QRectF area = rect->rect().adjusted(-6, -2, 6, 2);
    painter->setClipRect(area);
    for (const Mark& mark : marks) {
        const QPointF center(x->coordToPixel(mark.step), y->coordToPixel(mark.y));
        if (area.contains(center)) drawRunMarker(*painter, center, 8, theme.run(mark.identity), theme.surface);  // SVG knows no clipping
    }
}

LossPanel::LossPanel(QCustomPlot* plot, QCPMarginGroup* margins)
    : MetricPanel(plot, margins, QObject::tr("Loss"), {&RunState::loss, &RunTrace::loss}, AxisScale::Log10),
      m_markers(new ValidationMarkers(plot, rect())) {
    m_title->hasLineKey = true;
}

Span LossPanel::refreshRuns(const PlotFrame& frame) {
    m_markers->marks.clear();
    QStringList names;
    for (const RunTrace* trace : frame.runs) names.append(QString::fromStdString(lossName(trace->run->info.layers)));
    names.removeDuplicates();
    QStringList unit;
    if (!names.isEmpty()) unit.append(names.join(QStringLiteral(" / ")));
    if (scale() == AxisScale::Log10) unit.append(QObject::tr("log"));
    m_title->unit = unit.join(QStringLiteral(", "));
    return MetricPanel::refreshRuns(frame);
}

void LossPanel::refreshRun(const RunTrace& trace, const PlotFrame& frame, std::vector<double>& values) {
    const RunState& run = *trace.run;
    const auto index = static_cast<std::size_t>(std::find(frame.runs.begin(), frame.runs.end(), &trace) - frame.runs.begin());
    // Every n-th validation only, n growing by powers of two, so that markers keep their distance at any zoom.
    const Series& validated = run.validationLoss;
    const double interval = validated.count() < 2 ? 1
                                                  : static_cast<double>(validated.end() - 1 - validated.firstStep()) /
                                                        static_cast<double>(validated.count() - 1);
    std::size_t stride = 1;
    while (interval * static_cast<double>(stride) / frame.x.length() * columns() < kMarkerDistance) stride *= 2;

    std::vector<SeriesPoint> points;
    for (std::size_t k = 0; k < validated.countBefore(trace.shownSteps); ++k) {
        const auto step = static_cast<double>(validated.stepAt(k));
        const double y = coordinate(validated.valueAt(k));
        points.push_back({step, y});
        if (step < frame.x.first || step > frame.x.last) continue;
        values.push_back(y);
        if (!run.isHidden && std::isfinite(y) && k % stride == 0 && (k / stride) % frame.runs.size() == index)
            m_markers->marks.push_back({step, y, run.identity});
    }
    if (run.isHidden) return;
    m_lines->lines.push_back({dottedLine(Theme::current().run(run.identity), index, frame.runs.size()), std::move(points)});
    for (const NonFiniteSteps* steps : {&trace.lossNonFinite, &trace.validationNonFinite}) {
        m_glyphs->add(Glyph::PositiveInf, steps->positiveInf, frame, trace);
        m_glyphs->add(Glyph::NegativeInf, steps->negativeInf, frame, trace);
        m_glyphs->add(Glyph::NaN, steps->nan, frame, trace);
    }
}

void LossPanel::refreshNote(const PlotFrame& frame, std::int64_t hiddenCount) {
    MetricPanel::refreshNote(frame, hiddenCount);
    const QString smoothing =
        m_smoothing > 0 ? QObject::tr("smoothing %1, raw trace behind").arg(numberText(m_smoothing)) : QObject::tr("not smoothed");
    m_title->note = m_title->note.isEmpty() ? smoothing : m_title->note + QStringLiteral(" \u00B7 ") + smoothing;
}

QString LossPanel::runDescription(const RunTrace& trace) const {
    QString text = MetricPanel::runDescription(trace);
    const NonFiniteSteps& lost = trace.lossNonFinite;
    const auto infinite = static_cast<std::int64_t>(lost.positiveInf.size() + lost.negativeInf.size());
    text += lost.nan.empty() ? QObject::tr(", no NaN") : QObject::tr(", %1 NaN").arg(groupedText(static_cast<std::int64_t>(lost.nan.size())));
    if (infinite > 0) text += QObject::tr(", %1 Inf").arg(groupedText(infinite));
    const Series& validated = trace.run->validationLoss;
    if (const std::int64_t last = validated.latestStep(trace.shownSteps - 1); last >= 0)
        text += QObject::tr(", validation %1").arg(numberText(validated.exact(last), 3));
    return text;
}

}  // namespace mantissa::gui
