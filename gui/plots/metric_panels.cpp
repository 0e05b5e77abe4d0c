// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/metric_panels.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gui/controls/number_text.h"
#include "gui/plots/parallel.h"

namespace mantissa::gui {
namespace {

constexpr int kRangeColumns = 200;  // for the range, whether drawn or not: hiding or selecting a run does not change it
constexpr std::size_t kMostMarked = 999;

QString scaleWords(AxisScale scale, double threshold) {
    if (scale == AxisScale::Symlog) return QObject::tr("symlog, linear within \u00B1%1").arg(numberText(threshold));
    return scale == AxisScale::Linear ? QString() : QObject::tr("log");
}

QString beyondText(std::size_t above, std::size_t below) {
    const auto count = [](std::size_t points) {
        return points > kMostMarked ? QObject::tr("more than %1").arg(kMostMarked) : QString::number(points);
    };
    if (above > 0 && below > 0) return QObject::tr("%1 points above and %2 below, clipped").arg(count(above), count(below));
    if (above == 1) return QObject::tr("1 point above, clipped");
    if (below == 1) return QObject::tr("1 point below, clipped");
    return above > 0 ? QObject::tr("%1 points above, clipped").arg(count(above))
                     : QObject::tr("%1 points below, clipped").arg(count(below));
}

}  // namespace

MetricPanel::MetricPanel(QCustomPlot* plot, QCPMarginGroup* margins, const QString& title, const QString& unit, const Source& source,
                         AxisScale scale)
    : Panel(plot, margins, source.key, title), m_source(source), m_unit(unit) {
    setScale(scale);
}

void MetricPanel::smooth(RunTrace& trace, double factor) const {
    if (!m_source.isSmoothed) return;
    trace.smooth(m_source.key, smoothing(factor));
    trace.watch(m_source.key);
}

QString MetricPanel::noteFor(const PlotFrame& frame) const {
    if (frame.smoothing == 0) return QObject::tr("not smoothed");
    const QString words = m_scale == AxisScale::Linear   ? QObject::tr("smoothing %1, raw trace behind")
                          : m_scale == AxisScale::Symlog ? QObject::tr("smoothing %1 of the symlog value, raw trace behind")
                                                         : QObject::tr("smoothing %1 of the logarithm, raw trace behind");
    return words.arg(numberText(frame.smoothing));
}

void MetricPanel::sample(std::vector<Trace>& traces, const PlotFrame& frame) const {
    inParallel(traces, [&](Trace& trace) {
        const RunTrace& run = *trace.run;
        trace.points = trace.memory ? linePoints(seriesOf(trace), frame.places(run), frame.x, columns(), run.shownSteps, *trace.memory)
                                    : visiblePoints(seriesOf(trace), frame.places(run), frame.x, kRangeColumns, run.shownSteps);
        if (run.parent) joinParent(trace.points, run, seriesOf({run.parent, trace.isRaw}));
    });
}

Span MetricPanel::refreshRuns(const PlotFrame& frame) {
    std::vector<double> robust, whole;
    std::vector<Trace> sampled;
    for (const RunTrace* trace : frame.runs) sampled.push_back({trace, true});
    sample(sampled, frame);
    if (m_scale == AxisScale::Symlog) {
        std::vector<double> values;
        for (const Trace& trace : sampled)
            for (const SeriesPoint& point : trace.points) values.push_back(point.y);
        m_threshold = symlogThreshold(values) / m_source.unit;
        m_threshold = std::pow(10, std::round(std::log10(m_threshold)));
    }
    for (Trace& trace : sampled) {
        toAxis(m_scale, m_source.unit, m_threshold, trace.points);
        for (const SeriesPoint& point : trace.points) robust.push_back(point.y);
    }
    m_ticker->setScale(m_scale, m_threshold);
    QStringList unit{m_unit, scaleWords(m_scale, m_threshold)};
    unit.removeAll(QString());
    m_title->unit = unit.join(QStringLiteral(", "));

    drawLines(frame);
    for (const RunTrace* trace : frame.runs) refreshRun(*trace, frame, whole);
    const Span span = rangeFor(robust, whole);
    QStringList notes = markBeyond(frame, span);
    notes << noteFor(frame);
    notes.removeAll(QString());
    m_title->note = notes.join(QStringLiteral(" \u00B7 "));
    return span;
}

void MetricPanel::drawLines(const PlotFrame& frame) {
    // Raw traces are below all smoothed lines; the selected run's is the top one. Lines with less coverage are above lines with more, so
    // that each is visible where they coincide.
    std::vector<Trace> traces;
    std::vector<const RunTrace*> order(frame.runs);
    std::stable_partition(order.begin(), order.end(), [&](const RunTrace* t) { return t->run->id != frame.selected; });
    for (const RunTrace* trace : order) {
        const RunState& run = *trace->run;
        if (m_source.isSmoothed && !run.isHidden && (run.id == frame.selected || (m_hasAllRaw && !run.isWhatIf())))
            traces.push_back({trace, true});
    }
    order = frame.runs;
    std::stable_sort(order.begin(), order.end(), [](const RunTrace* a, const RunTrace* b) {
        return dashCover(Theme::current().run(a->run->identity)) > dashCover(Theme::current().run(b->run->identity));
    });
    for (const RunTrace* trace : order)
        if (!trace->run->isHidden) traces.push_back({trace, !m_source.isSmoothed});
    for (Trace& trace : traces) trace.memory = &trace.run->columnsOf(seriesOf(trace));
    sample(traces, frame);
    inParallel(traces, [this](Trace& trace) { toAxis(m_scale, m_source.unit, m_threshold, trace.points); });
    for (auto& [run, isRaw, points, memory] : traces) {
        const RunIdentity identity = Theme::current().run(run->run->identity);
        const bool isBehind = isRaw && m_source.isSmoothed;
        addLine(*run, frame, isBehind ? rawLine(identity, run->run->id == frame.selected) : runLine(identity), std::move(points),
                m_isStepped, !isBehind);
    }
}

Span MetricPanel::rangeFor(std::vector<double>& robust, const std::vector<double>& whole) {
    m_range = fitsEverything() ? RobustRange{} : robustRange(robust, m_scale);
    if (fitsEverything()) m_range.add(robust);
    m_range.add(whole);
    if (m_range.isEmpty) return m_scale == AxisScale::Linear ? Span{0, 1} : Span{-2, 1};
    return calmBounds(m_range.span, m_scale);
}

QStringList MetricPanel::markBeyond(const PlotFrame& frame, const Span& shown) {
    const bool isClipped = !isByHand() && (m_range.clipsAbove || m_range.clipsBelow);
    const bool hidesSome = m_scale == AxisScale::Log10;
    const double least = fromAxis(m_scale, shown.first, m_threshold) * m_source.unit;
    const Span values{
        m_range.clipsBelow ? least : -std::numeric_limits<double>::infinity(),
        m_range.clipsAbove ? fromAxis(m_scale, shown.last, m_threshold) * m_source.unit : std::numeric_limits<double>::infinity()};
    std::size_t above = 0, below = 0;
    std::int64_t hidden = 0;
    for (const RunTrace* trace : frame.runs) {
        if (trace->run->isHidden) continue;
        const Series& raw = trace->raw(m_source.key);
        const Span steps = frame.steps(*trace);
        if (hidesSome) hidden += countNotPositive(raw, steps, trace->shownSteps);
        if (!isClipped) continue;
        StepsBeyond beyond = stepsBeyond(raw, steps, trace->lineSteps(), values, kMostMarked + 1);
        // A logarithmic axis cannot show values that are not positive.
        if (hidesSome) std::erase_if(beyond.below, [&](std::int64_t step) { return raw.value(step) <= 0; });
        m_glyphs->add(Glyph::Above, beyond.above, frame, *trace);
        m_glyphs->add(Glyph::Below, beyond.below, frame, *trace);
        above += beyond.above.size();
        below += beyond.below.size();
    }
    QStringList notes;
    if (hidden > 0)
        notes << (hidden == 1 ? QObject::tr("1 value \u2264 0 hidden") : QObject::tr("%1 values \u2264 0 hidden").arg(groupedText(hidden)));
    if (above + below > 0) notes << beyondText(above, below);
    return notes;
}

void MetricPanel::refreshRun(const RunTrace& trace, const PlotFrame& frame, std::vector<double>&) {
    if (!trace.run->isHidden && hasGlyphRow()) addNonFinite(trace, frame, key());
}

void MetricPanel::addNonFinite(const RunTrace& trace, const PlotFrame& frame, std::string_view key) {
    const NonFiniteSteps& steps = trace.nonFinite(key);
    m_glyphs->add(Glyph::PositiveInf, steps.positiveInf, frame, trace);
    m_glyphs->add(Glyph::NegativeInf, steps.negativeInf, frame, trace);
    m_glyphs->add(Glyph::NaN, steps.nan, frame, trace);
}

double MetricPanel::cursorY(const RunTrace& trace, std::int64_t step) const {
    const Series& line = lineOf(trace);
    return coordinate(m_source.isSmoothed ? trace.run->valueFor(line, step) : line.value(line.latestStep(step)));
}

QString MetricPanel::endText(const RunTrace& trace, std::int64_t step) const {
    const double y = cursorY(trace, step);
    return std::isfinite(y) ? numberText(fromAxis(m_scale, y, m_threshold), 3) : MetricPanel::runDescription(trace);
}

QString MetricPanel::runDescription(const RunTrace& trace) const {
    const Series& raw = trace.raw(m_source.key);
    const std::int64_t last = raw.latestStep(trace.shownSteps - 1);
    if (last < 0) return QObject::tr("no steps yet");
    static constexpr const char* kClassNames[] = {"", "+Inf", "\u2212Inf", "NaN", "absent"};
    const ValueClass cls = raw.valueClass(last);
    const bool isUnknown = cls == ValueClass::NaN && trace.run->isWatched() && m_source.key == metricName(Metric::SamplesPerSecond);
    if (isUnknown) return QStringLiteral("\u2013");
    return cls == ValueClass::Finite ? numberText(raw.value(last) / m_source.unit, 3)
                                     : QString::fromUtf8(kClassNames[static_cast<int>(cls)]);
}

class GradNormPanel::ClipLine : public PlotItem {
public:
    ClipLine(QCustomPlot* plot, QCPAxisRect* rect) : PlotItem(plot, QStringLiteral("glyphs"), rect, false) {}
    double norm = 0;  // 0: none
    double y = 0;     // axis coordinate

protected:
    void draw(QCPPainter* painter) override {
        const QCPAxis* axis = m_rect->axis(QCPAxis::atLeft);
        if (norm <= 0 || !axis->range().contains(y)) return;
        const double pixel = axis->coordToPixel(y);
        const Theme& theme = Theme::current();
        QPen pen(theme.ink3, 1);
        pen.setDashPattern({2, 2});
        painter->setPen(pen);
        painter->drawLine(QPointF(m_rect->left(), pixel), QPointF(m_rect->right(), pixel));
        const QString caption = QObject::tr("clip %1").arg(numberText(norm));
        painter->setFont(font(kTagPixels));
        const double width = QFontMetricsF(painter->font()).horizontalAdvance(caption);
        const double top = pixel - 16 < m_rect->top() ? pixel + 2 : pixel - 16;  // above its line if there is space
        const QRectF box(m_rect->right() - width - 6, top, width + 6, 14);
        painter->fillRect(box, theme.surface);  // keeps lines behind it from crossing the text
        painter->setPen(theme.ink2);
        painter->drawText(box, Qt::AlignCenter, caption);
    }
};

GradNormPanel::GradNormPanel(QCustomPlot* plot, QCPMarginGroup* margins)
    : MetricPanel(plot, margins, QObject::tr("Gradient norm"), QObject::tr("global, unscaled, before clipping"), {keyOf(Metric::GradNorm)},
                  AxisScale::Log10),
      m_clip(new ClipLine(plot, rect())) {}

Span GradNormPanel::refreshRuns(const PlotFrame& frame) {
    // The clip line is drawn only if it applies to all runs.
    std::optional<double> shared;
    bool isShared = true;
    for (const RunTrace* trace : frame.runs) {
        const std::optional<double> clip = trace->run->info.settings.training.clipGradNorm;
        if (trace != frame.runs.front() && clip != shared) isShared = false;
        shared = clip;
    }
    m_clip->norm = isShared ? shared.value_or(0) : 0;
    const Span span = MetricPanel::refreshRuns(frame);
    m_clip->y = coordinate(m_clip->norm);
    return span;
}

ThroughputPanel::ThroughputPanel(QCustomPlot* plot, QCPMarginGroup* margins)
    : MetricPanel(plot, margins, QObject::tr("Throughput"), QObject::tr("samples/s"), {keyOf(Metric::SamplesPerSecond)},
                  AxisScale::Linear) {
    m_hasAllRaw = false;
}

Span ThroughputPanel::rangeFor(std::vector<double>& robust, const std::vector<double>& whole) {
    Span span = MetricPanel::rangeFor(robust, whole);
    if (m_scale != AxisScale::Linear) return span;
    // An axis of speeds starts at 0.
    span.first = 0;
    m_range.clipsBelow = false;
    return calmBounds(span, AxisScale::Linear);
}

QString ThroughputPanel::emulationNote(const std::vector<const RunTrace*>& runs) {
    QStringList formats;
    for (const RunTrace* trace : runs) {
        const QString format = QString::fromStdString(policyScreenName(trace->run->info.policy));
        if (trace->run->info.isEmulated && !formats.contains(format)) formats << format;
    }
    if (formats.isEmpty()) return {};
    const QString last = formats.takeLast();
    if (formats.isEmpty()) return QObject::tr("%1 is emulated: not a hardware speed").arg(last);
    return QObject::tr("%1 and %2 are emulated: not a hardware speed").arg(formats.join(QStringLiteral(", ")), last);
}

QString ThroughputPanel::noteFor(const PlotFrame& frame) const {
    QStringList notes{emulationNote(frame.runs)};
    if (frame.isShared && frame.runs.size() > 1) notes << sharingNote();
    notes.removeAll(QString());
    return notes.join(QStringLiteral("; "));
}

}  // namespace mantissa::gui
