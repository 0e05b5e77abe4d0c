// SPDX-License-Identifier: GPL-3.0-or-later
// The Diagnose layout: how it is opened, and the requests of its parts to the window.
#include <QVBoxLayout>
#include <vector>

#include "gui/app/main_window.h"
#include "gui/controls/number_text.h"

namespace mantissa::gui {
namespace {

/// Puts `late`, which was created last, and its children behind `part` in the tab order.
void putBehind(QWidget* part, QWidget* late) {
    std::vector<QWidget*> all{late};
    for (QWidget* child = late->nextInFocusChain(); late->isAncestorOf(child); child = child->nextInFocusChain())
        if (child->focusPolicy() != Qt::NoFocus) all.push_back(child);
    QWidget* before = nullptr;
    for (QWidget* child = part->nextInFocusChain(); part->isAncestorOf(child); child = child->nextInFocusChain())
        if (child->focusPolicy() != Qt::NoFocus) before = child;
    late->setFocusPolicy(
        Qt::TabFocus);  // Qt orders only widgets that take focus; when `late` is shown it gets the focus, and Tab continues from there
    for (QWidget* each : all) {
        if (before) QWidget::setTabOrder(before, each);
        before = each;
    }
    late->setFocusPolicy(Qt::NoFocus);
}

}  // namespace

void MainWindow::connectDiagnose() {
    const auto diagnosing = [this](void (DiagnosePage::*verb)()) {
        return [this, verb] {
            showLayout(WindowLayout::Diagnose);
            (diagnosePage()->*verb)();
        };
    };
    connect(m_actions->examineLast, &QAction::triggered, this, diagnosing(&DiagnosePage::examineLast));
    connect(m_actions->nextCaptured, &QAction::triggered, this, diagnosing(&DiagnosePage::next));
    connect(m_actions->previousCaptured, &QAction::triggered, this, diagnosing(&DiagnosePage::previous));
    connect(m_actions->forkCaptured, &QAction::triggered, this, diagnosing(&DiagnosePage::rewindAndFork));

    connect(m_diagnoseDock->gauges(), &GaugeList::levelRequested, this, [this](Instrumentation level) {
        m_instrumentation = level;
        m_engine->send(SetInstrumentation{level});
    });
    // Captured steps and gauges may be beside the plots before the page is created.
    connect(m_diagnoseDock->captured(), &CapturedList::chosen, this, [this](int run, qint64 step) { diagnosePage()->choose(run, step); });
    const auto showGauges = [this] {
        if (!m_diagnose) m_diagnoseDock->gauges()->show(m_session->selected());
    };
    connect(m_session, &SessionModel::selectionChanged, this, showGauges);
    connect(m_session, &SessionModel::experimentLoaded, this, showGauges);
    // Sent before anything is loaded.
    connect(m_engine, &EngineClient::started, this, [this] { m_engine->send(SetInstrumentation{m_instrumentation}); });
    connect(m_runs, &RunsDock::whyRequested, this, &MainWindow::diagnose);
    connect(m_verdict, &VerdictPanel::whyRequested, this, &MainWindow::diagnose);
    // Jumps between events work in both layouts.
    connect(m_events, &EventBar::jumpRequested, this, [this](qint64 step) {
        if (m_layout == WindowLayout::Diagnose) diagnosePage()->goTo(step);
    });

    m_pauseWatch = new PauseWatch(m_session, this);
    connect(m_diagnoseDock, &DiagnoseDock::pauseOnChosen, m_pauseWatch, &PauseWatch::setMode);
    connect(m_pauseWatch, &PauseWatch::pauseRequested, this, [this](int run, qint64 step) {
        const RunState* state = m_session->run(run);
        if (!state || !m_wantsTraining) return;  // it is about to pause already
        askTraining(Pause{}, false);
        m_status->say(tr("%1 skipped step %2: training is paused.").arg(state->name(), groupedText(step)));
        diagnosePage()->askWhenPaused(run, step);
    });
}

DiagnosePage* MainWindow::diagnosePage() {
    if (m_diagnose) return m_diagnose;
    m_diagnose = new DiagnosePage(m_session, m_engine, m_captured, m_measurements, m_centre);
    m_diagnose->setVisible(m_layout == WindowLayout::Diagnose);
    auto* centre = static_cast<QVBoxLayout*>(m_centre->layout());
    centre->insertWidget(centre->indexOf(m_board) + 1, m_diagnose, 1);
    connectDiagnosePage();
    putBehind(m_board, m_diagnose);
    m_diagnose->setEngineAlive(m_engine->isRunning());
    m_diagnose->setFrozen(m_board->isFrozen());
    m_diagnose->choose(m_session->selected(), -1);
    return m_diagnose;
}

void MainWindow::connectDiagnosePage() {
    connect(m_diagnose, &DiagnosePage::shownChanged, this, [this](int run, qint64 step) {
        m_diagnoseDock->captured()->showChosen({run, step});
        m_diagnoseDock->gauges()->show(run);
        m_actions->forkCaptured->setText(step < 0 ? Actions::tr("Rewind to the captured step and fork")
                                                  : tr("Rewind to step %1 and fork").arg(groupedText(step)));
        if (m_layout == WindowLayout::Diagnose && step >= 0) m_events->setStep(step);
    });
    connect(m_diagnose, &DiagnosePage::said, m_status, &StatusLine::say);
    connect(m_diagnose, &DiagnosePage::forkDialogRequested, this, [this](int run, qint64 step) { m_timeline->askFork(run, step, false); });
    connect(m_diagnose, &DiagnosePage::trainRequested, this, [this] { askTraining(Train{}, true); });
    connect(m_diagnose, &DiagnosePage::leaveRequested, this, [this] {
        if (m_session->state().state == LabState::Paused) return askTraining(Train{}, true);
        m_status->say(tr("Training continues unchanged."));
    });
    connect(m_engine, &EngineClient::started, m_diagnose, [this] { m_diagnose->setEngineAlive(true); });
    connect(m_engine, &EngineClient::lost, m_diagnose, [this] { m_diagnose->setEngineAlive(false); });
}

void MainWindow::diagnose(int run, qint64 step) {
    showLayout(WindowLayout::Diagnose);
    diagnosePage()->ask(run, step);
}

}  // namespace mantissa::gui
