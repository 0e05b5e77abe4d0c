// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/diagnose_controller.h"

#include <vector>

#include "gui/app/training_controller.h"
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

DiagnoseController::DiagnoseController(const WindowParts& parts, TrainingController* training)
    : WindowParts(parts), m_training(training), m_pauseWatch(new PauseWatch(m_session, this)) {
    const auto diagnosing = [this](void (DiagnosePage::*verb)()) {
        return [this, verb] {
            m_layouts->show(WindowLayout::Diagnose);
            (page()->*verb)();
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
    connect(m_diagnoseDock->captured(), &CapturedList::chosen, this, [this](int run, qint64 step) { page()->choose(run, step); });
    const auto showGauges = [this] {
        if (!m_page) m_diagnoseDock->gauges()->show(m_session->selected());
    };
    connectEach(m_session, this, showGauges, &SessionModel::selectionChanged, &SessionModel::experimentLoaded);
    // Sent before anything is loaded.
    connect(m_engine, &EngineClient::started, this, [this] { m_engine->send(SetInstrumentation{m_instrumentation}); });
    connect(m_runs, &RunsDock::whyRequested, this, &DiagnoseController::ask);
    connect(m_verdict, &VerdictPanel::whyRequested, this, &DiagnoseController::ask);
    // Jumps between events work in both layouts.
    connect(m_events, &EventBar::jumpRequested, this, [this](qint64 step) {
        if (m_layouts->base() == WindowLayout::Diagnose) page()->goTo(step);
    });

    connect(m_diagnoseDock, &DiagnoseDock::pauseOnChosen, m_pauseWatch, &PauseWatch::setMode);
    connect(m_pauseWatch, &PauseWatch::pauseRequested, this, [this](int run, qint64 step) {
        const RunState* state = m_session->run(run);
        if (!state || !m_training->wantsTraining()) return;  // it is about to pause already
        m_training->ask(Pause{}, false);
        m_status->say(tr("%1 skipped step %2: training is paused.").arg(state->name(), groupedText(step)));
        page()->askWhenPaused(run, step);
    });
}

DiagnosePage* DiagnoseController::page() {
    if (m_page) return m_page;
    m_page = new DiagnosePage(m_session, m_engine, m_captured, m_measurements, m_centre);
    m_page->setVisible(m_layouts->base() == WindowLayout::Diagnose);
    auto* centre = static_cast<QVBoxLayout*>(m_centre->layout());
    centre->insertWidget(centre->indexOf(m_board) + 1, m_page, 1);
    connectPage();
    putBehind(m_board, m_page);
    m_page->setEngineAlive(m_engine->isRunning());
    m_page->setFrozen(m_board->steps().isFrozen());
    m_page->choose(m_session->selected(), -1);
    return m_page;
}

void DiagnoseController::connectPage() {
    connect(m_page, &DiagnosePage::shownChanged, this, [this](int run, qint64 step) {
        m_diagnoseDock->captured()->showChosen({run, step});
        m_diagnoseDock->gauges()->show(run);
        m_actions->forkCaptured->setText(step < 0 ? Actions::tr("Rewind to the captured step and fork")
                                                  : tr("Rewind to step %1 and fork").arg(groupedText(step)));
        if (m_layouts->base() == WindowLayout::Diagnose && step >= 0) m_events->setStep(step);
    });
    connect(m_page, &DiagnosePage::said, m_status, &StatusLine::say);
    connect(m_page, &DiagnosePage::forkDialogRequested, this, [this](int run, qint64 step) { m_timeline->askFork(run, step, false); });
    connect(m_page, &DiagnosePage::trainRequested, this, [this] { m_training->ask(Train{}, true); });
    connect(m_page, &DiagnosePage::leaveRequested, this, [this] {
        if (m_session->state().state == LabState::Paused) return m_training->ask(Train{}, true);
        m_status->say(tr("Training continues unchanged."));
    });
    connect(m_actions->freeze, &QAction::toggled, m_page, &DiagnosePage::setFrozen);
    connect(m_engine, &EngineClient::started, this, [this] { m_page->setEngineAlive(true); });
    connect(m_engine, &EngineClient::lost, this, [this] { m_page->setEngineAlive(false); });
}

void DiagnoseController::ask(int run, qint64 step) {
    m_layouts->show(WindowLayout::Diagnose);
    page()->ask(run, step);
}

}  // namespace mantissa::gui
