// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/timeline_controller.h"

#include <QMenu>
#include <algorithm>
#include <utility>

#include "gui/app/diagnose_controller.h"
#include "gui/app/training_controller.h"
#include "gui/controls/engine_text.h"
#include "gui/controls/health_line.h"
#include "gui/controls/number_text.h"
#include "gui/exports/plot_clipboard.h"
#include "gui/plots/event_model.h"
#include "gui/plots/note_field.h"

namespace mantissa::gui {

TimelineController::TimelineController(const WindowParts& parts, TrainingController* training, DiagnoseController* diagnosis)
    : WindowParts(parts), m_diagnosis(diagnosis), m_noteField(new NoteField(m_session, m_board)) {
    connect(m_timeline, &Timeline::rewindAsked, training, [training](const RewindRuns& command) { training->ask(command, false); });
    connect(m_timeline, &Timeline::said, m_status, &StatusLine::say);
    connect(m_actions->rewindAll, &QAction::triggered, this,
            [this] { atHeldStep([this](std::int64_t step) { m_timeline->rewindAll(step); }); });
    connect(m_actions->rewindRun, &QAction::triggered, this,
            [this] { atHeldStep([this](std::int64_t step) { m_timeline->rewind(m_session->selected(), step); }); });
    connect(m_actions->fork, &QAction::triggered, this,
            [this] { atCrosshair([this](std::int64_t step) { m_timeline->askFork(m_session->selected(), step, false); }); });
    connect(m_actions->whatIf, &QAction::triggered, this,
            [this] { atCrosshair([this](std::int64_t step) { m_timeline->askFork(m_session->selected(), step, true); }); });
    connect(m_actions->keepCheckpoint, &QAction::triggered, this, [this] { m_engine->send(KeepCheckpoint{m_session->selected()}); });
    connect(m_events, &EventBar::rewindRequested, m_timeline, &Timeline::rewind);
    connect(m_events, &EventBar::forkRequested, this, [this](int run, qint64 step) { m_timeline->askFork(run, step, false); });
    connect(m_runs, &RunsDock::rewindRequested, m_timeline, &Timeline::rewind);
    connect(m_topBar, &TopBar::stepChosen, &m_board->cursors(), &PlotCursors::setStep);
    connect(&m_board->cursors(), &PlotCursors::cursorMoved, this, [this] { m_topBar->setChosenStep(m_board->cursors().step()); });
    connectEvents();
    connectMenus();
    connectNotes();
}

void TimelineController::connectEvents() {
    connect(m_session, &SessionModel::recordsAppended, this, &TimelineController::announceHealth);
    connect(m_session, &SessionModel::experimentLoaded, this, [this] { m_toldSeverity.clear(); });
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

/// Announces a burst of skips or a non-finite run once, when it begins.
void TimelineController::announceHealth() {
    for (const auto& run : m_session->runs()) {
        if (run->isWithheld || m_session->isQuestionOpen()) continue;  // announced at the reveal
        const Health health = healthOf(*run);
        const Severity before = std::exchange(m_toldSeverity[run->id], health.severity);
        if (health.severity == Severity::Bad && before != Severity::Bad)
            m_status->say(tr("%1: %2", "run, what happened to it").arg(run->name(), engineText(health.title)));
    }
}

void TimelineController::connectMenus() {
    connect(m_board, &PlotBoard::menuRequested, this, [this](qint64 step, QPoint place, int marked) {
        const RunState* run = m_session->run(marked);
        showMenu(step, run ? run : m_timeline->subject(), place, true);
    });
    connect(m_events, &EventBar::menuRequested, this,
            [this](int run, qint64 step, QPoint place) { showMenu(step, m_session->run(run), place, false); });
    connect(m_topBar, &TopBar::timelineMenuRequested, this,
            [this](QPoint place) { showMenu(m_board->cursors().step(), m_timeline->subject(), place, false); });
}

void TimelineController::connectNotes() {
    connect(m_actions->note, &QAction::triggered, this, [this] { writeNote(m_board->cursors().step()); });
    connect(m_events, &EventBar::noteEditRequested, this, &TimelineController::editNote);
    const auto remove = [this](int id) { m_engine->send(RemoveNote{id}); };
    connect(m_events, &EventBar::noteRemovalRequested, this, remove);
    connect(m_noteField, &NoteField::removalRequested, this, remove);
    connect(m_noteField, &NoteField::kept, this, [this](const Note& note) { m_engine->send(WriteNote{note}); });
    connect(m_noteField, &NoteField::closed, this, [this] { m_board->setFocus(); });
}

void TimelineController::atCrosshair(const std::function<void(std::int64_t)>& verb) {
    if (m_board->cursors().step() < 0) return m_status->say(tr("Choose a step first: point at it or click it in the plots."));
    verb(m_board->cursors().step());
}

void TimelineController::atHeldStep(const std::function<void(std::int64_t)>& verb) {
    if (m_board->cursors().heldStep() < 0)
        return m_status->say(tr("Click the step in the plots first: what was trained from there on will be gone."));
    verb(m_board->cursors().heldStep());
}

void TimelineController::showMenu(qint64 step, const RunState* run, QPoint place, bool isOnPlots) {
    QMenu menu(m_window);
    m_timeline->fillMenu(&menu, step, run && run->isOwn() ? run : nullptr);
    QAction* const afterHeading = menu.actions().value(1);
    // On the plots the runs whose step was lost there come first, then the selected one.
    std::vector<const RunState*> subjects;
    for (const auto& each : m_session->runs())
        if (isOnPlots && each->isOwn() && !each->isHidden && isLostAt(*each, step)) subjects.push_back(each.get());
    const bool isListed = std::ranges::find(subjects, run) != subjects.end();
    if (!isListed && run && run->isOwn() && step >= run->info.firstStep && step < run->stepCount()) subjects.push_back(run);
    for (const RunState* subject : subjects) {
        auto* why = new QAction(themedIcon(QStringLiteral("info")),
                                tr("Why? Examine step %1 of %2").arg(groupedText(step), subject->name()), &menu);
        connect(why, &QAction::triggered, this, [this, id = subject->id, step] { m_diagnosis->ask(id, step); });
        why->setEnabled(m_engine->isRunning());
        menu.insertAction(afterHeading, why);
    }
    if (!subjects.empty()) menu.insertSeparator(afterHeading);
    addNoteVerbs(&menu, step);
    if (isOnPlots) {
        const int panel = m_board->pointer().panel();
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

/// At the crosshair's step, or at the last step without a crosshair.
void TimelineController::writeNote(std::int64_t step) {
    if (step < 0) step = m_session->plottedSteps() - 1;
    if (step < 0) return m_status->say(tr("There is no step yet to write a note at."));
    openNote({-1, -1, step, {}});
}

void TimelineController::editNote(int id) {
    const auto note = m_session->notes().find(id);
    if (note == m_session->notes().end()) return;
    openNote(note->second);
}

void TimelineController::openNote(const Note& note) {
    // The new layout is arranged with the next events, and the field's position depends on it.
    if (m_layouts->base() != WindowLayout::Explore) {
        m_layouts->show(WindowLayout::Explore);
        return void(QMetaObject::invokeMethod(
            this, [this, note] { openNote(note); }, Qt::QueuedConnection));
    }
    m_board->cursors().setStep(note.step);  // scrolls the step into view
    m_board->refreshNow();                  // updates the positions for the field
    m_noteField->open(note, m_board->panels().pixelOf(m_board->axes().xOf(note.step)));
}

void TimelineController::addNoteVerbs(QMenu* menu, std::int64_t step) {
    if (step < 0) step = m_session->plottedSteps() - 1;
    if (step < 0) return;
    const bool isAlive = m_engine->isRunning();
    menu->addSeparator();
    for (const auto& [id, note] : m_session->notes()) {
        if (note.step != step) continue;
        const QString text = QString::fromStdString(note.text);
        const QString brief = text.size() > 24 ? text.left(23).trimmed() + u'\u2026' : text;
        menu->addAction(tr("Edit note \u201C%1\u201D\u2026").arg(brief), this, [this, id = id] { editNote(id); })->setEnabled(isAlive);
        menu->addAction(tr("Remove note \u201C%1\u201D").arg(brief), this, [this, id = id] { m_engine->send(RemoveNote{id}); })
            ->setEnabled(isAlive);
    }
    menu->addAction(tr("Note at step %1\u2026").arg(groupedText(step)), this, [this, step] { writeNote(step); })->setEnabled(isAlive);
}

}  // namespace mantissa::gui
