// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/exports/plot_box.h"

#include <algorithm>

#include "gui/plots/panel.h"
#include "gui/plots/plot_board.h"

namespace mantissa::gui {

PlotBox::PlotBox(const QString& name, const QString& all, const PlotBoard* board, QWidget* parent)
    : ComboBox(name, parent), m_board(board), m_all(all) {
    connect(board, &PlotBoard::plotsShown, this, &PlotBox::fill);
    fill();
}

/// Lists the chosen plots, and those that a lesson shows instead.
void PlotBox::fill() {
    const int chosen = panel();
    const bool wasThere = count() > 0;
    clear();
    addItem(m_all, -1);
    const auto& panels = m_board->panels().all();
    const auto& shown = m_board->panels().shown();
    for (std::size_t i = 0; i < panels.size(); ++i) {
        const bool isShown = std::find(shown.begin(), shown.end(), panels[i].get()) != shown.end();
        if (isShown || m_board->choice().isChosen(panels[i]->key())) addItem(panels[i]->title().title, static_cast<int>(i));
    }
    setCurrentIndex(wasThere ? std::max(0, findData(chosen)) : 0);
}

}  // namespace mantissa::gui
