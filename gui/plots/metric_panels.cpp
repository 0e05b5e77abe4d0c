// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/metric_panels.h"

#include <algorithm>
#include <cmath>

#include "gui/controls/number_text.h"

namespace mantissa::gui {
namespace {

constexpr int kRangeColumns = 200;   // of a trace that only counts for the range

}  // namespace

MetricPanel::MetricPanel(QCustomPlot* plot, QCPMarginGroup* margins, const QString& title, const Source& source, AxisScale scale)
    : Panel(plot, margins, title), m_source(source), m_scale(scale) {
    m_ticker->setScale(scale);
}

void MetricPanel::setScale(AxisScale scale) {
    m_scale = scale;
    m_ticker->setScale(scale);
}

Span MetricPanel::refreshRuns(const PlotFrame& frame) {
    std::vector<double> robust, whole;
    std::int64_t hiddenCount = 0;
    const auto pointsOf = [&](const RunTrace& trace, const Series& series, const Series* parents, int columnCount) {
        std::vector<SeriesPoint> points = visiblePoints(series, frame.x, columnCount, trace.shownSteps);
        if (parents) joinParent(points, trace, *parents);
        toAxis(m_scale, m_source.unit, points);
        return points;
    };
    // All raw traces lie below all smoothed lines, the selected one on top of the others. Lines that cover less lie over those that cover
    // more, so that each is seen where they coincide.
    std::vector<const RunTrace*> order(frame.runs);
    std::stable_partition(order.begin(), order.end(), [&](const RunTrace* t) { return t->run->id != frame.selected; });
    for (const RunTrace* trace : order) {
        // The range is that of all raw traces, drawn or not: neither hiding nor selecting a run moves it.
        const bool isSelected = trace->run->id == frame.selected, isDrawn = !trace->run->isHidden && (isSelected || (m_hasAllRaw && !trace->run->isWhatIf()));
        const Series* parents = trace->parent ? &(trace->parent->run->*m_source.raw) : nullptr;
        std::vector<SeriesPoint> points = pointsOf(*trace, trace->run->*m_source.raw, parents, isDrawn ? columns() : kRangeColumns);
        for (const SeriesPoint& point : points) robust.push_back(point.y);
        if (isDrawn) m_lines->lines.push_back({rawLine(Theme::current().run(trace->run->identity), isSelected), std::move(points)});
    }
    order = frame.runs;
    std::stable_sort(order.begin(), order.end(), [](const RunTrace* a, const RunTrace* b) {
        return dashCover(Theme::current().run(a->run->identity)) > dashCover(Theme::current().run(b->run->identity));
    });
    for (const RunTrace* trace : order) {
        if (trace->run->isHidden) continue;
        const Series* parents = trace->parent ? &(trace->parent->*m_source.smoothed).series() : nullptr;
        m_lines->lines.push_back({runLine(Theme::current().run(trace->run->identity)), pointsOf(*trace, (trace->*m_source.smoothed).series(), parents, columns())});
    }
    for (const RunTrace* trace : frame.runs) {
        refreshRun(*trace, frame, whole);
        if (m_scale != AxisScale::Linear && !trace->run->isHidden)
            hiddenCount += countNotPositive(trace->run->*m_source.raw, frame.x, trace->shownSteps);
    }
    const Span span = rangeFor(robust, whole);
    refreshNote(frame, hiddenCount);
    return span;
}

Span MetricPanel::rangeFor(std::vector<double>& robust, const std::vector<double>& whole) {
    m_range = robustRange(robust, m_scale);
    for (const double value : whole) {
        if (!std::isfinite(value)) continue;
        m_range.span = m_range.isEmpty ? Span{value, value} : Span{std::min(m_range.span.first, value), std::max(m_range.span.last, value)};
        m_range.isEmpty = false;
    }
    if (m_range.isEmpty) return m_scale == AxisScale::Linear ? Span{0, 1} : Span{-2, 1};
    return calmBounds(m_range.span, m_scale);
}

void MetricPanel::refreshNote(const PlotFrame&, std::int64_t hiddenCount) {
    QStringList notes;
    if (hiddenCount > 0) notes << QObject::tr("%1 values of 0 or less: no place on a log axis").arg(groupedText(hiddenCount));
    if (m_range.clipsAbove || m_range.clipsBelow) notes << QObject::tr("outliers reach beyond the axis");
    m_title->note = notes.join(QStringLiteral(" \u00B7 "));
}

double MetricPanel::cursorY(const RunTrace& trace, std::int64_t step) const {
    return coordinate((trace.*m_source.smoothed).series().value(step));
}

QString MetricPanel::runDescription(const RunTrace& trace) const {
    const Series& raw = trace.run->*m_source.raw;
    const std::int64_t last = raw.latestStep(trace.shownSteps - 1);
    if (last < 0) return QObject::tr("no steps yet");
    static constexpr const char* kClassNames[] = {"", "+Inf", "\u2212Inf", "NaN", "absent"};
    const ValueClass cls = raw.valueClass(last);
    return cls == ValueClass::Finite ? numberText(raw.value(last) / m_source.unit, 3) : QString::fromUtf8(kClassNames[static_cast<int>(cls)]);
}

LossPanel::ValidationMarkers::ValidationMarkers(QCustomPlot* plot, QCPAxisRect* rect) : QCPLayerable(plot, QStringLiteral("main"), rect) {}

void LossPanel::ValidationMarkers::applyDefaultAntialiasingHint(QCPPainter* painter) const {
    painter->setAntialiasing(true);
}

GradNormPanel::ClipLine::ClipLine(QCustomPlot* plot, QCPAxisRect* rect) : QCPLayerable(plot, QStringLiteral("glyphs"), rect) {}

void GradNormPanel::ClipLine::applyDefaultAntialiasingHint(QCPPainter* painter) const {
    painter->setAntialiasing(false);
}

void GradNormPanel::ClipLine::draw(QCPPainter* painter) {
    const auto* rect = static_cast<const QCPAxisRect*>(parentLayerable());
    const QCPAxis* y = rect->axis(QCPAxis::atLeft);
    const double coordinate = toAxis(AxisScale::Log10, norm);
    if (!y->range().contains(coordinate)) return;
    const double pixel = y->coordToPixel(coordinate);
    const Theme& theme = Theme::current();
    QPen pen(theme.ink3, 1);
    pen.setDashPattern({2, 2});
    painter->setPen(pen);
    painter->drawLine(QPointF(rect->left(), pixel), QPointF(rect->right(), pixel));
    const QString caption = QObject::tr("clip %1").arg(numberText(norm));
    painter->setFont(pixelFont(mParentPlot->font(), kTagPixels));
    const double width = QFontMetricsF(painter->font()).horizontalAdvance(caption);
    // Above its line, unless the glyphs are there.
    const double top = pixel - 16 < rect->top() + GlyphRow::kRowHeight ? pixel + 2 : pixel - 16;
    const QRectF box(rect->right() - width - 6, top, width + 6, 14);
    painter->fillRect(box, theme.surface);      // lines behind it would strike the words through
    painter->setPen(theme.ink2);
    painter->drawText(box, Qt::AlignCenter, caption);
}

GradNormPanel::GradNormPanel(QCustomPlot* plot, QCPMarginGroup* margins)
    : MetricPanel(plot, margins, QObject::tr("Gradient norm"), {&RunState::gradNorm, &RunTrace::gradNorm}, AxisScale::Log10),
      m_clip(new ClipLine(plot, rect())) {
    m_title->unit = QObject::tr("global, unscaled, before clipping, log");
}

void GradNormPanel::refreshRun(const RunTrace& trace, const PlotFrame& frame, std::vector<double>&) {
    if (trace.run->isHidden) return;
    m_glyphs->add(Glyph::PositiveInf, trace.gradNormNonFinite.positiveInf, frame, trace);
    m_glyphs->add(Glyph::NegativeInf, trace.gradNormNonFinite.negativeInf, frame, trace);
    m_glyphs->add(Glyph::NaN, trace.gradNormNonFinite.nan, frame, trace);
}

Span GradNormPanel::refreshRuns(const PlotFrame& frame) {
    // The clip line belongs to all runs or to none: a line that holds for some only would mislead.
    std::optional<double> shared;
    bool isShared = true;
    for (const RunTrace* trace : frame.runs) {
        const std::optional<double> clip = trace->run->info.settings.training.clipGradNorm;
        if (trace != frame.runs.front() && clip != shared) isShared = false;
        shared = clip;
    }
    m_clip->norm = isShared ? shared.value_or(0) : 0;
    Span span = MetricPanel::refreshRuns(frame);
    // Glyphs get their row above the lines whether there are any or not: a NaN must not move the axis.
    span.last += span.length() * GlyphRow::kRowHeight / std::max(1, rect()->height() - static_cast<int>(GlyphRow::kRowHeight));
    return span;
}

ThroughputPanel::ThroughputPanel(QCustomPlot* plot, QCPMarginGroup* margins)
    : MetricPanel(plot, margins, QObject::tr("Throughput"), {&RunState::samplesPerSecond, &RunTrace::samplesPerSecond, 1000}, AxisScale::Linear) {
    m_title->unit = QObject::tr("k samples/s");
    m_hasAllRaw = false;
}

Span ThroughputPanel::rangeFor(std::vector<double>& robust, const std::vector<double>& whole) {
    Span span = MetricPanel::rangeFor(robust, whole);
    // A speed starts at zero: differences keep their proportion.
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
    if (formats.isEmpty()) return QObject::tr("%1 is emulated on CPU: not a hardware speed").arg(last);
    return QObject::tr("%1 and %2 are emulated on CPU: not a hardware speed").arg(formats.join(QStringLiteral(", ")), last);
}

void ThroughputPanel::refreshNote(const PlotFrame& frame, std::int64_t) {
    m_title->note = emulationNote(frame.runs);
    if (m_range.clipsAbove && m_title->note.isEmpty()) m_title->note = QObject::tr("outliers reach beyond the axis");
}

}  // namespace mantissa::gui
