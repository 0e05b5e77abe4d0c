// SPDX-License-Identifier: GPL-3.0-or-later
// Creates, connects and arranges the board's parts. Frames are drawn in plot_board_frame.cpp, the view is in plot_board_view.cpp.
#include "gui/plots/plot_board.h"

#include <QElapsedTimer>
#include <QEvent>
#include <QKeyEvent>
#include <QPushButton>
#include <QStyle>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/app/icon.h"
#include "gui/app/theme.h"
#include "gui/controls/tip_width.h"
#include "gui/plots/canvas.h"
#include "gui/plots/crosshair.h"
#include "gui/plots/end_labels.h"
#include "gui/plots/event_lines.h"
#include "gui/plots/metric_panels.h"
#include "gui/plots/overlays.h"
#include "gui/plots/plot_interaction.h"
#include "gui/plots/scaler_panels.h"

namespace mantissa::gui {
namespace {

constexpr int kInnerLabels = 22;  // px below every panel but the last

}  // namespace

PlotBoard::PlotBoard(SessionModel* session, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_canvas(new Canvas(this)),
      m_interaction(new PlotInteraction(m_canvas)),
      m_followButton(new QPushButton(tr("Follow"), this)),
      m_xName(new QPushButton(this)),
      m_choose(new QPushButton(tr("Plots \u25BE"), this)),
      m_frozenTab(new FrozenTab(this)),
      m_empty(new EmptyState(this)),
      m_throughputLine(new ThroughputLine(this)),
      m_frameTimer(new QTimer(this)),
      m_describeTimer(new QTimer(this)),
      m_flashTimer(new QTimer(this)) {
    setObjectName(QStringLiteral("plotBoard"));
    setFocusProxy(m_canvas);
    m_canvas->setAccessibleName(tr("Plots"));
    m_canvas->installEventFilter(this);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(kEdge, kEdge, kEdge, kEdge);
    column->setSpacing(0);
    column->addWidget(m_canvas, 1);
    column->addWidget(m_throughputLine);
    m_throughputLine->hide();
    m_followButton->setObjectName(QStringLiteral("followButton"));
    m_followButton->setAccessibleName(tr("Follow the newest steps"));
    m_followButton->setFocusPolicy(Qt::TabFocus);
    m_followButton->setProperty("kind", "accent");
    m_followButton->setIcon(themedIcon(QStringLiteral("follow"), IconInk::AccentText));
    m_followButton->hide();

    m_frameTimer->setSingleShot(true);
    m_frameTimer->setTimerType(Qt::PreciseTimer);
    connect(m_frameTimer, &QTimer::timeout, this, &PlotBoard::refreshNow);
    // Screen readers need updates once a second, not sixty times.
    m_describeTimer->setSingleShot(true);
    m_describeTimer->setInterval(1000);
    connect(m_describeTimer, &QTimer::timeout, this, &PlotBoard::describe);
    connect(m_canvas, &Canvas::resized, this, [this] {
        // Painted with the next event: during a layout Qt still treats the newly exposed area as covered.
        const bool isImmediate = m_canvas->plottingHints().testFlag(QCP::phImmediateRefresh);
        m_canvas->setPlottingHint(QCP::phImmediateRefresh, false);
        arrangePanels();
        m_canvas->setPlottingHint(QCP::phImmediateRefresh, isImmediate);
    });
    connect(m_followButton, &QPushButton::clicked, this, [this] { setFollow(FollowMode::All); });
    connect(m_throughputLine, &ThroughputLine::toggled, this, [this] {
        m_isThroughputUnfolded = !m_isThroughputUnfolded;
        m_throughputLine->setUnfolded(m_isThroughputUnfolded);
        arrangePanels();
    });

    makePanels();
    connectInteraction();
    connectCursors();
    connectAxes();
    connectLab();
    rebuildRuns();
    applyTheme();
    arrangePanels();
    describe();
}

PlotBoard::~PlotBoard() = default;

void PlotBoard::makePanels() {
    m_margins = new QCPMarginGroup(m_canvas);
    auto loss = std::make_unique<LossPanel>(m_canvas, m_margins);
    m_loss = loss.get();
    m_panels.push_back(std::move(loss));
    m_panels.push_back(std::make_unique<LossScalePanel>(m_canvas, m_margins));
    m_panels.push_back(std::make_unique<SkippedPanel>(m_canvas, m_margins));
    m_panels.push_back(std::make_unique<GradNormPanel>(m_canvas, m_margins));
    m_panels.push_back(std::make_unique<ThroughputPanel>(m_canvas, m_margins));
    for (const std::string& key : ChosenPanel::knownKeys()) makeChosen(key);
    m_plots = usualPlots();
    m_eventLines = new EventLines(m_canvas);
    m_flags = new FlagStrip(m_canvas, m_loss->rect());
    m_legend = new GlyphLegend(m_canvas);
    m_cursorLines = new CursorLines(m_canvas);
    m_endLabels = new EndLabels(m_canvas);
    m_crosshair = new Crosshair(m_canvas);
    m_crosshair->cursors = m_cursorLines;
}

void PlotBoard::connectLab() {
    connect(m_session, &SessionModel::recordsAppended, this, &PlotBoard::noteSteps);
    connect(m_session, &SessionModel::markersChanged, this, &PlotBoard::schedule);
    connect(m_session, &SessionModel::notesChanged, this, &PlotBoard::schedule);
    connect(m_session, &SessionModel::runChanged, this, &PlotBoard::schedule);
    connect(m_session, &SessionModel::selectionChanged, this, &PlotBoard::schedule);
    connect(m_session, &SessionModel::stateChanged, this, &PlotBoard::schedule);
    connect(m_session, &SessionModel::runsChanged, this, &PlotBoard::rebuildRuns);
    connect(m_session, &SessionModel::runRevealed, this, [this](int run) {
        // Without a visible window or without desktop animations, the whole line appears at once.
        if (isVisible() && style()->styleHint(QStyle::SH_Widget_Animation_Duration, nullptr, this) > 0) m_drawing[run].start();
    });
    const auto beginAgain = [this] {
        setFrozen(false);
        m_meanFrameMs = 0;
        const FollowMode before = m_view.mode();
        m_view.reset();
        m_traces.clear();
        m_drawing.clear();
        setHeld(false);
        pointAt(-1);
        rebuildRuns();
        viewChanged(before);
    };
    connect(m_session, &SessionModel::runRewound, this, [this](int run, qint64) {
        // A frozen view would show removed steps.
        setFrozen(false);
        if (const auto it = m_traces.find(run); it != m_traces.end()) it->second->restart();
        if (m_crosshair->step >= shownSteps()) setCursor(-1);
        schedule();
    });
    connect(m_session, &SessionModel::runThinned, this, [this](int run) {
        if (const auto it = m_traces.find(run); it != m_traces.end()) it->second->restart();
    });
    connect(m_session, &SessionModel::experimentLoaded, this, beginAgain);
    connect(m_session, &SessionModel::seriesReset, this, beginAgain);
}

void PlotBoard::connectInteraction() {
    connect(m_interaction, &PlotInteraction::gestureBegan, this, [this] { m_view.remember(viewedSteps()); });
    // The interaction counts the shown panels.
    connect(m_interaction, &PlotInteraction::xRequested, this, [this](int shown, const Span& x) {
        const FollowMode before = m_view.mode();
        const int panel = indexOf(m_shownPanels[static_cast<std::size_t>(shown)]);
        if (isLinked(panel)) return showX(x);
        m_view.showOwnX(panel, x, viewedSteps());
        viewChanged(before);
    });
    connect(m_interaction, &PlotInteraction::yRequested, this, [this](int shown, const Span& y) {
        const FollowMode before = m_view.mode();
        m_view.showY(indexOf(m_shownPanels[static_cast<std::size_t>(shown)]), y, viewedSteps());
        viewChanged(before);
    });
    connect(m_interaction, &PlotInteraction::fitRequested, this, &PlotBoard::fitAll);
    connect(m_interaction, &PlotInteraction::borderDragged, this, &PlotBoard::dragBorder);
    connect(m_interaction, &PlotInteraction::bandChanged, this, [this](const QRectF& band) {
        m_crosshair->band = band;
        m_crosshair->redraw();
    });
    connect(m_interaction, &PlotInteraction::pointed, this, [this](double x, QPointF place) {
        if (!m_isHeld) pointAt(std::isnan(x) ? -1 : stepAt(x));
        pointAtRun(place);
    });
    connect(m_interaction, &PlotInteraction::menuRequested, this, [this](double x, QPoint place) {
        if (shownSteps() == 0) return;
        const std::int64_t at = std::clamp<std::int64_t>(clickedStep(x), 0, shownSteps() - 1);
        askAt(at, place);
    });
    connect(m_interaction, &PlotInteraction::clicked, this, [this](double x) {
        // A click pins the crosshair, so that the pointer can move to the read-out; the next click releases it or pins another step.
        const std::int64_t at = clickedStep(x);
        const bool isSame = m_isHeld && at == m_crosshair->step;
        pointAt(at);
        setHeld(!isSame && m_crosshair->step >= 0);
    });
}

void PlotBoard::arrangePanels() {
    const std::vector<Panel*> before = std::exchange(m_shownPanels, {});
    std::vector<double> shares;
    const std::vector<PlotPlace> wanted = wantedPlots();
    for (const PlotPlace& place : wanted) {
        m_shownPanels.push_back(m_panels[static_cast<std::size_t>(indexOf(panelOf(place.key)))].get());
        shares.push_back(place.share);
    }
    for (const auto& panel : m_panels)
        panel->rect()->setVisible(std::find(m_shownPanels.begin(), m_shownPanels.end(), panel.get()) != m_shownPanels.end());
    m_throughputLine->setVisible(m_isCompact && m_alone.empty() && isChosen(keyOf(Metric::SamplesPerSecond)));

    QCPLayoutGrid* grid = m_canvas->plotLayout();
    while (grid->elementCount() > 0) grid->takeAt(0), grid->simplify();
    // A panel with an x axis of its own has step labels between the panels too.
    int others = 0;
    for (std::size_t i = 0; i + 1 < m_shownPanels.size(); ++i) others += labelsSteps(i) ? kInnerLabels : 0;
    const auto glyphRow = [](const Panel& panel) { return panel.hasGlyphRow() ? GlyphRow::kHeight : 0; };
    for (const Panel* panel : m_shownPanels) others += glyphRow(*panel);
    const BoardLayout layout = boardLayout(m_canvas->viewport().height() - others, m_isCompact, shares);
    grid->setRowSpacing(0);
    std::vector<QCPAxisRect*> rects;
    setPanelMargins();
    for (std::size_t i = 0; i < m_shownPanels.size(); ++i) {
        Panel* panel = m_shownPanels[i];
        const bool isLast = i + 1 == m_shownPanels.size();
        const int top = (i == 0 ? layout.firstTop : layout.top) + glyphRow(*panel), bottom = isLast           ? layout.bottom
                                                                                             : labelsSteps(i) ? kInnerLabels
                                                                                                              : 0;
        const int height = top + layout.heights[i] + bottom;
        grid->addElement(static_cast<int>(i), 0, panel->rect());
        panel->setMargins(top, bottom, (i == 0 ? FlagStrip::kHeight : 0) + glyphRow(*panel));
        panel->rect()->setMinimumSize(50, height);
        panel->rect()->setMaximumSize(QWIDGETSIZE_MAX, height);
        panel->rect()->setSizeConstraintRect(QCPLayoutElement::scrOuterRect);
        panel->setShowsStepLabels(labelsSteps(i));
        panel->setCompact(m_isCompact);
        panel->setPresenting(isPresenting());
        rects.push_back(panel->rect());
    }
    grid->setMargins({});
    grid->setAutoMargins(QCP::msNone);
    m_interaction->setRects(rects);
    m_eventLines->rects = rects;
    m_crosshair->rects = rects;
    m_cursorLines->rects = rects;
    m_flags->moveTo(rects.front(), glyphRow(*m_shownPanels.front()));
    m_legend->rect = rects.back();
    m_legend->isCompact = m_isCompact || isPresenting();
    refreshNow();
    if (m_shownPanels != before) emit plotsShown();
}

void PlotBoard::rebuildRuns() {
    std::erase_if(m_drawing, [this](const auto& entry) { return !m_session->run(entry.first); });
    for (auto it = m_traces.begin(); it != m_traces.end();) it = m_session->run(it->first) ? std::next(it) : m_traces.erase(it);
    for (const auto& run : m_session->runs()) {
        auto& trace = m_traces[run->id];
        if (!trace) trace = std::make_unique<RunTrace>();
        trace->run = run.get();
    }
    for (auto& [id, trace] : m_traces) {
        const RunState* parent = m_session->parentOf(*trace->run);
        trace->parent = parent ? m_traces.at(parent->id).get() : nullptr;
    }
    schedule();
}

void PlotBoard::applyTheme() {
    m_canvas->setBackground(QBrush(Theme::current().surface));
    for (const auto& panel : m_panels) panel->applyTheme();
    schedule();
}

void PlotBoard::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    placeOverlays();
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
    const bool isLeft = event->type() == QEvent::MouseButtonRelease && static_cast<QMouseEvent*>(event)->button() == Qt::LeftButton;
    if (isLeft || event->type() == QEvent::MouseMove) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        const QPointF at = m_canvas->toPlot(mouse->position());
        const auto [panel, part] = partAt(at);
        pointAtHeader(part == Part::Header ? panel : -1);
        pointAtMark(part == Part::Mark);
        if (isLeft && part == m_pressedPart) {
            const QPoint place = mouse->globalPosition().toPoint();
            if (part == Part::Header) showMenu(panel, part, place);
            if (part == Part::Mark) askAt(markAt(at)->firstStep, place, markAt(at)->run);
        }
    }
    if (event->type() == QEvent::MouseButtonPress)
        m_pressedPart = partAt(m_canvas->toPlot(static_cast<QMouseEvent*>(event)->position())).second;
    if (event->type() == QEvent::Leave) {
        pointAtHeader(-1);
        pointAtMark(false);
    }
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QPointF at = m_canvas->toPlot(help->pos());
        const QString flags = m_flags->textAt(at);
        showTip(help->globalPos(), flags.isEmpty() ? markText(at) : flags, m_canvas);
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

void PlotBoard::keyPressEvent(QKeyEvent* event) {
    const std::int64_t stride = event->modifiers().testFlag(Qt::ShiftModifier) ? 10 : 1;
    const std::int64_t from = m_crosshair->step >= 0 ? m_crosshair->step : shownSteps() - 1;
    const bool isStep = event->key() == Qt::Key_Left || event->key() == Qt::Key_Right;
    switch (event->key()) {
        case Qt::Key_Left:
            setCursor(sampleBeside(from, m_crosshair->step >= 0 ? -stride : 0));
            break;
        case Qt::Key_Right:
            setCursor(sampleBeside(from, m_crosshair->step >= 0 ? stride : 0));
            break;
        case Qt::Key_Escape:
            // Removes the crosshair first, then the cursors; locked cursors stay until their menu removes them.
            if (m_isHeld || cursorPair().isEmpty() || cursorPair().isLocked)
                setCursor(-1);
            else
                removeCursors();
            break;
        default:
            QWidget::keyPressEvent(event);
    }
    if (isStep) emit steppedByKey();
}

}  // namespace mantissa::gui
