// SPDX-License-Identifier: GPL-3.0-or-later
// The cursors A and B: placed by key, moved by mouse, locked, removed.
#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/plots/canvas.h"
#include "gui/plots/crosshair.h"
#include "gui/plots/panel.h"
#include "gui/plots/plot_board.h"
#include "gui/plots/plot_interaction.h"

namespace mantissa::gui {

void PlotBoard::connectCursors() {
    m_cursorLines->placeOf = [this](std::int64_t step) { return xOf(step); };
    m_interaction->setCursorAt([this](QPointF place) { return cursorPair().isLocked ? -1 : m_cursorLines->nearest(place); });
    connect(m_interaction, &PlotInteraction::cursorDragged, this,
            [this](int cursor, double x) { placeCursor(static_cast<CursorName>(cursor), std::max<std::int64_t>(0, stepAt(x))); });
    // New runs have other steps; a reset repeats the known ones.
    connect(m_session, &SessionModel::experimentLoaded, this, &PlotBoard::removeCursors);
}

const CursorPair& PlotBoard::cursorPair() const {
    return m_cursorLines->pair;
}

bool PlotBoard::placeCursor(CursorName name, std::int64_t step) {
    CursorPair& pair = m_cursorLines->pair;
    const std::int64_t count = shownSteps();
    if (pair.isLocked || count == 0) return false;
    if (step < 0) step = m_crosshair->step >= 0 ? m_crosshair->step : stepsInView().second - 1;
    step = std::clamp<std::int64_t>(step, 0, count - 1);
    if (std::exchange(pair.steps[static_cast<std::size_t>(name)], step) == step) return true;
    m_cursorLines->redraw();
    emit cursorsChanged();
    return true;
}

void PlotBoard::lockCursors(bool locked) {
    if (std::exchange(m_cursorLines->pair.isLocked, locked) != locked) emit cursorsChanged();
}

void PlotBoard::removeCursors() {
    if (std::exchange(m_cursorLines->pair, CursorPair{}) == CursorPair{}) return;
    m_cursorLines->redraw();
    emit cursorsChanged();
}

double PlotBoard::pixelOf(std::int64_t step) const {
    return m_shownPanels.front()->xAxis()->coordToPixel(xOf(step)) * m_canvas->zoom();
}

}  // namespace mantissa::gui
