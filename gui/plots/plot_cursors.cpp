// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/plot_cursors.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/controls/number_text.h"

namespace mantissa::gui {

PlotCursors::PlotCursors(QCustomPlot* plot, const SessionModel* session, const ShownSteps& steps, const PlotPanels& panels,
                         const PlotTraces& traces, PlotAxes& axes)
    : m_session(session),
      m_steps(steps),
      m_panels(panels),
      m_traces(traces),
      m_axes(axes),
      m_lines(new CursorLines(plot)),
      m_crosshair(new Crosshair(plot)) {
    m_lines->placeOf = [this](std::int64_t step) { return m_axes.xOf(step); };
    m_crosshair->cursors = m_lines;
}

void PlotCursors::setMode(CrosshairMode mode) {
    if (mode == m_mode) return;
    m_mode = mode;
    if (mode == CrosshairMode::Off) setHeld(false);
    moveTo(mode == CrosshairMode::Off ? -1 : m_crosshair->step);
    emit modeChanged(mode);
}

void PlotCursors::cycleMode() {
    static constexpr CrosshairMode kNext[] = {CrosshairMode::Crosshair, CrosshairMode::Values, CrosshairMode::Off};
    setMode(kNext[static_cast<int>(m_mode)]);
}

void PlotCursors::setStep(std::int64_t step) {
    if (step >= 0 && m_mode == CrosshairMode::Off) setMode(CrosshairMode::Values);
    setHeld(step >= 0);
    moveTo(step);
    if (step >= 0) m_axes.scrollTo(m_crosshair->step);
}

void PlotCursors::moveBy(std::int64_t samples) {
    const bool isThere = m_crosshair->step >= 0;
    setStep(m_axes.sampleBeside(isThere ? m_crosshair->step : m_steps.all() - 1, isThere ? samples : 0));
}

void PlotCursors::pointAt(double x) {
    if (!m_isHeld) moveTo(std::isnan(x) ? -1 : m_axes.stepAt(x));
}

void PlotCursors::click(double x) {
    // A click pins the crosshair, so that the pointer can move to the read-out; the next click releases it or pins another step.
    const std::int64_t at = m_axes.clickedStep(x);
    const bool isSame = m_isHeld && at == m_crosshair->step;
    moveTo(at);
    setHeld(!isSame && m_crosshair->step >= 0);
}

void PlotCursors::setBand(const QRectF& band) {
    m_crosshair->band = band;
    m_crosshair->redraw();
}

bool PlotCursors::place(CursorName name, std::int64_t step) {
    CursorPair& pair = m_lines->pair;
    const std::int64_t count = m_steps.all();
    if (pair.isLocked || count == 0) return false;
    if (step < 0) step = m_crosshair->step >= 0 ? m_crosshair->step : m_axes.stepsInView().second - 1;
    step = std::clamp<std::int64_t>(step, 0, count - 1);
    if (std::exchange(pair.steps[static_cast<std::size_t>(name)], step) == step) return true;
    m_lines->redraw();
    emit pairChanged();
    return true;
}

void PlotCursors::lockPair(bool locked) {
    if (std::exchange(m_lines->pair.isLocked, locked) != locked) emit pairChanged();
}

void PlotCursors::removePair() {
    if (std::exchange(m_lines->pair, CursorPair{}) == CursorPair{}) return;
    m_lines->redraw();
    emit pairChanged();
}

void PlotCursors::removeLatest() {
    if (m_isHeld || m_lines->pair.isEmpty() || m_lines->pair.isLocked)
        setStep(-1);
    else
        removePair();
}

void PlotCursors::moveToPanels() {
    m_crosshair->rects = m_panels.rects();
    m_lines->rects = m_crosshair->rects;
}

void PlotCursors::refresh() {
    m_crosshair->dots.clear();
    const std::int64_t step = m_crosshair->step;
    if (step < 0) return;
    const XAxis& axis = m_axes.xAxis();
    m_crosshair->x = m_axes.xOf(step);
    const double resolution = std::abs(m_axes.xOf(step + 1) - m_axes.xOf(step));
    m_crosshair->label =
        axis == XAxis{} ? groupedText(step) : tr("%1 \u00B7 step %2").arg(axisText(axis, m_crosshair->x, resolution), groupedText(step));
    for (const Panel* panel : m_panels.shown())
        for (const auto& run : m_session->runs()) {
            const StepPlaces places = m_axes.placesOf(*run);
            if (run->isHidden || step >= m_steps.of(*run) || !places.isKnown()) continue;
            const double y = panel->cursorY(m_traces.of(run->id), step);
            if (std::isfinite(y)) m_crosshair->dots.push_back({panel->rect(), places.x(static_cast<double>(step)), y, run->identity});
        }
}

void PlotCursors::moveTo(std::int64_t step) {
    const std::int64_t count = m_steps.all();
    m_crosshair->step = step < 0 || count == 0 || m_mode == CrosshairMode::Off ? -1 : std::min(step, count - 1);
    refresh();
    m_crosshair->redraw();
    sendStep();
}

void PlotCursors::sendStep() {
    const bool isPointing = m_crosshair->step >= 0 && m_mode == CrosshairMode::Values;
    const std::int64_t step = isPointing ? m_crosshair->step : m_steps.isFrozen() ? m_steps.live() - 1 : -1;
    if (std::exchange(m_sent, step) != step) emit cursorMoved(step);
}

void PlotCursors::setHeld(bool held) {
    if (std::exchange(m_isHeld, held) != held) emit heldChanged(held);
}

}  // namespace mantissa::gui
