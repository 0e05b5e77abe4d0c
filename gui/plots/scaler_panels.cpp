// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/scaler_panels.h"

#include <algorithm>
#include <cmath>

#include "gui/controls/number_text.h"
#include "gui/controls/run_sample.h"
#include "gui/plots/folding.h"
#include "gui/plots/ranges.h"

namespace mantissa::gui {
namespace {

constexpr double kTickWidth = 2;
constexpr std::int64_t kRecentSteps = 200;  // the "last steps" of a description

/// Steps are exact, so they are drawn without antialiasing. The first line of a panel is solid, as dashes would break its corners; the
/// others are dashed over it.
LineStyle stepLine(const RunState& run, bool isFirst) {
    LineStyle style = runLine(Theme::current().run(run.identity));
    if (run.isWhatIf()) return style;
    if (isFirst) style.dash.clear();
    style.width = 2;
    return style;
}

/// Skips up to the last shown step.
std::span<const std::int64_t> shownSkips(const RunTrace& trace) {
    const std::vector<std::int64_t>& steps = trace.run->skippedSteps;
    return {steps.begin(), std::lower_bound(steps.begin(), steps.end(), trace.lineSteps())};
}

bool scalesItsLoss(const RunTrace& trace) {
    const bool isScaled = !trace.run->isRecorded() && trace.run->info.scalerPreset != "none";
    return isScaled || trace.run->firstScaled >= 0;  // it may have scaled before a switch of format
}

}  // namespace

LossScalePanel::LossScalePanel(QCustomPlot* plot, QCPMarginGroup* margins)
    : Panel(plot, margins, keyOf(Metric::LossScale), QObject::tr("Loss scale")) {
    m_title->unit = QObject::tr("powers of two");
    setScale(AxisScale::Log2);
    m_ticker->setScale(AxisScale::Log2);
}

Span LossScalePanel::refreshRuns(const PlotFrame& frame) {
    Span span{kNaN, kNaN};
    QStringList scaling;
    bool isFirst = true;
    for (const RunTrace* trace : frame.runs) {
        const RunState& run = *trace->run;
        if (!scalesItsLoss(*trace)) continue;
        // Hidden runs are not named: an audience may be guessing.
        if (!run.isHidden && (run.isRecorded() || run.info.scalerPreset != "none")) scaling << run.name();
        std::vector<SeriesPoint> points = visiblePoints(run.lossScale, frame.places(*trace), frame.x, columns(), trace->shownSteps);
        const RunState* parent = trace->parent ? trace->parent->run : nullptr;
        if (parent && parent->scalesItsLossAt(run.info.firstStep - 1)) joinParent(points, *trace, parent->lossScale);
        for (SeriesPoint& point : points) {
            point.y = run.scalesItsLossAt(std::llround(point.x)) ? toAxis(AxisScale::Log2, point.y) : kNaN;
            span.first = std::fmin(span.first, point.y);
            span.last = std::fmax(span.last, point.y);
        }
        if (run.isHidden) continue;
        addLine(*trace, frame, stepLine(run, std::exchange(isFirst, false)), std::move(points), true);
        m_glyphs->add(Glyph::Skipped, run.skippedSteps, frame, *trace);
    }
    // A note names the runs that this plot does not show.
    const auto shown = std::count_if(frame.runs.begin(), frame.runs.end(), [](const RunTrace* trace) { return !trace->run->isHidden; });
    const bool areAllShown = shown == static_cast<std::ptrdiff_t>(frame.runs.size());
    if (scaling.isEmpty())
        m_title->note = shown == 0    ? QString()
                        : areAllShown ? QObject::tr("No run scales its loss")
                                      : QObject::tr("No run that is shown scales its loss");
    else if (scaling.size() == shown)
        m_title->note.clear();
    else
        m_title->note = scaling.size() == 1 ? QObject::tr("Only %1 scales its loss").arg(scaling.front())
                                            : QObject::tr("%1 scale their loss").arg(scaling.join(QStringLiteral(" \u00B7 ")));
    return std::isnan(span.first) ? Span{0, 16} : calmBounds({span.first - 0.5, span.last + 0.5}, AxisScale::Log2);
}

double LossScalePanel::cursorY(const RunTrace& trace, std::int64_t step) const {
    return trace.run->scalesItsLossAt(step) ? toAxis(AxisScale::Log2, trace.run->valueFor(trace.run->lossScale, step)) : kNaN;
}

QString LossScalePanel::endText(const RunTrace& trace, std::int64_t step) const {
    const double scale = trace.run->valueFor(trace.run->lossScale, step);
    return std::isfinite(scale) ? scaleText(scale) : QString();
}

QString LossScalePanel::runDescription(const RunTrace& trace) const {
    const Series& scale = trace.run->lossScale;
    const std::int64_t last = scale.latestStep(trace.shownSteps - 1);
    if (last < 0 || !scalesItsLoss(trace)) return QObject::tr("loss is not scaled");
    const auto skips = shownSkips(trace);
    const auto recent = std::count_if(skips.begin(), skips.end(), [&](std::int64_t step) { return step > last - kRecentSteps; });
    return QObject::tr("scale %1, %2 skips in the last %3 steps")
        .arg(scaleText(scale.value(last)), groupedText(recent), groupedText(std::min(kRecentSteps, last + 1)));
}

class SkippedPanel::Rug : public PlotItem {
public:
    Rug(QCustomPlot* plot, QCPAxisRect* rect) : PlotItem(plot, QStringLiteral("main"), rect, false) {}
    struct Lane {
        int identity;
        std::vector<Span> ticks;  // pixels: touching skips are one block
    };
    std::vector<Lane> lanes;
    double laneHeight = 12;

protected:
    void draw(QCPPainter* painter) override {
        const Theme& theme = Theme::current();
        painter->setClipping(false);
        const double reach = std::min(4.0, laneHeight / 2 - 0.5);
        for (std::size_t i = 0; i < lanes.size(); ++i) {
            const double middle = m_rect->top() + (static_cast<double>(i) + 0.5) * laneHeight + 4;
            const RunIdentity& identity = theme.run(lanes[i].identity);
            painter->setPen(QPen(theme.grid, 1));
            painter->drawLine(QPointF(m_rect->left(), std::round(middle)), QPointF(m_rect->right(), std::round(middle)));
            drawRunMarker(*painter, {m_rect->left() - 13.0, middle}, std::min(6.0, laneHeight), identity, theme.surface);
            for (const Span& tick : lanes[i].ticks)
                painter->fillRect(QRectF(tick.first - kTickWidth / 2, middle - reach, tick.length() + kTickWidth, 2 * reach), identity.color);
        }
    }
};

SkippedPanel::SkippedPanel(QCustomPlot* plot, QCPMarginGroup* margins)
    : Panel(plot, margins, keyOf(Metric::SkippedTotal), QObject::tr("Skipped steps")), m_rug(new Rug(plot, rect())) {
    m_ticker->setWholeNumbers(true);
}

Span SkippedPanel::refreshRuns(const PlotFrame& frame) {
    m_rug->lanes.clear();
    double highest = 0;
    std::int64_t total = 0;
    bool isFirst = true;
    for (const RunTrace* trace : frame.runs) {
        const RunState& run = *trace->run;
        Rug::Lane lane{run.identity, {}};
        const StepToPixel toPixel{frame.x, static_cast<double>(rect()->left()), static_cast<double>(rect()->width()), frame.places(*trace)};
        const auto skips = shownSkips(*trace);
        if (!run.isHidden) {
            total += static_cast<std::int64_t>(skips.size());
            for (const MarkGroup& group : foldMarks(skips, toPixel, kTickWidth)) lane.ticks.push_back({group.left, group.right});
        }
        m_rug->lanes.push_back(std::move(lane));
        std::vector<SeriesPoint> points = visiblePoints(run.skippedTotal, frame.places(*trace), frame.x, columns(), trace->shownSteps);
        if (trace->parent) joinParent(points, *trace, trace->parent->run->skippedTotal);
        for (const SeriesPoint& point : points) highest = std::fmax(highest, point.y);
        if (run.isHidden || m_isCompact) continue;
        const bool isSolid = isFirst && !skips.empty();
        isFirst &= skips.empty();
        addLine(*trace, frame, stepLine(run, isSolid), std::move(points), true);
    }
    // A low axis may have no label but 0.
    m_title->unit = QObject::tr("%1 so far").arg(groupedText(total));
    if (!m_isCompact) m_title->unit += QStringLiteral(" \u00B7 ") + QObject::tr("a tick per skip, running total below");
    yAxis()->setTickLabels(!m_isCompact);
    yAxis()->grid()->setVisible(!m_isCompact);

    // Lanes take the upper part of the panel; the total's axis is stretched, so that it ends below them.
    const double height = std::max(1, rect()->height());
    const double lanes = static_cast<double>(frame.runs.size());
    m_rug->laneHeight = lanes == 0 ? 12 : std::clamp((m_isCompact ? height - 8 : 0.55 * height) / lanes, 4.0, 12.0);
    const double lower = std::max(16.0, height - m_rug->laneHeight * lanes - 16);
    const double highestTick = std::max(4.0, std::ceil(highest / 4) * 4);
    m_ticker->setHighest(highestTick);
    m_ticker->setTickCount(std::max(2, static_cast<int>(height / 13)));  // most ticks lie above it and are dropped
    return {0, highestTick * height / lower};
}

double SkippedPanel::cursorY(const RunTrace& trace, std::int64_t step) const {
    return !m_isCompact && !trace.run->skippedSteps.empty() ? trace.run->valueFor(trace.run->skippedTotal, step) : kNaN;
}

QString SkippedPanel::endText(const RunTrace& trace, std::int64_t) const {
    return groupedText(static_cast<std::int64_t>(shownSkips(trace).size()));
}

QString SkippedPanel::runDescription(const RunTrace& trace) const {
    const auto skips = shownSkips(trace);
    if (skips.empty()) return QObject::tr("no step skipped");
    return QObject::tr("%1 skipped, the last at step %2")
        .arg(groupedText(static_cast<std::int64_t>(skips.size())), groupedText(skips.back()));
}

}  // namespace mantissa::gui
