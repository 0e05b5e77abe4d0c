// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/lesson_controller.h"

#include <QDesktopServices>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <utility>

#include "gui/app/file_controller.h"
#include "gui/app/guide_window.h"
#include "gui/app/language.h"
#include "gui/app/layout_controller.h"
#include "gui/app/present_controller.h"
#include "gui/app/training_controller.h"
#include "gui/bits/number_card.h"
#include "gui/plots/canvas.h"
#include "gui/plots/panel.h"

namespace mantissa::gui {

LessonController::LessonController(const WindowParts& parts, TrainingController* training, FileController* files,
                                   LayoutController* arrangement, PresentController* presentation)
    : WindowParts(parts), m_training(training), m_files(files), m_arrangement(arrangement), m_presentation(presentation) {
    connect(m_actions->lessonList, &QAction::triggered, this, &LessonController::showLessons);
    connect(m_actions->lessonFile, &QAction::triggered, this, &LessonController::askFile);
    m_actions->lessons->setToolTipsVisible(true);
    connect(m_actions->lessons, &QMenu::aboutToShow, this, &LessonController::fillMenu);
    connectPanel();
    connectPlayer();
    connect(m_presentation, &PresentController::boardMoved, this, &LessonController::placePanel);

    connect(m_putAway->addButton(tr("Close"), {}), &QPushButton::clicked, m_putAway, &QWidget::hide);
    connect(m_putAway->addButton(tr("Close the lesson and open the recording again"), {}), &QPushButton::clicked, this, [this] {
        closeLessons();
        m_putAway->hide();
        m_files->openRecording(m_putAwayRecording);
    });
}

void LessonController::connectPanel() {
    m_lessonPanel->setActions(m_actions->lessonNext, m_actions->lessonBack, m_actions->lessonVotes);
    connect(m_actions->lessonNext, &QAction::triggered, m_lessonPanel, &LessonPanel::goForward);
    connect(m_actions->lessonBack, &QAction::triggered, m_player, &LessonPlayer::back);
    connect(m_actions->lessonReset, &QAction::triggered, m_player, &LessonPlayer::reset);
    connect(m_actions->lessonLeave, &QAction::triggered, this, &LessonController::closeLessons);
    connect(m_lessonPanel, &LessonPanel::lessonRequested, this, &LessonController::open);
    connect(m_lessonPanel, &LessonPanel::fileRequested, this, &LessonController::askFile);
    connect(m_lessonPanel, &LessonPanel::closeRequested, this, &LessonController::closeLessons);
    connect(m_lessonPanel, &LessonPanel::finishRequested, this, [this] {
        m_player->leave();
        showLessons();
    });
    connect(m_lessonPanel, &LessonPanel::linkRequested, this, [this](const QUrl& link) {
        if (link.scheme().startsWith(QStringLiteral("http")))
            QDesktopServices::openUrl(link);
        else
            GuideWindow::of(m_window, link.toString());
    });
}

void LessonController::connectPlayer() {
    connect(m_player, &LessonPlayer::loading, m_notice, &QWidget::hide);
    // An engine started by the lesson does not have the window's pace yet.
    connect(m_engine, &EngineClient::started, this, [this] {
        if (m_player->isPlaying()) m_training->experimentAsked();
    });
    connect(m_player, &LessonPlayer::placeChanged, this, &LessonController::lessonChanged);
    connect(m_player, &LessonPlayer::panelsChanged, this, &LessonController::showPanels);
    connect(m_player, &LessonPlayer::settled, this, [this] {
        if (isAtEnd(*m_player) && m_player->lesson()->source == m_player->lesson()->name)
            m_sessionMemory->noteFinishedLesson(QString::fromStdString(m_player->lesson()->name));
    });
}

void LessonController::askFile() {
    const QString path = QFileDialog::getOpenFileName(m_window, tr("Open lesson file"), {}, tr("Lessons (*.md)"));
    if (!path.isEmpty()) open(path);
}

/// Filled when first opened: reading all lessons would delay the window's first paint.
void LessonController::fillMenu() {
    disconnect(m_actions->lessons, &QMenu::aboutToShow, this, &LessonController::fillMenu);
    int number = 0;
    for (const BundledLesson& lesson : shownLessons()) {
        const QString title = QString::fromStdString(lesson.title), name = QString::fromStdString(lesson.name);
        QAction* action = m_actions->lessons->addAction(tr("%1  %2").arg(++number).arg(title), this, [this, name] { open(name); });
        action->setToolTip(wordsOf(lesson.summary));
    }
}

/// Shows the plots of the lesson's place, or its number in their place, and memory, which is not a plot, below them.
void LessonController::showPanels() {
    std::vector<std::string> keys;
    bool needsMemory = false;
    for (const std::string& name : requestedPanels(*m_player)) {
        const std::string_view key = plottedBy(name);
        if (key.empty())
            needsMemory = true;
        else
            keys.emplace_back(key);
    }
    if (needsMemory && keys.empty()) keys = {keyOf(Metric::Loss)};
    const std::optional<LessonNumber> number = shownNumber(*m_player);
    if (number && !m_number) m_number = new NumberCard(m_board);
    if (number) m_number->inspect({number->value}, number->format);
    if (!number && m_number) m_number->putAway();
    if (m_layouts->base() != WindowLayout::Diagnose) m_messages->cover(number ? static_cast<QWidget*>(m_number) : m_board);
    if (m_layouts->base() == WindowLayout::Present)
        m_present->setPlots(m_player->isPlaying() ? keys : m_presentation->keptPlots());
    else
        m_board->choice().showAlone(keys);
    m_arrangement->placeForLesson(needsMemory);
}

/// Shows the panel in place of the right panels, or at the side of the Present page.
void LessonController::showPanel(bool shown) {
    m_lookFor->setBesideLesson(shown);  // a lesson has its own text, and the strip could answer its questions
    m_lessonPanel->setVisible(shown);
    m_layouts->setLent(shown);
    placePanel();
}

void LessonController::placePanel() {
    const bool isShown = !m_lessonPanel->isHidden(), isPresent = m_layouts->base() == WindowLayout::Present;
    m_present->setSide(isShown && isPresent ? m_lessonPanel : nullptr);
    if (!m_present->side() && m_body->indexOf(m_lessonPanel) < 0) m_body->addWidget(m_lessonPanel);
    m_lessonPanel->setPresenting(isShown && isPresent, m_layouts->isSlim());
    m_lessonPanel->setVisible(isShown);
    if (m_player->isPlaying()) showPanels();
}

void LessonController::open(const QString& nameOrPath) {
    try {
        auto lesson = std::make_shared<const Lesson>(loadLesson(nameOrPath.toStdString(), spokenLanguage().toStdString()));
        m_notice->hide();
        m_files->leaveDiagnose();
        announceClosed();
        m_lessonPanel->showLesson();
        showPanel(true);
        m_player->begin(std::move(lesson));
        m_lessonPanel->setFocus(Qt::OtherFocusReason);
    } catch (const InputError& error) {
        // The error contains file and line.
        m_files->announceUnopened(tr("The lesson was not opened"), QString::fromUtf8(error.what()));
    }
}

/// Announces which experiment a lesson has replaced, and where to find it.
void LessonController::announceClosed() {
    m_putAway->hide();
    if (m_player->isPlaying() || m_session->stepCount() == 0) return;
    const QString title = QString::fromStdString(m_session->experiment().title);
    const RecordingChanged& recording = m_session->recording();
    m_putAwayRecording = recording.isRecording && recording.steps > 0 ? QString::fromStdString(recording.path) : QString();
    if (m_putAwayRecording.isEmpty()) return m_status->say(tr("%1 was closed for the lesson. It was not being recorded.").arg(title));
    if (m_layouts->base() == WindowLayout::Present)
        return m_status->say(tr("%1 was closed for the lesson. It is kept under File > Recordings.").arg(title));
    m_putAway->announce(tr("%1 was closed for the lesson").arg(title),
                        tr("All of its steps are kept in %1, under File > Recordings.").arg(QFileInfo(m_putAwayRecording).fileName()));
}

void LessonController::showLessons() {
    m_lessonPanel->showList(m_sessionMemory->finishedLessons());
    showPanel(true);
}

void LessonController::closeLessons() {
    if (m_player->isPlaying()) m_player->leave();
    showPanel(false);
    m_board->canvas()->setFocus(Qt::OtherFocusReason);
}

void LessonController::lessonChanged() {
    const bool isPlaying = m_player->isPlaying();
    if (isPlaying) m_lessonPanel->showLesson();  // a shortcut may have advanced the lesson behind the list
    for (QAction* action : {m_actions->lessonReset, m_actions->lessonLeave}) action->setEnabled(isPlaying);
    m_actions->lessonVotes->setEnabled(isPlaying && m_layouts->base() == WindowLayout::Present);
    if (!isPlaying) m_actions->lessonVotes->setChecked(false);
    m_present->setLessonTitle(isPlaying ? QString::fromStdString(m_player->lesson()->title) : QString());
    m_actions->lessonNext->setEnabled(m_lessonPanel->canGoForward());
    m_actions->lessonBack->setEnabled(canGoBack(*m_player));
    // Shown only at the beginning: a lesson needs the space.
    if (!isPlaying || canGoBack(*m_player)) m_putAway->hide();
}

}  // namespace mantissa::gui
