// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "gui/controls/number_text.h"
#include "gui/controls/run_sample.h"
#include "gui/plots/metric_panels.h"

namespace mantissa::gui {
namespace {

constexpr double kMarkerSize = 8, kLargeMarkerSize = 10.6;  // px
constexpr double kMarkerDistance = 36;                      // least distance in pixels between validation markers of all runs

}  // namespace

class LossPanel::ValidationMarkers : public PlotItem {
public:
    ValidationMarkers(QCustomPlot* plot, QCPAxisRect* rect) : PlotItem(plot, QStringLiteral("main"), rect) {}
    struct Mark {
        double x, y;  // axis coordinates
        RunIdentity identity;
    };
    std::vector<Mark> marks;
    double size = kMarkerSize;

protected:
    void draw(QCPPainter* painter) override {
        const QCPAxis* x = m_rect->axis(QCPAxis::atBottom);
        const QCPAxis* y = m_rect->axis(QCPAxis::atLeft);
        const double half = size / 2 + 2;
        const QRectF area = QRectF(m_rect->rect()).adjusted(-half, 4 - half, half, half - 4);
        painter->setClipRect(area);
        for (const Mark& mark : marks) {
            const QPointF center(x->coordToPixel(mark.x), y->coordToPixel(mark.y));
            if (area.contains(center))  // the SVG output does not support clipping
                drawRunMarker(*painter, center, size, mark.identity, Theme::current().surface);
        }
    }
};

LossPanel::LossPanel(QCustomPlot* plot, QCPMarginGroup* margins)
    : MetricPanel(plot, margins, QObject::tr("Loss"), {}, {keyOf(Metric::Loss)}, AxisScale::Log10),
      m_markers(new ValidationMarkers(plot, rect())) {
    m_title->hasLineKey = true;
}

void LossPanel::smooth(RunTrace& trace, double factor) const {
    MetricPanel::smooth(trace, factor);
    trace.watch(metricName(Metric::ValidationLoss));
}

Span LossPanel::refreshRuns(const PlotFrame& frame) {
    m_markers->marks.clear();
    m_markers->size = m_title->isLarge ? kLargeMarkerSize : kMarkerSize;
    QStringList names;
    for (const RunTrace* trace : frame.runs) names.append(QString::fromStdString(lossName(trace->run->info.layers)));
    names.removeDuplicates();
    names.removeAll(QString());
    m_unit = names.join(QStringLiteral(" / "));
    return MetricPanel::refreshRuns(frame);
}

void LossPanel::refreshRun(const RunTrace& trace, const PlotFrame& frame, std::vector<double>& values) {
    const RunState& run = *trace.run;
    const auto index = static_cast<std::size_t>(std::find(frame.runs.begin(), frame.runs.end(), &trace) - frame.runs.begin());
    // Draws every n-th validation, n a power of two, so that markers keep their distance at any zoom.
    const Series& validated = run.validationLoss;
    const double interval = validated.count() < 2 ? 1
                                                  : static_cast<double>(validated.end() - 1 - validated.firstStep()) /
                                                        static_cast<double>(validated.count() - 1);
    const StepPlaces places = frame.places(trace);
    const Span seen = frame.steps(trace);
    std::size_t stride = 1;
    while (interval * static_cast<double>(stride) / std::max(seen.length(), 1e-9) * columns() < kMarkerDistance) stride *= 2;
    RunIdentity identity = Theme::current().run(run.identity);
    identity.color = frame.colorOf(trace, identity.color);

    std::vector<SeriesPoint> points = visiblePoints(validated, places, frame.x, columns(), trace.shownSteps);
    for (SeriesPoint& point : points) {
        point.y = coordinate(point.y);
        if (seen.contains(point.x)) values.push_back(point.y);
    }
    const auto after = std::min(trace.lineSteps(), static_cast<std::int64_t>(std::floor(seen.last)) + 1);
    const std::size_t end = run.isHidden ? 0 : validated.countBefore(after);
    std::size_t k = validated.countBefore(static_cast<std::int64_t>(std::max(0.0, std::ceil(seen.first))));
    for (k = (k + stride - 1) / stride * stride; k < end; k += stride) {
        const double y = coordinate(validated.valueAt(k));
        if (std::isfinite(y) && (k / stride) % frame.runs.size() == index)
            m_markers->marks.push_back({places.x(static_cast<double>(validated.stepAt(k))), y, identity});
    }
    if (run.isHidden) return;
    addLine(trace, frame, dottedLine(Theme::current().run(run.identity), index, frame.runs.size()), std::move(points));
    addNonFinite(trace, frame, key());
    addNonFinite(trace, frame, metricName(Metric::ValidationLoss));
}

QString LossPanel::runDescription(const RunTrace& trace) const {
    QString text = MetricPanel::runDescription(trace);
    const NonFiniteSteps& lost = trace.nonFinite(key());
    const auto infinite = static_cast<std::int64_t>(lost.positiveInf.size() + lost.negativeInf.size());
    text +=
        lost.nan.empty() ? QObject::tr(", no NaN") : QObject::tr(", %1 NaN").arg(groupedText(static_cast<std::int64_t>(lost.nan.size())));
    if (infinite > 0) text += QObject::tr(", %1 Inf").arg(groupedText(infinite));
    const Series& validated = trace.run->validationLoss;
    if (const std::int64_t last = validated.latestStep(trace.shownSteps - 1); last >= 0)
        text += QObject::tr(", validation %1").arg(numberText(validated.exact(last), 3));
    return text;
}

}  // namespace mantissa::gui
