// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/scale_strip.h"

#include <QMouseEvent>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "gui/controls/number_text.h"
#include "gui/plots/crosshair.h"
#include "gui/plots/scaler_panels.h"

namespace mantissa::gui {
namespace {
constexpr int kStripMs = 50, kStripBottom = 22;
}  // namespace

ScaleStrip::ScaleStrip(const SessionModel* session, QWidget* parent)
    : QWidget(parent), m_session(session), m_canvas(new Canvas(this)), m_timer(kStripMs) {
    setFixedHeight(kHeight);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_canvas);
    m_canvas->setMinimumSize(100, kHeight);
    m_canvas->setFocusPolicy(Qt::NoFocus);  // the list of captured steps has the keyboard access
    m_canvas->setAccessibleName(tr("Loss scale"));
    m_canvas->installEventFilter(this);
    auto* margins = new QCPMarginGroup(m_canvas);
    m_panel = std::make_unique<LossScalePanel>(m_canvas, margins);
    m_panel->title().setVisible(false);
    m_panel->rect()->setMinimumMargins(QMargins(36, 0, 24, 0));
    m_canvas->plotLayout()->addElement(0, 0, m_panel->rect());
    m_canvas->plotLayout()->setMargins({});
    m_canvas->plotLayout()->setAutoMargins(QCP::msNone);
    m_panel->setMargins(GlyphRow::kHeight + 2, kStripBottom, 0);
    m_panel->xAxis()->setTickLabels(true);
    m_mark = new Crosshair(m_canvas);
    m_mark->rects = {m_panel->rect()};
    connect(&m_timer, &QTimer::timeout, this, &ScaleStrip::refreshNow);
    connect(m_canvas, &Canvas::resized, this, &ScaleStrip::refreshNow);
    connect(session, &SessionModel::recordsAppended, this, [this] {
        if (isVisible() && m_frozenSteps < 0) m_timer.begin();
    });
    connect(session, &SessionModel::runRewound, this, &ScaleStrip::restart);
    connect(session, &SessionModel::seriesReset, this, &ScaleStrip::restart);
    // The previous runs may be deleted before the next signal.
    connect(session, &SessionModel::experimentLoaded, this, [this] { show(-1, -1); });
    connect(session, &SessionModel::runsChanged, this, &ScaleStrip::restart);
    applyTheme();
}

ScaleStrip::~ScaleStrip() = default;

void ScaleStrip::show(RunId run, std::int64_t step) {
    if (run != m_run) m_frozenSteps = -1;
    m_run = run;
    m_step = step;
    restart();
}

bool ScaleStrip::hasScale() const {
    const RunState* run = m_session->run(m_run);
    return run && (run->firstScaled >= 0 || (!run->isRecorded() && run->info.scalerPreset != "none"));
}

void ScaleStrip::setFrozen(bool frozen) {
    const RunState* run = m_session->run(m_run);
    m_frozenSteps = frozen && run ? run->stepCount() : -1;
    m_timer.begin();
}

void ScaleStrip::restart() {
    m_trace.run = m_session->run(m_run);
    if (!m_trace.run) m_run = -1, m_step = -1;
    m_timer.begin();
}

void ScaleStrip::refreshNow() {
    m_timer.stop();
    if (!isVisible()) return;
    m_canvas->layOut();
    PlotFrame frame;
    m_trace.run = m_session->run(m_run);
    if (m_trace.run) {
        m_trace.shownSteps = m_frozenSteps < 0 ? m_trace.run->stepCount() : std::min(m_frozenSteps, m_trace.run->stepCount());
        frame.runs = {&m_trace};
        frame.x = {static_cast<double>(m_trace.run->info.firstStep),
                   static_cast<double>(std::max(m_trace.shownSteps, m_trace.run->info.firstStep + 10))};
    }
    m_panel->refresh(frame, {});
    m_mark->step = m_step;
    m_mark->x = static_cast<double>(m_step);
    m_mark->label = groupedText(m_step);
    m_mark->dots.clear();
    if (m_trace.run && m_step >= 0 && m_step < m_trace.shownSteps) {
        const double y = m_panel->cursorY(m_trace, m_step);
        if (std::isfinite(y)) m_mark->dots.push_back({m_panel->rect(), m_mark->x, y, m_trace.run->identity});
    }
    m_canvas->setAccessibleDescription(m_panel->description(frame));
    m_canvas->replot(QCustomPlot::rpRefreshHint);
}

void ScaleStrip::applyTheme() {
    m_canvas->setBackground(QBrush(Theme::current().raised));
    m_panel->applyTheme();
    m_timer.begin();
}

void ScaleStrip::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) applyTheme();
}

void ScaleStrip::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    m_timer.begin();
}

bool ScaleStrip::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::MouseButtonPress && m_session->run(m_run)) {
        const double step = m_panel->xAxis()->pixelToCoord(static_cast<QMouseEvent*>(event)->position().x());
        if (step >= 0) emit stepChosen(std::llround(step));
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace mantissa::gui
