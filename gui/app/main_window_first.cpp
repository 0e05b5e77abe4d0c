// SPDX-License-Identifier: GPL-3.0-or-later
// First start, guide and tour; copies and pastes the experiment as text.
#include <QClipboard>
#include <QGuiApplication>
#include <utility>

#include "gui/app/guide_window.h"
#include "gui/app/help_pages.h"
#include "gui/app/main_window.h"
#include "gui/app/symptoms_page.h"
#include "gui/app/tour.h"
#include "gui/plots/canvas.h"

namespace mantissa::gui {

void MainWindow::connectFirst() {
    connect(m_actions->gallery, &QAction::triggered, this, &MainWindow::showGallery);
    m_actions->lookFor->setChecked(m_layouts->memory().value(kLookFor).toBool() || !m_layouts->memory().value(kLookFor).isValid());
    m_lookFor->setRequested(m_actions->lookFor->isChecked());
    connect(m_actions->lookFor, &QAction::toggled, this, [this](bool on) {
        m_layouts->memory().noteValue(kLookFor, on);
        m_lookFor->setRequested(on);
    });
    connect(m_lookFor, &LookForStrip::dismissed, this, [this] {
        m_status->say(tr("Closed until another experiment opens. View > What to look for keeps it closed."));
        m_board->canvas()->setFocus(Qt::OtherFocusReason);
    });
    connect(m_actions->guide, &QAction::triggered, this, [this] { GuideWindow::of(this); });
    connect(m_actions->symptoms, &QAction::triggered, this, [this] {
        const SymptomsPage* page = showSymptomsPage(this, m_session);
        if (!page) return;
        connect(page, &SymptomsPage::sectionRequested, this, [this](const QString& place) { GuideWindow::of(this, place); });
        connect(page, &SymptomsPage::experimentRequested, this, &MainWindow::openBundled);
        connect(page, &SymptomsPage::runRequested, this, [this](int run, qint64 step) {
            if (step >= 0) return diagnose(run, step);
            showLayout(WindowLayout::Diagnose);
            diagnosePage()->choose(run, -1);
        });
    });
    connect(m_actions->tour, &QAction::triggered, this, [this] {
        showLayout(WindowLayout::Explore);
        Tour::begin(this, m_board);
    });
    connect(m_actions->copyExperiment, &QAction::triggered, this, [this] {
        QGuiApplication::clipboard()->setText(m_session->experimentText());
        m_status->say(tr("Copied the current experiment as text."));
    });
    connect(m_actions->pasteExperiment, &QAction::triggered, this, &MainWindow::pasteExperiment);
    connect(m_session, &SessionModel::experimentLoaded, this, [this] { m_isPasting = false; });
    connect(m_session, &SessionModel::recordsAppended, this, &MainWindow::greet, Qt::SingleShotConnection);
}

void MainWindow::pasteExperiment() {
    const QString text = QGuiApplication::clipboard()->text().trimmed();
    if (text.isEmpty()) return m_status->say(tr("There is no text to paste."));
    // Text that cannot be an experiment is rejected before any run is removed, even while the engine is busy.
    if (!text.startsWith(u'{')) return m_status->say(tr("What was copied is no experiment: its text begins with “{”."));
    m_notice->hide();
    m_isPasting = true;
    m_engine->load(tr("pasted"), text);
    experimentAsked();
}

void MainWindow::showGallery() {
    if (!m_gallery) {
        m_gallery = new GalleryPage(m_session, m_engine, this);
        connect(m_gallery, &GalleryPage::experimentRequested, this, &MainWindow::openBundled);
        connect(m_gallery, &GalleryPage::recordingRequested, this, &MainWindow::openRecording);
    }
    m_gallery->show();
    m_gallery->raise();
    m_gallery->activateWindow();
}

void MainWindow::greet() {
    // No greeting if the command line chooses what to open, or after a crash.
    if (!m_options.experiment.isEmpty() || m_options.listensAt || !m_options.lesson.isEmpty() || !m_sessionMemory.unfinished().isEmpty() ||
        m_layout != WindowLayout::Explore)
        return;
    if (!m_sessionMemory.takeFirstStart()) return;
    showGallery();
    connect(m_gallery, &QDialog::finished, this, [this] { Tour::begin(this, m_board); });
}

}  // namespace mantissa::gui
