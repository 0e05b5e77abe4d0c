// SPDX-License-Identifier: GPL-3.0-or-later
// Connects the plots' axes: scales, smoothing, x axis, and the highlighted run.
#include <QMenu>
#include <algorithm>

#include "gui/app/main_window.h"
#include "gui/plots/axis_menus.h"
#include "gui/plots/panel.h"

namespace mantissa::gui {
namespace {

constexpr double kUsualSmoothing = 0.9;

constexpr double kMostShare = 1e5;  // px; a larger height is invalid
constexpr std::size_t kMostPlots = 64;

/// Stored choices of an earlier window; missing or invalid ones are as `usual`.
AxisChoices keptAxes(const LayoutMemory& memory, const AxisChoices& usual) {
    AxisChoices kept = usual;
    const QVariantList x = memory.value(kXAxis).toList();
    const auto quantity = x.size() == 2 ? x[0].toInt() : -1;
    for (const XQuantity each : kXQuantities)
        if (static_cast<int>(each) == quantity) kept.x = {each, x[1].toBool()};
    const QVariant scales = memory.value(kScales);
    QVariantMap byKey = scales.toMap();
    const QVariantList byPlace = scales.toList();  // earlier format: scales of the usual plots, by position
    for (std::size_t i = 0; i < std::min<std::size_t>(byPlace.size(), PlotBoard::usualPlots().size()); ++i)
        byKey[QString::fromStdString(PlotBoard::usualPlots()[i].key)] = byPlace[static_cast<qsizetype>(i)];
    for (const auto& [key, value] : byKey.asKeyValueRange()) {
        bool isNumber = false;
        const int noted = value.toInt(&isNumber);
        for (const AxisScale scale : {AxisScale::Linear, AxisScale::Log10, AxisScale::Symlog})
            if (isNumber && static_cast<int>(scale) == noted) kept.scales[key.toStdString()] = scale;
    }
    const QVariantList shares = memory.value(kPlotShares).toList();
    std::vector<PlotPlace> plots;
    for (const std::string& key : keptPlotKeys(memory.value(kPlots))) {
        const double share = plots.size() < static_cast<std::size_t>(shares.size()) ? shares[std::ssize(plots)].toDouble() : 0;
        plots.push_back({key, share > 0 && share < kMostShare ? share : 0});
    }
    if (!plots.empty()) kept.plots = std::move(plots);
    const QVariant smoothing = memory.value(kSmoothing);
    if (const double factor = smoothing.toDouble(); smoothing.isValid() && factor >= 0 && factor < 1) kept.smoothing = factor;
    return kept;
}

}  // namespace

std::vector<std::string> keptPlotKeys(const QVariant& noted) {
    std::vector<std::string> keys;
    for (const QString& each : noted.toStringList()) {  // a list of one is read back as its element
        bool isPlace = false;                           // earlier format: index of a usual plot
        const auto place = each.toUInt(&isPlace);
        std::string key = each.toStdString();
        if (isPlace) key = place < PlotBoard::usualPlots().size() ? PlotBoard::usualPlots()[place].key : std::string();
        if (!key.empty() && keys.size() < kMostPlots && std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    }
    return keys;
}

void MainWindow::connectAxes() {
    // Menus are filled when opened: the plots may have changed their choices.
    connect(m_actions->xAxis, &QMenu::aboutToShow, this, [this] { fillXAxisMenu(m_actions->xAxis, m_board); });
    connect(m_actions->plots, &QMenu::aboutToShow, this, [this] { fillPlotsMenu(m_actions->plots, m_board); });
    connect(m_actions->smoothingFactors, &QMenu::aboutToShow, this, [this] { fillSmoothingMenu(m_actions->smoothingFactors, m_board); });
    connect(m_actions->logScale, &QAction::triggered, this, [this] {
        if (!m_board->toggleLog(m_board->pointedPanel())) m_status->say(tr("This plot has one scale: what it shows is exact."));
    });
    // The shortcut restores the previous factor.
    connect(m_actions->smoothing, &QAction::triggered, this, [this](bool on) { m_board->setSmoothing(on ? m_smoothing : 0); });
    connect(m_board, &PlotBoard::smoothingChanged, this, [this](double factor) {
        if (factor > 0) m_smoothing = factor;
        m_actions->smoothing->setChecked(factor > 0);
    });
    connect(m_runs, &RunsDock::runPointed, m_board, &PlotBoard::highlight);
    m_board->setSmoothing(kUsualSmoothing);
    connect(m_board, &PlotBoard::plotsShown, this, [this] {
        std::vector<std::string> keys;
        for (const Panel* panel : m_board->shownPanels()) keys.push_back(panel->key());
        m_readout->setPlots(keys);
    });
}

void MainWindow::keepAxes() {
    const AxisChoices usual = m_board->axisChoices();
    m_board->setAxisChoices(keptAxes(m_layouts->memory(), usual));
    connect(m_board, &PlotBoard::axesChosen, this, [this] {
        const AxisChoices choices = m_board->axisChoices();
        QVariantMap scales;
        for (const auto& [key, scale] : choices.scales) scales[QString::fromStdString(key)] = static_cast<int>(scale);
        QStringList plots;
        QVariantList shares;
        for (const auto& [key, share] : choices.plots) {
            plots << QString::fromStdString(key);
            shares << share;
        }
        m_layouts->memory().noteValue(kPlots, plots);
        m_layouts->memory().noteValue(kPlotShares, shares);
        m_layouts->memory().noteValue(kXAxis, QVariantList{static_cast<int>(choices.x.quantity), choices.x.isLog});
        m_layouts->memory().noteValue(kScales, scales);
        m_layouts->memory().noteValue(kSmoothing, choices.smoothing);
        m_layouts->memory().noteValue(kLastSmoothing, m_smoothing);
    });
    if (const double last = m_layouts->memory().value(kLastSmoothing).toDouble(); last > 0 && last < 1) m_smoothing = last;
    connect(m_layouts, &Layouts::wasReset, this, [this, usual] {
        if (m_layout != WindowLayout::Diagnose) m_board->setAxisChoices(usual);  // Diagnose has other plots
    });
    connect(m_layouts, &Layouts::axesRestored, this, [this, usual] { m_board->setAxisChoices(keptAxes(m_layouts->memory(), usual)); });
}

}  // namespace mantissa::gui
