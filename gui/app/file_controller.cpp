// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/file_controller.h"

#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QMenu>
#include <QSaveFile>
#include <filesystem>
#include <string>
#include <utility>

#include "engine/experiment/experiment.h"
#include "gui/app/training_controller.h"
#include "gui/controls/experiment_words.h"
#include "gui/exports/destination.h"
#include "gui/exports/plot_clipboard.h"

namespace mantissa::gui {

FileController::FileController(const WindowParts& parts, TrainingController* training) : WindowParts(parts), m_training(training) {
    connectFiles();
    connectImports();
    connectRecordings();
    connectRefusals();
}

void FileController::connectFiles() {
    connect(m_actions->create, &QAction::triggered, this, &FileController::newExperiment);
    connect(m_actions->open, &QAction::triggered, this, [this] {
        const QString path = QFileDialog::getOpenFileName(m_window, tr("Open experiment"), {}, tr("Experiments (*.json)"));
        if (!path.isEmpty()) openExperiment(path);
    });
    connect(m_actions->save, &QAction::triggered, this, &FileController::saveExperiment);
    connect(m_actions->exporting, &QAction::triggered, this, &FileController::showExport);
    connect(m_actions->copyPlot, &QAction::triggered, this,
            [this] { m_status->say(copyPlot(m_session, *m_board, m_board->pointer().panel(), CopyAs::Both)); });
    connect(m_topBar, &TopBar::experimentChosen, this, [this](const QString& name) {
        if (!name.isEmpty()) openBundled(name);
    });
    connect(m_actions->copyExperiment, &QAction::triggered, this, [this] {
        QGuiApplication::clipboard()->setText(m_session->experimentText());
        m_status->say(tr("Copied the current experiment as text."));
    });
    connect(m_actions->pasteExperiment, &QAction::triggered, this, &FileController::pasteExperiment);
    connect(m_session, &SessionModel::experimentLoaded, this, [this] { m_isPasting = false; });
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
}

void FileController::connectImports() {
    connect(m_actions->openRecording, &QAction::triggered, this, [this] {
        const QString path = QFileDialog::getOpenFileName(m_window, tr("Open recording"), m_sessionMemory->recordingsFolder(),
                                                          tr("Recordings (*.mantissa)"));
        if (!path.isEmpty()) openRecording(path);
    });
    connect(m_actions->importRuns, &QAction::triggered, this, [this] {
        const QStringList paths = QFileDialog::getOpenFileNames(
            m_window, tr("Import runs to view"), {},
            tr("Runs (*.csv *.jsonl *tfevents* *.wandb *.db *.log *trainer_state.json *.mantissa *.mprobe);;All files (*)"));
        for (const QString& path : paths) importRuns(path);
    });
    connect(m_actions->importFolder, &QAction::triggered, this, [this] {
        const QString folder = QFileDialog::getExistingDirectory(m_window, tr("Import all runs of a folder"));
        if (!folder.isEmpty()) importRuns(folder);
    });
    m_actions->followLogs->setChecked(m_sessionMemory->followsLogs());
    connect(m_actions->followLogs, &QAction::toggled, this, [this](bool on) {
        m_sessionMemory->setFollowsLogs(on);
        m_status->say(on ? tr("Logs that are imported from now on are followed while they grow.")
                         : tr("Logs that are imported from now on are read once."));
    });
    connect(m_actions->watch, &QAction::triggered, this, &FileController::showWatching);
}

void FileController::connectRecordings() {
    // Without a default folder, the engine's command line decides whether it records.
    const bool hasFolder = !m_sessionMemory->recordingsFolder().isEmpty();
    m_actions->record->setChecked(hasFolder && m_sessionMemory->wantsRecording());
    m_actions->record->setEnabled(hasFolder);
    connect(m_actions->record, &QAction::toggled, this, [this](bool on) {
        m_sessionMemory->setWantsRecording(on);
        m_engine->setRecordingsFolder(m_sessionMemory->recordingsFolder(), on);
        m_status->say(on ? tr("Recordings are kept from the next start of the engine on.")
                         : tr("No recordings are kept from the next start of the engine on."));
    });
    connect(m_actions->recordings, &QAction::triggered, this, &FileController::showRecordings);
    connect(m_status, &StatusLine::recordingsRequested, this, &FileController::showRecordings);
    connect(m_session, &SessionModel::recordingChanged, this, &FileController::recordingChanged);
    connect(m_session, &SessionModel::recordingOpened, this, &FileController::recordingOpened);
    // They belong to the previous experiment; a recording's message is shown again after loading.
    for (Banner* banner : {m_recovered, m_readOnly}) connect(m_session, &SessionModel::experimentLoaded, banner, &QWidget::hide);
    connect(m_recovered->addButton(tr("Go on with it"), {}), &QPushButton::clicked, m_recovered, &QWidget::hide);
    connect(m_recovered->addButton(tr("Start afresh"), {}), &QPushButton::clicked, this, [this] {
        m_training->setWantsTraining(!m_options.startsPaused);
        openBundled(kDefaultExperiment);
    });
    connect(m_readOnly->addButton(tr("Close"), {}), &QPushButton::clicked, m_readOnly, &QWidget::hide);
}

void FileController::connectRefusals() {
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
    connect(m_session, &SessionModel::refused, this, &FileController::takeRefusal);
}

/// Shows a refused setting beside its control, and other refusals (a file, a name) above the plots.
void FileController::takeRefusal(int run, const QString& pointer, const QString& sentence, quint64 commandId) {
    if (m_engine->isAsked(commandId)) return;
    if (m_training->isBrokenOff(commandId)) return m_status->say(tr("Paused on the way: it goes on with the next step."));
    if (std::exchange(m_isRecovering, false)) m_training->setWantsTraining(!m_options.startsPaused);  // training starts as usual
    if (run < 0 && m_picker && m_picker->isWaiting()) return m_picker->takeRefusal(pointer, sentence);
    if (!m_session->run(run) || !RunControls::speaksFor(pointer))
        announceUnopened(
            std::exchange(m_isPasting, false) ? tr("What was pasted was not opened") : m_headlines.value(commandId, tr("Not done")),
            pointer.isEmpty() ? sentence : tr("At %1: %2").arg(pointer, sentence));
}

void FileController::load(const QString& name, const QString& text) {
    m_notice->hide();
    m_engine->load(name, text);
    m_training->experimentAsked();
}

void FileController::openExperiment(const QString& nameOrPath) {
    if (isBundledExperiment(nameOrPath.toStdString())) return openBundled(nameOrPath);
    if (nameOrPath.endsWith(QStringLiteral(".mantissa"))) return openRecording(nameOrPath);
    if (nameOrPath.endsWith(QStringLiteral(".mprobe"))) {
        m_training->setWantsTraining(false);
        m_engine->watch(QFileInfo(nameOrPath).absoluteFilePath());
        return;
    }
    // The window reads the file, because the engine may be on another machine.
    const QFileInfo file(nameOrPath);
    try {
        std::string source;
        std::filesystem::path folder;
        const std::string text = loadExperimentText(nameOrPath.toStdString(), source, folder);
        leaveDiagnose();
        load(file.absoluteFilePath(), QString::fromStdString(text));
    } catch (const InputError& error) {
        announceUnopened(tr("%1 was not opened").arg(file.fileName()), QString::fromUtf8(error.what()));
    }
}

void FileController::leaveDiagnose() {
    if (m_layouts->base() == WindowLayout::Diagnose && !m_session->runs().empty()) m_layouts->show(WindowLayout::Explore);
}

void FileController::openBundled(const QString& name) {
    leaveDiagnose();
    load(name);
}

void FileController::newExperiment() {
    if (m_picker) return bringToFront(m_picker);
    m_picker = new PickerPage(m_session, m_engine, m_window);
    connect(m_picker, &PickerPage::created, this, &FileController::load);
    m_picker->show();
}

void FileController::announceUnopened(const QString& headline, const QString& sentence) {
    const bool fallsBack = m_session->runs().empty() && !std::exchange(m_hasFallenBack, true);
    if (fallsBack) openBundled(kDefaultExperiment);
    m_notice->announce(headline, fallsBack ? tr("%1\nOpened %2 instead.").arg(sentence, kDefaultExperiment) : sentence);
}

void FileController::saveExperiment() {
    const QString suggested = experimentStem(m_session->experiment()) + QStringLiteral(".json");
    const QString path = askSavePath(m_window, tr("Save experiment"), suggested, {QStringLiteral("json")});
    if (path.isEmpty()) return;
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(m_session->experimentText().toUtf8()) < 0 || !file.commit())
        m_notice->announce(tr("%1 was not saved").arg(QFileInfo(path).fileName()), file.errorString());
    else
        m_status->say(tr("Saved %1").arg(path));
}

void FileController::showExport() {
    if (!m_export) m_export = new ExportDialog(m_session, m_engine, m_board, m_window);
    bringToFront(m_export);
}

void FileController::pasteExperiment() {
    const QString text = QGuiApplication::clipboard()->text().trimmed();
    if (text.isEmpty()) return m_status->say(tr("There is no text to paste."));
    // Text that cannot be an experiment is rejected before any run is removed, even while the engine is busy.
    if (!text.startsWith(u'{')) return m_status->say(tr("What was copied is no experiment: its text begins with “{”."));
    m_isPasting = true;
    load(tr("pasted"), text);
}

void FileController::recover() {
    const QString path = m_sessionMemory->unfinished();
    m_training->setWantsTraining(false);  // the recorded steps are shown first
    m_isRecovering = true;
    m_engine->open(path);
    m_training->experimentAsked();
}

void FileController::openRecording(const QString& path) {
    m_notice->hide();
    m_training->setWantsTraining(false);
    m_engine->open(QFileInfo(path).absoluteFilePath());
    m_training->experimentAsked();
    m_training->refresh();
}

void FileController::showWatching() {
    if (m_watching) return bringToFront(m_watching);
    m_training->setWantsTraining(m_training->wantsTraining() && m_session->state().state == LabState::Training);
    m_watching = new WatchDialog(m_session, m_engine, m_window);
    connect(m_watching, &WatchDialog::fileRequested, this, [this] {
        const QString path = QFileDialog::getOpenFileName(m_window, tr("Open a probe's file"), {}, tr("Files of a probe (*.mprobe)"));
        if (!path.isEmpty()) importRuns(path);
    });
    m_watching->show();
}

void FileController::importRuns(const QString& path) {
    const QFileInfo file(path);
    if (m_engine->send(ImportRuns{.path = file.absoluteFilePath().toStdString(), .follows = m_actions->followLogs->isChecked()}) == 0)
        m_notice->announce(tr("%1 was not imported").arg(file.fileName()), tr("The engine has stopped: restart it to import runs."));
}

void FileController::showRecordings() {
    if (!m_recordings) {
        m_recordings = new RecordingsPage(m_session, m_engine, m_window);
        connect(m_recordings, &RecordingsPage::openRequested, this, &FileController::openRecording);
    }
    bringToFront(m_recordings);
}

void FileController::recordingChanged() {
    const RecordingChanged& recording = m_session->recording();
    if (!m_isRecovering)
        m_sessionMemory->noteRecording(QString::fromStdString(recording.path));  // until then the previous recording may still be needed
    const QString problem = QString::fromStdString(recording.problem);
    if (std::exchange(m_recordingProblem, problem) != problem && !problem.isEmpty())
        m_notice->announce(tr("The recording has a problem"), tr("%1 Training continues.").arg(problem));
}

void FileController::recordingOpened() {
    const RecordingOpened& opened = *m_session->opened();
    const QString name = QFileInfo(QString::fromStdString(opened.path)).fileName();
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
