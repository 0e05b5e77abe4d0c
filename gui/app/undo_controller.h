// SPDX-License-Identifier: GPL-3.0-or-later
// Undo and redo, and the names of runs that follow their formats. GUI thread only.
#pragma once

#include <QObject>
#include <map>
#include <string>

#include "gui/app/window_parts.h"

namespace mantissa::gui {

class TrainingController;
class UndoLog;

class UndoController : public QObject, WindowParts {
    Q_OBJECT
public:
    UndoController(const WindowParts& parts, const TrainingController* training);

private:
    /// The latest name that a run received from its format.
    struct Followed {
        std::string name;
        QString format;
        bool isConfirmed = false;  // by the engine
    };

    void connectNames();
    void followFormat(const RunState& run, const QString& from, const QString& to);
    void refresh();

    UndoLog* m_undoLog;
    std::map<RunId, Followed> m_followed;
};

}  // namespace mantissa::gui
