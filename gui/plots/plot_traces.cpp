// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/plot_traces.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace mantissa::gui {

void PlotTraces::setSmoothing(double factor) {
    const double before = std::exchange(m_smoothing, std::clamp(factor, 0.0, 0.999));
    emit smoothingChanged(m_smoothing);
    if (m_smoothing != before) emit chosen();
}

Smoothing PlotTraces::smoothingOf(std::string_view key) const {
    const Panel* panel = m_panels.of(key);
    return panel ? panel->smoothing(m_smoothing) : Smoothing{m_smoothing};
}

std::vector<Smoothing> PlotTraces::panelSmoothings() const {
    std::vector<Smoothing> smoothings;
    for (const auto& panel : m_panels.all()) smoothings.push_back(panel->smoothing(m_smoothing));
    return smoothings;
}

void PlotTraces::rebuild() {
    std::erase_if(m_drawing, [this](const auto& entry) { return !m_session->run(entry.first); });
    std::erase_if(m_traces, [this](const auto& entry) { return !m_session->run(entry.first); });
    for (const auto& run : m_session->runs()) {
        auto& trace = m_traces[run->id];
        if (!trace) trace = std::make_unique<RunTrace>();
        trace->run = run.get();
    }
    for (auto& [id, trace] : m_traces) {
        const RunState* parent = m_session->parentOf(*trace->run);
        trace->parent = parent ? m_traces.at(parent->id).get() : nullptr;
    }
}

void PlotTraces::restart(RunId run) {
    if (const auto it = m_traces.find(run); it != m_traces.end()) it->second->restart();
}

void PlotTraces::clear() {
    m_traces.clear();
    m_drawing.clear();
}

std::int64_t PlotTraces::drawnSteps(const RunTrace& trace) {
    const auto it = m_drawing.find(trace.run->id);
    const double share =
        it == m_drawing.end() || m_drawingMs <= 0 ? 1 : static_cast<double>(it->second.nsecsElapsed()) * 1e-6 / m_drawingMs;
    if (share < 1)
        return std::llround(std::lerp(static_cast<double>(trace.run->info.firstStep), static_cast<double>(trace.shownSteps), share));
    m_drawing.erase(trace.run->id);
    return std::numeric_limits<std::int64_t>::max();
}

void PlotTraces::update() {
    for (auto& [id, trace] : m_traces) {
        for (const auto& panel : m_panels.all()) panel->smooth(*trace, m_smoothing);
        trace->follow();
        trace->shownSteps = m_steps.of(*trace->run);
        trace->drawnSteps = drawnSteps(*trace);
    }
    if (isSmoothedAsShown()) return;
    m_smoothings = panelSmoothings();
    emit linesSmoothed();
}

PlotFrame PlotTraces::frame(const PlotAxes& axes, RunId highlighted) const {
    PlotFrame frame;
    frame.x = axes.range();
    frame.selected = m_session->selected();
    const RunState* run = m_session->run(highlighted);
    frame.highlighted = run && !run->isHidden ? highlighted : -1;
    frame.axis = axes.xAxis();
    frame.isShared = !m_session->state().lockstep;
    frame.isMeasuring = m_session->state().instrumentation != Instrumentation::Off;
    frame.smoothing = m_smoothing;
    for (const auto& each : m_session->runs())
        // A withheld run must not show, not even through a range or position.
        if (const auto it = m_traces.find(each->id); it != m_traces.end() && !each->isWithheld && frame.places(*it->second).isKnown())
            frame.runs.push_back(it->second.get());
    return frame;
}

std::size_t PlotTraces::memoryBytes() const {
    std::size_t bytes = 0;
    for (const auto& [id, trace] : m_traces) bytes += trace->memoryBytes();
    return bytes;
}

}  // namespace mantissa::gui
