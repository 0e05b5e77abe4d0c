// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline's actions at the crosshair, and recordings.
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMimeData>
#include <algorithm>
#include <utility>

#include "gui/app/main_window.h"
#include "gui/controls/number_text.h"
#include "gui/exports/plot_clipboard.h"
#include "gui/plots/event_model.h"

namespace mantissa::gui {
namespace {

QString shortName(const std::string& path) {
    return QFileInfo(QString::fromStdString(path)).fileName();
}

}  // namespace

void MainWindow::connectTimeline() {
    m_timeline = new Timeline(m_session, m_engine, this);
    connect(m_timeline, &Timeline::rewindAsked, this, [this](const RewindRuns& command) { askTraining(command, false); });
    connect(m_timeline, &Timeline::said, m_status, &StatusLine::say);
    connect(m_actions->rewindAll, &QAction::triggered, this,
            [this] { atHeldStep([this](std::int64_t step) { m_timeline->rewindAll(step); }); });
    connect(m_actions->rewindRun, &QAction::triggered, this,
            [this] { atHeldStep([this](std::int64_t step) { m_timeline->rewind(m_session->selected(), step); }); });
    connect(m_actions->fork, &QAction::triggered, this,
            [this] { atCrosshair([this](std::int64_t step) { m_timeline->askFork(m_session->selected(), step, false); }); });
    connect(m_actions->whatIf, &QAction::triggered, this,
            [this] { atCrosshair([this](std::int64_t step) { m_timeline->askFork(m_session->selected(), step, true); }); });
    connect(m_board, &PlotBoard::menuRequested, this, [this](qint64 step, QPoint place, int marked) {
        const RunState* run = m_session->run(marked);
        showTimelineMenu(step, run ? run : m_timeline->subject(), place, true);
    });
    connect(m_events, &EventBar::menuRequested, this,
            [this](int run, qint64 step, QPoint place) { showTimelineMenu(step, m_session->run(run), place, false); });
    connect(m_actions->keepCheckpoint, &QAction::triggered, this, [this] { m_engine->send(KeepCheckpoint{m_session->selected()}); });
    connect(m_events, &EventBar::rewindRequested, m_timeline, &Timeline::rewind);
    connect(m_events, &EventBar::forkRequested, this, [this](int run, qint64 step) { m_timeline->askFork(run, step, false); });
    connect(m_runs, &RunsDock::rewindRequested, m_timeline, &Timeline::rewind);
    connect(m_topBar, &TopBar::timelineMenuRequested, this,
            [this](QPoint place) { showTimelineMenu(m_board->cursor(), m_timeline->subject(), place, false); });
    connect(m_topBar, &TopBar::stepChosen, m_board, &PlotBoard::setCursor);
    connect(m_board, &PlotBoard::cursorMoved, m_topBar, [this] { m_topBar->setChosenStep(m_board->cursor()); });
    connect(m_session, &SessionModel::rewindingChanged, this, &MainWindow::refreshRunActions);
    connect(m_session, &SessionModel::selectionChanged, this, &MainWindow::refreshRunActions);
    connect(m_session, &SessionModel::runRewound, this, [this](int run, qint64 step) {
        const RunState* state = m_session->run(run);
        // Rewinds in a recording that is being opened, or in a log that is read again, were not made now.
        if (state && !m_engine->isOpening() && !state->isRecorded())
            m_status->say(tr("%1 is before step %2 again.").arg(state->name(), groupedText(step)));
    });
    connect(m_session, &SessionModel::runCaughtUp, this, [this](int run, qint64, qint64 differsAt) {
        const RunState* state = m_session->run(run);
        if (state && differsAt >= 0)
            m_notice->announce(tr("%1 did not repeat itself").arg(state->name()),
                               tr("Step %1 came out differently on the way back: what follows may differ from the first time.")
                                   .arg(groupedText(differsAt)));
    });
}

void MainWindow::atCrosshair(const std::function<void(std::int64_t)>& verb) {
    if (m_board->cursor() < 0) return m_status->say(tr("Choose a step first: point at it or click it in the plots."));
    verb(m_board->cursor());
}

void MainWindow::atHeldStep(const std::function<void(std::int64_t)>& verb) {
    if (m_board->heldStep() < 0)
        return m_status->say(tr("Click the step in the plots first: what was trained from there on will be gone."));
    verb(m_board->heldStep());
}

void MainWindow::showTimelineMenu(qint64 step, const RunState* run, QPoint place, bool isOnPlots) {
    QMenu menu(this);
    m_timeline->fillMenu(&menu, step, run && run->isOwn() ? run : nullptr);
    QAction* const afterHeading = menu.actions().value(1);
    // On the plots the runs whose step was lost there come first, then the selected one.
    std::vector<const RunState*> subjects;
    for (const auto& each : m_session->runs())
        if (isOnPlots && each->isOwn() && !each->isHidden && isLostAt(*each, step)) subjects.push_back(each.get());
    const bool isListed = std::find(subjects.begin(), subjects.end(), run) != subjects.end();
    if (!isListed && run && run->isOwn() && step >= run->info.firstStep && step < run->stepCount()) subjects.push_back(run);
    for (const RunState* subject : subjects) {
        auto* why = new QAction(themedIcon(QStringLiteral("info")),
                                tr("Why? Examine step %1 of %2").arg(groupedText(step), subject->name()), &menu);
        connect(why, &QAction::triggered, this, [this, id = subject->id, step] { diagnose(id, step); });
        why->setEnabled(m_engine->isRunning());
        menu.insertAction(afterHeading, why);
    }
    if (!subjects.empty()) menu.insertSeparator(afterHeading);
    addNoteVerbs(&menu, step);
    if (isOnPlots) {
        const int panel = m_board->pointedPanel();
        const auto addCopy = [&](const QString& text, CopyAs as) {
            menu.addAction(text, this, [this, panel, as] { m_status->say(copyPlot(m_session, *m_board, panel, as)); });
        };
        menu.addSeparator();
        addCopy(tr("Copy plot as picture"), CopyAs::Picture);
        addCopy(tr("Copy plot as table"), CopyAs::Table);
        menu.addAction(m_actions->exporting);
    }
    menu.exec(place);
}

void MainWindow::connectRecordings() {
    // Without a default folder, the engine's command line decides whether it records.
    const bool hasFolder = !m_sessionMemory.recordingsFolder().isEmpty();
    m_actions->record->setChecked(hasFolder && m_sessionMemory.wantsRecording());
    m_actions->record->setEnabled(hasFolder);
    connect(m_actions->record, &QAction::toggled, this, [this](bool on) {
        m_sessionMemory.setWantsRecording(on);
        m_engine->setRecordingsFolder(m_sessionMemory.recordingsFolder(), on);
        m_status->say(on ? tr("Recordings are kept from the next start of the engine on.")
                         : tr("No recordings are kept from the next start of the engine on."));
    });
    connect(m_actions->recordings, &QAction::triggered, this, &MainWindow::showRecordings);
    connect(m_status, &StatusLine::recordingsRequested, this, &MainWindow::showRecordings);
    connect(m_actions->openRecording, &QAction::triggered, this, [this] {
        const QString path =
            QFileDialog::getOpenFileName(this, tr("Open recording"), m_sessionMemory.recordingsFolder(), tr("Recordings (*.mantissa)"));
        if (!path.isEmpty()) openRecording(path);
    });
    connect(m_actions->importRuns, &QAction::triggered, this, [this] {
        const QStringList paths = QFileDialog::getOpenFileNames(
            this, tr("Import runs to view"), {},
            tr("Runs (*.csv *.jsonl *tfevents* *.wandb *.db *.log *trainer_state.json *.mantissa *.mprobe);;All files (*)"));
        for (const QString& path : paths) importRuns(path);
    });
    connect(m_actions->importFolder, &QAction::triggered, this, [this] {
        const QString folder = QFileDialog::getExistingDirectory(this, tr("Import all runs of a folder"));
        if (!folder.isEmpty()) importRuns(folder);
    });
    m_actions->followLogs->setChecked(m_sessionMemory.followsLogs());
    connect(m_actions->followLogs, &QAction::toggled, this, [this](bool on) {
        m_sessionMemory.setFollowsLogs(on);
        m_status->say(on ? tr("Logs that are imported from now on are followed while they grow.")
                         : tr("Logs that are imported from now on are read once."));
    });
    connect(m_actions->watch, &QAction::triggered, this, &MainWindow::showWatching);
    connect(m_session, &SessionModel::recordingChanged, this, &MainWindow::recordingChanged);
    connect(m_session, &SessionModel::recordingOpened, this, &MainWindow::recordingOpened);
    // They belong to the previous experiment; a recording's message is shown again after loading.
    for (Banner* banner : {m_recovered, m_readOnly}) connect(m_session, &SessionModel::experimentLoaded, banner, &QWidget::hide);
    connect(m_recovered->addButton(tr("Go on with it"), {}), &QPushButton::clicked, m_recovered, &QWidget::hide);
    connect(m_recovered->addButton(tr("Start afresh"), {}), &QPushButton::clicked, this, [this] {
        m_wantsTraining = !m_options.startsPaused;
        openBundled(kDefaultExperiment);
    });
    connect(m_readOnly->addButton(tr("Close"), {}), &QPushButton::clicked, m_readOnly, &QWidget::hide);
}

void MainWindow::recover() {
    const QString path = m_sessionMemory.unfinished();
    m_wantsTraining = false;  // the recorded steps are shown first
    m_isRecovering = true;
    m_engine->open(path);
    experimentAsked();
}

void MainWindow::openRecording(const QString& path) {
    m_notice->hide();
    m_wantsTraining = false;
    m_engine->open(QFileInfo(path).absoluteFilePath());
    experimentAsked();
    refreshRunActions();
}

void MainWindow::showWatching() {
    if (m_watching) {
        m_watching->raise();
        return m_watching->activateWindow();
    }
    m_wantsTraining = m_wantsTraining && m_session->state().state == LabState::Training;
    m_watching = new WatchDialog(m_session, m_engine, this);
    connect(m_watching, &WatchDialog::fileRequested, this, [this] {
        const QString path = QFileDialog::getOpenFileName(this, tr("Open a probe's file"), {}, tr("Files of a probe (*.mprobe)"));
        if (!path.isEmpty()) importRuns(path);
    });
    m_watching->show();
}

void MainWindow::openFile(const QString& path) {
    const QString suffix = QFileInfo(path).suffix().toLower();
    if (QFileInfo(path).fileName() == QStringLiteral("trainer_state.json")) return importRuns(path);
    if (suffix == QStringLiteral("json")) return openExperiment(path);
    if (suffix == QStringLiteral("mantissa")) return openRecording(path);
    if (suffix == QStringLiteral("md")) return openLesson(path);
    importRuns(path);
}

void MainWindow::importRuns(const QString& path) {
    const QFileInfo file(path);
    if (m_engine->send(ImportRuns{.path = file.absoluteFilePath().toStdString(), .follows = m_actions->followLogs->isChecked()}) == 0)
        m_notice->announce(tr("%1 was not imported").arg(file.fileName()), tr("The engine has stopped: restart it to import runs."));
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    for (const QUrl& url : event->mimeData()->urls())
        if (url.isLocalFile()) openFile(url.toLocalFile());
    event->acceptProposedAction();
}

void MainWindow::showRecordings() {
    if (!m_recordings) {
        m_recordings = new RecordingsPage(m_session, m_engine, this);
        connect(m_recordings, &RecordingsPage::openRequested, this, &MainWindow::openRecording);
    }
    m_recordings->show();
    m_recordings->raise();
    m_recordings->activateWindow();
}

void MainWindow::recordingChanged() {
    const RecordingChanged& recording = m_session->recording();
    if (!m_isRecovering)
        m_sessionMemory.noteRecording(QString::fromStdString(recording.path));  // until then the previous recording may still be needed
    const QString problem = QString::fromStdString(recording.problem);
    if (std::exchange(m_recordingProblem, problem) != problem && !problem.isEmpty())
        m_notice->announce(tr("The recording has a problem"), tr("%1 Training continues.").arg(problem));
}

void MainWindow::recordingOpened() {
    const RecordingOpened& opened = *m_session->opened();
    const QString name = shortName(opened.path);
    const bool isRecovered = std::exchange(m_isRecovering, false);
    if (isRecovered)
        m_recovered->announce(tr("The window did not end properly last time"),
                              tr("What was recorded then is here again, from %1: nothing but the last moment is lost.").arg(name));
    if (opened.whyReadOnly.empty())
        m_status->say(tr("Opened %1, written by version %2.").arg(name, QString::fromStdString(opened.version)));
    else
        m_readOnly->announce(tr("%1 opens read-only").arg(name), QString::fromStdString(opened.whyReadOnly));
    if (opened.whyReadOnly.empty() && !opened.missing.empty() && !isRecovered)
        m_readOnly->announce(name, QString::fromStdString(opened.missing));
}

}  // namespace mantissa::gui
