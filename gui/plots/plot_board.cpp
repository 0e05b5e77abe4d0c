// SPDX-License-Identifier: GPL-3.0-or-later
// Creates and connects the board's parts, and answers its events. Frames are drawn in plot_board_frame.cpp.
#include "gui/plots/plot_board.h"

#include <QKeyEvent>
#include <QLayout>
#include <QMenu>
#include <QStyle>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/controls/delay.h"
#include "gui/plots/axis_menus.h"
#include "gui/plots/canvas.h"
#include "gui/plots/end_labels.h"
#include "gui/plots/frame_timer.h"
#include "gui/plots/overlays.h"
#include "gui/plots/plot_interaction.h"
#include "gui/plots/plot_overlays.h"

namespace mantissa::gui {

PlotBoard::PlotBoard(SessionModel* session, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_canvas(new Canvas(this)),
      m_interaction(new PlotInteraction(m_canvas)),
      m_steps(session),
      m_panels(m_canvas),
      m_choice(std::make_unique<PlotChoice>(session, m_panels)),
      m_axes(std::make_unique<PlotAxes>(session, m_steps, m_panels)),
      m_traces(std::make_unique<PlotTraces>(session, m_steps, m_panels)),
      m_events(m_canvas, session, m_steps, m_panels, *m_axes),
      m_legend(new GlyphLegend(m_canvas)),
      m_endLabels(new EndLabels(m_canvas)),
      m_cursors(std::make_unique<PlotCursors>(m_canvas, session, m_steps, m_panels, *m_traces, *m_axes)),
      m_pointer(std::make_unique<PlotPointer>(m_canvas, m_interaction, session, m_panels, m_events.flags())),
      m_highlight(std::make_unique<RunHighlight>()),
      m_overlays(std::make_unique<PlotOverlays>(this, m_canvas, session, m_panels, *m_choice, *m_axes, m_legend)),
      m_throughputLine(new ThroughputLine(this)),
      m_frameTimer(new FrameTimer(this)),
      m_describeTimer(new Delay(1000, this)) {
    setObjectName(QStringLiteral("plotBoard"));
    setFocusProxy(m_canvas);
    m_canvas->setAccessibleName(tr("Plots"));
    m_canvas->installEventFilter(this);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(PlotOverlays::kEdge, PlotOverlays::kEdge, PlotOverlays::kEdge, PlotOverlays::kEdge);
    column->setSpacing(0);
    column->addWidget(m_canvas, 1);
    column->addWidget(m_throughputLine);
    m_throughputLine->hide();
    connect(m_frameTimer, &QTimer::timeout, this, &PlotBoard::refreshNow);
    // Screen readers need updates once a second, not sixty times.
    connect(m_describeTimer, &QTimer::timeout, this, &PlotBoard::describe);
    connect(m_canvas, &Canvas::resized, this, [this] {
        // Painted with the next event: during a layout Qt still treats the newly exposed area as covered.
        const bool isImmediate = m_canvas->plottingHints().testFlag(QCP::phImmediateRefresh);
        m_canvas->setPlottingHint(QCP::phImmediateRefresh, false);
        arrangePanels();
        m_canvas->setPlottingHint(QCP::phImmediateRefresh, isImmediate);
    });
    connectInteraction();
    connectParts();
    connectSession();
    m_traces->rebuild();
    applyTheme();
    arrangePanels();
    describe();
}

PlotBoard::~PlotBoard() = default;

void PlotBoard::connectSession() {
    connect(m_session, &SessionModel::recordsAppended, this, &PlotBoard::noteSteps);
    for (const auto signal : {&SessionModel::markersChanged, &SessionModel::notesChanged, &SessionModel::selectionChanged})
        connect(m_session, signal, this, &PlotBoard::schedule);
    connect(m_session, &SessionModel::runChanged, this, &PlotBoard::schedule);
    connect(m_session, &SessionModel::stateChanged, this, &PlotBoard::schedule);
    connect(m_session, &SessionModel::runsChanged, this, [this] {
        m_traces->rebuild();
        schedule();
    });
    connect(m_session, &SessionModel::runRevealed, this, [this](int run) {
        // Without a visible window or without desktop animations, the whole line appears at once.
        if (isVisible() && style()->styleHint(QStyle::SH_Widget_Animation_Duration, nullptr, this) > 0) m_traces->reveal(run);
    });
    connect(m_session, &SessionModel::runRewound, this, [this](int run, qint64) {
        // A frozen view would show removed steps.
        setFrozen(false);
        m_traces->restart(run);
        if (m_cursors->step() >= m_steps.all()) m_cursors->setStep(-1);
        schedule();
    });
    connect(m_session, &SessionModel::runThinned, m_traces.get(), &PlotTraces::restart);
    // New runs have other steps; a reset repeats the known ones.
    connect(m_session, &SessionModel::experimentLoaded, m_cursors.get(), &PlotCursors::removePair);
    for (const auto signal : {&SessionModel::experimentLoaded, &SessionModel::seriesReset})
        connect(m_session, signal, this, [this] {
            setFrozen(false);
            m_frameTimer->clearMean();
            m_traces->clear();
            m_cursors->setStep(-1);
            m_traces->rebuild();
            m_axes->reset();
        });
}

void PlotBoard::connectInteraction() {
    // The interaction counts the shown panels.
    const auto panelOf = [this](int shown) { return m_panels.indexOf(m_panels.shown()[static_cast<std::size_t>(shown)]->rect()); };
    connect(m_interaction, &PlotInteraction::gestureBegan, m_axes.get(), &PlotAxes::remember);
    connect(m_interaction, &PlotInteraction::xRequested, m_axes.get(),
            [this, panelOf](int shown, const Span& x) { m_axes->showX(x, panelOf(shown)); });
    connect(m_interaction, &PlotInteraction::yRequested, m_axes.get(),
            [this, panelOf](int shown, const Span& y) { m_axes->showY(panelOf(shown), y); });
    connect(m_interaction, &PlotInteraction::fitRequested, m_axes.get(), &PlotAxes::fitAll);
    connect(m_interaction, &PlotInteraction::borderDragged, m_choice.get(), &PlotChoice::dragBorder);
    connect(m_interaction, &PlotInteraction::bandChanged, m_cursors.get(), &PlotCursors::setBand);
    connect(m_interaction, &PlotInteraction::clicked, m_cursors.get(), &PlotCursors::click);
    connect(m_interaction, &PlotInteraction::cursorDragged, m_cursors.get(), [this](int cursor, double x) {
        m_cursors->place(static_cast<CursorName>(cursor), std::max<std::int64_t>(0, m_axes->stepAt(x)));
    });
    m_interaction->setCursorAt([this](QPointF place) { return m_cursors->cursorAt(place); });
    connect(m_interaction, &PlotInteraction::pointed, this, [this](double x, QPointF place) {
        m_cursors->pointAt(x);
        m_highlight->point(m_pointer->runAt(place));
    });
    connect(m_interaction, &PlotInteraction::menuRequested, this, [this](double x, QPoint place) {
        const std::int64_t count = m_steps.all();
        if (count > 0) askAt(std::clamp<std::int64_t>(m_axes->clickedStep(x), 0, count - 1), place, -1);
    });
    connect(m_pointer.get(), &PlotPointer::headerPointed, this, &PlotBoard::schedule);
    connect(m_pointer.get(), &PlotPointer::markMenuRequested, this,
            [this](qint64 step, int run, QPoint place) { askAt(step, place, run); });
    connect(m_pointer.get(), &PlotPointer::menuRequested, this, [this](int panel, PlotPart part, QPoint place) {
        QMenu* menu = makeMenu();
        part == PlotPart::XAxis ? fillXAxisMenu(menu, this) : fillPanelMenu(menu, this, panel);
        menu->popup(place);
    });
}

void PlotBoard::connectParts() {
    connect(m_choice.get(), &PlotChoice::plotsChanged, this, &PlotBoard::arrangePanels);
    connect(m_choice.get(), &PlotChoice::aloneChanged, this, [this] {
        m_endLabels->clear();
        arrangePanels();
    });
    connect(m_choice.get(), &PlotChoice::chosen, this, &PlotBoard::axesChosen);
    connect(m_axes.get(), &PlotAxes::viewMoved, this, [this] {
        if (m_panels.setLinks(m_axes->view())) arrangePanels();  // other panels have the step labels now
        schedule();
        m_overlays->setFollowing(m_axes->view().mode() != FollowMode::Manual);
    });
    connect(m_axes.get(), &PlotAxes::chosen, this, [this] {
        schedule();
        emit axesChosen();
    });
    connect(m_traces.get(), &PlotTraces::smoothingChanged, this, &PlotBoard::schedule);
    connect(m_traces.get(), &PlotTraces::chosen, this, &PlotBoard::axesChosen);
    connect(m_highlight.get(), &RunHighlight::changed, this, &PlotBoard::schedule);
    connect(m_overlays.get(), &PlotOverlays::followRequested, m_axes.get(), [this] { m_axes->setFollow(FollowMode::All); });
    connect(m_overlays.get(), &PlotOverlays::axisMenuRequested, this, [this](QPoint place) {
        QMenu* menu = makeMenu();
        fillXAxisMenu(menu, this);
        menu->popup(place);
    });
    connect(m_overlays.get(), &PlotOverlays::plotsMenuRequested, this, [this](QPoint place) {
        QMenu* menu = makeMenu();
        fillChoiceMenu(menu, this);
        menu->popup(place - QPoint(0, menu->sizeHint().height()));
    });
    connect(m_throughputLine, &ThroughputLine::toggled, this, [this] {
        m_throughputLine->setUnfolded(m_choice->toggleThroughput());
        arrangePanels();
    });
}

void PlotBoard::setFrozen(bool frozen) {
    if (frozen == m_steps.isFrozen()) return;
    m_steps.setFrozen(frozen);
    m_overlays->setFrozen(frozen);
    // Unfreezing returns to the live end, whatever range was shown.
    if (!frozen && m_axes->view().mode() == FollowMode::Manual) m_axes->setFollow(FollowMode::All);
    if (frozen) noteSteps();
    m_cursors->sendStep();
    update();
    schedule();
    emit frozenChanged(frozen);
}

void PlotBoard::setCompact(bool compact) {
    if (compact == m_choice->isCompact()) return;
    m_choice->setCompact(compact);
    m_throughputLine->setVisible(m_choice->hasThroughputLine());
    layout()->activate();
    arrangePanels();
}

void PlotBoard::setPresenting(double zoom) {
    if (zoom == m_canvas->zoom()) return;
    m_endLabels->clear();
    m_canvas->setZoom(zoom);  // also arranges the panels
}

void PlotBoard::setAxisChoices(const AxisChoices& choices) {
    m_axes->setXAxis(choices.x);
    m_panels.keepScales(choices.scales);
    for (const auto& [key, scale] : choices.scales)
        if (const Panel* panel = m_panels.of(key)) m_axes->setScale(m_panels.indexOf(panel->rect()), scale);
    m_traces->setSmoothing(choices.smoothing);
    m_choice->setPlots(choices.plots);
}

void PlotBoard::takeView(const PlotBoard& other) {
    m_panels.take(other.m_panels);
    m_steps = other.m_steps;
    m_choice->take(*other.m_choice);
    m_axes->take(*other.m_axes);
    m_cursors->takePair(*other.m_cursors);
    m_legend->xName = axisName(m_axes->xAxis());
    m_traces->setSmoothing(other.m_traces->smoothing());
    m_panels.setLinks(m_axes->view());
}

void PlotBoard::applyTheme() {
    m_canvas->setBackground(QBrush(Theme::current().surface));
    m_panels.applyTheme();
    schedule();
}

void PlotBoard::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    schedule();  // for data that arrived while hidden
}

void PlotBoard::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    m_overlays->place();
}

void PlotBoard::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        applyTheme();
        update();
    }
}

bool PlotBoard::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) {
        const Qt::FocusReason reason = static_cast<QFocusEvent*>(event)->reason();
        m_showsFocus = event->type() == QEvent::FocusIn && (reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason);
        update();
    }
    return QWidget::eventFilter(watched, event);
}

void PlotBoard::keyPressEvent(QKeyEvent* event) {
    const std::int64_t stride = event->modifiers().testFlag(Qt::ShiftModifier) ? 10 : 1;
    switch (event->key()) {
        case Qt::Key_Left:
        case Qt::Key_Right:
            m_cursors->moveBy(event->key() == Qt::Key_Left ? -stride : stride);
            emit steppedByKey();
            break;
        case Qt::Key_Escape:
            m_cursors->removeLatest();
            break;
        default:
            QWidget::keyPressEvent(event);
    }
}

void PlotBoard::contextMenuEvent(QContextMenuEvent* event) {
    // Inside the plots the right button opens the step's menu.
    if (!m_pointer->requestMenu(m_canvas->toPlot(m_canvas->mapFrom(this, event->pos())), event->globalPos())) event->ignore();
}

void PlotBoard::askAt(std::int64_t step, QPoint place, RunId run) {
    m_cursors->setStep(step);
    emit menuRequested(step, place, run);
}

QMenu* PlotBoard::makeMenu() {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    return menu;
}

}  // namespace mantissa::gui
