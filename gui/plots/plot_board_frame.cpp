// SPDX-License-Identifier: GPL-3.0-or-later
// Arranges the board's panels and draws its frames.
#include <QPainter>
#include <algorithm>

#include "gui/app/theme.h"
#include "gui/controls/delay.h"
#include "gui/plots/canvas.h"
#include "gui/plots/end_labels.h"
#include "gui/plots/frame_timer.h"
#include "gui/plots/overlays.h"
#include "gui/plots/plot_board.h"
#include "gui/plots/plot_interaction.h"
#include "gui/plots/plot_overlays.h"

namespace mantissa::gui {

void PlotBoard::arrangePanels() {
    const std::vector<Panel*> before = m_panels.shown();
    m_panels.show(m_choice->wanted());
    m_throughputLine->setVisible(m_choice->hasThroughputLine());
    m_panels.layOut(m_choice->isCompact(), m_endLabels->width());
    m_interaction->setRects(m_panels.rects());
    m_events.moveToPanels();
    m_cursors->moveToPanels();
    m_legend->rect = m_panels.shown().back()->rect();
    m_legend->isCompact = m_choice->isCompact() || m_canvas->isEnlarged();
    refreshNow();
    if (m_panels.shown() != before) emit plotsShown();
}

void PlotBoard::schedule() {
    if (!isHidden()) m_frameTimer->schedule();
}

void PlotBoard::noteSteps() {
    if (!m_steps.isFrozen()) return schedule();
    m_overlays->setUnseen(m_steps.live() - 1, m_steps.unseen());
    emit unseenStepsChanged(m_steps.unseen());
}

void PlotBoard::refreshNow() {
    m_frameTimer->begin();
    const std::vector<std::string> added = m_panels.addForeign(*m_session);
    if (std::any_of(added.begin(), added.end(), [this](const std::string& key) { return m_choice->isChosen(key); })) arrangePanels();
    m_traces->update();
    PlotFrame frame = m_traces->frame(*m_axes, m_highlight->run());
    const auto frameOf = [&](const Panel* panel) {
        PlotFrame own = frame;
        own.x = m_axes->range(m_panels.indexOf(panel->rect()));
        return own;
    };
    if (m_canvas->isEnlarged() && m_endLabels->take(m_panels.shown(), frameOf))
        m_panels.setMargins(m_choice->isCompact(), m_endLabels->width());
    // Marks are placed on pixels, so the layout comes first.
    m_canvas->layOut();
    for (int i = 0; i < std::ssize(m_panels.all()); ++i) {
        if (!m_panels.at(i).rect()->visible()) continue;
        frame.x = m_axes->range(i);
        m_panels.at(i).refresh(frame, m_axes->view().y(i));
    }
    if (m_traces->isDrawing()) schedule();
    if (!m_traces->isSmoothedAsShown()) schedule();  // the visible range has changed a symlog axis's threshold
    m_events.refresh(!m_choice->isCompact());
    m_cursors->refresh();
    if (m_choice->isCompact()) m_throughputLine->setTraces(frame.runs, frame.isShared);
    m_canvas->replot(QCustomPlot::rpRefreshHint);
    m_overlays->place();
    m_describeTimer->begin();
    m_frameTimer->end();
}

void PlotBoard::paint(QCPPainter* painter) {
    refreshNow();
    m_canvas->toPainter(painter, m_canvas->width(), m_canvas->height());
}

void PlotBoard::describe() {
    const PlotFrame frame = m_traces->frame(*m_axes, m_highlight->run());
    QStringList parts;
    std::vector<SpokenPanel> spoken;
    for (const Panel* panel : m_panels.shown()) {
        spoken.push_back({panel->spokenName(frame), panel->description(frame), panel->rect()->outerRect()});
        parts << QStringLiteral("%1. %2").arg(spoken.back().name, spoken.back().description);
    }
    m_canvas->spokenPanels = std::move(spoken);
    m_canvas->setAccessibleDescription(parts.join(u'\n'));
}

void PlotBoard::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.fillRect(rect(), theme.surface);
    if (!m_steps.isFrozen() && !m_showsFocus) return;
    QPen pen(m_steps.isFrozen() ? theme.frozenEdge : theme.accent, m_steps.isFrozen() ? PlotOverlays::kEdge : 2);
    pen.setJoinStyle(Qt::MiterJoin);
    painter.setPen(pen);
    const double inset = pen.widthF() / 2;
    painter.drawRect(QRectF(rect()).adjusted(inset, inset, -inset, -inset));
}

}  // namespace mantissa::gui
