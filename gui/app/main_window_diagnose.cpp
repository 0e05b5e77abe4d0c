// SPDX-License-Identifier: GPL-3.0-or-later
// The Diagnose layout: the ways into it, and what its parts ask of the window.
#include "gui/app/main_window.h"
#include "gui/controls/number_text.h"

namespace mantissa::gui {

void MainWindow::connectDiagnose() {
    const auto diagnosing = [this](void (DiagnosePage::*verb)()) {
        return [this, verb] {
            showLayout(WindowLayout::Diagnose);
            (m_diagnose->*verb)();
        };
    };
    connect(m_actions->examineLast, &QAction::triggered, this, diagnosing(&DiagnosePage::examineLast));
    connect(m_actions->nextCaptured, &QAction::triggered, this, diagnosing(&DiagnosePage::next));
    connect(m_actions->previousCaptured, &QAction::triggered, this, diagnosing(&DiagnosePage::previous));
    connect(m_actions->forkCaptured, &QAction::triggered, this, diagnosing(&DiagnosePage::rewindAndFork));

    connect(m_diagnoseDock->captured(), &CapturedList::chosen, m_diagnose, &DiagnosePage::choose);
    connect(m_diagnose, &DiagnosePage::shownChanged, this, [this](int run, qint64 step) {
        m_diagnoseDock->captured()->showChosen({run, step});
        m_diagnoseDock->gauges()->show(run);
    });
    connect(m_diagnoseDock->gauges(), &GaugeList::levelWished, this, [this](Instrumentation level) {
        m_looks = level;
        m_engine->send(SetInstrumentation{level});
    });
    connect(m_lab, &Lab::experimentLoaded, this, &MainWindow::wantLooks);
    connect(m_diagnose, &DiagnosePage::said, m_status, &StatusLine::say);
    connect(m_diagnose, &DiagnosePage::forkDialogWished, this, [this](int run, qint64 step) { m_tape->askFork(run, step, false); });
    connect(m_diagnose, &DiagnosePage::leaveWished, this, [this] {
        if (m_lab->state().state == LabState::Paused) return askTraining(Train{}, true);
        m_status->say(tr("Training goes on as it is."));
    });
    connect(m_runs, &RunsDock::whyWished, this, &MainWindow::diagnose);
    connect(m_verdict, &VerdictPanel::whyWished, this, &MainWindow::diagnose);
    // The jumps from event to event lead through both layouts.
    connect(m_events, &EventBar::jumpRequested, this, [this](qint64 step) {
        if (m_layout == WindowLayout::Diagnose) m_diagnose->goTo(step);
    });
    connect(m_diagnose, &DiagnosePage::shownChanged, this, [this](int, qint64 step) {
        if (m_layout == WindowLayout::Diagnose && step >= 0) m_events->setStep(step);
    });
    connect(m_engine, &EngineClient::started, this, [this] { m_diagnose->setEngineAlive(true); });
    connect(m_engine, &EngineClient::lost, this, [this] { m_diagnose->setEngineAlive(false); });

    m_pauseWatch = new PauseWatch(m_lab, this);
    connect(m_diagnoseDock, &DiagnoseDock::pauseOnChosen, m_pauseWatch, &PauseWatch::setMode);
    connect(m_pauseWatch, &PauseWatch::pauseWished, this, [this](int run, qint64 step) {
        const RunState* state = m_lab->run(run);
        if (!state || !m_wantsTraining) return;  // it is pausing already
        askTraining(Pause{}, false);
        m_status->say(tr("%1 skipped step %2: training is paused.").arg(state->name(), groupedText(step)));
        m_diagnose->askWhenPaused(run, step);
    });
}

void MainWindow::diagnose(int run, qint64 step) {
    showLayout(WindowLayout::Diagnose);
    m_diagnose->ask(run, step);
}

void MainWindow::wantLooks() {
    // Explore costs nothing; the instruments below the cards want something to show.
    const bool isWanted = m_layout == WindowLayout::Diagnose || m_looks != Instrumentation::Sampled;
    if (isWanted && m_engine->isRunning() && m_lab->state().instrumentation != m_looks) m_engine->send(SetInstrumentation{m_looks});
}

}  // namespace mantissa::gui
