// SPDX-License-Identifier: GPL-3.0-or-later
// Undo, the cursors A and B, and notes.
#include <QMenu>
#include <QUndoStack>

#include "gui/app/layout_undo.h"
#include "gui/app/main_window.h"
#include "gui/app/undo_log.h"
#include "gui/controls/number_text.h"
#include "gui/link/followed_name.h"
#include "gui/plots/cursor_panel.h"
#include "gui/plots/note_field.h"

namespace mantissa::gui {

void MainWindow::connectUndo() {
    m_undo = new QUndoStack(this);
    m_undoLog = new UndoLog(m_session, m_engine, m_undo);
    const auto turn = [this](int entry, void (QUndoStack::*turned)()) {
        if (m_layouts->isLent() && LayoutUndo::isLayoutEntry(m_undo->command(entry)))
            return m_status->say(tr("While a lesson has the place of panels, the layout stays as it is: close the lesson first."));
        (m_undo->*turned)();
    };
    connect(m_actions->undo, &QAction::triggered, this, [this, turn] { turn(m_undo->index() - 1, &QUndoStack::undo); });
    connect(m_actions->redo, &QAction::triggered, this, [this, turn] { turn(m_undo->index(), &QUndoStack::redo); });
    connect(m_undo, &QUndoStack::indexChanged, this, &MainWindow::refreshUndo);
    connect(m_undoLog, &UndoLog::said, m_status, &StatusLine::say);
    // A run named after its format is renamed with it, unless a lesson refers to its name.
    connect(m_session, &SessionModel::settingApplied, this,
            [this](int run, const QString& pointer, const QString& from, const QString& to) {
                // A recording contains its own renames: none are added while it is opened.
                const bool mayFollow = pointer.startsWith(QStringLiteral("/precision")) && !m_player->isPlaying() && !m_engine->isOpening();
                const RunState* changed = mayFollow ? m_session->run(run) : nullptr;
                if (!changed) return;
                followFormat(*changed, from, to);
            });
    // A rewind restores the format of that step.
    connect(m_session, &SessionModel::runCaughtUp, this, [this](int run) {
        const auto followed = m_followed.find(run);
        const RunState* state = m_session->run(run);
        const QString format = state ? QString::fromStdString(policyScreenName(state->info.policy)) : QString();
        if (state && followed != m_followed.end() && followed->second.name == state->info.settings.name)
            followFormat(*state, followed->second.format, format);
    });
    connect(m_session, &SessionModel::runsChanged, this, [this] {
        for (auto& [run, followed] : m_followed)
            if (const RunState* state = m_session->run(run); state && state->info.settings.name == followed.name)
                followed.isConfirmed = true;
    });
    connect(m_session, &SessionModel::experimentLoaded, this, [this] { m_followed.clear(); });
    connect(m_undoLog, &UndoLog::remainsChanged, this, &MainWindow::refreshUndo);
    connect(m_actions->forkUndone, &QAction::triggered, this, [this] {
        if (const auto& remains = m_undoLog->remains()) m_timeline->askFork(remains->run, remains->step, false);
    });
}

/// `from` and `to` are texts of the setting, as in markers.
void MainWindow::followFormat(const RunState& run, const QString& from, const QString& to) {
    const auto followed = m_followed.find(run.id);
    const bool isOnItsWay = followed != m_followed.end() && !followed->second.isConfirmed;
    const std::string name = isOnItsWay ? followed->second.name : run.info.settings.name;
    const auto next = followedName(*m_session, run, name, from, to);
    if (!next) return;
    m_undoLog->sendAside(RenameRun{run.id, *next});
    m_followed[run.id] = {*next, to};
}

void MainWindow::refreshUndo() {
    if (!m_undoLog) return;  // the window is being constructed
    // Entries need the engine, except those of the layout.
    const bool isAlive = m_engine->isRunning();
    const auto isPossible = [&](int entry) { return isAlive || LayoutUndo::isLayoutEntry(m_undo->command(entry)); };
    m_actions->undo->setEnabled(m_undo->canUndo() && isPossible(m_undo->index() - 1));
    m_actions->redo->setEnabled(m_undo->canRedo() && isPossible(m_undo->index()));
    m_actions->undo->setText(m_undo->canUndo() ? tr("Undo %1").arg(m_undo->undoText()) : tr("Undo"));
    m_actions->redo->setText(m_undo->canRedo() ? tr("Redo %1").arg(m_undo->redoText()) : tr("Redo"));
    const auto& remains = m_undoLog->remains();
    m_actions->forkUndone->setEnabled(isAlive && remains && m_session->run(remains->run));
}

void MainWindow::connectCursors() {
    const auto place = [this](CursorName name) {
        if (m_board->placeCursor(name)) return;
        m_status->say(m_board->cursorPair().isLocked ? tr("The cursors are locked: View > Lock the cursors lets them go.")
                                                     : tr("There is no step yet to put a cursor on."));
    };
    connect(m_actions->cursorA, &QAction::triggered, this, [place] { place(CursorName::A); });
    connect(m_actions->cursorB, &QAction::triggered, this, [place] { place(CursorName::B); });
    connect(m_actions->lockCursors, &QAction::triggered, m_board, &PlotBoard::lockCursors);
    connect(m_actions->removeCursors, &QAction::triggered, m_board, &PlotBoard::removeCursors);
    connect(m_readout->cursors(), &CursorPanel::lockRequested, m_board, &PlotBoard::lockCursors);
    connect(m_readout->cursors(), &CursorPanel::removalRequested, m_board, &PlotBoard::removeCursors);
    connect(m_board, &PlotBoard::cursorsChanged, this, [this] {
        const CursorPair& pair = m_board->cursorPair();
        m_readout->cursors()->setPair(pair);
        m_actions->lockCursors->setChecked(pair.isLocked);
        for (QAction* action : {m_actions->lockCursors, m_actions->removeCursors}) action->setEnabled(!pair.isEmpty());
    });
}

void MainWindow::connectNotes() {
    m_noteField = new NoteField(m_session, m_board);
    connect(m_actions->note, &QAction::triggered, this, [this] { writeNote(m_board->cursor()); });
    connect(m_events, &EventBar::noteEditRequested, this, &MainWindow::editNote);
    const auto remove = [this](int id) { m_engine->send(RemoveNote{id}); };
    connect(m_events, &EventBar::noteRemovalRequested, this, remove);
    connect(m_noteField, &NoteField::removalRequested, this, remove);
    connect(m_noteField, &NoteField::kept, this, [this](const Note& note) { m_engine->send(WriteNote{note}); });
    connect(m_noteField, &NoteField::closed, m_board, [this] { m_board->setFocus(); });
}

/// At the crosshair's step, or at the last step without a crosshair.
void MainWindow::writeNote(std::int64_t step) {
    if (step < 0) step = m_session->plottedSteps() - 1;
    if (step < 0) return m_status->say(tr("There is no step yet to write a note at."));
    openNote({-1, -1, step, {}});
}

void MainWindow::editNote(int id) {
    const auto note = m_session->notes().find(id);
    if (note == m_session->notes().end()) return;
    openNote(note->second);
}

void MainWindow::openNote(const Note& note) {
    // The new layout is arranged with the next events, and the field's position depends on it.
    if (m_layout != WindowLayout::Explore) {
        showLayout(WindowLayout::Explore);
        return void(QMetaObject::invokeMethod(
            this, [this, note] { openNote(note); }, Qt::QueuedConnection));
    }
    m_board->setCursor(note.step);  // scrolls the step into view
    m_board->refreshNow();          // updates the positions for the field
    m_noteField->open(note, m_board->pixelOf(note.step));
}

void MainWindow::addNoteVerbs(QMenu* menu, std::int64_t step) {
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
