// SPDX-License-Identifier: GPL-3.0-or-later
// The actions of the timeline: rewind to before a step, fork, what-if. It determines which of them apply to a step and a run, and fills
// menus. GUI thread only.
#pragma once

#include <QObject>

#include "gui/link/engine_client.h"

class QMenu;

namespace mantissa::gui {

class Timeline : public QObject {
    Q_OBJECT
public:
    Timeline(SessionModel* session, EngineClient* engine, QWidget* window);

    /// Returns the run for actions on one run: the selected one, if the engine trains it; else null.
    const RunState* subject() const;
    bool canRewindAll(std::int64_t step) const;

    void rewindAll(std::int64_t step);
    void rewind(RunId run, std::int64_t step);
    /// Opens the dialog for a fork; `asWhatIf`: as a what-if.
    void askFork(RunId run, std::int64_t step, bool asWhatIf);
    /// Fills a menu with the actions at a step (-1: none chosen) for the run; those that do not apply are disabled.
    void fillMenu(QMenu* menu, std::int64_t step, const RunState* run);

signals:
    /// Emitted with a rewind command for the engine, which pauses afterwards.
    void rewindAsked(const RewindRuns& command);
    /// Emitted with a message for the status line.
    void said(const QString& sentence);

private:
    SessionModel* m_session;
    EngineClient* m_engine;
    QWidget* m_window;
};

}  // namespace mantissa::gui
