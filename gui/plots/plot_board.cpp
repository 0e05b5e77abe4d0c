// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/plot_board.h"

#include <QElapsedTimer>
#include <QEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QPushButton>
#include <QTimer>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "gui/app/icon.h"
#include "gui/app/theme.h"
#include "gui/plots/canvas.h"
#include "gui/plots/crosshair.h"
#include "gui/plots/event_lines.h"
#include "gui/plots/hands.h"
#include "gui/plots/metric_panels.h"
#include "gui/plots/overlays.h"
#include "gui/plots/scaler_panels.h"

namespace mantissa::gui {

PlotBoard::PlotBoard(Lab* lab, QWidget* parent)
    : QWidget(parent),
      m_lab(lab),
      m_canvas(new Canvas(this)),
      m_hands(new Hands(m_canvas)),
      m_followButton(new QPushButton(tr("Follow"), this)),
      m_frozenTab(new FrozenTab(this)),
      m_empty(new EmptyState(this)),
      m_throughputLine(new ThroughputLine(this)),
      m_frameTimer(new QTimer(this)),
      m_describeTimer(new QTimer(this)) {
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
    // Screen readers need the words now and then, not sixty times a second.
    m_describeTimer->setSingleShot(true);
    m_describeTimer->setInterval(1000);
    connect(m_describeTimer, &QTimer::timeout, this, &PlotBoard::describe);
    connect(m_canvas, &Canvas::resized, this, &PlotBoard::arrangePanels);
    connect(m_followButton, &QPushButton::clicked, this, [this] { setFollow(FollowMode::All); });
    connect(m_throughputLine, &ThroughputLine::toggled, this, [this] {
        m_isThroughputUnfolded = !m_isThroughputUnfolded;
        m_throughputLine->setUnfolded(m_isThroughputUnfolded);
        arrangePanels();
    });

    makePanels();
    connectHands();
    connectLab();
    rebuildRuns();
    applyTheme();
    arrangePanels();
}

PlotBoard::~PlotBoard() = default;

void PlotBoard::makePanels() {
    auto* margins = new QCPMarginGroup(m_canvas);
    auto loss = std::make_unique<LossPanel>(m_canvas, margins);
    m_loss = loss.get();
    m_panels.push_back(std::move(loss));
    m_panels.push_back(std::make_unique<LossScalePanel>(m_canvas, margins));
    m_panels.push_back(std::make_unique<SkippedPanel>(m_canvas, margins));
    m_panels.push_back(std::make_unique<GradNormPanel>(m_canvas, margins));
    m_panels.push_back(std::make_unique<ThroughputPanel>(m_canvas, margins));
    m_eventLines = new EventLines(m_canvas);
    m_flags = new FlagStrip(m_canvas, m_loss->rect());
    m_legend = new GlyphLegend(m_canvas);
    m_crosshair = new Crosshair(m_canvas);
}

void PlotBoard::connectLab() {
    connect(m_lab, &Lab::recordsAppended, this, &PlotBoard::noteSteps);
    connect(m_lab, &Lab::markersChanged, this, &PlotBoard::schedule);
    connect(m_lab, &Lab::runChanged, this, &PlotBoard::schedule);
    connect(m_lab, &Lab::selectionChanged, this, &PlotBoard::schedule);
    connect(m_lab, &Lab::runsChanged, this, &PlotBoard::rebuildRuns);
    const auto beginAnew = [this] {
        setFrozen(false);
        const FollowMode before = m_view.mode();
        m_view.reset();
        m_traces.clear();
        m_isPinned = false;
        pointAt(-1);
        rebuildRuns();
        viewChanged(before);
    };
    connect(m_lab, &Lab::experimentLoaded, this, beginAnew);
    connect(m_lab, &Lab::seriesReset, this, beginAnew);
}

void PlotBoard::connectHands() {
    connect(m_hands, &Hands::gestureBegan, this, [this] { m_view.remember(shownSteps()); });
    connect(m_hands, &Hands::xWished, this, [this](const Span& x) {
        const FollowMode before = m_view.mode();
        m_view.showX(x, shownSteps());
        viewChanged(before);
    });
    connect(m_hands, &Hands::yWished, this, [this](int panel, const Span& y) {
        const FollowMode before = m_view.mode();
        m_view.showY(panel, y, shownSteps());
        viewChanged(before);
    });
    connect(m_hands, &Hands::fitWished, this, &PlotBoard::fitAll);
    connect(m_hands, &Hands::bandChanged, this, [this](const QRectF& band) {
        m_crosshair->band = band;
        m_crosshair->redraw();
    });
    connect(m_hands, &Hands::pointed, this, [this](double step) {
        if (!m_isPinned) pointAt(std::isnan(step) ? -1 : std::llround(step));
    });
    connect(m_hands, &Hands::clicked, this, [this](double step) {
        // A click holds the crosshair, so that the pointer may leave for the read-out; the next one lets go or holds another step.
        const std::int64_t at = std::llround(step);
        m_isPinned = !(m_isPinned && at == m_crosshair->step);
        pointAt(at);
    });
}

void PlotBoard::arrangePanels() {
    const bool foldsThroughput = m_isCompact && !m_isThroughputUnfolded;
    m_shownPanels.clear();
    for (const auto& panel : m_panels) m_shownPanels.push_back(panel.get());
    if (foldsThroughput) m_shownPanels.pop_back();
    m_panels.back()->rect()->setVisible(!foldsThroughput);
    m_throughputLine->setVisible(m_isCompact);

    QCPLayoutGrid* grid = m_canvas->plotLayout();
    while (grid->elementCount() > 0) grid->takeAt(0), grid->simplify();
    const BoardLayout layout = boardLayout(m_canvas->height(), m_isCompact, static_cast<int>(m_shownPanels.size()));
    grid->setRowSpacing(0);
    std::vector<QCPAxisRect*> rects;
    // A folded panel still takes part in the common margins.
    for (const auto& panel : m_panels) panel->rect()->setMinimumMargins(m_isCompact ? QMargins(53, 0, 10, 0) : QMargins(68, 0, 14, 0));
    for (std::size_t i = 0; i < m_shownPanels.size(); ++i) {
        Panel* panel = m_shownPanels[i];
        const bool isLast = i + 1 == m_shownPanels.size();
        const int top = i == 0 ? layout.firstTop : layout.top, bottom = isLast ? layout.bottom : 0;
        const int height = top + layout.heights[i] + bottom;
        grid->addElement(static_cast<int>(i), 0, panel->rect());
        panel->setMargins(top, bottom, i == 0 ? FlagStrip::kHeight : 0);
        panel->rect()->setMinimumSize(50, height);
        panel->rect()->setMaximumSize(QWIDGETSIZE_MAX, height);
        panel->rect()->setSizeConstraintRect(QCPLayoutElement::scrOuterRect);
        panel->setShowsStepLabels(isLast);
        panel->setCompact(m_isCompact);
        rects.push_back(panel->rect());
    }
    grid->setMargins({});
    grid->setAutoMargins(QCP::msNone);
    m_hands->setRects(rects);
    m_eventLines->rects = rects;
    m_crosshair->rects = rects;
    m_legend->rect = rects.back();
    m_legend->isCompact = m_isCompact;
    refreshNow();
}

void PlotBoard::rebuildRuns() {
    for (auto it = m_traces.begin(); it != m_traces.end();) it = m_lab->run(it->first) ? std::next(it) : m_traces.erase(it);
    for (const auto& run : m_lab->runs()) {
        auto& trace = m_traces[run->id];
        if (!trace) {
            trace = std::make_unique<RunTrace>();
            trace->run = run.get();
            trace->setSmoothing(m_smoothing);
        }
        trace->run = run.get();
    }
    schedule();
}

void PlotBoard::applyTheme() {
    m_canvas->setBackground(QBrush(Theme::current().surface));
    for (const auto& panel : m_panels) panel->applyTheme();
    schedule();
}

std::int64_t PlotBoard::shownSteps() const {
    return isFrozen() ? m_frozenSteps : m_lab->stepCount();
}

PlotFrame PlotBoard::makeFrame() const {
    PlotFrame frame;
    frame.shownSteps = shownSteps();
    frame.x = m_view.x(frame.shownSteps);
    frame.selected = m_lab->selected();
    for (const auto& run : m_lab->runs())
        if (const auto it = m_traces.find(run->id); it != m_traces.end()) frame.runs.push_back(it->second.get());
    return frame;
}

void PlotBoard::schedule() {
    // However much there is to draw, half of the time stays free for the rest of the window.
    if (m_frameTimer->isActive()) return;
    // Counted from the last frame, not from now: what arrives after a pause is drawn at once.
    const int interval = std::max(kFrameMs, 2 * m_lastFrameMs);
    const qint64 passed = m_sinceFrame.isValid() ? m_sinceFrame.elapsed() : interval;
    m_frameTimer->start(static_cast<int>(std::max<qint64>(0, interval - passed)));
}

void PlotBoard::noteSteps() {
    if (isFrozen()) {
        const std::int64_t unseen = m_lab->stepCount() - m_frozenSteps;
        m_frozenTab->setCounts(m_frozenSteps - 1, unseen);
        placeOverlays();
        emit unseenStepsChanged(unseen);
        return;
    }
    schedule();
}

void PlotBoard::refreshNow() {
    m_frameTimer->stop();
    m_sinceFrame.start();
    for (auto& [id, trace] : m_traces) trace->follow();
    // Marks are put on pixels, so everything needs its place before it is filled.
    m_canvas->layOut();
    const PlotFrame frame = makeFrame();
    for (std::size_t i = 0; i < m_panels.size(); ++i)
        if (m_panels[i]->rect()->visible()) m_panels[i]->refresh(frame, m_view.y(static_cast<int>(i)));
    refreshEvents();
    refreshCrosshair();
    if (m_isCompact) m_throughputLine->setTraces(frame.runs, frame.shownSteps);
    m_canvas->replot(QCustomPlot::rpRefreshHint);
    placeOverlays();
    if (!m_describeTimer->isActive()) m_describeTimer->start();
    m_lastFrameMs = static_cast<int>(m_sinceFrame.elapsed());
}

void PlotBoard::refreshEvents() {
    std::vector<const Marker*> markers;
    m_eventLines->steps.clear();
    for (const Marker& marker : m_lab->markers()) {
        const RunState* run = m_lab->run(marker.run);
        if (run && !run->isHidden && marker.step < std::max<std::int64_t>(shownSteps(), 1)) markers.push_back(&marker);
    }
    std::stable_sort(markers.begin(), markers.end(), [](const Marker* a, const Marker* b) { return a->step < b->step; });
    for (const Marker* marker : markers) m_eventLines->steps.push_back(marker->step);
    m_flags->setMarkers(*m_lab, std::move(markers), m_view.x(shownSteps()), !m_isCompact);
}

void PlotBoard::refreshCrosshair() {
    m_crosshair->dots.clear();
    if (m_crosshair->step < 0) return;
    for (const Panel* panel : m_shownPanels)
        for (const auto& run : m_lab->runs()) {
            if (run->isHidden) continue;
            const double y = panel->cursorY(*m_traces.at(run->id), m_crosshair->step);
            if (std::isfinite(y)) m_crosshair->dots.push_back({panel->rect(), y, run->identity});
        }
}

void PlotBoard::pointAt(std::int64_t step) {
    const std::int64_t count = shownSteps();
    m_crosshair->step = step < 0 || count == 0 || m_crosshairMode == CrosshairMode::Off ? -1 : std::min(step, count - 1);
    refreshCrosshair();
    m_crosshair->redraw();
    sendCursor();
}

void PlotBoard::sendCursor() {
    const bool isPointing = m_crosshair->step >= 0 && m_crosshairMode == CrosshairMode::Values;
    const std::int64_t step = isPointing ? m_crosshair->step : isFrozen() ? m_frozenSteps - 1 : -1;
    if (std::exchange(m_sentCursor, step) != step) emit cursorMoved(step);
}

std::int64_t PlotBoard::cursor() const {
    return m_crosshair->step;
}

void PlotBoard::setCursor(std::int64_t step) {
    if (step >= 0 && m_crosshairMode == CrosshairMode::Off) setCrosshairMode(CrosshairMode::Values);
    m_isPinned = step >= 0;
    pointAt(step);
    const Span x = m_view.x(shownSteps());
    const auto at = static_cast<double>(m_crosshair->step);
    if (step < 0 || x.contains(at)) return;
    const FollowMode before = m_view.mode();
    m_view.remember(shownSteps());
    m_view.showX({at - x.length() / 2, at + x.length() / 2}, shownSteps());
    viewChanged(before);
}

QPixmap PlotBoard::toPixmap(double scale) {
    refreshNow();
    return m_canvas->toPixmap(m_canvas->width(), m_canvas->height(), scale);
}

void PlotBoard::describe() {
    const PlotFrame frame = makeFrame();
    QStringList parts;
    for (const Panel* panel : m_shownPanels) parts << panel->description(frame);
    m_canvas->setAccessibleDescription(parts.join(u'\n'));
}

void PlotBoard::placeOverlays() {
    const QRect area = m_canvas->geometry();
    m_followButton->adjustSize();
    m_followButton->move(area.right() - 60 - m_followButton->width(), area.bottom() - m_followButton->height() - (m_isCompact ? 0 : 2));
    m_followButton->raise();
    m_frozenTab->move(width() - kEdge - m_frozenTab->width() - 62, height() - kEdge - m_frozenTab->height());
    m_frozenTab->raise();
    const bool isEmpty = m_lab->stepCount() == 0;
    if (isEmpty) {
        if (m_lab->runs().empty())
            m_empty->setTexts(tr("No runs yet"), tr("Open an experiment, or add a run: each one gets its own line here."));
        else
            m_empty->setTexts(tr("Ready to train"),
                              tr("Start training, or take a single step. Each run draws its own line, step by step."));
        m_empty->setGeometry(m_loss->rect()->rect().translated(area.topLeft()));
        m_empty->raise();
    }
    m_empty->setVisible(isEmpty);
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

void PlotBoard::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.fillRect(rect(), theme.surface);
    if (!isFrozen() && !m_showsFocus) return;
    QPen pen(isFrozen() ? theme.frozenEdge : theme.accent, isFrozen() ? kEdge : 2);
    pen.setJoinStyle(Qt::MiterJoin);
    painter.setPen(pen);
    const double inset = pen.widthF() / 2;
    painter.drawRect(QRectF(rect()).adjusted(inset, inset, -inset, -inset));
}

bool PlotBoard::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) {
        const Qt::FocusReason reason = static_cast<QFocusEvent*>(event)->reason();
        m_showsFocus = event->type() == QEvent::FocusIn && (reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason);
        update();
    }
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), m_flags->textAt(help->pos()), m_canvas);
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

void PlotBoard::keyPressEvent(QKeyEvent* event) {
    const std::int64_t stride = event->modifiers().testFlag(Qt::ShiftModifier) ? 10 : 1;
    const std::int64_t from = m_crosshair->step >= 0 ? m_crosshair->step : shownSteps() - 1;
    switch (event->key()) {
        case Qt::Key_Left:
            setCursor(std::max<std::int64_t>(0, from - (m_crosshair->step >= 0 ? stride : 0)));
            break;
        case Qt::Key_Right:
            setCursor(from + (m_crosshair->step >= 0 ? stride : 0));
            break;
        case Qt::Key_Home:
            fitAll();
            break;
        case Qt::Key_Backspace:
            previousView();
            break;
        case Qt::Key_Escape:
            setCursor(-1);
            break;
        default:
            QWidget::keyPressEvent(event);
    }
}

}  // namespace mantissa::gui
