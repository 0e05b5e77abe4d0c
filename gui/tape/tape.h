// SPDX-License-Identifier: GPL-3.0-or-later
// The verbs of the tape: back to before a step, a new run from there, a look at what could be. It knows which of them make sense for a
// step and a run, and puts them into menus. GUI thread only.
#pragma once

#include <QObject>

#include "gui/link/engine_client.h"

class QMenu;

namespace mantissa::gui {

class Tape : public QObject {
    Q_OBJECT
public:
    Tape(Lab* lab, EngineClient* engine, QWidget* window);

    /// The run that a verb for one run is about: the selected one, when it can go back; else null.
    const RunState* subject() const;
    bool canRewindAll(std::int64_t step) const;

    void rewindAll(std::int64_t step);
    void rewind(RunId run, std::int64_t step);
    /// Asks for the one change; `asWhatIf`: as a look at what could be.
    void askFork(RunId run, std::int64_t step, bool asWhatIf);
    /// What can be done at a step (-1: none was chosen) with the run; those that cannot be are shown so.
    void fillMenu(QMenu* menu, std::int64_t step, const RunState* run);

signals:
    /// To be sent to the engine, which pauses for it: what comes next is for the user to say.
    void rewindAsked(const RewindRuns& command);
    /// A word for the status line.
    void said(const QString& sentence);

private:
    Lab* m_lab;
    EngineClient* m_engine;
    QWidget* m_window;
};

}  // namespace mantissa::gui
