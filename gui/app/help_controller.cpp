// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/help_controller.h"

#include <QMenu>

#include "gui/app/diagnose_controller.h"
#include "gui/app/file_controller.h"
#include "gui/app/guide_window.h"
#include "gui/app/help_pages.h"
#include "gui/app/language.h"
#include "gui/app/symptoms_page.h"
#include "gui/app/tour.h"
#include "gui/bits/bits_window.h"
#include "gui/plots/canvas.h"

namespace mantissa::gui {

HelpController::HelpController(const WindowParts& parts, FileController* files, DiagnoseController* diagnosis)
    : WindowParts(parts), m_files(files), m_diagnosis(diagnosis) {
    connect(m_actions->gallery, &QAction::triggered, this, &HelpController::showGallery);
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
    connectPages();
    fillLanguages();
    connect(m_session, &SessionModel::recordsAppended, this, &HelpController::greet, Qt::SingleShotConnection);
}

void HelpController::connectPages() {
    connect(m_actions->guide, &QAction::triggered, this, [this] { GuideWindow::of(m_window); });
    connect(m_actions->symptoms, &QAction::triggered, this, &HelpController::showSymptoms);
    connect(m_actions->tour, &QAction::triggered, this, [this] {
        m_layouts->show(WindowLayout::Explore);
        showTour();
    });
    connect(m_actions->architecture, &QAction::triggered, this, [this] { showArchitecturePage(m_window, m_session, m_engine); });
    connect(m_actions->inspector, &QAction::triggered, this, [this] { BitsWindow::of(m_window); });
    connect(m_actions->about, &QAction::triggered, this, [this] { showAboutPage(m_window); });
}

void HelpController::fillLanguages() {
    // The choice is stored for the next start, which needs a data folder.
    m_actions->language->setEnabled(!m_options.dataFolder.isEmpty());
    auto* group = new QActionGroup(this);
    const QString noted = notedLanguage(m_options.dataFolder);
    const auto add = [&](const QString& code, const QString& name) {
        QAction* action = m_actions->language->addAction(name);
        action->setCheckable(true);
        action->setChecked(code == noted);
        group->addAction(action);
        connect(action, &QAction::triggered, this, [this, code, name] {
            noteLanguage(m_options.dataFolder, code);
            m_status->say(tr("Language: %1, from the next start on.").arg(name));
        });
    };
    add(kSystemLanguage, tr("As the system"));
    for (const Language& language : languages()) add(language.code, language.name);
}

void HelpController::showSymptoms() {
    const SymptomsPage* page = showSymptomsPage(m_window, m_session);
    if (!page) return;
    connect(page, &SymptomsPage::sectionRequested, this, [this](const QString& place) { GuideWindow::of(m_window, place); });
    connect(page, &SymptomsPage::experimentRequested, m_files, &FileController::openBundled);
    connect(page, &SymptomsPage::runRequested, this, [this](int run, qint64 step) {
        if (step >= 0) return m_diagnosis->ask(run, step);
        m_layouts->show(WindowLayout::Diagnose);
        m_diagnosis->page()->choose(run, -1);
    });
}

void HelpController::showTour() {
    Tour::begin(m_window, *m_actions, m_board);
}

void HelpController::showGallery() {
    if (!m_gallery) {
        m_gallery = new GalleryPage(m_session, m_engine, m_window);
        connect(m_gallery, &GalleryPage::experimentRequested, m_files, &FileController::openBundled);
        connect(m_gallery, &GalleryPage::recordingRequested, m_files, &FileController::openRecording);
    }
    bringToFront(m_gallery);
}

void HelpController::greet() {
    // No greeting if the command line chooses what to open, or after a crash.
    if (!m_options.experiment.isEmpty() || m_options.listensAt || !m_options.lesson.isEmpty() || !m_sessionMemory->unfinished().isEmpty() ||
        m_layouts->base() != WindowLayout::Explore)
        return;
    if (!m_sessionMemory->takeFirstStart()) return;
    showGallery();
    connect(m_gallery, &QDialog::finished, this, &HelpController::showTour);
}

}  // namespace mantissa::gui
