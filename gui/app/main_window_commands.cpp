// SPDX-License-Identifier: GPL-3.0-or-later
// Connects the window's parts to each other and to the engine.
#include <QKeyEvent>
#include <QMenu>
#include <utility>

#include "engine/experiment/experiment.h"
#include "engine/precision/scaler.h"
#include "gui/app/help_pages.h"
#include "gui/app/main_window.h"
#include "gui/controls/experiment_words.h"
#include "gui/controls/number_text.h"
#include "gui/controls/run_style_menu.h"
#include "gui/plots/panel.h"

namespace mantissa::gui {

void MainWindow::askTraining(CommandBody command, bool wantsTraining) {
    m_wantsTraining = wantsTraining;
    m_unansweredCommand = m_engine->send(std::move(command));
    refreshRunActions();
}

bool MainWindow::hasEnded() const {
    const auto& runs = m_session->runs();
    return m_engine->isRunning() && m_session->state().state == LabState::Finished &&
           std::any_of(runs.begin(), runs.end(), [](const auto& run) { return run->isLive() && run->stopReason.isEmpty(); });
}

void MainWindow::trainMore() {
    const std::int64_t until = m_session->stepCount() + kMoreSteps;
    for (const auto& run : m_session->runs())
        if (run->isLive() && run->stopReason.isEmpty()) m_engine->change(run->id, QStringLiteral("/steps"), until, groupedText(until));
    askTraining(Train{}, true);
}

void MainWindow::syncWithState() {
    // Until the engine answers the latest request, its state is the previous one.
    const LabState state = m_session->state().state;
    if (m_unansweredCommand == 0 && (state == LabState::Paused || state == LabState::Training))
        m_wantsTraining = state == LabState::Training;
    refreshRunActions();
}

void MainWindow::connectView() {
    connect(m_actions->freeze, &QAction::toggled, this, &MainWindow::setFrozen);
    connect(m_board, &PlotBoard::frozenChanged, m_actions->freeze, &QAction::setChecked);
    connect(m_board, &PlotBoard::unseenStepsChanged, m_topBar, &TopBar::setUnseen);
    connect(m_actions->follow, &QAction::triggered, this, [this] {
        m_actions->freeze->setChecked(false);
        if (m_board->follow() == FollowMode::Manual) m_board->setFollow(FollowMode::All);
    });
    connect(m_actions->followAll, &QAction::triggered, this, [this] { m_board->setFollow(FollowMode::All); });
    connect(m_actions->followWindow, &QAction::triggered, this, [this] { m_board->setFollow(FollowMode::Window); });
    connect(m_actions->followManual, &QAction::triggered, this, [this] { m_board->setFollow(FollowMode::Manual); });
    connect(m_topBar, &TopBar::followChosen, m_board, &PlotBoard::setFollow);
    connect(m_board, &PlotBoard::followChanged, this, [this](FollowMode mode) {
        m_topBar->setFollow(mode);
        (mode == FollowMode::All      ? m_actions->followAll
         : mode == FollowMode::Window ? m_actions->followWindow
                                      : m_actions->followManual)
            ->setChecked(true);
    });
    connect(m_actions->fit, &QAction::triggered, m_board, &PlotBoard::fitAll);
    connect(m_actions->previousView, &QAction::triggered, m_board, &PlotBoard::previousView);
    connect(m_actions->nextView, &QAction::triggered, m_board, &PlotBoard::nextView);
    connect(m_actions->architecture, &QAction::triggered, this, [this] { showArchitecturePage(this, m_session, m_engine); });
    connect(m_actions->crosshair, &QAction::triggered, m_board, &PlotBoard::cycleCrosshair);
    connect(m_topBar, &TopBar::crosshairChosen, m_board, &PlotBoard::setCrosshairMode);
    connect(m_board, &PlotBoard::crosshairModeChanged, m_topBar, &TopBar::setCrosshairMode);
    m_topBar->setCrosshairMode(m_board->crosshairMode());
    const auto smoothReadout = [this] {
        m_readout->setSmoothing(m_board->smoothingOf(keyOf(Metric::Loss)), m_board->smoothingOf(keyOf(Metric::SamplesPerSecond)));
    };
    connect(m_board, &PlotBoard::linesSmoothed, m_readout, smoothReadout);
    smoothReadout();
    // Plots, read-out and event jumps share the step pointed at.
    connect(m_board, &PlotBoard::cursorMoved, m_readout, &ReadoutPanel::setStep);
    connect(m_board, &PlotBoard::heldChanged, m_readout, &ReadoutPanel::setHeld);
    connect(m_readout, &ReadoutPanel::releaseRequested, this, [this] { m_board->setCursor(-1); });
    connect(m_board, &PlotBoard::cursorMoved, m_events, &EventBar::setStep);
    connect(m_events, &EventBar::jumpRequested, m_board, &PlotBoard::setCursor);
    connect(m_actions->nextEvent, &QAction::triggered, m_events, &EventBar::jumpToNext);
    connect(m_actions->previousEvent, &QAction::triggered, m_events, &EventBar::jumpToPrevious);
    connect(m_actions->firstNonFinite, &QAction::triggered, m_events, &EventBar::jumpToFirstNonFinite);
    connectAxes();
}

void MainWindow::connectRun() {
    connect(m_actions->train, &QAction::triggered, this, [this] {
        // Toggles the latest request: a second press cancels the first, answered or not. A rewind in progress is stopped.
        if (hasEnded()) return trainMore();
        if (m_session->rewinding()) m_brokenOff = m_unansweredCommand;
        m_wantsTraining || m_session->rewinding() ? askTraining(Pause{}, false) : askTraining(Train{}, true);
    });
    connect(m_actions->step, &QAction::triggered, this, [this] { askTraining(SingleStep{}, false); });
    connect(m_actions->reset, &QAction::triggered, this, [this] { askTraining(ResetExperiment{}, false); });
    connect(m_actions->restore, &QAction::triggered, this, [this] {
        m_wantsTraining = false;
        m_engine->load(QString::fromStdString(m_session->experiment().name), m_session->originalText());
        experimentAsked();
    });
    connect(m_actions->lockstep, &QAction::triggered, this, [this](bool on) { m_engine->send(SetLockstep{on}); });
    const auto setPace = [this](double pace) {
        m_options.pace = pace;
        m_engine->send(SetPace{pace});
    };
    for (const double pace : paces()) m_actions->pace->addAction(paceText(pace), this, [setPace, pace] { setPace(pace); });
    connect(m_topBar, &TopBar::paceChosen, this, setPace);
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
    connect(m_session, &SessionModel::stylesRequested, this, &MainWindow::refreshRunActions);
    connect(m_actions->previousRun, &QAction::triggered, this, [this] { selectNeighbour(-1); });
    connect(m_actions->nextRun, &QAction::triggered, this, [this] { selectNeighbour(1); });
    connect(m_actions->scaleUp, &QAction::triggered, this, [this] { stepScale(1); });
    connect(m_actions->scaleDown, &QAction::triggered, this, [this] { stepScale(-1); });
    connect(m_actions->inject, &QAction::triggered, this, [this] { injectInf(); });
}

void MainWindow::connectEngine() {
    connect(m_engine, &EngineClient::started, this, [this] {
        m_lostBanner->hide();
        m_topBar->setEngineAlive(true);
        m_runs->setEngineAlive(true);
        m_status->setEngineAlive(true);
        refreshRunActions();
    });
    connect(m_engine, &EngineClient::lost, this, &MainWindow::engineLost);
    m_restart = m_lostBanner->addButton(tr("Restart from the beginning"), QStringLiteral("restart"));
    connect(m_restart, &QPushButton::clicked, this, [this] {
        m_notice->hide();
        m_engine->restart();
        experimentAsked();
    });
    connect(m_lostBanner->addButton(tr("Keep looking"), QStringLiteral("eye")), &QPushButton::clicked, m_lostBanner, &QWidget::hide);
    connect(m_notice->addButton(tr("Close"), {}), &QPushButton::clicked, m_notice, &QWidget::hide);

    connect(m_session, &SessionModel::greeted, this, &MainWindow::announceTakeover);
    connect(m_session, &SessionModel::greeted, this, [this] {
        m_actions->bundled->clear();
        for (const BundledExperiment& bundled : m_session->hello().experiments) {
            const ShownWords words = shownWords(bundled);
            QAction* action = m_actions->bundled->addAction(words.title, this,
                                                            [this, name = QString::fromStdString(bundled.name)] { openBundled(name); });
            action->setToolTip(words.text());
        }
        m_actions->bundled->setToolTipsVisible(true);
        m_actions->bundled->setEnabled(!m_session->hello().experiments.empty());
    });
    connect(m_session, &SessionModel::experimentLoaded, this, [this] {
        if (m_player->isLoading()) m_wantsTraining = false;  // the lesson decides how far to train
        if (m_wantsTraining) askTraining(Train{}, true);
        m_actions->freeze->setChecked(false);
        const QString title = m_session->experiment().title.empty() ? QString() : shownWords(m_session->experiment()).title;
        setWindowTitle(title.isEmpty() ? tr("Mantissa") : tr("%1 - Mantissa").arg(title));
        refreshRunActions();
    });
    connect(m_session, &SessionModel::seriesReset, this, [this] { m_actions->freeze->setChecked(false); });
    connect(m_session, &SessionModel::stateChanged, this, &MainWindow::syncWithState);
    connect(m_engine, &EngineClient::answered, this, [this](quint64 commandId) {
        if (commandId != m_unansweredCommand) return;
        m_unansweredCommand = 0;
        syncWithState();
    });
    connect(m_session, &SessionModel::runsChanged, this, &MainWindow::refreshRunActions);
    // Headings of refusals.
    connect(m_engine, &EngineClient::sent, this, [this](quint64 commandId, const CommandBody& body) {
        if (std::holds_alternative<LoadExperiment>(body))
            m_headlines[commandId] = tr("The experiment was not opened");
        else if (std::holds_alternative<OpenRecording>(body))
            m_headlines[commandId] = tr("The recording was not opened");
        else if (std::holds_alternative<ImportRuns>(body))
            m_headlines[commandId] = tr("Nothing was imported");
        else if (std::holds_alternative<WatchTraining>(body))
            m_headlines[commandId] = tr("No training can be watched");
    });
    connect(m_engine, &EngineClient::answered, this, [this](quint64 commandId) { m_headlines.remove(commandId); });
    // A refused setting is shown beside its control; other refusals (a file, a name) are shown above the plots.
    connect(m_session, &SessionModel::refused, this, [this](int run, const QString& pointer, const QString& sentence, quint64 commandId) {
        if (m_engine->isAsked(commandId)) return;
        if (commandId != 0 && commandId == m_brokenOff) return m_status->say(tr("Paused on the way: it goes on with the next step."));
        if (std::exchange(m_isRecovering, false)) m_wantsTraining = !m_options.startsPaused;  // training starts as usual
        if (run < 0 && m_picker && m_picker->isWaiting()) return m_picker->takeRefusal(pointer, sentence);
        if (!m_session->run(run) || !RunControls::speaksFor(pointer))
            announceUnopened(
                std::exchange(m_isPasting, false) ? tr("What was pasted was not opened") : m_headlines.value(commandId, tr("Not done")),
                pointer.isEmpty() ? sentence : tr("At %1: %2").arg(pointer, sentence));
    });
}

void MainWindow::engineLost(const QString& reason, const QString& lastWords) {
    m_topBar->setEngineAlive(false);
    m_runs->setEngineAlive(false);
    m_status->setEngineAlive(false);
    m_unansweredCommand = 0;
    refreshRunActions();
    const qint64 steps = m_session->stepCount();
    if (m_engine->hasLostDevice() && m_failedDevice.isEmpty() && m_session->device())
        m_failedDevice = QString::fromStdString(m_session->device()->name);
    const QString headline =
        steps > 0 ? tr("The engine stopped at step %1: %2.").arg(groupedText(steps), reason) : tr("The engine stopped: %1.").arg(reason);
    const QString detail =
        steps > 0
            ? tr("Everything up to step %1 is still here: plots, read-out and pictures of them go on working.").arg(groupedText(steps - 1))
            : tr("Nothing has been trained yet, so nothing is lost.");
    m_faultText = headline;
    // Restarts automatically only if steps were trained since the last failure; otherwise it would fail again and again.
    if (m_engine->hasLostDevice()) {
        const auto [title, stepsThen] = std::exchange(m_lastFault, {windowTitle(), steps});
        if (title != windowTitle() || steps > stepsThen) return startAgain(headline, lastWords);
    }
    const bool goesOn = !m_engine->resumable().isEmpty();
    // The text names no step: with a full disk the file ends before the last step shown.
    m_restart->setText(goesOn ? tr("Restart and go on from the last recorded step") : tr("Restart from the beginning"));
    m_restart->setAccessibleName(m_restart->text());
    m_lostBanner->announce(headline, detail, lastWords.isEmpty() ? QString() : tr("Last words of the engine"), lastWords);
}

void MainWindow::startAgain(const QString& headline, const QString& lastWords) {
    const QString detail = m_engine->resumable().isEmpty() ? tr("It was started again, from the beginning.")
                                                           : tr("It was started again and goes on from the last recorded step.");
    m_notice->announce(headline, detail, tr("Last words of the engine"), lastWords);
    m_faultText += u' ' + detail;
    // after all receivers have handled the loss of the engine
    QMetaObject::invokeMethod(
        this,
        [this] {
            m_engine->restart();
            experimentAsked();
        },
        Qt::QueuedConnection);
}

void MainWindow::announceTakeover() {
    const QString failed = std::exchange(m_failedDevice, {});
    const DeviceInfo* device = m_session->device();
    if (failed.isEmpty() || !device || failed == QString::fromStdString(device->name)) return;
    // The reason of the failed GPU, or that of the first unavailable one.
    QString reason;
    for (const DeviceInfo& each : m_session->hello().devices)
        if (!each.available && (reason.isEmpty() || failed == QString::fromStdString(each.name)))
            reason = QString::fromStdString(each.reason);
    m_notice->announce(tr("%1 takes over from %2: %3.").arg(QString::fromStdString(device->name).toUpper(), failed.toUpper(), reason),
                       m_faultText);
}

void MainWindow::refreshRunActions() {
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
    m_actions->rewindAll->setEnabled(isAlive && std::any_of(runs.begin(), runs.end(), [](const auto& run) { return run->isLive(); }));
    for (QAction* action : {m_actions->rewindRun, m_actions->fork, m_actions->whatIf})
        action->setEnabled(isAlive && m_timeline && m_timeline->subject());
    for (QAction* action :
         {m_actions->recordings, m_actions->openRecording, m_actions->importRuns, m_actions->importFolder, m_actions->watch})
        action->setEnabled(isAlive);
    for (QAction* action : {m_actions->save, m_actions->copyExperiment})
        action->setEnabled(std::any_of(runs.begin(), runs.end(), [](const auto& run) { return !run->isWatched(); }));
    m_actions->pasteExperiment->setEnabled(isAlive);
    m_actions->note->setEnabled(isAlive && !m_session->runs().empty());
    refreshUndo();
    m_actions->examineLast->setEnabled(isAlive && chosen && (chosen->isOwn() || chosen->canAskProbe()));
}

void MainWindow::setFrozen(bool frozen) {
    m_board->setFrozen(frozen);
    m_topBar->setFrozen(frozen);
    m_verdict->setFrozen(frozen);
    m_text->setFrozen(frozen);
    m_status->setFrozen(frozen);
    if (m_diagnose) m_diagnose->setFrozen(frozen);
}

void MainWindow::selectNeighbour(int by) {
    const auto& runs = m_session->runs();
    const auto it = std::find_if(runs.begin(), runs.end(), [this](const auto& run) { return run->id == m_session->selected(); });
    if (it == runs.end()) return;
    const auto index = (it - runs.begin()) + by;
    if (index < 0 || index >= static_cast<std::ptrdiff_t>(runs.size())) return;
    m_session->select(runs[static_cast<std::size_t>(index)]->id);
    m_board->flash(m_session->selected());
}

void MainWindow::stepScale(int powers) {
    const RunState* run = m_session->run(m_session->selected());
    if (!run) return;
    const ScalerPreset* preset = scalerPreset(run->info.scalerPreset);
    if (!preset || !preset->skipsOnFoundInf()) {
        m_status->say(tr("The loss of %1 is not scaled.").arg(run->name()));
        return;
    }
    gui::stepScale(*m_engine, *run, powers);
}

void MainWindow::injectInf() {
    const RunState* run = m_session->run(m_session->selected());
    if (run) m_engine->change(run->id, QString::fromLatin1(kInjectInputPointer), "inf", tr("an Inf in the next batch"));
}

void MainWindow::keyPressEvent(QKeyEvent* event) {
    const int number = event->key() - Qt::Key_1;
    if (event->modifiers() == Qt::NoModifier && number >= 0 && number < 9) {
        if (number >= static_cast<int>(m_session->runs().size())) return;
        m_session->select(m_session->runs()[static_cast<std::size_t>(number)]->id);
        m_board->flash(m_session->selected());
        return;
    }
    QMainWindow::keyPressEvent(event);
}

}  // namespace mantissa::gui
