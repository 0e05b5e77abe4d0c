// SPDX-License-Identifier: GPL-3.0-or-later
// The board in presentations: enlarged, with few panels, and with labels at the lines' ends.
#include <algorithm>

#include "gui/plots/canvas.h"
#include "gui/plots/end_labels.h"
#include "gui/plots/panel.h"
#include "gui/plots/plot_board.h"

namespace mantissa::gui {

bool PlotBoard::isPresenting() const {
    return m_canvas->zoom() != 1;
}

void PlotBoard::setPresenting(double zoom) {
    if (zoom == m_canvas->zoom()) return;
    m_endLabels->clear();
    m_canvas->setZoom(zoom);  // also arranges the panels
}

void PlotBoard::showAlone(const std::vector<std::string>& keys) {
    m_alone = keys;
    m_endLabels->clear();
    arrangePanels();
}

void PlotBoard::setPanelMargins() {
    const QMargins margins = isPresenting() ? QMargins(53, 0, std::max(14, m_endLabels->width()), 0)
                             : m_isCompact  ? QMargins(53, 0, 10, 0)
                                            : QMargins(68, 0, 14, 0);
    // A folded panel still counts for the common margins.
    for (const auto& panel : m_panels) panel->rect()->setMinimumMargins(margins);
}

}  // namespace mantissa::gui
