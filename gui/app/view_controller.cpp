// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/view_controller.h"

#include <QMenu>
#include <algorithm>

#include "gui/plots/axis_menus.h"
#include "gui/plots/cursor_panel.h"
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
    for (std::size_t i = 0; i < std::min<std::size_t>(byPlace.size(), PlotChoice::usual().size()); ++i)
        byKey[QString::fromStdString(PlotChoice::usual()[i].key)] = byPlace[static_cast<qsizetype>(i)];
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
        if (isPlace) key = place < PlotChoice::usual().size() ? PlotChoice::usual()[place].key : std::string();
        if (!key.empty() && keys.size() < kMostPlots && std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
    }
    return keys;
}

ViewController::ViewController(const WindowParts& parts) : WindowParts(parts) {
    connectFollowing();
    connectCrosshair();
    connectAxes();
    connectCursors();
    connect(m_actions->dataTable, &QAction::triggered, this, &ViewController::showDataTable);
    connect(m_board, &PlotBoard::steppedByKey, this, [this] { sayAloud(m_readout, m_readout->spokenText()); });
}

void ViewController::connectFollowing() {
    connect(m_actions->freeze, &QAction::toggled, this, &ViewController::setFrozen);
    connect(m_board, &PlotBoard::frozenChanged, m_actions->freeze, &QAction::setChecked);
    connect(m_board, &PlotBoard::unseenStepsChanged, m_topBar, &TopBar::setUnseen);
    connect(m_actions->follow, &QAction::triggered, this, [this] {
        m_actions->freeze->setChecked(false);
        if (m_board->axes().view().mode() == FollowMode::Manual) m_board->axes().setFollow(FollowMode::All);
    });
    connect(m_actions->followAll, &QAction::triggered, this, [this] { m_board->axes().setFollow(FollowMode::All); });
    connect(m_actions->followWindow, &QAction::triggered, this, [this] { m_board->axes().setFollow(FollowMode::Window); });
    connect(m_actions->followManual, &QAction::triggered, this, [this] { m_board->axes().setFollow(FollowMode::Manual); });
    connect(m_topBar, &TopBar::followChosen, &m_board->axes(), &PlotAxes::setFollow);
    connect(&m_board->axes(), &PlotAxes::followChanged, this, [this](FollowMode mode) {
        m_topBar->setFollow(mode);
        (mode == FollowMode::All      ? m_actions->followAll
         : mode == FollowMode::Window ? m_actions->followWindow
                                      : m_actions->followManual)
            ->setChecked(true);
    });
    connect(m_actions->fit, &QAction::triggered, &m_board->axes(), &PlotAxes::fitAll);
    connect(m_actions->previousView, &QAction::triggered, &m_board->axes(), &PlotAxes::previousView);
    connect(m_actions->nextView, &QAction::triggered, &m_board->axes(), &PlotAxes::nextView);
    for (const auto reset : {&SessionModel::experimentLoaded, &SessionModel::seriesReset})
        connect(m_session, reset, this, [this] { m_actions->freeze->setChecked(false); });
}

void ViewController::connectCrosshair() {
    connect(m_actions->crosshair, &QAction::triggered, &m_board->cursors(), &PlotCursors::cycleMode);
    connect(m_topBar, &TopBar::crosshairChosen, &m_board->cursors(), &PlotCursors::setMode);
    connect(&m_board->cursors(), &PlotCursors::modeChanged, m_topBar, &TopBar::setCrosshairMode);
    m_topBar->setCrosshairMode(m_board->cursors().mode());
    const auto smoothReadout = [this] {
        m_readout->setSmoothing(m_board->traces().smoothingOf(keyOf(Metric::Loss)),
                                m_board->traces().smoothingOf(keyOf(Metric::SamplesPerSecond)));
    };
    connect(&m_board->traces(), &PlotTraces::linesSmoothed, this, smoothReadout);
    smoothReadout();
    // Plots, read-out and event jumps share the step pointed at.
    connect(&m_board->cursors(), &PlotCursors::cursorMoved, m_readout, &ReadoutPanel::setStep);
    connect(&m_board->cursors(), &PlotCursors::heldChanged, m_readout, &ReadoutPanel::setHeld);
    connect(m_readout, &ReadoutPanel::releaseRequested, this, [this] { m_board->cursors().setStep(-1); });
    connect(&m_board->cursors(), &PlotCursors::cursorMoved, m_events, &EventBar::setStep);
    connect(m_events, &EventBar::jumpRequested, &m_board->cursors(), &PlotCursors::setStep);
    connect(m_actions->nextEvent, &QAction::triggered, m_events, &EventBar::jumpToNext);
    connect(m_actions->previousEvent, &QAction::triggered, m_events, &EventBar::jumpToPrevious);
    connect(m_actions->firstNonFinite, &QAction::triggered, m_events, &EventBar::jumpToFirstNonFinite);
}

void ViewController::connectAxes() {
    // Menus are filled when opened: the plots may have changed their choices.
    connect(m_actions->xAxis, &QMenu::aboutToShow, this, [this] { fillXAxisMenu(m_actions->xAxis, m_board); });
    connect(m_actions->plots, &QMenu::aboutToShow, this, [this] { fillPlotsMenu(m_actions->plots, m_board); });
    connect(m_actions->smoothingFactors, &QMenu::aboutToShow, this, [this] { fillSmoothingMenu(m_actions->smoothingFactors, m_board); });
    connect(m_actions->logScale, &QAction::triggered, this, [this] {
        if (!m_board->axes().toggleLog(m_board->pointer().panel())) m_status->say(tr("This plot has one scale: what it shows is exact."));
    });
    // The shortcut restores the previous factor.
    connect(m_actions->smoothing, &QAction::triggered, this, [this](bool on) { m_board->traces().setSmoothing(on ? m_smoothing : 0); });
    connect(&m_board->traces(), &PlotTraces::smoothingChanged, this, [this](double factor) {
        if (factor > 0) m_smoothing = factor;
        m_actions->smoothing->setChecked(factor > 0);
    });
    connect(m_runs, &RunsDock::runPointed, &m_board->highlight(), &RunHighlight::setRun);
    m_board->traces().setSmoothing(kUsualSmoothing);
    connect(m_board, &PlotBoard::plotsShown, this, [this] {
        std::vector<std::string> keys;
        for (const Panel* panel : m_board->panels().shown()) keys.push_back(panel->key());
        m_readout->setPlots(keys);
    });
}

void ViewController::keepAxes() {
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
        if (m_layouts->base() != WindowLayout::Diagnose) m_board->setAxisChoices(usual);  // Diagnose has other plots
    });
    connect(m_layouts, &Layouts::axesRestored, this, [this, usual] { m_board->setAxisChoices(keptAxes(m_layouts->memory(), usual)); });
}

void ViewController::connectCursors() {
    const auto place = [this](CursorName name) {
        if (m_board->cursors().place(name)) return;
        m_status->say(m_board->cursors().pair().isLocked ? tr("The cursors are locked: View > Lock the cursors lets them go.")
                                                         : tr("There is no step yet to put a cursor on."));
    };
    connect(m_actions->cursorA, &QAction::triggered, this, [place] { place(CursorName::A); });
    connect(m_actions->cursorB, &QAction::triggered, this, [place] { place(CursorName::B); });
    connect(m_actions->lockCursors, &QAction::triggered, &m_board->cursors(), &PlotCursors::lockPair);
    connect(m_actions->removeCursors, &QAction::triggered, &m_board->cursors(), &PlotCursors::removePair);
    connect(m_readout->cursors(), &CursorPanel::lockRequested, &m_board->cursors(), &PlotCursors::lockPair);
    connect(m_readout->cursors(), &CursorPanel::removalRequested, &m_board->cursors(), &PlotCursors::removePair);
    connect(&m_board->cursors(), &PlotCursors::pairChanged, this, [this] {
        const CursorPair& pair = m_board->cursors().pair();
        m_readout->cursors()->setPair(pair);
        m_actions->lockCursors->setChecked(pair.isLocked);
        for (QAction* action : {m_actions->lockCursors, m_actions->removeCursors}) action->setEnabled(!pair.isEmpty());
    });
}

void ViewController::setFrozen(bool frozen) {
    m_board->setFrozen(frozen);
    m_topBar->setFrozen(frozen);
    m_verdict->setFrozen(frozen);
    m_text->setFrozen(frozen);
    m_status->setFrozen(frozen);
}

void ViewController::showDataTable() {
    if (!m_dataTable) m_dataTable = new DataTable(m_session, m_board, m_board->pointer().panel(), m_window);
    bringToFront(m_dataTable);
}

}  // namespace mantissa::gui
