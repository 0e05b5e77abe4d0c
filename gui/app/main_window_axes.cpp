// SPDX-License-Identifier: GPL-3.0-or-later
// The window's say in the plots' axes: scales, smoothing, what x counts, and the run that is pointed at.
#include <QMenu>

#include "gui/app/main_window.h"
#include "gui/plots/axis_menus.h"

namespace mantissa::gui {
namespace {

constexpr double kUsualSmoothing = 0.9;

}  // namespace

void MainWindow::connectAxes() {
    // What they tick may have changed beside the plots since they were open.
    connect(m_actions->xAxis, &QMenu::aboutToShow, this, [this] { fillXAxisMenu(m_actions->xAxis, m_board); });
    connect(m_actions->plots, &QMenu::aboutToShow, this, [this] { fillPlotsMenu(m_actions->plots, m_board); });
    connect(m_actions->smoothingFactors, &QMenu::aboutToShow, this, [this] { fillSmoothingMenu(m_actions->smoothingFactors, m_board); });
    connect(m_actions->logScale, &QAction::triggered, this, [this] {
        if (!m_board->toggleLog(m_board->pointedPanel())) m_status->say(tr("This plot has one scale: what it shows is exact."));
    });
    // The key goes back to the factor that was there.
    connect(m_actions->smoothing, &QAction::triggered, this, [this](bool on) { m_board->setSmoothing(on ? m_smoothing : 0); });
    connect(m_board, &PlotBoard::smoothingChanged, this, [this](double factor) {
        if (factor > 0) m_smoothing = factor;
        m_actions->smoothing->setChecked(factor > 0);
    });
    connect(m_runs, &RunsDock::runPointed, m_board, &PlotBoard::highlight);
    m_board->setSmoothing(kUsualSmoothing);
}

}  // namespace mantissa::gui
