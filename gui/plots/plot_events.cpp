// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/plot_events.h"

#include <algorithm>

namespace mantissa::gui {

PlotEvents::PlotEvents(QCustomPlot* plot, const SessionModel* session, const ShownSteps& steps, const PlotPanels& panels,
                       const PlotAxes& axes)
    : m_session(session),
      m_steps(steps),
      m_panels(panels),
      m_axes(axes),
      m_lines(new EventLines(plot)),
      m_flags(new FlagStrip(plot, panels.at(0).rect())) {}

void PlotEvents::moveToPanels() {
    m_lines->rects = m_panels.rects();
    m_flags->moveTo(m_lines->rects.front(), m_panels.shown().front()->glyphRowHeight());
}

void PlotEvents::refresh(bool withRunNames) {
    // A frozen view has no events of later steps.
    const auto endOf = [this](const RunState& run) { return m_steps.isFrozen() ? m_steps.of(run) : m_steps.all(); };
    std::vector<PlacedMarker> markers;
    for (const Marker& marker : m_session->markers()) {
        const RunState* run = m_session->run(marker.run);
        if (!run || run->isHidden || !m_axes.placesOf(*run).isKnown()) continue;
        if (marker.step < std::max<std::int64_t>(endOf(*run), 1))
            markers.push_back({&marker, m_axes.placesOf(*run).x(static_cast<double>(marker.step))});
    }
    std::stable_sort(markers.begin(), markers.end(), [](const PlacedMarker& a, const PlacedMarker& b) { return a.x < b.x; });
    m_lines->places.clear();
    for (const PlacedMarker& marker : markers) m_lines->places.push_back(marker.x);
    std::vector<PlacedNote> notes;
    for (const auto& [id, note] : m_session->notes()) {
        const RunState* run = m_session->run(note.run);
        if ((run && run->isHidden) || note.step >= std::max<std::int64_t>(m_steps.all(), 1)) continue;
        if (run && !m_axes.placesOf(*run).isKnown()) continue;
        notes.push_back({&note, run ? m_axes.placesOf(*run).x(static_cast<double>(note.step)) : m_axes.xOf(note.step)});
        m_lines->places.push_back(notes.back().x);
    }
    std::vector<PlacedCheckpoint> checkpoints;
    m_lines->ticks.clear();
    for (const auto& run : m_session->runs()) {
        if (run->isHidden || run->checkpoints.empty() || !m_axes.placesOf(*run).isKnown()) continue;
        for (const Checkpoint& kept : run->checkpoints) {
            if (kept.step > endOf(*run)) continue;
            const double place = m_axes.placesOf(*run).x(static_cast<double>(kept.step));
            if (kept.isByHand) checkpoints.push_back({run.get(), kept.step, place});
            (kept.isByHand ? m_lines->places : m_lines->ticks).push_back(place);
        }
    }
    std::sort(m_lines->places.begin(), m_lines->places.end());
    const QCPRange x = m_panels.shown().front()->xAxis()->range();
    m_flags->setMarkers(*m_session, markers, notes, checkpoints, {x.lower, x.upper}, withRunNames);
}

}  // namespace mantissa::gui
