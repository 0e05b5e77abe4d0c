// SPDX-License-Identifier: GPL-3.0-or-later
// When a frame is drawn, and what it holds.
#include <QPainter>
#include <QPushButton>
#include <QTimer>
#include <algorithm>
#include <cmath>

#include "gui/app/theme.h"
#include "gui/plots/canvas.h"
#include "gui/plots/crosshair.h"
#include "gui/plots/event_lines.h"
#include "gui/plots/metric_panels.h"
#include "gui/plots/overlays.h"
#include "gui/plots/plot_board.h"

namespace mantissa::gui {

std::int64_t PlotBoard::shownSteps() const {
    return m_frozen ? m_frozen->all : m_lab->plottedSteps();
}

std::int64_t PlotBoard::liveSteps() const {
    return m_frozen ? m_frozen->live : m_lab->stepCount();
}

std::int64_t PlotBoard::shownStepsOf(const RunState& run) const {
    if (!m_frozen) return run.stepCount();
    const auto it = m_frozen->ofRun.find(run.id);
    return it == m_frozen->ofRun.end() ? 0 : it->second;
}

std::int64_t PlotBoard::viewedSteps() const {
    // The live end is what a window follows, however long a run beside it is that is only looked at.
    return m_view.mode() == FollowMode::Window ? std::min(shownSteps(), liveSteps()) : shownSteps();
}

PlotFrame PlotBoard::makeFrame() const {
    PlotFrame frame;
    frame.x = m_view.x(viewedSteps());
    frame.selected = m_lab->selected();
    for (const auto& run : m_lab->runs())
        if (const auto it = m_traces.find(run->id); it != m_traces.end()) frame.runs.push_back(it->second.get());
    return frame;
}

void PlotBoard::schedule() {
    // However much there is to draw, half of the time stays free for the rest of the window.
    if (m_frameTimer->isActive()) return;
    // Counted from the last frame, not from now: what arrives after a pause is drawn at once.
    const int interval = std::max(kFrameMs, 2 * m_lastFrameMs);
    const qint64 passed = m_sinceFrame.isValid() ? m_sinceFrame.elapsed() : interval;
    m_frameTimer->start(static_cast<int>(std::max<qint64>(0, interval - passed)));
}

void PlotBoard::noteSteps() {
    if (m_frozen) {
        const std::int64_t unseen = m_lab->stepCount() - m_frozen->live;
        m_frozenTab->setCounts(m_frozen->live - 1, unseen);
        placeOverlays();
        emit unseenStepsChanged(unseen);
        return;
    }
    schedule();
}

void PlotBoard::refreshNow() {
    m_frameTimer->stop();
    m_sinceFrame.start();
    for (auto& [id, trace] : m_traces) {
        trace->follow();
        trace->shownSteps = shownStepsOf(*trace->run);
    }
    // Marks are put on pixels, so everything needs its place before it is filled.
    m_canvas->layOut();
    const PlotFrame frame = makeFrame();
    for (std::size_t i = 0; i < m_panels.size(); ++i)
        if (m_panels[i]->rect()->visible()) m_panels[i]->refresh(frame, m_view.y(static_cast<int>(i)));
    refreshEvents();
    refreshCrosshair();
    if (m_isCompact) m_throughputLine->setTraces(frame.runs);
    m_canvas->replot(QCustomPlot::rpRefreshHint);
    placeOverlays();
    if (!m_describeTimer->isActive()) m_describeTimer->start();
    m_lastFrameMs = static_cast<int>(m_sinceFrame.elapsed());
}

std::size_t PlotBoard::traceBytes() const {
    std::size_t bytes = 0;
    for (const auto& [id, trace] : m_traces) bytes += trace->memoryBytes();
    return bytes;
}

void PlotBoard::refreshEvents() {
    std::vector<const Marker*> markers;
    m_eventLines->steps.clear();
    for (const Marker& marker : m_lab->markers()) {
        const RunState* run = m_lab->run(marker.run);
        if (!run || run->isHidden) continue;
        const std::int64_t end = m_frozen ? shownStepsOf(*run) : shownSteps();
        if (marker.step < std::max<std::int64_t>(end, 1)) markers.push_back(&marker);
    }
    std::stable_sort(markers.begin(), markers.end(), [](const Marker* a, const Marker* b) { return a->step < b->step; });
    for (const Marker* marker : markers) m_eventLines->steps.push_back(marker->step);
    m_flags->setMarkers(*m_lab, std::move(markers), m_view.x(viewedSteps()), !m_isCompact);
}

void PlotBoard::refreshCrosshair() {
    m_crosshair->dots.clear();
    if (m_crosshair->step < 0) return;
    for (const Panel* panel : m_shownPanels)
        for (const auto& run : m_lab->runs()) {
            if (run->isHidden || m_crosshair->step >= shownStepsOf(*run)) continue;
            const double y = panel->cursorY(*m_traces.at(run->id), m_crosshair->step);
            if (std::isfinite(y)) m_crosshair->dots.push_back({panel->rect(), y, run->identity});
        }
}

void PlotBoard::paint(QCPPainter* painter) {
    refreshNow();
    m_canvas->toPainter(painter, m_canvas->width(), m_canvas->height());
}

void PlotBoard::describe() {
    const PlotFrame frame = makeFrame();
    QStringList parts;
    for (const Panel* panel : m_shownPanels) parts << panel->description(frame);
    m_canvas->setAccessibleDescription(parts.join(u'\n'));
}

void PlotBoard::placeOverlays() {
    const QRect area = m_canvas->geometry();
    m_followButton->adjustSize();
    m_followButton->move(area.right() - 60 - m_followButton->width(), area.bottom() - m_followButton->height() - (m_isCompact ? 0 : 2));
    m_followButton->raise();
    m_frozenTab->move(width() - kEdge - m_frozenTab->width() - 62, height() - kEdge - m_frozenTab->height());
    m_frozenTab->raise();
    const bool isEmpty = m_lab->plottedSteps() == 0;
    if (isEmpty) {
        if (m_lab->runs().empty())
            m_empty->setTexts(tr("No runs yet"), tr("Open an experiment, or add a run: each one gets its own line here."));
        else
            m_empty->setTexts(tr("Ready to train"),
                              tr("Start training, or take a single step. Each run draws its own line, step by step."));
        m_empty->setGeometry(m_loss->rect()->rect().translated(area.topLeft()));
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
