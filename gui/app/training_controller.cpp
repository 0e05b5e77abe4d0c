// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/training_controller.h"

#include <QMenu>
#include <algorithm>
#include <utility>

#include "engine/experiment/experiment.h"
#include "gui/controls/number_text.h"
#include "gui/controls/run_style_menu.h"

namespace mantissa::gui {

TrainingController::TrainingController(const WindowParts& parts) : WindowParts(parts) {
    connectRuns();
    connectState();
}

void TrainingController::ask(CommandBody command, bool wantsTraining) {
    m_wantsTraining = wantsTraining;
    m_unansweredCommand = m_engine->send(std::move(command));
    refresh();
}

bool TrainingController::hasEnded() const {
    const auto& runs = m_session->runs();
    return m_engine->isRunning() && m_session->state().state == LabState::Finished &&
           std::ranges::any_of(runs, [](const auto& run) { return run->isLive() && run->stopReason.isEmpty(); });
}

void TrainingController::trainMore() {
    const std::int64_t until = m_session->stepCount() + kMoreSteps;
    for (const auto& run : m_session->runs())
        if (run->isLive() && run->stopReason.isEmpty()) m_engine->change(run->id, QStringLiteral("/steps"), until, groupedText(until));
    ask(Train{}, true);
}

void TrainingController::syncWithState() {
    // Until the engine answers the latest request, its state is the previous one.
    const LabState state = m_session->state().state;
    if (m_unansweredCommand == 0 && (state == LabState::Paused || state == LabState::Training))
        m_wantsTraining = state == LabState::Training;
    refresh();
}

void TrainingController::connectRuns() {
    connect(m_actions->train, &QAction::triggered, this, [this] {
        // Toggles the latest request: a second press cancels the first, answered or not. A rewind in progress is stopped.
        if (hasEnded()) return trainMore();
        if (m_session->rewinding()) m_brokenOff = m_unansweredCommand;
        m_wantsTraining || m_session->rewinding() ? ask(Pause{}, false) : ask(Train{}, true);
    });
    connect(m_actions->step, &QAction::triggered, this, [this] { ask(SingleStep{}, false); });
    connect(m_actions->reset, &QAction::triggered, this, [this] { ask(ResetExperiment{}, false); });
    connect(m_actions->restore, &QAction::triggered, this, [this] {
        m_wantsTraining = false;
        m_engine->load(QString::fromStdString(m_session->experiment().name), m_session->originalText());
        experimentAsked();
    });
    connect(m_actions->lockstep, &QAction::triggered, this, [this](bool on) { m_engine->send(SetLockstep{on}); });
    for (const double pace : paces()) m_actions->pace->addAction(paceText(pace), this, [this, pace] { setPace(pace); });
    connect(m_topBar, &TopBar::paceChosen, this, &TrainingController::setPace);
    connect(m_actions->add, &QAction::triggered, this, [this] { m_engine->send(DuplicateRun{m_session->selected()}); });
    connect(m_actions->rename, &QAction::triggered, m_runs, &RunsDock::renameSelected);
    connect(m_actions->remove, &QAction::triggered, this, [this] { m_engine->send(RemoveRun{m_session->selected()}); });
    connect(m_actions->hide, &QAction::triggered, this, [this] {
        if (const RunState* run = m_session->run(m_session->selected())) m_session->setHidden(run->id, !run->isHidden);
    });
    connect(m_actions->moveRunUp, &QAction::triggered, this, [this] { moveRun(m_session, m_engine, m_session->selected(), -1); });
    connect(m_actions->moveRunDown, &QAction::triggered, this, [this] { moveRun(m_session, m_engine, m_session->selected(), 1); });
    connect(m_actions->runStyle, &QMenu::aboutToShow, this,
            [this] { fillStyleMenu(m_actions->runStyle, m_session, m_engine, m_session->selected()); });
    connect(m_actions->previousRun, &QAction::triggered, this, [this] { selectNeighbour(-1); });
    connect(m_actions->nextRun, &QAction::triggered, this, [this] { selectNeighbour(1); });
    connect(m_actions->scaleUp, &QAction::triggered, this, [this] { stepScale(1); });
    connect(m_actions->scaleDown, &QAction::triggered, this, [this] { stepScale(-1); });
    connect(m_actions->inject, &QAction::triggered, this, [this] {
        if (const RunState* run = m_session->run(m_session->selected()))
            m_engine->change(run->id, QString::fromLatin1(kInjectInputPointer), "inf", tr("an Inf in the next batch"));
    });
}

void TrainingController::connectState() {
    connect(m_session, &SessionModel::experimentLoaded, this, [this] {
        if (m_player->isLoading()) m_wantsTraining = false;  // the lesson decides how far to train
        if (m_wantsTraining) ask(Train{}, true);
        refresh();
    });
    connect(m_session, &SessionModel::stateChanged, this, &TrainingController::syncWithState);
    connect(m_engine, &EngineClient::answered, this, [this](quint64 commandId) {
        if (commandId != m_unansweredCommand) return;
        m_unansweredCommand = 0;
        syncWithState();
    });
    connectEach(m_session, this, &TrainingController::refresh, &SessionModel::runsChanged, &SessionModel::stylesRequested,
                &SessionModel::selectionChanged, &SessionModel::rewindingChanged);
}

void TrainingController::experimentAsked() {
    m_engine->send(SetPace{m_pace});
    m_engine->send(SetLockstep{m_actions->lockstep->isChecked()});
}

void TrainingController::setPace(double pace) {
    m_pace = pace;
    m_engine->send(SetPace{pace});
}

void TrainingController::dropRequest() {
    m_unansweredCommand = 0;
    refresh();
}

void TrainingController::refresh() {
    const bool isAlive = m_engine->isRunning();
    const LabState state = m_session->state().state;
    const RunState* chosen = m_session->run(m_session->selected());
    const bool hasRun = chosen != nullptr, hasLiveRun = chosen && chosen->isLive();
    const bool canTrain = isAlive && (state == LabState::Paused || state == LabState::Training);
    const bool isBusy = m_wantsTraining || m_session->rewinding();
    m_actions->train->setText(hasEnded()           ? tr("Train %1 more steps").arg(groupedText(kMoreSteps))
                              : canTrain && isBusy ? tr("Pause training")
                                                   : tr("Train"));
    m_actions->train->setEnabled(canTrain || hasEnded());
    m_topBar->setWantsTraining(isBusy);
    m_actions->step->setEnabled(canTrain);
    m_actions->create->setEnabled(isAlive);
    const bool hasOwn = m_session->hasOwnRuns();
    m_actions->reset->setEnabled(isAlive && hasOwn);
    m_actions->restore->setEnabled(m_actions->reset->isEnabled() && !m_session->originalText().isEmpty());
    m_actions->lockstep->setEnabled(isAlive);
    m_actions->lockstep->setChecked(m_session->state().lockstep);
    for (QAction* action : {m_actions->add, m_actions->scaleUp, m_actions->scaleDown, m_actions->inject})
        action->setEnabled(isAlive && hasLiveRun);
    m_actions->rename->setEnabled(isAlive && hasRun);
    m_actions->remove->setEnabled(isAlive && m_session->runs().size() > 1);
    m_actions->hide->setEnabled(hasRun);
    m_actions->moveRunUp->setEnabled(isAlive && hasRun && canMoveRun(*m_session, chosen->id, -1));
    m_actions->moveRunDown->setEnabled(isAlive && hasRun && canMoveRun(*m_session, chosen->id, 1));
    m_actions->runStyle->setEnabled(isAlive && hasRun && !chosen->isWhatIf());
    m_actions->keepCheckpoint->setEnabled(isAlive && hasRun && chosen->isOwn());
    const auto& runs = m_session->runs();
    m_actions->rewindAll->setEnabled(isAlive && std::ranges::any_of(runs, &RunState::isLive));
    for (QAction* action : {m_actions->rewindRun, m_actions->fork, m_actions->whatIf}) action->setEnabled(isAlive && m_timeline->subject());
    for (QAction* action :
         {m_actions->recordings, m_actions->openRecording, m_actions->importRuns, m_actions->importFolder, m_actions->watch})
        action->setEnabled(isAlive);
    for (QAction* action : {m_actions->save, m_actions->copyExperiment})
        action->setEnabled(std::ranges::any_of(runs, [](const auto& run) { return !run->isWatched(); }));
    m_actions->pasteExperiment->setEnabled(isAlive);
    m_actions->note->setEnabled(isAlive && !m_session->runs().empty());
    m_actions->examineLast->setEnabled(isAlive && chosen && (chosen->isOwn() || chosen->canAskProbe()));
    emit refreshed();
}

void TrainingController::selectNeighbour(int by) {
    const auto& runs = m_session->runs();
    const auto it = std::ranges::find(runs, m_session->selected(), &RunState::id);
    if (it == runs.end()) return;
    selectAt((it - runs.begin()) + by);
}

void TrainingController::selectAt(std::ptrdiff_t index) {
    const auto& runs = m_session->runs();
    if (index < 0 || index >= std::ssize(runs)) return;
    m_session->select(runs[static_cast<std::size_t>(index)]->id);
    m_board->highlight().flash(m_session->selected());
}

void TrainingController::stepScale(int powers) {
    const RunState* run = m_session->run(m_session->selected());
    if (!run) return;
    if (!hasLossScaler(run->info)) return m_status->say(tr("The loss of %1 is not scaled.").arg(run->name()));
    gui::stepScale(*m_engine, *run, powers);
}

}  // namespace mantissa::gui
