// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/undo_controller.h"

#include <QUndoStack>
#include <optional>

#include "engine/experiment/experiment.h"
#include "gui/app/layout_undo.h"
#include "gui/app/training_controller.h"
#include "gui/app/undo_log.h"

namespace mantissa::gui {
namespace {

/// Name in the style of runs: "pure fp16" for "pure FP16, ...".
std::string formatName(const QString& precision) {
    return precision.section(u',', 0, 0).toLower().toStdString();
}

/// The name of a run after a change of its precision, if it was named after the previous one: "fp16" and "fp16 2" become "bf16", with a
/// number if that is taken. `from` and `to` are the marker's texts: "FP16", "FP8, delayed scaling". Nothing: it has another name.
std::optional<std::string> followedName(const SessionModel& session, const RunState& run, const std::string& name, const QString& from,
                                        const QString& to) {
    const std::string before = formatName(from), after = formatName(to);
    const bool isNumbered = name.starts_with(before + ' ') && name.find_first_not_of("0123456789", before.size() + 1) == std::string::npos;
    if (before == after || (name != before && !isNumbered)) return std::nullopt;
    std::vector<RunSettings> others;
    for (const auto& other : session.runs())
        if (other->id != run.id) others.push_back(other->info.settings);
    return freeName(others, after);
}

}  // namespace

UndoController::UndoController(const WindowParts& parts, const TrainingController* training)
    : WindowParts(parts), m_undoLog(new UndoLog(m_session, m_engine, m_undo)) {
    const auto turn = [this](int entry, void (QUndoStack::*turned)()) {
        if (m_layouts->isLent() && LayoutUndo::isLayoutEntry(m_undo->command(entry)))
            return m_status->say(tr("While a lesson has the place of panels, the layout stays as it is: close the lesson first."));
        (m_undo->*turned)();
    };
    connect(m_actions->undo, &QAction::triggered, this, [this, turn] { turn(m_undo->index() - 1, &QUndoStack::undo); });
    connect(m_actions->redo, &QAction::triggered, this, [this, turn] { turn(m_undo->index(), &QUndoStack::redo); });
    connect(m_undo, &QUndoStack::indexChanged, this, &UndoController::refresh);
    connect(m_undoLog, &UndoLog::said, m_status, &StatusLine::say);
    connectNames();
    connect(m_undoLog, &UndoLog::remainsChanged, this, &UndoController::refresh);
    connect(training, &TrainingController::refreshed, this, &UndoController::refresh);
    connect(m_actions->forkUndone, &QAction::triggered, this, [this] {
        if (const auto& remains = m_undoLog->remains()) m_timeline->askFork(remains->run, remains->step, false);
    });
}

void UndoController::connectNames() {
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
}

/// `from` and `to` are texts of the setting, as in markers.
void UndoController::followFormat(const RunState& run, const QString& from, const QString& to) {
    const auto followed = m_followed.find(run.id);
    const bool isOnItsWay = followed != m_followed.end() && !followed->second.isConfirmed;
    const std::string name = isOnItsWay ? followed->second.name : run.info.settings.name;
    const auto next = followedName(*m_session, run, name, from, to);
    if (!next) return;
    m_undoLog->sendAside(RenameRun{run.id, *next});
    m_followed[run.id] = {*next, to};
}

void UndoController::refresh() {
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

}  // namespace mantissa::gui
