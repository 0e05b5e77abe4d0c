// SPDX-License-Identifier: GPL-3.0-or-later
// The board's view: frozen or live, follow mode, the crosshair's step, log or linear, smoothed, compact.
#include <QLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/plots/canvas.h"
#include "gui/plots/crosshair.h"
#include "gui/plots/metric_panels.h"
#include "gui/plots/overlays.h"
#include "gui/plots/plot_board.h"
#include "gui/plots/plot_interaction.h"
#include "gui/plots/scaler_panels.h"

namespace mantissa::gui {

void PlotBoard::setFrozen(bool frozen) {
    if (frozen == isFrozen()) return;
    m_frozen.reset();
    if (frozen) {
        FrozenSteps steps{m_session->plottedSteps(), m_session->stepCount(), {}};
        for (const auto& run : m_session->runs()) steps.ofRun[run->id] = run->stepCount();
        m_frozen = std::move(steps);
    }
    m_frozenTab->setVisible(frozen);
    m_legend->hasHint = !frozen;
    // Unfreezing returns to the live end, whatever range was shown.
    if (!frozen && m_view.mode() == FollowMode::Manual) setFollow(FollowMode::All);
    if (frozen) noteSteps();
    sendCursor();
    update();
    schedule();
    emit frozenChanged(frozen);
}

void PlotBoard::viewChanged(FollowMode before) {
    refreshLinks();
    schedule();
    m_followButton->setVisible(m_view.mode() == FollowMode::Manual);
    placeOverlays();
    emit viewMoved();
    if (m_view.mode() != before) emit followChanged(m_view.mode());
}

void PlotBoard::setFollow(FollowMode mode) {
    const FollowMode before = m_view.mode();
    m_view.follow(mode, viewedSteps());
    viewChanged(before);
}

void PlotBoard::showX(const Span& x) {
    const FollowMode before = m_view.mode();
    m_view.showX(x, viewedSteps());
    viewChanged(before);
}

void PlotBoard::fitAll() {
    m_view.remember(viewedSteps());
    setFollow(FollowMode::All);
}

void PlotBoard::previousView() {
    const FollowMode before = m_view.mode();
    if (m_view.back()) viewChanged(before);
}

void PlotBoard::nextView() {
    const FollowMode before = m_view.mode();
    if (m_view.forward()) viewChanged(before);
}

void PlotBoard::setCrosshairMode(CrosshairMode mode) {
    if (mode == m_crosshairMode) return;
    m_crosshairMode = mode;
    if (mode == CrosshairMode::Off) setHeld(false);
    pointAt(mode == CrosshairMode::Off ? -1 : m_crosshair->step);
    emit crosshairModeChanged(mode);
}

void PlotBoard::cycleCrosshair() {
    static constexpr CrosshairMode kNext[] = {CrosshairMode::Crosshair, CrosshairMode::Values, CrosshairMode::Off};
    setCrosshairMode(kNext[static_cast<int>(m_crosshairMode)]);
}

void PlotBoard::pointAt(std::int64_t step) {
    const std::int64_t count = shownSteps();
    m_crosshair->step = step < 0 || count == 0 || m_crosshairMode == CrosshairMode::Off ? -1 : std::min(step, count - 1);
    refreshCrosshair();
    m_crosshair->redraw();
    sendCursor();
}

void PlotBoard::sendCursor() {
    const bool isPointing = m_crosshair->step >= 0 && m_crosshairMode == CrosshairMode::Values;
    const std::int64_t step = isPointing ? m_crosshair->step : m_frozen ? m_frozen->live - 1 : -1;
    if (std::exchange(m_sentCursor, step) != step) emit cursorMoved(step);
}

std::int64_t PlotBoard::cursor() const {
    return m_crosshair->step;
}

void PlotBoard::setHeld(bool held) {
    if (std::exchange(m_isHeld, held) != held) emit heldChanged(held);
}

std::int64_t PlotBoard::heldStep() const {
    return m_isHeld ? m_crosshair->step : -1;
}

void PlotBoard::setCursor(std::int64_t step) {
    if (step >= 0 && m_crosshairMode == CrosshairMode::Off) setCrosshairMode(CrosshairMode::Values);
    setHeld(step >= 0);
    pointAt(step);
    const Span x = m_view.x(viewedSteps());
    const double at = xOf(m_crosshair->step);
    if (step < 0 || !std::isfinite(at) || x.contains(at)) return;  // a logarithmic axis has no step 0
    const FollowMode before = m_view.mode();
    m_view.remember(viewedSteps());
    m_view.showX({at - x.length() / 2, at + x.length() / 2}, viewedSteps());
    viewChanged(before);
}

int PlotBoard::pointedPanel() const {
    const QCPAxisRect* rect = m_interaction->pointedRect();
    const auto it = std::find_if(m_panels.begin(), m_panels.end(), [rect](const auto& panel) { return panel->rect() == rect; });
    return it == m_panels.end() ? -1 : static_cast<int>(it - m_panels.begin());
}

std::vector<std::string> PlotBoard::keys(int panel) const {
    if (panel >= 0) return m_panels[static_cast<std::size_t>(panel)]->keys();
    std::vector<std::string> all;
    const auto add = [&](const std::string& plot) {
        if (const Panel* each = panelOf(plot))
            for (const std::string& key : each->keys())
                if (std::find(all.begin(), all.end(), key) == all.end()) all.push_back(key);
    };
    for (const std::string& plot : m_alone) add(plot);
    if (!all.empty()) return all;
    for (const PlotPlace& place : m_plots) add(place.key);  // a folded plot counts as shown, in one line
    return all;
}

void PlotBoard::takeView(const PlotBoard& other) {
    // Creates panels in the other board's order, because the view identifies them by index.
    for (const auto& panel : other.m_panels)
        if (!panelOf(panel->key())) makeChosen(panel->key());
    for (std::size_t i = 0; i < other.m_panels.size(); ++i) {
        const auto same = std::find_if(m_panels.begin() + static_cast<std::ptrdiff_t>(i), m_panels.end(),
                                       [&](const auto& panel) { return panel->key() == other.m_panels[i]->key(); });
        std::iter_swap(m_panels.begin() + static_cast<std::ptrdiff_t>(i), same);
        m_panels[i]->setScale(other.m_panels[i]->scale());
        m_panels[i]->setFitsEverything(other.m_panels[i]->fitsEverything());
    }
    m_view = other.m_view;
    m_frozen = other.m_frozen;
    m_cursorLines->pair = other.m_cursorLines->pair;
    m_xAxis = other.m_xAxis;
    m_legend->xName = axisName(m_xAxis);
    m_plots = other.m_plots;
    m_alone = other.m_alone;
    setSmoothing(other.m_smoothing);
    for (std::size_t i = 0; i < m_panels.size(); ++i) m_panels[i]->setLinked(m_view.isLinked(static_cast<int>(i)));
}

void PlotBoard::showOnly(int panel) {
    showAlone(panel < 0 ? std::vector<std::string>(m_alone) : std::vector<std::string>{m_panels[static_cast<std::size_t>(panel)]->key()});
}

void PlotBoard::setSmoothing(double factor) {
    const double before = std::exchange(m_smoothing, std::clamp(factor, 0.0, 0.999));
    schedule();
    emit smoothingChanged(m_smoothing);
    if (m_smoothing != before) emit axesChosen();
}

void PlotBoard::setCompact(bool compact) {
    if (compact == m_isCompact) return;
    m_isCompact = compact;
    m_throughputLine->setVisible(compact && m_alone.empty() && isChosen(keyOf(Metric::SamplesPerSecond)));
    layout()->activate();
    arrangePanels();
}

}  // namespace mantissa::gui
