// SPDX-License-Identifier: GPL-3.0-or-later
// Schedules frames and collects their data.
#include <QPainter>
#include <QPushButton>
#include <QTimer>
#include <algorithm>
#include <cmath>
#include <limits>

#include "gui/app/theme.h"
#include "gui/controls/number_text.h"
#include "gui/plots/canvas.h"
#include "gui/plots/crosshair.h"
#include "gui/plots/end_labels.h"
#include "gui/plots/event_lines.h"
#include "gui/plots/metric_panels.h"
#include "gui/plots/overlays.h"
#include "gui/plots/plot_board.h"

namespace mantissa::gui {
namespace {

double elapsedMs(const QElapsedTimer& since) {
    return static_cast<double>(since.nsecsElapsed()) * 1e-6;
}

}  // namespace

std::int64_t PlotBoard::shownSteps() const {
    return m_frozen ? m_frozen->all : m_session->plottedSteps();
}

std::int64_t PlotBoard::liveSteps() const {
    return m_frozen ? m_frozen->live : m_session->stepCount();
}

std::int64_t PlotBoard::shownStepsOf(const RunState& run) const {
    if (!m_frozen) return run.stepCount();
    const auto it = m_frozen->ofRun.find(run.id);
    return it == m_frozen->ofRun.end() ? 0 : it->second;
}

std::int64_t PlotBoard::drawnSteps(const RunTrace& trace) {
    const auto it = m_drawing.find(trace.run->id);
    const double share = it == m_drawing.end() || m_drawingMs <= 0 ? 1 : elapsedMs(it->second) / m_drawingMs;
    if (share < 1)
        return std::llround(std::lerp(static_cast<double>(trace.run->info.firstStep), static_cast<double>(trace.shownSteps), share));
    m_drawing.erase(trace.run->id);
    return std::numeric_limits<std::int64_t>::max();
}

PlotFrame PlotBoard::makeFrame() const {
    PlotFrame frame;
    frame.x = m_view.x(viewedSteps());
    frame.selected = m_session->selected();
    const RunState* highlighted = m_session->run(m_highlighted);
    frame.highlighted = highlighted && !highlighted->isHidden ? m_highlighted : -1;
    frame.axis = m_xAxis;
    frame.isShared = !m_session->state().lockstep;
    frame.isMeasuring = m_session->state().instrumentation != Instrumentation::Off;
    frame.smoothing = m_smoothing;
    for (const auto& run : m_session->runs())
        // A withheld run must not show, not even through a range or position.
        if (const auto it = m_traces.find(run->id); it != m_traces.end() && !run->isWithheld && frame.places(*it->second).isKnown())
            frame.runs.push_back(it->second.get());
    return frame;
}

void PlotBoard::schedule() {
    if (m_frameTimer->isActive() || isHidden()) return;
    // At least a sixth of the time is left to the rest of the window.
    const double pause = std::min(m_meanFrameMs / 5, kLongestPauseMs);
    // Counted from the last frame: data after a pause is drawn at once.
    const double sinceBegin = m_sinceFrame.isValid() ? elapsedMs(m_sinceFrame) : kFrameMs + pause + m_frameMs;
    m_frameTimer->start(static_cast<int>(std::max({0.0, kFrameMs - sinceBegin, m_frameMs + pause - sinceBegin})));
}

void PlotBoard::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    schedule();  // for data that arrived while hidden
}

void PlotBoard::noteSteps() {
    if (m_frozen) {
        const std::int64_t unseen = m_session->stepCount() - m_frozen->live;
        m_frozenTab->setCounts(m_frozen->live - 1, unseen);
        placeOverlays();
        emit unseenStepsChanged(unseen);
        return;
    }
    schedule();
}

std::vector<Smoothing> PlotBoard::panelSmoothings() const {
    std::vector<Smoothing> smoothings;
    for (const auto& panel : m_panels) smoothings.push_back(panel->smoothing(m_smoothing));
    return smoothings;
}

Smoothing PlotBoard::smoothingOf(std::string_view key) const {
    const Panel* panel = panelOf(key);
    return panel ? panel->smoothing(m_smoothing) : Smoothing{m_smoothing};
}

void PlotBoard::refreshNow() {
    m_frameTimer->stop();
    m_sinceFrame.start();
    makeForeign();
    const std::vector<Smoothing> smoothings = panelSmoothings();
    for (auto& [id, trace] : m_traces) {
        for (const auto& panel : m_panels) panel->smooth(*trace, m_smoothing);
        trace->follow();
        trace->shownSteps = shownStepsOf(*trace->run);
        trace->drawnSteps = drawnSteps(*trace);
    }
    if (m_smoothings != smoothings) {
        m_smoothings = smoothings;
        emit linesSmoothed();
    }
    PlotFrame frame = makeFrame();
    const auto frameOf = [&](const Panel* panel) {
        PlotFrame own = frame;
        linkPanel(indexOf(panel), own);
        return own;
    };
    if (isPresenting() && m_endLabels->take(m_shownPanels, frameOf)) setPanelMargins();
    // Marks are placed on pixels, so the layout comes first.
    m_canvas->layOut();
    for (std::size_t i = 0; i < m_panels.size(); ++i) {
        if (!m_panels[i]->rect()->visible()) continue;
        linkPanel(static_cast<int>(i), frame);
        m_panels[i]->refresh(frame, m_view.y(static_cast<int>(i)));
    }
    if (!m_drawing.empty()) schedule();
    if (panelSmoothings() != smoothings) schedule();  // the visible range has changed a symlog axis's threshold
    refreshEvents();
    refreshCrosshair();
    if (m_isCompact) m_throughputLine->setTraces(frame.runs, frame.isShared);
    m_canvas->replot(QCustomPlot::rpRefreshHint);
    placeOverlays();
    if (!m_describeTimer->isActive()) m_describeTimer->start();
    constexpr double kWeight = 0.1;  // of one frame, since a single frame may be delayed by the system
    m_frameMs = elapsedMs(m_sinceFrame);
    m_meanFrameMs = m_meanFrameMs == 0 ? m_frameMs : m_meanFrameMs + kWeight * (m_frameMs - m_meanFrameMs);
}

std::size_t PlotBoard::traceBytes() const {
    std::size_t bytes = 0;
    for (const auto& [id, trace] : m_traces) bytes += trace->memoryBytes();
    return bytes;
}

void PlotBoard::refreshEvents() {
    std::vector<PlacedMarker> markers;
    for (const Marker& marker : m_session->markers()) {
        const RunState* run = m_session->run(marker.run);
        if (!run || run->isHidden || !StepPlaces(*run, m_xAxis).isKnown()) continue;
        const std::int64_t end = m_frozen ? shownStepsOf(*run) : shownSteps();
        if (marker.step < std::max<std::int64_t>(end, 1))
            markers.push_back({&marker, StepPlaces(*run, m_xAxis).x(static_cast<double>(marker.step))});
    }
    std::stable_sort(markers.begin(), markers.end(), [](const PlacedMarker& a, const PlacedMarker& b) { return a.x < b.x; });
    m_eventLines->places.clear();
    for (const PlacedMarker& marker : markers) m_eventLines->places.push_back(marker.x);
    std::vector<PlacedNote> notes;
    for (const auto& [id, note] : m_session->notes()) {
        const RunState* run = m_session->run(note.run);
        if ((run && run->isHidden) || note.step >= std::max<std::int64_t>(shownSteps(), 1)) continue;
        if (run && !StepPlaces(*run, m_xAxis).isKnown()) continue;
        notes.push_back({&note, run ? StepPlaces(*run, m_xAxis).x(static_cast<double>(note.step)) : xOf(note.step)});
        m_eventLines->places.push_back(notes.back().x);
    }
    std::vector<PlacedCheckpoint> checkpoints;
    m_eventLines->ticks.clear();
    for (const auto& run : m_session->runs()) {
        if (run->isHidden || run->checkpoints.empty() || !StepPlaces(*run, m_xAxis).isKnown()) continue;
        const std::int64_t end = m_frozen ? shownStepsOf(*run) : shownSteps();
        for (const Checkpoint& kept : run->checkpoints) {
            if (kept.step > end) continue;
            const double place = StepPlaces(*run, m_xAxis).x(static_cast<double>(kept.step));
            if (kept.isByHand) checkpoints.push_back({run.get(), kept.step, place});
            (kept.isByHand ? m_eventLines->places : m_eventLines->ticks).push_back(place);
        }
    }
    std::sort(m_eventLines->places.begin(), m_eventLines->places.end());
    const QCPRange x = m_shownPanels.front()->xAxis()->range();
    m_flags->setMarkers(*m_session, markers, notes, checkpoints, {x.lower, x.upper}, !m_isCompact);
}

void PlotBoard::refreshCrosshair() {
    m_crosshair->dots.clear();
    const std::int64_t step = m_crosshair->step;
    if (step < 0) return;
    m_crosshair->x = xOf(step);
    const double resolution = std::abs(xOf(step + 1) - xOf(step));
    m_crosshair->label = m_xAxis == XAxis{} ? groupedText(step)
                                            : tr("%1 \u00B7 step %2").arg(axisText(m_xAxis, m_crosshair->x, resolution), groupedText(step));
    for (const Panel* panel : m_shownPanels)
        for (const auto& run : m_session->runs()) {
            const StepPlaces places(*run, m_xAxis);
            if (run->isHidden || step >= shownStepsOf(*run) || !places.isKnown()) continue;
            const double y = panel->cursorY(*m_traces.at(run->id), step);
            if (std::isfinite(y)) m_crosshair->dots.push_back({panel->rect(), places.x(static_cast<double>(step)), y, run->identity});
        }
}

void PlotBoard::paint(QCPPainter* painter) {
    refreshNow();
    m_canvas->toPainter(painter, m_canvas->width(), m_canvas->height());
}

void PlotBoard::describe() {
    const PlotFrame frame = makeFrame();
    QStringList parts;
    std::vector<SpokenPanel> spoken;
    for (const Panel* panel : m_shownPanels) {
        spoken.push_back({panel->spokenName(frame), panel->description(frame), panel->rect()->outerRect()});
        parts << QStringLiteral("%1. %2").arg(spoken.back().name, spoken.back().description);
    }
    m_canvas->spokenPanels = std::move(spoken);
    m_canvas->setAccessibleDescription(parts.join(u'\n'));
}

void PlotBoard::placeOverlays() {
    const QRect area = m_canvas->geometry();
    m_followButton->adjustSize();
    refreshXName();
    m_followButton->move(m_choose->x() - 12 - m_followButton->width(), area.bottom() - m_followButton->height() - (m_isCompact ? 0 : 2));
    m_followButton->raise();
    m_frozenTab->move(m_choose->x() - 12 - m_frozenTab->width(), height() - kEdge - m_frozenTab->height());
    m_frozenTab->raise();
    const bool isEmpty = m_session->plottedSteps() == 0;
    if (isEmpty) {
        const auto& runs = m_session->runs();
        if (runs.empty() && !m_session->listensAt().isEmpty())
            m_empty->setTexts(tr("Listening for a training"), tr("Start the script with the probe: its lines appear here."));
        else if (runs.empty())
            m_empty->setTexts(tr("No runs yet"), tr("Open an experiment, or add a run: each one gets its own line here."));
        else if (std::all_of(runs.begin(), runs.end(), [](const auto& run) { return run->isWatched(); }))
            m_empty->setTexts(tr("Connected"), tr("The first step appears when the script has done it."));
        else
            m_empty->setTexts(tr("Ready to train"),
                              tr("Start training, or take a single step. Each run draws its own line, step by step."));
        const QRectF loss(m_shownPanels.front()->rect()->rect());
        m_empty->setGeometry(QRectF(loss.topLeft() * m_canvas->zoom(), loss.size() * m_canvas->zoom()).toRect().translated(area.topLeft()));
        m_empty->raise();
    }
    m_empty->setVisible(isEmpty);
}

void PlotBoard::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.fillRect(rect(), theme.surface);
    if (!isFrozen() && !m_showsFocus) return;
    QPen pen(isFrozen() ? theme.frozenEdge : theme.accent, isFrozen() ? kEdge : 2);
    pen.setJoinStyle(Qt::MiterJoin);
    painter.setPen(pen);
    const double inset = pen.widthF() / 2;
    painter.drawRect(QRectF(rect()).adjusted(inset, inset, -inset, -inset));
}

}  // namespace mantissa::gui
