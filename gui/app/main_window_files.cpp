// SPDX-License-Identifier: GPL-3.0-or-later
// Opens, creates, saves and exports experiments, recordings and watched runs.
#include <QFileDialog>
#include <QFileInfo>
#include <QSaveFile>
#include <filesystem>
#include <string>
#include <utility>

#include "engine/experiment/experiment.h"
#include "gui/app/help_pages.h"
#include "gui/app/main_window.h"
#include "gui/bits/bits_window.h"
#include "gui/exports/destination.h"
#include "gui/exports/plot_clipboard.h"

namespace mantissa::gui {

void MainWindow::begin() {
    m_board->setFocus();  // shortcuts reach the plots, not the first button
    m_engine->setRecordingsFolder(m_sessionMemory.recordingsFolder(), m_sessionMemory.wantsRecording());
    if (!m_options.lesson.isEmpty()) return openLesson(m_options.lesson);
    if (m_options.listensAt) {
        m_wantsTraining = false;
        m_engine->watch(*m_options.listensAt);
        return showWatching();
    }
    if (m_options.experiment.isEmpty() && !m_sessionMemory.unfinished().isEmpty()) return recover();
    openExperiment(m_options.experiment.isEmpty() ? kDefaultExperiment : m_options.experiment);
}

void MainWindow::openExperiment(const QString& nameOrPath) {
    if (isBundledExperiment(nameOrPath.toStdString())) return openBundled(nameOrPath);
    if (nameOrPath.endsWith(QStringLiteral(".mantissa"))) return openRecording(nameOrPath);
    if (nameOrPath.endsWith(QStringLiteral(".mprobe"))) {
        m_wantsTraining = false;
        m_engine->watch(QFileInfo(nameOrPath).absoluteFilePath());
        return;
    }
    // The window reads the file, because the engine may be on another machine.
    const QFileInfo file(nameOrPath);
    try {
        std::string source;
        std::filesystem::path folder;
        const std::string text = loadExperimentText(nameOrPath.toStdString(), source, folder);
        m_notice->hide();
        leaveDiagnose();
        m_engine->load(file.absoluteFilePath(), QString::fromStdString(text));
        experimentAsked();
    } catch (const InputError& error) {
        announceUnopened(tr("%1 was not opened").arg(file.fileName()), QString::fromUtf8(error.what()));
    }
}

/// Shows the plots of what is opened next: no step of it was captured yet. What the program opens at its start keeps the layout.
void MainWindow::leaveDiagnose() {
    if (m_layout == WindowLayout::Diagnose && !m_session->runs().empty()) showLayout(WindowLayout::Explore);
}

void MainWindow::openBundled(const QString& name) {
    leaveDiagnose();
    m_notice->hide();
    m_engine->load(name);
    experimentAsked();
}

void MainWindow::newExperiment() {
    if (m_picker) {
        m_picker->raise();
        m_picker->activateWindow();
        return;
    }
    m_picker = new PickerPage(m_session, m_engine, this);
    connect(m_picker, &PickerPage::created, this, [this](const QString& name, const QString& text) {
        m_notice->hide();
        m_engine->load(name, text);
        experimentAsked();
    });
    m_picker->show();
}

void MainWindow::announceUnopened(const QString& headline, const QString& sentence) {
    // An empty window, perhaps without an engine, opens the default experiment, once.
    const bool fallsBack = m_session->runs().empty() && !std::exchange(m_hasFallenBack, true);
    if (fallsBack) openBundled(kDefaultExperiment);
    m_notice->announce(headline, fallsBack ? tr("%1\nOpened %2 instead.").arg(sentence, kDefaultExperiment) : sentence);
}

void MainWindow::experimentAsked() {
    m_engine->send(SetPace{m_options.pace});
    m_engine->send(SetLockstep{m_actions->lockstep->isChecked()});
}

void MainWindow::connectFile() {
    connect(m_actions->create, &QAction::triggered, this, &MainWindow::newExperiment);
    connect(m_actions->open, &QAction::triggered, this, [this] {
        const QString path = QFileDialog::getOpenFileName(this, tr("Open experiment"), {}, tr("Experiments (*.json)"));
        if (!path.isEmpty()) openExperiment(path);
    });
    connect(m_actions->save, &QAction::triggered, this, &MainWindow::saveExperiment);
    connect(m_actions->exporting, &QAction::triggered, this, &MainWindow::showExport);
    connect(m_actions->copyPlot, &QAction::triggered, this,
            [this] { m_status->say(copyPlot(m_session, *m_board, m_board->pointedPanel(), CopyAs::Both)); });
    connect(m_actions->quit, &QAction::triggered, this, &QWidget::close);
    connect(m_topBar, &TopBar::experimentChosen, this, [this](const QString& name) {
        if (!name.isEmpty()) openBundled(name);
    });
    connect(m_actions->inspector, &QAction::triggered, this, [this] { BitsWindow::of(this); });
    connect(m_actions->keys, &QAction::triggered, this, [this] { showKeysPage(this); });
    connect(m_actions->about, &QAction::triggered, this, [this] { showAboutPage(this); });
}

void MainWindow::saveExperiment() {
    const QString suggested = experimentStem(m_session->experiment()) + QStringLiteral(".json");
    const QString path = askSavePath(this, tr("Save experiment"), suggested, {QStringLiteral("json")});
    if (path.isEmpty()) return;
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(m_session->experimentText().toUtf8()) < 0 || !file.commit())
        m_notice->announce(tr("%1 was not saved").arg(QFileInfo(path).fileName()), file.errorString());
    else
        m_status->say(tr("Saved %1").arg(path));
}

void MainWindow::showExport() {
    if (!m_export) m_export = new ExportDialog(m_session, m_engine, m_board, this);
    m_export->show();
    m_export->raise();
    m_export->activateWindow();
}

}  // namespace mantissa::gui
