// SPDX-License-Identifier: GPL-3.0-or-later
// The window's say in the plots' axes: scales, smoothing, what x counts, and the run that is pointed at.
#include <QMenu>

#include "gui/app/main_window.h"
#include "gui/plots/axis_menus.h"

namespace mantissa::gui {
namespace {

constexpr double kUsualSmoothing = 0.9;

/// What an earlier window has noted; what is not there, or cannot be, is as `usual`.
AxisChoices keptAxes(const LayoutMemory& memory, const AxisChoices& usual) {
    AxisChoices kept = usual;
    const QVariantList x = memory.value(kXAxis).toList(), scales = memory.value(kScales).toList();
    const auto quantity = x.size() == 2 ? x[0].toInt() : -1;
    for (const XQuantity each : kXQuantities)
        if (static_cast<int>(each) == quantity) kept.x = {each, x[1].toBool()};
    for (qsizetype i = 0; i < scales.size() && i < static_cast<qsizetype>(kept.scales.size()); ++i) {
        bool isNumber = false;
        const int noted = scales[i].toInt(&isNumber);
        for (const AxisScale scale : {AxisScale::Linear, AxisScale::Log10, AxisScale::Symlog})
            if (isNumber && static_cast<int>(scale) == noted) kept.scales[static_cast<std::size_t>(i)] = scale;
    }
    const QVariant smoothing = memory.value(kSmoothing);
    if (const double factor = smoothing.toDouble(); smoothing.isValid() && factor >= 0 && factor < 1) kept.smoothing = factor;
    return kept;
}

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

void MainWindow::keepAxes() {
    const AxisChoices usual = m_board->axisChoices();
    m_board->setAxisChoices(keptAxes(m_layouts->memory(), usual));
    connect(m_board, &PlotBoard::axesChosen, this, [this] {
        const AxisChoices choices = m_board->axisChoices();
        QVariantList scales;
        for (const AxisScale scale : choices.scales) scales.append(static_cast<int>(scale));
        m_layouts->memory().noteValue(kXAxis, QVariantList{static_cast<int>(choices.x.quantity), choices.x.isLog});
        m_layouts->memory().noteValue(kScales, scales);
        m_layouts->memory().noteValue(kSmoothing, choices.smoothing);
        m_layouts->memory().noteValue(kLastSmoothing, m_smoothing);
    });
    if (const double last = m_layouts->memory().value(kLastSmoothing).toDouble(); last > 0 && last < 1) m_smoothing = last;
    connect(m_layouts, &Layouts::wasReset, this, [this, usual] {
        if (m_layout != WindowLayout::Diagnose) m_board->setAxisChoices(usual);  // whose plots are others
    });
    connect(m_layouts, &Layouts::axesRestored, this, [this, usual] { m_board->setAxisChoices(keptAxes(m_layouts->memory(), usual)); });
}

}  // namespace mantissa::gui
