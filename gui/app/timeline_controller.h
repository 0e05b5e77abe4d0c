// SPDX-License-Identifier: GPL-3.0-or-later
// The actions at a step: rewind, fork, the menu of a step, and notes; and announcements of what happens to runs. GUI thread only.
#pragma once

#include <QObject>
#include <functional>
#include <map>

#include "gui/app/window_parts.h"

namespace mantissa::gui {

class DiagnoseController;
class NoteField;
class TrainingController;

class TimelineController : public QObject, WindowParts {
    Q_OBJECT
public:
    TimelineController(const WindowParts& parts, TrainingController* training, DiagnoseController* diagnosis);

private:
    void connectEvents();
    void connectMenus();
    void connectNotes();
    void announceHealth();
    void atCrosshair(const std::function<void(std::int64_t step)>& verb);
    void atHeldStep(const std::function<void(std::int64_t step)>& verb);  // for actions that discard steps
    void showMenu(qint64 step, const RunState* run, QPoint place, bool isOnPlots);
    void writeNote(std::int64_t step);
    void editNote(int id);
    void openNote(const Note& note);
    void addNoteVerbs(QMenu* menu, std::int64_t step);

    DiagnoseController* m_diagnosis;
    NoteField* m_noteField;
    std::map<RunId, Severity> m_toldSeverity;  // last announced severity of each run
};

}  // namespace mantissa::gui
